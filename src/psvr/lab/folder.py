"""The folder of results: which studies it has, how they were asked for, and who is at work in it."""

import fcntl
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from psvr.errors import BadInput

from .files import kept
from .study import BUILT_IN, Study, load, read_toml
from .whole import replace

LOCK = ".lock"


@dataclass(frozen=True)
class Asked:
    """How a study was asked for, so that its report can be made again."""

    study: str                                  # a name, or the path of a folder
    scale: str
    sets: tuple[str, ...]
    systems: tuple[tuple[str, str], ...]        # names and texts of the files of further systems
    names: tuple[str, ...]                      # of the systems in them


def asked(study: Study, sets: Sequence[str], systems: Sequence[tuple[str, str]], names: Sequence[str]) -> Asked:
    place = study.name if study.folder == BUILT_IN / study.name else str(study.folder)
    return Asked(place, study.scale, tuple(sets), tuple(systems), tuple(names))


def remember(folder: Path, asked: Asked, study: Study) -> None:
    """Write down how a study was asked for, and what that meant."""
    folder.mkdir(parents=True, exist_ok=True)
    replace(folder / "study.json", json.dumps({**asdict(asked), "described": study.described()}, indent=1))


def recalled(folder: Path) -> dict[str, Any] | None:
    """What `remember` wrote, or None."""
    file = folder / "study.json"
    try:
        found = json.loads(file.read_text("utf-8"))
        found["described"]["grids"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{file}: is damaged; remove it and run the study again, finished trials are kept") from None
    return found  # type: ignore[no-any-return]


def studies_in(out: Path) -> list[tuple[Study, Asked]]:
    """All studies that were run into this folder, as they were asked for last."""
    if not out.is_dir():
        raise BadInput(f"--out {out}: there is no such folder; psvr lab run makes it")
    found = []
    for file in sorted(out.glob("*/study.json"), key=as_in_the_paper):
        it = recalled(file.parent) or {}
        systems = tuple((name, text) for name, text in it["systems"])
        ask = Asked(it["study"], it["scale"], tuple(it["sets"]), systems, tuple(it["names"]))
        if systems:
            from psvr.routing.own import load_systems
            load_systems([kept(name, text) for name, text in systems], replace=True)
        found += [(study, ask) for study in load([ask.study], ask.scale, [*ask.sets], ask.names)]
    if not found:
        raise BadInput(f"--out {out}: has no results yet; psvr lab run STUDY --out {out} makes some")
    return found


def as_in_the_paper(file: Path) -> tuple[int, str]:
    """Studies of the paper in its order, then all others by name."""
    order = [str(name) for name in read_toml(BUILT_IN / "paper")["studies"]]
    name = file.parent.name
    return order.index(name) if name in order else len(order), name


def set_aside(folder: Path) -> None:
    """Keep finished trials where nobody reads them."""
    if any(folder.glob("*.parquet")):
        old = folder.parent / "old"
        old.mkdir(exist_ok=True)
        os.replace(folder, old / time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime()))


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Only one run at a time writes into a folder; a lock ends with its process, however that ends."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        handle = os.open(out / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise BadInput(f"--out {out}: cannot be written: {error.strerror}") from None
    try:
        take(handle, out)
        yield
    finally:
        os.close(handle)


def take(handle: int, out: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadInput(f"--out {out}: another psvr lab is at work there; wait for it, or give another folder") from None
