"""Which files are read by which task: whole runs where they are small, parts of them where they are not."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .looking import File
from .reading import Piece

WHOLE = 20_000_000  # rows of a run that one task may read
LEAST = 2_000_000  # rows that a task is worth
PART = 4_000_000  # rows of a run that is read in parts, that a task reads
BUCKET = 6_000_000  # rows whose pieces meet in one bucket
LINE = 5  # rows of Parquet that are read as fast as a line of JSON


@dataclass(frozen=True)
class Units:
    """Pieces for each task: those that have all of their runs, and those that have parts; and buckets for each run."""

    whole: list[list[Piece]] = field(default_factory=list)
    parts: list[list[Piece]] = field(default_factory=list)
    buckets: dict[str, int] = field(default_factory=dict)


def units(files: Sequence[File], slots: int, whole: int = WHOLE, least: int = LEAST, part: int = PART) -> Units:
    """Cut the work.  A run that is more than its share of all slots is read in parts, so that none of them waits."""
    share = sum(map(cost, files)) / max(slots, 1)
    found = Units()
    small: list[tuple[int, list[File]]] = []
    for group in together(files):
        rows = sum(map(cost, group))
        if rows <= min(whole, max(least, share)):
            small.append((rows, group))
            continue
        found.parts.extend(
            packed([(cost_of(file, piece), [piece]) for file in group for piece in cut(file, part)], part)
        )
        number = max(1, -(-rows // BUCKET), min(slots, -(-rows // least)))
        found.buckets.update({run: number for file in group for run in file.runs})
    small.sort(key=lambda pair: -pair[0])
    pieces = [(rows, [Piece(file.file) for file in group]) for rows, group in small]
    found.whole.extend(packed(pieces, least))
    return found


def cost(file: File) -> int:
    """How long a file takes to read, in rows of Parquet."""
    return file.rows * (LINE if file.is_lines else 1)


def together(files: Sequence[File]) -> list[list[File]]:
    """Files in groups that have no run in common."""
    parent = list(range(len(files)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    seen: dict[str, int] = {}
    for place, file in enumerate(files):
        for run in file.runs:
            parent[root(place)] = root(seen.setdefault(run, place))
    groups = defaultdict(list)
    for place, file in enumerate(files):
        if file.runs:
            groups[root(place)].append(file)
    return list(groups.values())


def cut(file: File, most: int) -> Iterator[Piece]:
    """A file in pieces of so many rows, if it has row groups to cut at."""
    number = min(file.groups, -(-file.rows // most))
    if file.is_lines or number <= 1:
        yield Piece(file.file)
        return
    for i in range(number):
        yield Piece(file.file, file.groups * i // number, file.groups * (i + 1) // number)


def cost_of(file: File, piece: Piece) -> int:
    if piece.end is None:
        return cost(file)
    return cost(file) * (piece.end - piece.begin) // file.groups


def packed(pieces: Sequence[tuple[int, list[Piece]]], most: int) -> list[list[Piece]]:
    """Small ones together, until a task has enough to do."""
    found: list[list[Piece]] = []
    full = most
    for rows, some in pieces:
        if full + rows > most:
            found.append([])
            full = 0
        found[-1].extend(some)
        full += rows
    return found
