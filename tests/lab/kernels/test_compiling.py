"""What trials need compiled is compiled ahead of them, and nothing is left for the first of them."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from psvr import jit
from psvr.errors import BadInput
from psvr.lab.kernels import compiling
from psvr.lab.kernels.compiling import Compilers, Variant, compiled_ahead, mark, variants
from psvr.lab.study import load
from psvr.related import MODULES

# Which compiled functions Python called, after the kind was compiled, or after one trial of each of its grids.
CALLED = """
import gc, json, sys
from numba.core.dispatcher import Dispatcher
from psvr.lab.kinds import kind
from psvr.lab.study import load
from psvr.lab.study.trials import cells
what, studies = sys.argv[1], sys.argv[2:]
for study in load(studies, "quick"):
    for cell in {cell.grid.name: cell for cell in cells(study)}.values():
        module = kind(cell.grid.kind, study.files)
        scenario = {**cell.grid.scenario, "duration": 3, "warmup": 0, "fault": []} if cell.grid.scenario else None
        if scenario is not None:
            scenario["traffic"] = [{**t, "start": 0, "stop": 2} for t in scenario["traffic"]]
            scenario["radio"] = {k: v for k, v in scenario.get("radio", {}).items() if k != "interference"}
        if what == "compile":
            kind(module.COMPILED_AS).compile(module.variant(cell.parameters, scenario))
        else:
            module.run(cell.parameters, scenario, 1, list(cell.grid.systems))
found = {f"{f.py_func.__module__}.{f.py_func.__qualname__} {types}"
         for f in gc.get_objects() if isinstance(f, Dispatcher) for types in f.overloads}
print(json.dumps(sorted(found)))
"""


def called(what: str, *studies: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", CALLED, what, *studies], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("studies", [["gain"], ["testbed"]], ids=["settled", "simulated"])
def test_nothing_is_left_to_compile_for_a_trial(studies: list[str]) -> None:
    ready, needed = called("compile", *studies), called("run", *studies)
    assert needed and needed <= ready, sorted(needed - ready)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)
    return tmp_path


def test_what_differs_is_compiled_once(cache: Path) -> None:
    studies = load(["paper"], "quick")
    assert variants(studies, cache) == [
        ("settled", (), ""),
        ("simulated", (8, 16), ""),
        ("simulated", (16, 16), ""),
        ("simulated", (16, 16), "diffusion"),
        ("simulated", (16, 16), "jaeger"),
    ]
    mark(cache, ("simulated", (16, 16), "")).touch()
    assert variants(studies, cache) == [
        ("settled", (), ""),
        ("simulated", (8, 16), ""),
        ("simulated", (16, 16), "diffusion"),
        ("simulated", (16, 16), "jaeger"),
    ]


def test_related_systems_are_compiled_ahead_and_again_after_an_edit(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("stabilize", "churn"):
        [study] = load([name], "quick")
        related = {system.partition("/")[0] for grid in study.grids for system in grid.systems} & MODULES.keys()
        assert {"diffusion", "jaeger"} <= related
        found = [("simulated", (8, 16), system) for system in ("", *sorted(related))]
        assert variants([study], cache) == found
    for variant in found:
        mark(cache, variant).touch()
    assert variants([study], cache) == []
    monkeypatch.setattr(compiling, "digest_of", lambda system: f"new-{system}")
    assert variants([study], cache) == found[1:]


COUNTED = """
import sys
from psvr.lab.kernels import compiling
from psvr.lab.kinds import stabilizing
from psvr.sim.custom import FORMS
if sys.argv[1] == "ahead":
    compiling.main(["simulated", "jaeger", "8", "16"])
else:
    given = {"topology": "line", "n": 4, "loss": 0.0, "corrupted": 1.0, "memory": "any"}
    stabilizing.run(given, None, 1, ["jaeger/paper"])
print(len(FORMS), sum(sum(form.stats.cache_misses.values()) for form in FORMS.values()))
"""


def test_workers_find_the_rules_of_a_related_system_compiled() -> None:
    def forms(when: str) -> list[int]:
        words = [sys.executable, "-c", COUNTED, when]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return list(map(int, done.stdout.split()))

    ahead, _ = forms("ahead")
    assert forms("trial") == [ahead, 0]


def test_it_is_waited_for_and_remembered(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []

    def compile(self: Compilers, variant: Variant) -> None:
        made.append(variant)
        mark(cache, variant).touch()

    monkeypatch.setattr(Compilers, "compile", compile)
    said: list[str] = []
    for _ in range(2):
        with compiled_ahead(load(["gain"], "quick"), said.append) as wait:
            wait()
    assert made == [("settled", (), "")] and len(said) == 2 and said[0].startswith("compiling the rules, in one part")


def test_what_cannot_be_compiled_is_one_line(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    refused = pytest.raises(BadInput, match=r"^the rules cannot be compiled: exit code 1$")
    with refused, compiled_ahead(load(["gain"], "quick"), lambda text: None) as wait:
        wait()


def test_who_leaves_early_leaves_no_process(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def sleeping(words: list[str], **options: Any) -> "subprocess.Popen[bytes]":
        children.append(real(["sleep", "600"], **options))
        return children[-1]

    monkeypatch.setattr(subprocess, "Popen", sleeping)
    with pytest.raises(KeyboardInterrupt), compiled_ahead(load(["gain"], "quick"), lambda text: None):
        while not children:
            pass
        raise KeyboardInterrupt
    assert [child.wait(10) for child in children] == [-9]


DRIVER = """
import time
from psvr.lab.kernels.compiling import compiled_ahead
from psvr.lab.study import load
with compiled_ahead(load(["gain"], "quick"), lambda text: print(text, flush=True)):
    time.sleep(600)
"""


def test_a_killed_run_leaves_no_compiler(tmp_path: Path) -> None:
    cold = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    driver = subprocess.Popen([sys.executable, "-c", DRIVER], stdout=subprocess.PIPE, env=cold)
    assert driver.stdout is not None and driver.stdout.readline().startswith(b"compiling")
    until(lambda: cache_begun(tmp_path))
    [compiler] = [p for p in Path("/proc").glob("[0-9]*") if str(driver.pid) == parent_of(p)]
    driver.kill()
    driver.wait()
    until(lambda: parent_of(compiler) == "", 10)


def parent_of(process: Path) -> str:
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[1]
    except OSError:
        return ""


def cache_begun(folder: Path) -> bool:
    """The compiler is at work: it has kept something."""
    return any(folder.rglob("*.nbi"))


def until(condition: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_nothing_is_started_once_it_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any, **__: Any) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", forbidden)
    compilers = Compilers()
    compilers.stop()
    compilers.compile(("settled", (), ""))
