"""Network keys: 32 random bytes that all nodes of a network share.

As text, a key is `psvr-key-` and 64 hexadecimal digits.  A key file holds one key per line, at most two: the node sends
with the first and accepts both, so that keys can be changed while the network runs.  `#` begins a comment.  No message
made here contains a key or a part of one; what is shown of a key is its tag.
"""

import os
import re
import secrets
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2s
from pathlib import Path

from psvr.errors import BadInput

PREFIX = "psvr-key-"
SIZE = 32
MAX_KEYS = 2
MAX_FILE_BYTES = 1 << 16  # bytes: room for two keys and many comments
VARIABLE = "PSVR_KEY"


def tag(key: bytes) -> bytes:
    """Four bytes that tell keys apart and do not reveal the key: everyone may see them."""
    return blake2s(key=key, digest_size=4, person=b"psvr-tag").digest()


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys in use: the first is used for sending, all are accepted."""

    keys: tuple[bytes, ...] = field(repr=False)

    def __post_init__(self) -> None:
        if not 1 <= len(self.keys) <= MAX_KEYS:
            raise BadInput("at most two keys can be in use" if self.keys else "holds no key")
        if any(len(key) != SIZE for key in self.keys):
            raise BadInput(f"a key must have {SIZE} bytes")
        if len(set(self.tags)) < len(self.keys):
            raise BadInput("the same key twice")

    @property
    def tags(self) -> tuple[bytes, ...]:
        return tuple(tag(key) for key in self.keys)

    def __repr__(self) -> str:
        return f"Keyring({self.summary()})"

    def summary(self) -> str:
        """Which keys these are, by their tags."""
        sends, *accepted = (t.hex() for t in self.tags)
        return f"sends with {sends}" + "".join(f", accepts {t} too" for t in accepted)


def new_key() -> str:
    return PREFIX + secrets.token_hex(SIZE)


def parse_key(text: str, where: str) -> bytes:
    """The key that a text stands for; `where` names its source in errors."""
    digits = text.removeprefix(PREFIX)
    if digits == text or not re.fullmatch("[0-9a-fA-F]*", digits):
        raise BadInput(f"{where}: not a key; a key is {PREFIX} and {2 * SIZE} hexadecimal digits, from psvr keygen")
    if len(digits) != 2 * SIZE:
        wrong = "short" if len(digits) < 2 * SIZE else "long"
        raise BadInput(f"{where}: too {wrong} for a key: {len(digits)} hexadecimal digits instead of {2 * SIZE}")
    return bytes.fromhex(digits)


def load_keys(file: Path | None, environment: Mapping[str, str]) -> Keyring | None:
    """The keys in a file, else in the variable PSVR_KEY (two are separated by a comma), else none."""
    if file is not None:
        return keyring(shown(file), key_lines(file, read(file)))
    text = environment.get(VARIABLE)
    if text is None:
        return None
    if not text.strip():  # more likely a mistake in a script than a wish to do without a key
        raise BadInput(f"{VARIABLE}: is empty; give a key, or unset it")
    return keyring(VARIABLE, [(VARIABLE, part.strip()) for part in text.split(",")])


def keyring(where: str, parts: Sequence[tuple[str, str]]) -> Keyring:
    keys = tuple(parse_key(text, place) for place, text in parts)
    try:
        return Keyring(keys)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None


def key_lines(file: Path, text: str) -> list[tuple[str, str]]:
    """The lines that are not comments, each preceded by its place."""
    lines = ((i, without_comment(line)) for i, line in enumerate(text.splitlines(), 1))
    return [(f"{shown(file)}: line {i}", line) for i, line in lines if line]


def without_comment(line: str) -> str:
    return line.partition("#")[0].strip()


def read(file: Path) -> str:
    """The text of a key file, which nobody else must be able to read or write."""
    name = shown(file)
    try:
        with open(file, "rb", opener=open_nonblocking) as handle:
            status = os.fstat(handle.fileno())
            text = handle.read(MAX_FILE_BYTES + 1) if stat.S_ISREG(status.st_mode) else b""
    except FileNotFoundError:
        raise BadInput(f"{name}: there is no such file; psvr keygen FILE makes one") from None
    except IsADirectoryError:
        raise BadInput(f"{name}: must be a file") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{name}: cannot be read: {getattr(error, 'strerror', None) or 'not a file name'}") from None
    check(name, status, len(text))
    return text.decode("utf-8", "replace")


def open_nonblocking(file: str, flags: int) -> int:
    """Open without waiting: if it is a pipe, nobody may ever write to it."""
    return os.open(file, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def check(name: str, status: os.stat_result, size: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(f"{name}: must be a file")
    if status.st_mode & 0o077:
        raise BadInput(f"{name}: others can read or write this key; run: chmod 600 {name}")
    if size > MAX_FILE_BYTES:
        raise BadInput(f"{name}: too long for a key file")


def shown(file: Path) -> str:
    """The name of a file for messages; an error if somebody gave the key itself instead."""
    if re.search(f"{PREFIX}[0-9a-fA-F]{{8}}|^[0-9a-fA-F]{{{2 * SIZE}}}", file.name):
        raise BadInput("the key file: this looks like a key; give the name of a file that holds it")
    return str(file).replace("\0", "?")
