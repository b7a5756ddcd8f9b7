"""Who a node is: its id, drawn once and kept in its state folder, which belongs to one running node at a time."""

import fcntl
import os
import re
import secrets
from pathlib import Path
from types import TracebackType

from psvr.errors import BadInput

from . import private

# 53 bits: every reader of JSON keeps them exactly, and among 10,000 nodes two are alike once in 180 million networks
# (with 31 bits: once in 43).  They cost eight bytes in a frame, where four would do for smaller ones.
MOST_DRAWN = (1 << 53) - 1
MOST_ID = (1 << 63) - 1         # what can be given, as in the records of the protocol


class Identity:
    """The id of this node, and its hold on the state folder until it is closed."""

    def __init__(self, folder: Path, given: int | None = None) -> None:
        if given is not None and not 0 <= given <= MOST_ID:
            raise BadInput(f"id: must be from 0 to {MOST_ID}, not {given}")
        self.folder = folder
        self.lock: int | None = hold(folder)
        try:
            self.id = stored(folder) if given is None else given
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let the folder go, also if a child process has the lock open as well."""
        lock, self.lock = self.lock, None
        if lock is not None:
            fcntl.flock(lock, fcntl.LOCK_UN)
            os.close(lock)

    def __enter__(self) -> "Identity":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


def hold(folder: Path) -> int:
    """Make the folder if there is none, and lock it; the system takes the lock back however the process ends."""
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
        raise BadInput(f"{folder}: another node is running with this state folder; "
                       "give each node a folder of its own") from None
    return lock


def stored(folder: Path) -> int:
    """The id in the folder; a new one if there is none."""
    file = folder / "id"
    try:
        text = file.read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return draw(folder)
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from None
    if not re.fullmatch("[0-9]{1,19}", text) or int(text) > MOST_ID:
        raise BadInput(f"{file}: is damaged; remove it, and the node draws a new id")
    return int(text)


def draw(folder: Path) -> int:
    id = 1 + secrets.randbelow(MOST_DRAWN)
    try:
        private.replace(folder / "id", f"{id}\n")
    except OSError as error:
        raise unusable(folder, error) from None
    return id


def unusable(folder: Path, error: Exception) -> BadInput:
    reason = getattr(error, "strerror", None) or "not the name of a folder"
    return BadInput(f"{str(folder).replace(chr(0), '?')}: cannot be used as state folder: {reason}")
