"""The programs on ns-3's lr-wpan, compiled here if ns-3 is installed; their output as rows.

per(lengths, distances)             packet error ratio of one link
contend(senders, length)            senders that always have a frame ready, around one receiver
beacons(places, seconds)            every node broadcasts once a second; the time of the simulation alone
"""

import csv
import functools
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.compiling import OPTIONS, compiled

SOURCES = Path(__file__).parent / "cpp"
MODULES = ("lr-wpan", "spectrum", "antenna", "propagation", "mobility", "network", "stats", "core")

Value = int | float | str
Row = dict[str, Any]  # a `Value` by column


def cache_folder() -> Path:
    """The folder in which the programs are kept; its name changes with their sources."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    texts = [file.read_bytes() for file in sorted(SOURCES.iterdir())]
    stamp = hashlib.sha256(b"\0".join([*texts, " ".join(OPTIONS).encode()])).hexdigest()[:16]
    return home / "psvr" / "ns3" / stamp


@functools.cache
def build(name: str) -> Path:
    """The program with that name, compiled unless it is there already."""
    program = cache_folder() / name
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=program.parent) as folder:
            compiled(SOURCES / f"{name}.cc", Path(folder) / name, MODULES).replace(program)
    return program


def run(name: str, **options: object) -> list[Row]:
    """The rows that a program prints with these options; lists are separated by commas."""
    arguments = [f"--{option}={written(value)}" for option, value in options.items()]
    done = subprocess.run([str(build(name)), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.splitlines() or [f"exit code {done.returncode}"]
        raise RuntimeError(f"{name}: {lines[0]}")
    return [{key: read(text) for key, text in row.items()} for row in csv.DictReader(done.stdout.splitlines())]


def written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(map(str, value))
    return str(value)


def read(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def per(lengths: Iterable[int], distances: Iterable[float], frames: int = 2000, **options: object) -> list[Row]:
    return run("per", lengths=lengths, distances=distances, frames=frames, **options)


def contend(
    senders: Iterable[int], length: int, acknowledged: bool = False, seconds: float = 60.0, **options: object
) -> list[Row]:
    """The options `apart` and `radius` make two circles of senders that do not hear each other."""
    return run("contend", senders=senders, length=length, acknowledged=acknowledged, seconds=seconds, **options)


def beacons(places: Iterable[tuple[float, float]], seconds: float, channel: str = "single", **options: object) -> Row:
    """`channel` is "single" or "multi" (ns-3's own) or "near" (ours for ns-3, with lists of who is in reach)."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "places.txt"
        file.write_text("".join(f"{x!r} {y!r}\n" for x, y in places))
        return run("beacons", places=file, seconds=seconds, channel=channel, **options)[0]
