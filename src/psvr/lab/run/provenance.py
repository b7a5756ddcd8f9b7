"""Where results come from: which code, which machine, and how long it took."""

import calendar
import functools
import hashlib
import os
import platform
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from psvr import __version__

from .intervals import union

PACKAGE = Path(__file__).parent.parent.parent
SOURCES = (".py", ".toml")  # the rules, and the data sheets of radios
TIME = "%Y-%m-%dT%H:%M:%SZ"
STUDIES = "lab/studies/"  # what decides the results of a study's trials is covered with the study


def is_source(path: str) -> bool:
    """Return whether the digest covers this file of the package."""
    return path.endswith(SOURCES) and not path.startswith(STUDIES)


@functools.cache
def code_of_psvr() -> str:
    """Return 16 digits for all sources of the package."""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(PACKAGE.rglob("*")):
        path = file.relative_to(PACKAGE).as_posix()
        if is_source(path):
            digest.update(path.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def code_digest(files: Iterable[tuple[str, str]]) -> str:
    """Return 16 digits for all code that the results depend on: psvr's, and the user's own files."""
    digest = hashlib.blake2b(code_of_psvr().encode(), digest_size=8)
    for name, text in sorted(files):
        digest.update(name.encode() + b"\0" + text.encode() + b"\0")
    return digest.hexdigest()


def provenance(study: str, scale: str, code: str) -> dict[str, str]:
    """Return what goes into the metadata of every file of results."""
    return {
        "psvr": __version__,
        "study": study,
        "scale": scale,
        "code": code,
        "host": platform.node(),
        "processor": processor(),
        "memory": f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB",
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("numpy", "numba", "pyspark")},
        "written": timestamp(time.time()),
    }


def processor() -> str:
    """Return the name of the processor, as far as the system tells it."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return " ".join(found[1].split()) if found else platform.machine()


def timestamp(seconds: float) -> str:
    return time.strftime(TIME, time.gmtime(seconds))


@dataclass(frozen=True)
class Origin:
    """Where the rows of a study come from: several of each, if they were made in several places."""

    psvr: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    seconds: float | None = None  # in which trials were run; None if some file does not say


def origin(notes: Sequence[Mapping[str, Any]]) -> Origin:
    """Return what the notes of all files of a study say together."""

    def each(name: str) -> tuple[str, ...]:
        return tuple(sorted({note[name] for note in notes if name in note}))

    machines = tuple(sorted({machine(note) for note in notes if "processor" in note}))
    return Origin(each("psvr"), each("code"), machines, each("python"), time_taken(notes))


def machine(note: Mapping[str, Any]) -> str:
    """Return a machine in words, such as `2 cores, EPYC 7B13, 24 GiB`."""
    cores = note.get("cores")
    parts = [cores and f"{cores} core{'' if cores == '1' else 's'}", note["processor"], note.get("memory")]
    return ", ".join(part for part in parts if part)


def time_taken(notes: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the seconds in which any of the files was being made; time between two runs does not count."""
    if not notes or not all(note.get("times") for note in notes):
        return None
    times = union((parsed(began), parsed(written)) for note in notes for began, written in note["times"])
    return float(sum(written - began for began, written in times))


def parsed(text: str) -> float:
    return float(calendar.timegm(time.strptime(text, TIME)))
