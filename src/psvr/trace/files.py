"""How the files of a trace are named, and what each of them says about its run.

`<run>-<number>.parquet` is a finished part.  A part being written has a name that starts with a dot: that is how
Arrow, Spark and DuckDB know what to leave alone, too.
"""

import hashlib
import os
import re
from pathlib import Path

from .columns import TraceError, one_line

PARTS, LINES = ".parquet", ".jsonl"
REMOVED = ".removed"  # ends the name of the file in which a node says which of its files it has removed
OWN = "psvr."  # marks our keys among the metadata of a file
STEM_MOST = 100  # characters of a run's name that go into file names


def stem(run: str) -> str:
    """The run's name if it can be part of a file name, else what is left of it and a digest of it."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", run)[:STEM_MOST].lstrip("._-")
    if plain == run:
        return run
    return f"{plain or 'run'}-{hashlib.blake2b(run.encode(), digest_size=4).hexdigest()}"


def part_name(run: str, number: int) -> str:
    return f"{stem(run)}-{number:06d}{PARTS}"


def finished(folder: Path, ending: str) -> list[Path]:
    """The complete files of a folder, in the order in which their rows belong."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as problem:
        raise TraceError(f"{folder}: must be a folder with a trace: {one_line(problem)}") from None
    return [folder / name for name in names if name.endswith(ending) and name[0] not in "._"]


def to_metadata(provenance: dict[str, str]) -> dict[str, str]:
    return {OWN + key: value for key, value in provenance.items()}


def from_metadata(metadata: dict[bytes, bytes] | None) -> dict[str, str]:
    """Our keys among the metadata of a file.  Bytes that are no text come from damage, which is found elsewhere."""
    decoded = {key.decode(errors="replace"): value.decode(errors="replace") for key, value in (metadata or {}).items()}
    return {key.removeprefix(OWN): value for key, value in decoded.items() if key.startswith(OWN)}
