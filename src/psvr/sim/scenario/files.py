"""Files of links, places or movements: lines of numbers, where `#` starts a comment."""

from pathlib import Path

from psvr.errors import BadInput, shown
from psvr.files import read_text

from .selection import MAX_NODES, Pair


def read_links(path: Path, key: str) -> tuple[Pair, ...]:
    """The links in a file, each once."""
    text = read_text(path, f"{key}: {path}")
    found: dict[Pair, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            u, v = two_nodes(words, f"{key}: line {number}")
            before = found.setdefault((min(u, v), max(u, v)), number)
            if before != number:
                raise BadInput(f"{key}: line {number}: must be a new link, but {u} and {v} are linked in line {before}")
    return tuple(found)


def two_nodes(words: list[str], where: str) -> Pair:
    """The link in a line; BadInput if it is not two different nodes."""
    if len(words) != 2 or not all(
        word.isascii() and word.isdigit() and int(word[:9]) < MAX_NODES and len(word) < 9 for word in words
    ):
        raise BadInput(f"{where}: must be two nodes from 0 to {MAX_NODES - 1}, not {shown(' '.join(words))}")
    u, v = map(int, words)
    if u == v:
        raise BadInput(f"{where}: must link two different nodes, not {u} to itself")
    return u, v


def read_rows(path: Path, key: str, names: tuple[str, ...]) -> list[list[float]]:
    """Rows of as many numbers as there are names, separated by spaces or commas."""
    found = []
    for number, line in enumerate(read_text(path, f"{key}: {path}").splitlines(), 1):
        words = line.partition("#")[0].replace(",", " ").split()
        if words:
            found.append(numbers(words, names, f"{key}: line {number}"))
    return found


def numbers(words: list[str], names: tuple[str, ...], where: str) -> list[float]:
    """The numbers in a line; BadInput if there is not one for each name."""
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    if len(values) != len(names):
        raise BadInput(f"{where}: must be {' '.join(names)}, not {shown(' '.join(words))}")
    return values
