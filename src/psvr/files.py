"""Reads files named by users, and standard input, as a whole: only regular files, only text, and up to a size."""

import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

from .errors import BadInput, shown

MEGABYTE = 1 << 20
MAX_MEGABYTES = 64  # of any file; that is some five million links
MAX_TOML_MEGABYTES = 16  # of a TOML file, which takes ten seconds to parse
NOT_FILES = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def read_bytes(path: Path, name: str, max_megabytes: int = MAX_MEGABYTES) -> bytes:
    """The content of a file of at most so many megabytes; `name` is what the user calls it."""
    try:
        about = path.stat()
        for is_kind, what in NOT_FILES:  # a device may never end, and a pipe may have no writer
            if is_kind(about.st_mode):
                raise BadInput(f"{name}: must be a file, not {what}")
        with path.open("rb") as file:
            return check_size(file.read(max_megabytes * MEGABYTE + 1), name, max_megabytes)
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}") from None
    except BadInput:
        raise
    except ValueError:
        raise BadInput(f"{shown(name)}: not the name of a file") from None


def read_stdin(max_megabytes: int = MAX_MEGABYTES) -> bytes:
    return check_size(sys.stdin.buffer.read(max_megabytes * MEGABYTE + 1), "standard input", max_megabytes)


def check_size(content: bytes, name: str, max_megabytes: int) -> bytes:
    if len(content) > max_megabytes * MEGABYTE:
        raise BadInput(f"{name}: must be at most {max_megabytes} MB, and is larger")
    return content


def read_text(path: Path, name: str, max_megabytes: int = MAX_MEGABYTES) -> str:
    """The text of a file with any kind of line ending replaced by \\n, so that copies from other systems are equal."""
    return decoded(read_bytes(path, name, max_megabytes), name).replace("\r\n", "\n").replace("\r", "\n")


def decoded(content: bytes, name: str) -> str:
    if (zero := content.find(0)) >= 0:
        raise BadInput(f"{name}: not text (byte {zero} is zero)")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name}: not UTF-8 text (byte {error.start})") from None


def read_toml(path: Path, name: str) -> dict[str, Any]:
    return parse_toml(read_text(path, name, MAX_TOML_MEGABYTES), name)


def parse_toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise BadInput(f"{name}: lists or tables are nested too deeply") from None
    except ValueError as error:
        raise BadInput(f"{name}: not TOML: {error}") from None
