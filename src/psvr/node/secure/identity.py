"""The id of a node, drawn once and kept in its state folder, which only one running node can use at a time."""

import fcntl
import os
import re
import secrets
from pathlib import Path
from types import TracebackType

from psvr import atomic
from psvr.errors import BadInput

# 53 bits: every JSON reader represents them exactly, and among 10,000 nodes two share an id once in 180 million
# networks (with 31 bits: once in 43).  They take eight bytes in a frame, where four would do for smaller ones.
MAX_DRAWN_ID = (1 << 53) - 1
MAX_ID = (1 << 63) - 1  # of ids that are given: what the records of the protocol can hold


class Identity:
    """The id of this node, and its lock on the state folder until it is closed."""

    def __init__(self, folder: Path, given: int | None = None) -> None:
        if given is not None and not 0 <= given <= MAX_ID:
            raise BadInput(f"id: must be from 0 to {MAX_ID}, not {given}")
        self.folder = folder
        self.lock: int | None = lock_folder(folder)
        try:
            self.id = stored_id(folder) if given is None else given
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the folder, even if a child process still has the lock file open."""
        lock, self.lock = self.lock, None
        if lock is not None:
            fcntl.flock(lock, fcntl.LOCK_UN)
            os.close(lock)

    def __enter__(self) -> "Identity":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def lock_folder(folder: Path) -> int:
    """Create the folder if need be, and lock it; the system releases the lock however the process ends."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except (OSError, ValueError) as error:
        raise unusable(folder, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        if not isinstance(error, BlockingIOError):
            raise unusable(folder, error) from None
        raise BadInput(
            f"{folder}: another node is running with this state folder; give each node a folder of its own"
        ) from None
    return lock


def stored_id(folder: Path) -> int:
    """The id stored in the folder; a new one if there is none."""
    file = folder / "id"
    try:
        text = file.read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return draw_id(folder)
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from None
    if not re.fullmatch("[0-9]{1,19}", text) or int(text) > MAX_ID:
        raise BadInput(f"{file}: is damaged; remove it, and the node draws a new id")
    return int(text)


def draw_id(folder: Path) -> int:
    """Draw an id and store it."""
    id = 1 + secrets.randbelow(MAX_DRAWN_ID)
    try:
        atomic.replace(folder / "id", f"{id}\n", atomic.PRIVATE, keep_owner=True)
    except OSError as error:
        raise unusable(folder, error) from None
    return id


def unusable(folder: Path, error: Exception) -> BadInput:
    reason = getattr(error, "strerror", None) or "not the name of a folder"
    return BadInput(f"{str(folder).replace(chr(0), '?')}: cannot be used as state folder: {reason}")
