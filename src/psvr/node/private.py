"""Files that only their owner can read, and that appear whole or not at all, also if the power fails."""

import contextlib
import os
from pathlib import Path


def create(file: Path, text: str) -> None:
    """Make a file; FileExistsError if there is one, so that nothing is ever lost."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fill(handle, text)
    except BaseException:
        file.unlink()
        raise
    settle(file.parent)


def replace(file: Path, text: str) -> None:
    """Put a new file in the place of another; the owner stays the same."""
    file = Path(os.path.realpath(file))
    half = file.with_name(f".half-{os.getpid()}-{file.name}")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        keep_owner(file, handle)
        fill(handle, text)
        os.replace(half, file)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
    settle(file.parent)


def keep_owner(file: Path, handle: int) -> None:
    """A key that root replaces must stay readable for the user whose node needs it."""
    with contextlib.suppress(FileNotFoundError):
        before, now = file.stat(), os.fstat(handle)
        if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid):
            os.fchown(handle, before.st_uid, before.st_gid)


def fill(handle: int, text: str) -> None:
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())


def settle(folder: Path) -> None:
    """The new name must outlive a power cut as well."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
