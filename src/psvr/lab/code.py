"""Python files of users, a study's `trial.py` and custom systems, which travel as texts to wherever a trial is run.

A text becomes a file of its own again under a name that follows from its content, so that compiled functions in it are
kept between runs there too.
"""

import functools
import hashlib
import importlib.util
import os
import tempfile
from pathlib import Path
from types import ModuleType

from psvr.atomic import replace
from psvr.errors import BadInput, error_line


def cache_root() -> Path:
    """Return the user's cache, or where that cannot be written, a temporary folder."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "psvr"
    try:
        home.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=home).close()
    except OSError:
        return temporary_folder()
    return home


@functools.cache
def temporary_folder() -> Path:
    """Return a folder for this process alone: a name that others can guess could be theirs already."""
    return Path(tempfile.mkdtemp(prefix="psvr-"))


def file_of(name: str, text: str) -> Path:
    """Return a file with this text, written if it is not there; several processes may ask for it at once."""
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    folder = cache_root() / "files" / digest
    file = folder / name
    if not file.is_file() or file.read_text("utf-8") != text:
        folder.mkdir(parents=True, exist_ok=True)
        replace(file, text)
    return file


@functools.cache
def module_of(name: str, text: str) -> ModuleType:
    """Return the module with this text, imported once per process."""
    return imported(file_of(name, text), name)


def imported(file: Path, shown: str) -> ModuleType:
    """Run the file and return it as a module; `shown` is what the user calls it."""
    name = f"psvr_own_{hashlib.blake2b(str(file).encode(), digest_size=6).hexdigest()}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise BadInput(f"{shown}: must be a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        line = error_line(error, str(file))
        place = "" if line is None else f"line {line}: "
        raise BadInput(f"{shown}: {place}{type(error).__name__}: {error}") from error
    return module
