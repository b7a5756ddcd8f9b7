"""The files of a folder of traces as they are at this moment, and what nodes say of those that they removed."""

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from psvr.errors import BadInput
from psvr.trace.columns import one_line
from psvr.trace.files import LINES, PARTS, REMOVED

from .contents import Look, agree, key_of_lines, key_of_part, look_at_lines, look_at_part, opened
from .offsets import Removed

RETRIES = 3  # looks in a row, if files are renamed at that moment: one that is renamed is not lost
ROTATED = re.compile(r"\.[0-9]{1,6}")  # what others append to names when they rotate files


@dataclass(frozen=True)
class Found:
    """A folder at one moment."""

    looks: tuple[Look, ...]
    removed: Removed

    @property
    def unreadable(self) -> dict[str, str]:
        """Files that cannot be read, and why."""
        return {look.name: look.unreadable for look in self.looks if look.unreadable}

    @property
    def waiting(self) -> int:
        """Bytes that are not complete: half lines, and Parquet files without their end."""
        return sum(look.torn for look in self.looks)


def names(folder: Path) -> list[str]:
    try:
        found = sorted(os.listdir(folder))
    except OSError as error:
        raise BadInput(f"{folder}: must be a folder with a trace: {one_line(error)}") from None
    return [name for name in found if name[0] not in "._" and (is_part(name) or is_lines(name))]


def is_part(name: str) -> bool:
    return name.endswith(PARTS)


def is_lines(name: str) -> bool:
    return ROTATED.sub("", name[name.rfind(LINES) + len(LINES) :]) == "" if LINES in name else False


def look_around(folder: Path, read_before: Callable[[str], int], limit: int) -> Found:
    """Look at every file.  What nodes say they have removed is read last: it is written before the file goes."""
    for _ in range(RETRIES):
        looks = look_at_all(folder, read_before, limit)
        if None not in looks:
            break
    return Found(tuple(with_odd(folder, [look for look in looks if look is not None])), removed_in(folder))


def look_at_all(folder: Path, read_before: Callable[[str], int], limit: int) -> list[Look | None]:
    """Look at every file once; None stands for one that was removed or renamed just now."""
    looks = list[Look | None]()
    for name in names(folder):
        try:
            with opened(folder / name) as content:
                looks.append(
                    look_at_part(name, content) if is_part(name) else look_at_lines(name, content, read_before, limit)
                )
        except FileNotFoundError:
            looks.append(None)
        except OSError as error:
            looks.append(Look(name, "", 0, 0, unreadable=one_line(error)))
    return looks


def with_odd(folder: Path, looks: list[Look]) -> Iterator[Look]:
    """Find files that begin with the same line and are not copies of each other."""
    longest: dict[str, Look] = {}
    for look in sorted(looks, key=lambda look: (look.size, look.name)):
        longest[look.key] = look
    for look in looks:
        other = longest[look.key]
        if look is other or not look.key or is_part(look.name):
            yield look
        else:
            with suppress(OSError), opened(folder / look.name) as one, opened(folder / other.name) as two:
                if agree(one, two, look.size) is False:
                    look = replace(look, odd=True)
            yield look


def removed_in(folder: Path) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for file in folder.glob("*" + REMOVED):
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):  # somebody else's file
            entries = json.loads(file.read_text("utf-8"))["files"]
            found[file.name.removesuffix(REMOVED)] = {int(number): int(size) for number, size in entries.items()}
    return found


def find(folder: Path, name: str, key: str) -> Path | None:
    """Where a content is by now: under its name, or another if it was renamed since."""
    for candidate in (name, *names(folder)):
        with suppress(OSError), opened(folder / candidate) as content:
            if key == (key_of_part(content) if is_part(candidate) else key_of_lines(content)):
                return folder / candidate
    return None
