"""Where results come from: which code and which machine."""

import functools
import hashlib
import platform
import time
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from psvr import __version__

PACKAGE = Path(__file__).parent.parent.parent
SOURCES = (".py", ".toml")  # the rules, and the data sheets of radios
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
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("numpy", "numba", "pyspark")},
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
