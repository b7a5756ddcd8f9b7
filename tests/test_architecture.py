"""Imports point one way, the protocol needs nothing, and compiled code is never stale."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "psvr"
MAY_IMPORT = {          # package → those of ours that it may import; everything may import `errors` and `files`
    "trace": set(),
    "protocol": {"jit", "addresses"},
    "compiled": set(),
    "checked": set(),
    "graphs": {"jit"},
    "routing": {"jit", "compiled", "protocol", "graphs"},
    "sim": {"jit", "addresses", "references", "prefetch", "compiled", "protocol", "trace", "graphs"},
    "node": {"protocol", "trace"},
    "lab": {"jit", "compiled", "protocol", "trace", "graphs", "routing", "sim", "node"},
    "swarm": {"protocol", "trace", "graphs", "sim", "node"},
    "web": {"lab", "trace"},
}


def imports(file: Path) -> set[str]:
    """The packages of ours that a module imports from outside its own."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"psvr.{a.name}" for a in node.names] if node.module == "psvr" else [node.module]
        found |= {name.split(".")[1] for name in names if name.startswith("psvr.")}
    return found


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_one_way(package: str) -> None:
    for file in (SOURCE / package).rglob("*.py"):
        foreign = imports(file) - {package, "errors", "files", "__version__"}
        assert foreign <= MAY_IMPORT[package], f"{file.relative_to(SOURCE)} imports {foreign - MAY_IMPORT[package]}"


def test_every_package_has_its_place() -> None:
    packages = {d.name for d in SOURCE.iterdir() if (d / "__init__.py").exists()}
    assert packages - {"cli"} <= set(MAY_IMPORT)


def python(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


WITHOUT = """
import sys
for name in ("numpy", "numba", "llvmlite"):
    sys.modules[name] = None          # an import of it fails
"""


def test_protocol_runs_with_neither_numba_nor_numpy() -> None:
    print(python(WITHOUT + f"""
sys.path.insert(0, {str(Path(__file__).parent)!r})
import importlib, pkgutil, psvr.protocol
for module in pkgutil.iter_modules(psvr.protocol.__path__):
    importlib.import_module("psvr.protocol." + module.name)
from network import Network
net = Network([(0, 1), (1, 2)], 3)
net.subscribe(2)
net.run(12)
net.publish(0)
assert [v for _, v, _ in net.delivered] == [2]
"""))


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
    file.write_text(file.read_text().replace("LEASE_MOST = 5 *", "LEASE_MOST = 7 *"))
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


def test_old_generations_are_removed(copy: Path) -> None:
    from psvr import jit
    place = copy / "psvr" / "__pycache__" / "kernels"
    for i in range(9):
        (place / f"old{i}").mkdir(parents=True)
    clip_in(copy)
    assert len(list(place.iterdir())) == jit.KEPT_GENERATIONS + 1
