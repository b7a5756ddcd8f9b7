"""Where results come from: which code, which machine."""

import functools
import hashlib
import platform
import time
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from psvr import __version__

PACKAGE = Path(__file__).parent.parent
DECIDING = ("protocol", "compiled", "graphs", "routing", "sim", "lab/kinds")    # what a trial's results depend on


@functools.cache
def code_of_psvr() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for part in DECIDING:
        for file in sorted((PACKAGE / part).rglob("*.py")):
            digest.update(str(file.relative_to(PACKAGE)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def code_digest(files: Iterable[tuple[str, str]]) -> str:
    """16 digits for all code that the results depend on: psvr's, and the user's own files."""
    digest = hashlib.blake2b(code_of_psvr().encode(), digest_size=8)
    for name, text in sorted(files):
        digest.update(name.encode() + b"\0" + text.encode() + b"\0")
    return digest.hexdigest()


def provenance(study: str, scale: str, code: str) -> dict[str, str]:
    """What stands in the metadata of every file of results."""
    return {"psvr": __version__, "study": study, "scale": scale, "code": code, "host": platform.node(),
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "numba", "pyspark")},
            "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
