"""Files that users name, and standard input: read whole, but only what is a file, is text, and is not too large."""

import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

from .errors import BadInput, shown

MEGABYTE = 1 << 20
LARGEST = 64                    # megabytes of a file, some five million links
LARGEST_TOML = 16               # megabytes, which take ten seconds to read
NO_FILES = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"),
            (stat.S_ISBLK, "a device"))


def read_bytes(path: Path, name: str, most: int = LARGEST) -> bytes:
    """All of a file of at most so many megabytes; `name` is what the user calls it."""
    try:
        about = path.stat()
        for is_one, what in NO_FILES:           # a device may have no end, and a pipe nobody who writes
            if is_one(about.st_mode):
                raise BadInput(f"{name}: must be a file, not {what}")
        with path.open("rb") as file:
            return bounded(file.read(most * MEGABYTE + 1), name, most)
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}") from None
    except BadInput:
        raise
    except ValueError:
        raise BadInput(f"{shown(name)}: not the name of a file") from None


def read_stdin(most: int = LARGEST) -> bytes:
    return bounded(sys.stdin.buffer.read(most * MEGABYTE + 1), "standard input", most)


def bounded(content: bytes, name: str, most: int) -> bytes:
    if len(content) > most * MEGABYTE:
        raise BadInput(f"{name}: must be at most {most} MB, and is larger")
    return content


def read_text(path: Path, name: str, most: int = LARGEST) -> str:
    """Whatever its lines end with: a copy that was made elsewhere is the same text."""
    return decoded(read_bytes(path, name, most), name).replace("\r\n", "\n").replace("\r", "\n")


def decoded(content: bytes, name: str) -> str:
    if (zero := content.find(0)) >= 0:
        raise BadInput(f"{name}: not text (byte {zero} is zero)")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name}: not UTF-8 text (byte {error.start})") from None


def read_toml(path: Path, name: str) -> dict[str, Any]:
    return parse_toml(read_text(path, name, LARGEST_TOML), name)


def parse_toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise BadInput(f"{name}: lists or tables are nested too deeply") from None
    except ValueError as error:
        raise BadInput(f"{name}: not TOML: {error}") from None
