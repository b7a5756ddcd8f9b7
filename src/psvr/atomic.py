"""Writes files so that they appear as a whole or not at all, even if the disk is full or the power fails."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PRIVATE = 0o600  # readable by its owner only
PUBLIC = 0o666  # readable by whoever the user's umask allows
HALF = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


@contextmanager
def atomic_write(file: Path, mode: int = PUBLIC, keep_owner: bool = False) -> Iterator[BinaryIO]:
    """Write a file under a temporary name, then rename it.

    A reader sees the old file or the new one, never a part, even if several processes write it.  With `keep_owner` it
    keeps the owner of the old file, even if root writes it.
    """
    file = Path(os.path.realpath(file))  # a symbolic link stays one
    half = file.with_name(f".half-{secrets.token_hex(6)}-{file.name}")
    try:
        with open(os.open(half, HALF, mode), "wb") as handle:
            if keep_owner:
                keep_owner_of(file, handle.fileno())
            yield handle
            flush_to_disk(handle)
        os.replace(half, file)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)


def replace(file: Path, content: str | bytes, mode: int = PUBLIC, keep_owner: bool = False) -> None:
    """Write a file with this content, replacing any that is there."""
    with atomic_write(file, mode, keep_owner) as half:
        half.write(content.encode() if isinstance(content, str) else content)


def create(file: Path, text: str, mode: int = PRIVATE) -> None:
    """Create a file; FileExistsError if it exists, so that nothing is ever lost."""
    with open(os.open(file, HALF, mode), "wb") as handle:
        try:
            handle.write(text.encode())
            flush_to_disk(handle)
        except BaseException:
            file.unlink()
            raise
    sync_folder(file.parent)


def flush_to_disk(handle: BinaryIO) -> None:
    """Wait until everything written is on the disk."""
    handle.flush()
    os.fsync(handle.fileno())


def sync_folder(folder: Path) -> None:
    """Sync a folder: a new name must survive a power failure too."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def keep_owner_of(file: Path, handle: int) -> None:
    """Give the new file the owner of the old one: a key that root replaces must stay readable for its user's node."""
    with contextlib.suppress(FileNotFoundError):
        before, now = file.stat(), os.fstat(handle)
        if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid):
            os.fchown(handle, before.st_uid, before.st_gid)
