"""A single trial again: the same results, other parameters, and the search for a smaller network that fails."""

import json
from pathlib import Path
from typing import Any

import pytest

from psvr.cli import main
from psvr.errors import BadInput
from psvr.lab.replay import command, planned, read_changes, replay, smaller_failure
from psvr.lab.run.folder import Request
from psvr.lab.run.work import run_in_process
from psvr.lab.study import Study, load
from tests.support.lab.small_study import STUDY, TRIAL, small_study

FAILING = (
    TRIAL.replace(
        """("hops", pa.list_(pa.int64()))])""", """("hops", pa.list_(pa.int64())), ("failure", pa.string())])"""
    ).replace(
        """"hops": [0, draw % 7]}""",
        """"hops": [0, draw % 7], "failure": f"{s} is too large" if parameters["n"] >= 7 and s == "td" else None}""",
    )
    + """

def smaller(parameters):
    yield from ({**parameters, "n": n} for n in (6, 7, 9))
"""
)


def failing(folder: Path) -> Study:
    (small_study(folder, STUDY.replace("s = [1, 8]", "s = [1, 4]")) / "trial.py").write_text(FAILING)
    [study] = load([str(folder / "small")])
    return study


def rows(study: Study) -> list[dict[str, Any]]:
    return run_in_process(study).to_pylist()  # type: ignore[no-any-return]


def test_a_trial_has_the_same_results_again(tmp_path: Path) -> None:
    study = failing(tmp_path)
    every = rows(study)
    for trial in {row["trial"] for row in every}:
        assert replay(study, trial, {}) == [row for row in every if row["trial"] == trial]


def test_parameters_and_the_seed_can_be_changed(tmp_path: Path) -> None:
    study = failing(tmp_path)
    trial = next(row for row in rows(study) if row["n"] == 20)
    [_, row] = replay(study, trial["trial"], {"n": 6, "seed": 123})
    assert row["nodes"] == row["n"] == 6 and row["seed"] == 123 and row["failure"] is None
    assert row["messages"] == 123 + 7 * len("td")


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"m": 3}, "m: no parameter has this name"),
        ({"nn": 3}, "did you mean n?"),
        ({"s": 90}, "s: these parameters do not fit together"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, changes: dict[str, Any], part: str) -> None:
    study = failing(tmp_path)
    with pytest.raises(BadInput) as caught:
        replay(study, rows(study)[0]["trial"], changes)
    assert part in str(caught.value) and "\n" not in str(caught.value)


def test_a_trial_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"has no trial .abc. at scale quick"):
        replay(failing(tmp_path), "abc", {})


def test_the_smallest_network_that_fails_is_found(tmp_path: Path) -> None:
    study = failing(tmp_path)
    trial = next(row["trial"] for row in rows(study) if row["n"] == 20)
    work, found = planned(study, trial)
    assert smaller_failure(work, found, "td") == {"n": 7}  # 6 does not fail, whatever the seed
    assert smaller_failure(work, found, "psvr/all") is None


def test_changes_are_read_as_values() -> None:
    assert read_changes(["n=7", "loss=0.5", "memory=any", "x=true"]) == {
        "n": 7,
        "loss": 0.5,
        "memory": "any",
        "x": True,
    }
    for text in ("n", "=3"):
        with pytest.raises(BadInput, match="must be KEY=VALUE"):
            read_changes([text])


def test_the_command_says_all_that_is_needed(tmp_path: Path) -> None:
    request = Request("my study", "paper", ("n=[5, 10]",), (("mine.py", "text"),), ("psvr/all",))
    assert command(request, "ab12", {"n": 7, "seed": 3}) == (
        "psvr lab replay 'my study' ab12 n=7 seed=3 --scale paper --set 'n=[5, 10]' --system mine.py"
    )


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = failing(tmp_path)
    small, large = (next(row for row in rows(study) if row["n"] == n) for n in (5, 20))
    assert main(["lab", "replay", str(study.folder), small["trial"]]) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["system"] for row in printed] == ["psvr/all", "td"] and printed[0]["messages"] == small["messages"]
    assert main(["lab", "replay", str(study.folder), large["trial"]]) == 3
    assert json.loads(capsys.readouterr().out.splitlines()[1])["failure"] == "td is too large"
    assert main(["lab", "replay", str(study.folder), large["trial"], "n=6"]) == 0
    capsys.readouterr()
    assert main(["lab", "replay", str(study.folder), "nothing"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
