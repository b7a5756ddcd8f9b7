"""How functions are compiled, and where compiled code is cached between runs; nothing else in psvr deals with either.

numba's own cache looks only at the file that defines a function: after an edit elsewhere, the cached caller would
silently go on running old callees.  Here every compiled function is stored under a key made of all of psvr's sources,
the file of the function itself and numba's settings, so stale code is never found.
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
SHIPPED = PACKAGE / "kernels"  # compiled code that came with a package sent to another machine; read-only
KEPT_GENERATIONS = 4  # older caches that are kept, for switching between versions of the source
# Parts of psvr that no compiled function uses.
NEVER_COMPILED = (
    "cli/",
    "lab/",
    "node/",
    "related/",
    "swarm/",
    "trace/arrow",
    "trace/files",
    "trace/line",
    "trace/part",
    "trace/reading",
    "trace/writer",
    "files.py",
    "fields/",
    "results/",
    "routing/as_printed",
    "sim/bound",
    "sim/footprint",
    "sim/machine",
    "sim/missing",
    "sim/network",
    "sim/running",
    "sim/summary",
    "sim/engine/table_sizes",
    "sim/faults/corruption",
    "sim/faults/foreign",
    "sim/faults/memory",
    "sim/faults/outages",
    "sim/plan/faults",
    "sim/reference",
    "sim/scenario",
    "sim/radio/energy",
    "sim/radio/quality",
)
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}  # settings that do not change the compiled code


@functools.cache
def source_key() -> str:
    """A digest of everything that can change what a compiled function does: psvr's sources and numba's settings."""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE)
        if not path.as_posix().startswith(NEVER_COMPILED):
            digest.update(str(path).encode() + b"\0" + file.read_bytes() + b"\0")
    for name in sorted(os.environ):
        if name.startswith("NUMBA_") and name not in HARMLESS:
            digest.update(f"{name}={os.environ[name]}".encode())
    return digest.hexdigest()


def is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@functools.cache
def cache_folder() -> Path | None:
    """The folder for compiled code: NUMBA_CACHE_DIR if set, else inside the package, else in the user's cache.

    A package that was sent here lies in a temporary folder: then the user's cache comes first.  None if no folder is
    writable.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "psvr" / "kernels"
    inside = PACKAGE / "__pycache__" / "kernels"
    order = [home, inside] if SHIPPED.is_dir() else [inside, home]
    for place in [Path(chosen) / "psvr"] if chosen else order:
        folder = place / source_key()
        if is_writable(folder):
            remove_old_generations(place)
            return folder
    return None


def remove_old_generations(place: Path) -> None:
    """Remove the oldest caches; another process may be doing the same."""

    def age(folder: Path) -> float:
        try:
            return folder.stat().st_mtime
        except OSError:
            return 0.0

    generations = sorted((f for f in place.iterdir() if f.is_dir() and f.name != source_key()), key=age, reverse=True)
    for folder in generations[KEPT_GENERATIONS:]:
        shutil.rmtree(folder, ignore_errors=True)


class KeyedLocator(_CacheLocator):  # type: ignore[misc]
    """Gives numba the folder of `cache_folder`, and a stamp that also covers files outside the package."""

    def __init__(self, function: Callable[..., Any], file: str, folder: Path) -> None:
        self.function, self.file, self.folder = function, file, folder

    def get_cache_path(self) -> str:
        return str(self.folder)

    def get_source_stamp(self) -> str:
        return source_key() + hashlib.blake2b(Path(self.file).read_bytes(), digest_size=8).hexdigest()

    def get_disambiguator(self) -> str:
        """Tells files of the same name apart; also, a protocol rule is compiled in two packages.

        The location of the package itself does not count, so that it finds its compiled code after being moved.
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
    """numba's cache, made safe for many processes, with shipped code as a fallback."""

    _impl_class = KeyedImpl

    def __init__(self, function: Callable[..., Any], form: tuple[bool, ...]) -> None:
        super().__init__(function)
        self._form = form
        name = self._impl.filename_base
        self._shipped = IndexDataCacheFile(str(SHIPPED), name, self._impl.locator.get_source_stamp())
        # numba numbers the files of a function from 1: two processes would write different code under one name
        self._cache_file._data_name_pattern = f"{name}.{uuid.uuid4().hex[:8]}-{{number:d}}.nbc"

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        return (*super()._index_key(signature, codegen), self._form)

    def holds(self, signature: Any, codegen: Any) -> bool:
        """Whether there is cached code for this signature."""
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
    """Whether code for arguments of these types has been compiled already, by this process or an earlier one."""
    if not hasattr(function, "overloads"):
        return True  # running interpreted: nothing is ever compiled
    types = tuple(map(function.typeof_pyval, arguments))
    return types in function.overloads or (
        isinstance(function._cache, KeyedCache) and function._cache.holds(types, function.targetctx.codegen())
    )


def jit(function: F, checked: bool = False) -> F:
    """Compile on first call, without the GIL; cache the result between runs if there is a writable folder.

    Checked code raises where Python would: on division by zero, and on an index out of bounds.
    """
    return cached_jit(function, checked, counting=True)


def jit_no_alloc(function: F) -> F:
    """Like `jit`, for functions that make no arrays or lists: no references to their arguments are counted.

    A function that takes a tuple of arrays would otherwise count them up and down, atomically, on most of its paths.
    """
    return cached_jit(function, checked=False, counting=False)


def jit_internal(function: F) -> F:
    """Like `jit_no_alloc`, for functions called only from compiled code: no wrapper to call them from Python is made.

    For a function that takes a tuple of many arrays, the wrapper is most of the time it takes to compile.
    """
    return cached_jit(function, checked=False, counting=False, wrapped=False)


def jit_inlined(function: F) -> F:
    """Inline the function: for one that gathers arrays of the world in a smaller tuple, which cannot be returned.

    Also for one called so often that passing a tuple of many arrays takes longer than what is done with it.
    """
    return njit(function, nogil=True, _nrt=False, error_model="numpy", inline="always")  # type: ignore[no-any-return]


def with_wide_integers(template: Callable[..., Any]) -> Callable[..., Any]:
    """Let compiled functions call each other with 64-bit integers only.

    Otherwise a function, and all that it calls, would be compiled again for every constant and every shorter integer
    that it is ever called with: two fifths of all compile time.
    """

    def wide(argument: Any) -> Any:
        plain = types.unliteral(argument)
        return types.int64 if isinstance(plain, types.Integer) and plain.bitwidth < 64 else plain

    def widened(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return template(tuple(map(wide, args)), {name: wide(argument) for name, argument in kws.items()})

    return widened


def cached_jit(function: F, checked: bool, counting: bool, wrapped: bool = True) -> F:
    options: dict[str, Any] = {"error_model": "python", "boundscheck": True} if checked else {"error_model": "numpy"}
    if not wrapped:
        options.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    compiled = njit(function, nogil=True, _nrt=counting, **options)
    compiled.get_call_template = with_wide_integers(compiled.get_call_template)
    try:
        inspect.getfile(function)
        compiled._cache = KeyedCache(function, (checked, counting))
    except (RuntimeError, OSError, TypeError, AttributeError):
        pass  # typed into a session, frozen, or running interpreted: then it is not cached
    return compiled  # type: ignore[no-any-return]
