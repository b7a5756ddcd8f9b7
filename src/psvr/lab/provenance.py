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
# Parts that no trial imports, but for these of the lab: results cannot depend on them.  All else counts.
ASIDE = ("__main__.py", "cli/", "lab/", "node/", "routing/picture/", "swarm/", "web/")
OF_THE_LAB = ("lab/__init__.py", "lab/files.py", "lab/formulas.py", "lab/kinds/", "lab/study.py",
              "lab/trials.py", "lab/work.py")
SOURCES = (".py", ".toml")      # rules, and data sheets of radios


def decides(path: str) -> bool:
    """The results of a trial may depend on this file of the package."""
    return path.endswith(SOURCES) and (path.startswith(OF_THE_LAB) or not path.startswith(ASIDE))


@functools.cache
def code_of_psvr() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(PACKAGE.rglob("*")):
        path = file.relative_to(PACKAGE).as_posix()
        if decides(path):
            digest.update(path.encode() + b"\0" + file.read_bytes() + b"\0")
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
