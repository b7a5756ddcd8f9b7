"""Imports point one way, the protocol needs nothing, and compiled code is never stale."""

import ast
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "psvr"
MAY_IMPORT = {  # package, or module beside them → those of ours that it may import, `ANYWHERE` apart
    "errors": set(),
    "lazy": set(),
    "processes": set(),
    "atomic": set(),
    "files": set(),
    "jit": set(),
    "references": set(),
    "prefetch": {"jit"},
    "addresses": {"protocol"},  # one number
    "trace": set(),
    "results": {"trace"},
    "fields": set(),
    "protocol": {"jit", "addresses"},
    "compiled": set(),
    "checked": set(),
    "graphs": {"jit", "fields"},
    "related": {"protocol", "routing"},
    "routing": {"jit", "compiled", "protocol", "graphs", "fields"},
    "sim": {
        "related",
        "jit",
        "addresses",
        "references",
        "prefetch",
        "compiled",
        "protocol",
        "trace",
        "graphs",
        "fields",
        "results",
    },
    "node": {"protocol", "trace", "fields"},
    "lab": {"jit", "compiled", "protocol", "trace", "graphs", "fields", "results", "routing", "related", "sim"},
    "swarm": {"protocol", "trace", "graphs", "fields", "results", "sim", "node"},
    "cli": {"protocol", "trace", "fields", "results", "routing", "related", "sim", "node", "swarm", "lab"},
    "__main__": {"cli"},
    "__init__": {"node"},
}
ANYWHERE = {"errors", "files", "atomic", "lazy", "processes", "__version__", ""}
FORMS = {"psvr.compiled", "psvr.checked"}  # names by which the rules of the protocol ask what they are
MOST_MODULES = 15  # of a folder


