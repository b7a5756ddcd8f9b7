"""The one place that knows how functions are compiled, and where compiled code is kept between runs.

numba's own cache looks only at the file in which a function stands: after an edit elsewhere, the cached caller
would silently go on running old callees.  Here every compiled function is stored under a key made of all of
psvr's sources, the file of the function itself and the settings of numba, so stale code cannot be found at all.
"""

import functools
import hashlib
import inspect
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import njit, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent
SHIPPED = PACKAGE / "kernels"       # compiled code that came with a package sent to another machine; only read
KEPT_GENERATIONS = 4        # folders of older code that stay, for switching between two versions of the source
# Parts from which no compiled function takes anything.
NEVER_COMPILED = (
    "cli/", "lab/", "node/", "swarm/", "trace/", "web/", "files.py", "sim/bound", "sim/consistent", "sim/corruption",
    "sim/damage", "sim/footing", "sim/footprint", "sim/foreign", "sim/machine", "sim/memory", "sim/missing",
    "sim/network", "sim/outages", "sim/reference", "sim/results", "sim/running", "sim/scenario", "sim/summary",
    "sim/radio/energy", "sim/radio/quality")
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}     # settings that do not change the compiled code


@functools.cache
def source_key() -> str:
    """Digest of all that can change what a compiled function does: psvr's sources and numba's settings."""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE)
        if not path.as_posix().startswith(NEVER_COMPILED):
            digest.update(str(path).encode() + b"\0" + file.read_bytes() + b"\0")
    for name in sorted(os.environ):
        if name.startswith("NUMBA_") and name not in HARMLESS:
            digest.update(f"{name}={os.environ[name]}".encode())
    return digest.hexdigest()


def writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@functools.cache
def cache_folder() -> Path | None:
    """Where compiled code is kept: what NUMBA_CACHE_DIR says, else inside the package, else in the user's cache.

    A package that was sent here lies in a folder that soon goes: there the user's cache comes first.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "psvr" / "kernels"
    inside = PACKAGE / "__pycache__" / "kernels"
    order = [home, inside] if SHIPPED.is_dir() else [inside, home]
    for place in [Path(chosen) / "psvr"] if chosen else order:
        folder = place / source_key()
        if writable(folder):
            forget_old(place)
            return folder
    return None


def forget_old(place: Path) -> None:
    """Remove the oldest generations; another process may do the same at the same time."""
    def age(folder: Path) -> float:
        try:
            return folder.stat().st_mtime
        except OSError:
            return 0.0
    generations = sorted((f for f in place.iterdir() if f.is_dir() and f.name != source_key()), key=age, reverse=True)
    for folder in generations[KEPT_GENERATIONS:]:
        shutil.rmtree(folder, ignore_errors=True)


class KeyedLocator(_CacheLocator):  # type: ignore[misc]
    """Tells numba the folder of `cache_folder`, and a stamp that covers files outside the package too."""

    def __init__(self, function: Callable[..., Any], file: str, folder: Path) -> None:
        self.function, self.file, self.folder = function, file, folder

    def get_cache_path(self) -> str:
        return str(self.folder)

    def get_source_stamp(self) -> str:
        return source_key() + hashlib.blake2b(Path(self.file).read_bytes(), digest_size=8).hexdigest()

    def get_disambiguator(self) -> str:
        """Files of one name lie in several packages, and a protocol rule is compiled in one of two of them.

        Where the package itself lies does not count: moved elsewhere, it finds its compiled code again.
        """
        file = Path(self.file).resolve()
        place = file.relative_to(PACKAGE) if file.is_relative_to(PACKAGE) else file
        where = hashlib.blake2b(f"{self.function.__module__} {place}".encode(), digest_size=4).hexdigest()
        return f"{self.function.__code__.co_firstlineno}-{where}"

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "KeyedLocator | None":
        folder = cache_folder()
        return cls(function, file, folder) if folder and os.path.exists(file) else None


class KeyedImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (KeyedLocator,)


class KeyedCache(FunctionCache):  # type: ignore[misc]
    """numba's cache, safe for many processes, with the code that was shipped behind it."""

    _impl_class = KeyedImpl

    def __init__(self, function: Callable[..., Any], form: tuple[bool, ...]) -> None:
        super().__init__(function)
        self._form = form
        name = self._impl.filename_base
        self._shipped = IndexDataCacheFile(str(SHIPPED), name, self._impl.locator.get_source_stamp())
        # numba counts the files of a function from 1: two processes would write different code under one name
        self._cache_file._data_name_pattern = f"{name}.{uuid.uuid4().hex[:8]}-{{number:d}}.nbc"

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        return (*super()._index_key(signature, codegen), self._form)

    def holds(self, signature: Any, codegen: Any) -> bool:
        """Whether code for this signature is kept."""
        key = self._index_key(signature, codegen)
        kept = [(file, file._load_index().get(key)) for file in (self._cache_file, self._shipped)]
        return any(name is not None and Path(file._data_path(name)).exists() for file, name in kept)

    def _load_overload(self, signature: Any, target: Any) -> Any:
        found = super()._load_overload(signature, target)
        if found is not None:
            return found
        data = self._shipped.load(self._index_key(signature, target.codegen()))
        return None if data is None else self._impl.rebuild(target, data)


