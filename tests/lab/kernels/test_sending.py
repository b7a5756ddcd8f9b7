"""What a cluster is sent of compiled code: all that trials use, and little else."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from psvr import jit
from psvr.lab.kernels.compiling import Variant, from_words, mark, needed
from psvr.lab.kernels.sending import files_needed
from psvr.lab.study import load
from tests.support.lab.small_study import TRIAL, small_study

# The files of compiled code that are read for one trial of each grid.
READ = """
import json, sys
from pathlib import Path
from psvr import jit
from psvr.lab.kinds import kind
from psvr.lab.study import load
from psvr.lab.study.trials import cells
read = set()
sys.addaudithook(lambda event, words: event == "open" and read.add(str(words[0])))
[study] = load([sys.argv[1]], "quick", sys.argv[2:])
for cell in {cell.grid.name: cell for cell in cells(study)}.values():
    kind(cell.grid.kind, study.files).run(cell.parameters, cell.grid.scenario, 1, list(cell.grid.systems))
found = [Path(name) for name in read if name.endswith((".nbi", ".nbc"))]
print(json.dumps(sorted(file.name for file in found if file.parent == jit.cache_folder() and file.exists())))
"""


@pytest.mark.parametrize(
    ("study", "sets"),
    [
        ("sensitivity", ("publications=40",)),
        ("predecessor", ("n=20", "joins.s=[0, 10]", "sets.channels=2")),
    ],
)
def test_all_that_trials_read_is_sent(study: str, sets: tuple[str, ...]) -> None:
    """In settled networks, of which some have a tree from the simulator, and by a trial of a study's own."""
    sent = files_needed(load([study], "quick", sets))
    done = subprocess.run([sys.executable, "-c", READ, study, *sets], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    read, folder = set(json.loads(done.stdout)), jit.cache_folder()
    assert sent is not None and folder is not None and read and read <= sent, sorted(read - (sent or set()))
    assert sum((folder / name).stat().st_size for name in sent) < 100e6, (
        "most of what is kept is part of something else"
    )


@pytest.fixture
def looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Variant]:
    """Which variants were run to see what they use, in a cache where each uses a file of its own name."""
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)
    found: list[Variant] = []

    def run(words: list[str], **_: Any) -> None:
        variant = from_words(words[3:])
        found.append(variant)
        name = f"{variant[0]}{variant[2]}.nbi"
        (tmp_path / name).touch()
        mark(tmp_path, variant).write_text(name)

    monkeypatch.setattr(subprocess, "run", run)
    return found


def test_what_is_used_is_looked_for_once_and_again_when_it_was_compiled_anew(
    looked: list[Variant], tmp_path: Path
) -> None:
    studies = load(["gain", "churn"], "quick")
    for variant in needed(studies):
        mark(tmp_path, variant).touch()  # compiled, and nobody has looked yet
    everything = {"settled.nbi", "simulated.nbi", "simulateddiffusion.nbi", "simulatedjaeger.nbi"}
    found = files_needed(studies)
    assert found is not None and found >= everything and sorted(looked) == sorted(needed(studies))
    assert files_needed(studies) == found and len(looked) == len(needed(studies))
    later = mark(tmp_path, ("settled", (), "")).stat().st_mtime_ns + 10**9
    os.utime(tmp_path / "settled.nbi", ns=(later, later))
    files_needed(studies)
    assert looked[len(needed(studies)) :] == [("settled", (), "")]
    (tmp_path / "simulated.nbi").unlink()
    assert files_needed(studies) is not None and looked[-1][::2] == ("simulated", "")


def test_where_it_is_not_known_all_is_sent(
    looked: list[Variant], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def own(name: str, change: Callable[[str], str]) -> set[str] | None:
        return files_needed(load([str(small_study(tmp_path, trial=change(TRIAL), name=name))], "quick"))

    assert own("nothing", lambda trial: trial) == set() and looked == []
    assert own("silent", lambda trial: trial.replace("COMPILED_AS = None", "")) is None
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: None)
    assert files_needed(load(["gain"], "quick")) is None, "nobody could look"
    monkeypatch.setattr(jit, "cache_folder", lambda: None)
    assert files_needed(load(["gain"], "quick")) is None
