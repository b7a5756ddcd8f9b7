"""The folder of results: which studies it holds, how they were requested, and a lock for the run that writes it."""

import fcntl
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from psvr.atomic import replace
from psvr.errors import BadInput
from psvr.lab import strict_json
from psvr.lab.code import file_of
from psvr.lab.study.study import BUILT_IN, Study, load, read_toml

LOCK = ".lock"
KEPT = ("study.toml", "README.md", "figure.py", "trial.py")  # files of a study that are kept with its results


@dataclass(frozen=True)
class Request:
    """How a study was requested, kept so that its report can be made again."""

    study: str  # a name, or the path of a folder
    scale: str
    sets: tuple[str, ...]
    systems: tuple[tuple[str, str], ...]  # names and texts of the files of custom systems
    names: tuple[str, ...]  # of the systems in them


def request_for(study: Study, systems: Sequence[tuple[str, str]], names: Sequence[str]) -> Request:
    """Return how to ask for this study alone, though it may have been asked for together with others."""
    place = study.name if study.folder == BUILT_IN / study.name else str(study.folder)
    fitting = tuple(name for name in names if any(name in grid.systems for grid in study.grids))
    return Request(place, study.scale, study.sets, tuple(systems), fitting)


def remember(folder: Path, request: Request, study: Study) -> None:
    """Store how a study was requested, what that meant when it was run, and a user's own study itself."""
    folder.mkdir(parents=True, exist_ok=True)
    if study.folder != BUILT_IN / study.name and study.folder != kept(folder):
        keep(study.folder, kept(folder))
    described = {**asdict(request), "described": study.description()}
    replace(folder / "study.json", strict_json.dumps(described, indent=1))


def kept(folder: Path) -> Path:
    """Return where the files of a study are kept; the folder has its name, as that of a study must."""
    return folder / "source" / folder.name


def keep(study: Path, copy: Path) -> None:
    """Copy the files of a study."""
    copy.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        if (study / name).is_file():
            replace(copy / name, (study / name).read_bytes())
        else:
            (copy / name).unlink(missing_ok=True)


def recall(folder: Path) -> dict[str, Any] | None:
    """Return what `remember` wrote, or None."""
    file = folder / "study.json"
    try:
        found = json.loads(file.read_text("utf-8"))
        complete = isinstance(found["described"]["grids"], dict) and all(f.name in found for f in fields(Request))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        complete = False
    if not complete:
        raise BadInput(f"{file}: is damaged; remove it and run the study again, finished trials are kept")
    return found  # type: ignore[no-any-return]


def study_folders(out: Path) -> list[Path]:
    """Return the folders of all studies that were run into this one, in the order of the paper."""
    if not out.is_dir():
        raise BadInput(f"--out {out}: there is no such folder; psvr lab run makes it")
    found = [file.parent for file in sorted(out.glob("*/study.json"), key=paper_order)]
    if not found:
        raise BadInput(f"--out {out}: has no results yet; psvr lab run STUDY --out {out} makes some")
    return found


def load_again(folder: Path) -> list[tuple[Study, Request]]:
    """Load the study that was run into this folder, as it was last requested; several if it names others by now."""
    stored = recall(folder) or {}
    systems = tuple((name, text) for name, text in stored["systems"])
    request = Request(stored["study"], stored["scale"], tuple(stored["sets"]), systems, tuple(stored["names"]))
    place = where_to_load(request.study, folder)
    if systems:
        from psvr.routing.custom import load_systems

        load_systems([file_of(name, text) for name, text in systems], replace=True)
    return [(study, request) for study in load([place], request.scale, [*request.sets], request.names)]


def where_to_load(place: str, folder: Path) -> str:
    """Return the name or folder of a study: where it was when it was run, or if it is gone from there, its copy."""
    if "/" not in place or (Path(place) / "study.toml").is_file():
        return place
    if (kept(folder) / "study.toml").is_file():
        return str(kept(folder))
    raise BadInput(
        f"study {folder.name}: is no longer in {place}, where it was when it was run; "
        f"run it from where it is now: psvr lab run FOLDER --out {folder.parent}"
    )


def studies_in(out: Path) -> list[tuple[Study, Request]]:
    """Load all studies that were run into this folder, as they were last requested."""
    return [found for folder in study_folders(out) for found in load_again(folder)]


def paper_order(file: Path) -> tuple[int, str]:
    """Return a sort key: studies of the paper in its order, then all others by name."""
    order = [str(name) for name in read_toml(BUILT_IN / "paper")["studies"]]
    name = file.parent.name
    return order.index(name) if name in order else len(order), name


def set_aside(folder: Path) -> None:
    """Move finished trials to where they are kept but no longer read."""
    if any(folder.glob("*.parquet")):
        old = folder.parent / "old"
        old.mkdir(exist_ok=True)
        os.replace(folder, old / time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime()))


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Let only one run at a time write into a folder; the lock ends with its process, however that ends."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        handle = os.open(out / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise BadInput(f"--out {out}: cannot be written: {error.strerror}") from None
    try:
        acquire(handle, out)
        yield
    finally:
        os.close(handle)


def acquire(handle: int, out: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadInput(f"--out {out}: another psvr lab is at work there; wait for it, or give another folder") from None