def is_compiled(function: Any, *arguments: Any) -> bool:
    """A call with arguments of these types would find its code compiled, in this process or by an earlier one."""
    if not hasattr(function, "overloads"):
        return True                     # run interpreted: nothing is ever compiled
    types = tuple(map(function.typeof_pyval, arguments))
    return types in function.overloads or (
        isinstance(function._cache, KeyedCache) and function._cache.holds(types, function.targetctx.codegen()))


def jit(function: F, checked: bool = False) -> F:
    """Compile on first call, without the GIL; keep the result between runs where a folder can be written.

    Checked code raises where Python would: at a division by zero, or a place that a table does not have.
    """
    return kept(function, checked, counting=True)


def in_place(function: F) -> F:
    """As `jit`, for functions that make no arrays or lists: they need not count references to what they are handed.

    A function over a tuple of arrays would otherwise count them up and down, atomically, on most of its ways.
    """
    return kept(function, checked=False, counting=False)


def within(function: F) -> F:
    """As `in_place`, for functions that only compiled ones call: what Python would need to call them is left out.

    For a function over a tuple of many arrays, that is most of the time it takes to compile.
    """
    return kept(function, checked=False, counting=False, wrapped=False)


def inlined(function: F) -> F:
    """Put where it is called: for what gathers arrays of the world in a smaller tuple, which cannot be returned.

    Also for what is called so often that to hand over a tuple of many arrays takes longer than what is done with it.
    """
    return njit(function, nogil=True, _nrt=False, error_model="numpy", inline="always")     # type: ignore[no-any-return]


def with_wide_numbers(template: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled functions call each other with whole numbers of 64 bits only.

    Else a function, and all that it calls, is compiled once more for every constant and every shorter number that it is
    ever called with: two fifths of all the compiling.
    """
    def wide(argument: Any) -> Any:
        plain = types.unliteral(argument)
        return types.int64 if isinstance(plain, types.Integer) and plain.bitwidth < 64 else plain

    def widened(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return template(tuple(map(wide, args)), {name: wide(argument) for name, argument in kws.items()})
    return widened


def kept(function: F, checked: bool, counting: bool, wrapped: bool = True) -> F:
    options: dict[str, Any] = {"error_model": "python", "boundscheck": True} if checked else {"error_model": "numpy"}
    if not wrapped:
        options.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    compiled = njit(function, nogil=True, _nrt=counting, **options)
    compiled.get_call_template = with_wide_numbers(compiled.get_call_template)
    try:
        inspect.getfile(function)
        compiled._cache = KeyedCache(function, (checked, counting))
    except (RuntimeError, OSError, TypeError, AttributeError):
        pass        # typed into a session, frozen, or run interpreted: then it is not kept
    return compiled  # type: ignore[no-any-return]
