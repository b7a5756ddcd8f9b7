"""Ranges of files cut into pieces for tasks, and the text of a piece, wherever its file is by now."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .contents import STEP, Content, opened
from .folders import find, is_part
from .offsets import Range

BLOCK = 4 << 20  # bytes of text that are parsed at a time
SMALLEST, LARGEST = 1 << 20, 32 << 20  # bytes of a task


class Gone(Exception):
    """A file is no longer there, or shorter than it was."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at  # where reading ended


@dataclass(frozen=True)
class Text:
    """Whole lines, and where in their file they begin."""

    begin: int
    lines: bytes


def cut(ranges: Sequence[Range], tasks: int) -> list[list[Range]]:
    """Share ranges out to about so many tasks, or more if they are large.  Parquet files are not cut."""
    total = sum(range.end - range.begin for range in ranges)
    size = min(max(total // max(tasks, 1) + 1, SMALLEST), LARGEST)
    bundles, room = list[list[Range]](), 0
    for whole in ranges:
        begin = whole.begin
        while begin < whole.end:
            if room <= 0:
                bundles.append([])
                room = size
            end = whole.end if is_part(whole.name) else min(whole.end, begin + room)
            bundles[-1].append(Range(whole.name, whole.key, begin, end))
            room -= end - begin
            begin = end
    return bundles


def blocks(folder: Path, piece: Range) -> Iterator[Text]:
    """The lines that begin in a piece, some megabytes at a time; `Gone` if they cannot be had."""
    file = find(folder, piece.name, piece.key)
    if file is None:
        raise Gone(piece.begin)
    with suppress(FileNotFoundError), opened(file) as content:
        yield from lines_of(content, piece.begin, piece.end)
        return
    raise Gone(piece.begin)


def lines_of(content: Content, begin: int, end: int) -> Iterator[Text]:
    """The lines that begin between two places; the last of them may end after the second."""
    at = begin
    if at > 0 and content.read(at - 1, at) != b"\n":
        at = line_end(content, at)
    while at < end:
        text = content.read(at, min(at + BLOCK, end))
        if not text.endswith(b"\n"):
            cut_at = text.rfind(b"\n") + 1
            if at + len(text) < end and cut_at:
                text = text[:cut_at]
            else:
                try:
                    text += content.read(at + len(text), line_end(content, at + len(text)))
                except Gone:
                    yield Text(at, text[:cut_at])
                    raise Gone(at + cut_at) from None
        yield Text(at, text)
        at += len(text)


def line_end(content: Content, at: int) -> int:
    """The byte after the next line end; it is there, unless the file was cut meanwhile."""
    while True:
        text = content.read(at, at + STEP)
        found = text.find(b"\n")
        if found >= 0:
            return at + found + 1
        if len(text) < STEP:
            raise Gone(at)
        at += STEP
