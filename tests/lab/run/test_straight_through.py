"""One run loads and plans a study once, and reads its finished trials once before they are run and once after."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from psvr.cli import main
from psvr.lab import pipeline
from psvr.lab.run import store
from psvr.lab.study import study as studies
from tests.support.lab.small_study import STUDY, small_study


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """How often each study was loaded, planned, and its finished trials read."""
    counts: Counter[tuple[str, str]] = Counter()

    def count(owner: Any, name: str, what: str, study_of: Callable[..., str]) -> None:
        real = getattr(owner, name)

        def counting(*arguments: Any) -> Any:
            counts[what, study_of(arguments[0])] += 1
            return real(*arguments)

        monkeypatch.setattr(owner, name, counting)

    count(studies, "read_toml", "loaded", lambda folder: folder.name)
    count(pipeline, "cells", "planned", lambda study: study.name)
    count(store, "opened", "read", lambda rows: rows.parent.name)
    return counts


def test_each_study_is_loaded_and_planned_once(
    tmp_path: Path, spark: SparkSession, counted: Counter[tuple[str, str]]
) -> None:
    study = STUDY.replace("n = [5, 10, 20]", "n = 5").replace("s = [1, 8]", "s = 1")
    small, other = (small_study(tmp_path, study, name=name) for name in ("small", "other"))
    out = tmp_path / "out"
    assert main(["lab", "run", str(small), "--out", str(out), "--quiet"]) == 0
    assert counted == {("loaded", "small"): 1, ("planned", "small"): 1, ("read", "small"): 2}
    assert verdicts(out) == {"small": ["holds"]}

    counted.clear()
    assert main(["lab", "run", str(other), "--out", str(out), "--quiet"]) == 0
    once = {("loaded", "small"): 1, ("planned", "small"): 1, ("read", "small"): 1}  # for the report alone
    assert counted == {("loaded", "other"): 1, ("planned", "other"): 1, ("read", "other"): 2, **once}
    assert verdicts(out) == {"other": ["holds"], "small": ["holds"]}

    counted.clear()
    assert main(["lab", "report", "--out", str(out), "--quiet"]) == 0
    assert set(counted.values()) == {1} and len(counted) == 6


def verdicts(out: Path) -> dict[str, list[str]]:
    """The verdicts in the report on each of its studies."""
    report = json.loads((out / "report.json").read_text())
    return {
        study["name"]: [claim["verdict"] for claim in report["claims"] if claim["study"] == study["name"]]
        for study in report["studies"]
    }
