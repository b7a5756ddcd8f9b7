"""What a file of a trace holds at this moment, found with a few short reads: where its whole lines end, and who it is.

A file is identified by a digest of its first line, not by its name or inode: files are renamed, copied and moved to
other disks, and inodes are given to new files at once.  First lines of nodes differ: they say which node, and the µs.
Of a Parquet file it is the length and the last 64 KB, which describe all of its pages.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

STEP = 1 << 16  # bytes that are read at a time
HEAD = 1 << 20  # bytes within which the first line has to end
MARK = 256  # bytes before an offset by which its place is known again
MAGIC = b"PAR1"  # ends every whole Parquet file

Read = Callable[[int, int], bytes]  # the bytes from one place to another, fewer where the file ends


@dataclass(frozen=True)
class Content:
    """Bytes that can be read, and when they were last changed."""

    size: int
    modified: int
    read: Read


@dataclass(frozen=True)
class Look:
    """A file as it was found.  Without a key nothing in it is complete yet."""

    name: str
    key: str
    modified: int
    size: int  # bytes of whole lines; of Parquet all
    torn: int = 0  # bytes after them
    mark: str = ""  # of the place up to which it was read before, if it is that long
    end: int = 0  # how far to read now
    end_mark: str = ""
    odd: bool = False  # begins like a longer file, and goes on differently
    unreadable: str = ""  # why it cannot be read, though it is there


def digest(*parts: bytes) -> str:
    return hashlib.blake2b(b"\0".join(parts), digest_size=12).hexdigest()


def key_of_lines(content: Content) -> str:
    """The digest of the first line; nothing if it is not complete."""
    size = 4096
    while True:
        head = content.read(0, size)
        end = head.find(b"\n")
        if end >= 0:
            return digest(b"lines", head[:end])
        if len(head) < size or size >= HEAD:
            return ""
        size *= 4


def key_of_part(content: Content) -> str:
    tail = content.read(max(0, content.size - STEP), content.size)
    return digest(b"part", str(content.size).encode(), tail) if tail.endswith(MAGIC) else ""


def last_line_end(content: Content, low: int, high: int) -> int:
    """The byte after the last line end between two places, or the first of them if there is none."""
    while high > low:
        step = max(low, high - STEP)
        found = content.read(step, high).rfind(b"\n")
        if found >= 0:
            return step + found + 1
        high = step
    return low


def next_line_end(content: Content, low: int, high: int) -> int:
    """The byte after the first line end between two places, or the second of them if there is none."""
    while low < high:
        found = content.read(low, min(low + STEP, high)).find(b"\n")
        if found >= 0:
            return low + found + 1
        low += STEP
    return high


def next_stop(content: Content, at: int, size: int, limit: int) -> int:
    """Whole lines of about so many bytes from here, at least one if there is one."""
    if at + limit >= size:
        return size
    end = last_line_end(content, at, at + limit)
    return end if end > at else next_line_end(content, at, size)


def mark(content: Content, at: int) -> str:
    """What is before a place, to know it again."""
    return digest(content.read(max(0, at - MARK), at))


def look_at_lines(name: str, content: Content, read_before: Callable[[str], int], limit: int) -> Look:
    """Look at lines of JSON; `read_before` says how far the content with this key was read."""
    key = key_of_lines(content)
    if not key:
        return Look(name, "", content.modified, 0, torn=content.size)
    size, at = last_line_end(content, 0, content.size), read_before(key)
    end = next_stop(content, at, size, limit) if at <= size else size
    found = mark(content, at) if 0 < at <= size else ""
    return Look(name, key, content.modified, size, content.size - size, found, end, mark(content, end))


def look_at_part(name: str, content: Content) -> Look:
    """Look at a Parquet file, which is read as a whole or not at all."""
    key, size = key_of_part(content), content.size
    if not key:
        return Look(name, "", content.modified, 0, torn=size)
    return Look(name, key, content.modified, size, mark=key, end=size, end_mark=key)


def agree(shorter: Content, longer: Content, size: int) -> bool | None:
    """Whether one file is the beginning of the other, as far as its end shows; None if they are other files by now."""
    if key_of_lines(shorter) != key_of_lines(longer):
        return None
    low = max(0, size - STEP)
    return shorter.read(low, size) == longer.read(low, size)


@contextmanager
def opened(file: Path) -> Iterator[Content]:
    """The content of a file, which stays the same one though its name goes to another."""
    handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe would wait for a writer
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise OSError("it must be a file")
        yield Content(about.st_size, about.st_mtime_ns, lambda low, high: os.pread(handle, max(0, high - low), low))
    finally:
        os.close(handle)