def modules() -> dict[str, Path]:
    """All of ours by name; packages go without `__init__`."""
    found = {}
    for file in SOURCE.rglob("*.py"):
        parts = ("psvr", *file.relative_to(SOURCE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = file
    return found


MODULES = modules()


def imported(module: str, with_types: bool = True) -> set[str]:
    """All of ours that a module imports, also inside functions, with the names taken from them; for types, or not.

    A module that is named in a text is one to be imported by its name.
    """
    file, found = MODULES[module], set()
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(file.read_text())
    branches = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    for_types = {id(node) for branch in branches for statement in branch.body for node in ast.walk(statement)}
    for node in ast.walk(tree):
        if id(node) in for_types and not with_types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and node.value in MODULES.keys() - FORMS:
            found.add(node.value)
    return {name for name in found if name.split(".")[0] == "psvr"}


def module_of(name: str) -> str:
    """The module that an imported name is, or stands in.  Compiled rules are the files of the protocol."""
    first, second, *rest = [*name.split("."), ""]
    name = ".".join([first, "protocol" if second in ("compiled", "checked") and rest != [""] else second, *rest])
    while name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def needed(module: str) -> set[str]:
    """The modules that must be understood before one: those it imports, and the packages that are run with them."""
    found = set(map(module_of, imported(module)))
    for name in map(module_of, imported(module, with_types=False)):
        parts = name.split(".")
        found |= {".".join(parts[:i]) for i in range(2, len(parts))}
    return {name for name in found if name != module and not module.startswith(name + ".")}


@pytest.mark.parametrize("place", MAY_IMPORT)
def test_imports_point_one_way(place: str) -> None:
    mine = [name for name in MODULES if (name.split(".")[1:2] or ["__init__"]) == [place]]
    for module in mine:
        foreign = {[*name.split("."), ""][1] for name in imported(module)} - {place} - ANYWHERE
        assert foreign <= MAY_IMPORT[place], f"{module} imports {foreign - MAY_IMPORT[place]}"


def test_everything_has_its_place() -> None:
    assert {(name.split(".")[1:2] or ["__init__"])[0] for name in MODULES} == set(MAY_IMPORT)


def test_imports_form_no_cycles() -> None:
    """Not even for types: what cannot be read in an order cannot be understood in one."""
    left = {name: needed(name) for name in MODULES}
    while free := [name for name, others in left.items() if not others & set(left)]:
        for name in free:
            del left[name]
    assert not left, {name: sorted(others & set(left)) for name, others in left.items()}


def test_no_folder_has_too_many_modules() -> None:
    files = [*MODULES.values(), *Path(__file__).parent.rglob("*.py")]
    sizes = Counter(file.parent for file in files if file.name != "__init__.py")
    assert {str(folder): n for folder, n in sizes.items() if n > MOST_MODULES} == {}


def test_every_module_says_what_it_is() -> None:
    assert [name for name, file in MODULES.items() if not ast.get_docstring(ast.parse(file.read_text()))] == []


def python(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


WITHOUT = """
import sys
for name in ("numpy", "numba", "llvmlite"):
    sys.modules[name] = None          # an import of it fails
"""


def test_protocol_runs_with_neither_numba_nor_numpy() -> None:
    print(
        python(
            WITHOUT
            + f"""
sys.path.insert(0, {str(Path(__file__).parent.parent)!r})
import importlib, pkgutil, psvr.protocol
for module in pkgutil.walk_packages(psvr.protocol.__path__, "psvr.protocol."):
    importlib.import_module(module.name)
from tests.support.network import Network
net = Network([(0, 1), (1, 2)], 3)
net.subscribe(2)
net.run(12)
net.publish(0)
assert [v for _, v, _ in net.delivered] == [2]
"""
        )
    )


def test_route_without_numba_says_what_to_install() -> None:
    code = WITHOUT + "import psvr.cli; sys.exit(psvr.cli.main(['route', '--example', 'small']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and "psvr[sim]" in done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package, installed elsewhere."""
    shutil.copytree(SOURCE, tmp_path / "psvr", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def clip_in(place: Path, **environment: str) -> str:
    """`clip(-3, 0, 9)`, called inside `count`, from another file; and whether it came from the cache."""
    code = "import psvr.compiled.numbers as m; print(m.count(-3), 'cached' if m.count.stats.cache_hits else 'new')"
    return python(code, PYTHONPATH=str(place), PYTHONDONTWRITEBYTECODE="1", **environment)


def test_compiled_code_is_kept_between_runs_and_never_stale(copy: Path) -> None:
    assert clip_in(copy) == "1 new"
    assert clip_in(copy) == "1 cached"
    file = copy / "psvr" / "protocol" / "numbers.py"
    file.write_text(file.read_text().replace("        return low\n", "        return low + 5\n"))
    assert clip_in(copy) == "6 new"
    assert clip_in(copy, NUMBA_BOUNDSCHECK="1" if os.environ.get("NUMBA_BOUNDSCHECK") != "1" else "0") == "6 new"


def test_an_edit_elsewhere_reaches_cached_callers(copy: Path) -> None:
    """numba itself would look only at the file of the caller, `ring`, and go on with the old constant."""
    code = """
import numpy as np
from psvr.protocol.layout import Capacity, dtype
from psvr.protocol.records import Node
import psvr.compiled.table as m
print(m.lease(np.zeros(1, dtype(Node, Capacity(1, 1, 1, 1, 1, 1)))[0]), "cached" if m.lease.stats.cache_hits else "new")
"""

    def run() -> str:
        return python(code, PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1")

    assert (run(), run()) == ("5000000 new", "5000000 cached")
    file = copy / "psvr" / "protocol" / "constants.py"
    file.write_text(file.read_text().replace("LEASE_MAX = 5 *", "LEASE_MAX = 7 *"))
    assert run() == "7000000 new"


def test_a_package_that_cannot_be_written_uses_the_user_s_cache(copy: Path, tmp_path: Path) -> None:
    (copy / "psvr" / "__pycache__").write_text("in the way: no folder can be made here")
    home = tmp_path / "cache"
    assert clip_in(copy, XDG_CACHE_HOME=str(home)) == "1 new"
    assert clip_in(copy, XDG_CACHE_HOME=str(home)) == "1 cached"
    assert list(home.glob("psvr/kernels/*/*.nbi"))


def test_nowhere_to_write_still_runs(copy: Path, tmp_path: Path) -> None:
    (copy / "psvr" / "__pycache__").write_text("")
    (tmp_path / "cache").write_text("")
    assert clip_in(copy, XDG_CACHE_HOME=str(tmp_path / "cache")) == "1 new"


def test_compiled_code_moves_with_the_package(copy: Path, tmp_path: Path) -> None:
    assert clip_in(copy) == "1 new"
    moved = tmp_path / "elsewhere"
    shutil.copytree(copy / "psvr", moved / "psvr")
    (tmp_path / "link").symlink_to(moved)
    assert clip_in(moved) == "1 cached"
    assert clip_in(tmp_path / "link") == "1 cached"


def test_shipped_code_is_read_and_new_code_kept_for_the_user(copy: Path, tmp_path: Path) -> None:
    home = tmp_path / "cache"
    assert clip_in(copy, XDG_CACHE_HOME=str(home)) == "1 new"
    assert not home.exists()
    shipped = copy / "psvr" / "kernels"
    (generation,) = (copy / "psvr" / "__pycache__" / "kernels").iterdir()
    generation.rename(shipped)
    before = sorted(shipped.iterdir())
    assert clip_in(copy, XDG_CACHE_HOME=str(home)) == "1 cached"
    assert clip_in(copy, XDG_CACHE_HOME=str(home), NUMBA_OPT="1") == "1 new"
    assert clip_in(copy, XDG_CACHE_HOME=str(home), NUMBA_OPT="1") == "1 cached"
    assert sorted(shipped.iterdir()) == before and list(home.glob("psvr/kernels/*/*.nbi"))


def test_what_is_never_compiled_is_there() -> None:
    """A renamed part would otherwise count as compiled again, and every edit of it would compile everything anew."""
    from psvr import jit

    files = [file.relative_to(SOURCE).as_posix() for file in MODULES.values()]
    assert [name for name in jit.NEVER_COMPILED if not any(file.startswith(name) for file in files)] == []


def test_old_generations_are_removed(copy: Path) -> None:
    from psvr import jit

    place = copy / "psvr" / "__pycache__" / "kernels"
    for i in range(9):
        (place / f"old{i}").mkdir(parents=True)
    clip_in(copy)
    assert len(list(place.iterdir())) == jit.KEPT_GENERATIONS + 1


def test_tests_need_no_benchmarks() -> None:
    for file in Path(__file__).parent.rglob("*.py"):
        tree = ast.parse(file.read_text())
        found = {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        found |= {alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names}
        assert not any(name.split(".")[0] == "benchmarks" for name in found), file


def test_what_is_slow_is_there() -> None:
    """A renamed file would otherwise be run by `make check` from then on."""
    here = Path(__file__).parent
    names = [line for line in (here / "slow.txt").read_text().splitlines() if not line.startswith("#")]
    assert [name for name in names if not (here / name).exists()] == [] and names == sorted(names)
