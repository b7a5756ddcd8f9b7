"""A study from Python: run, read as data frames, looked at."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from psvr.errors import BadInput
from psvr.lab import Results, run_study
from psvr.lab.run.work import run_in_process
from tests.support.lab.small_study import small_study


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Results:
    folder = tmp_path_factory.mktemp("study")
    return run_study(small_study(folder), out=folder / "out", quiet=True, n=[5, 6], repetitions=2)


def test_rows_are_those_of_the_study_with_what_was_set(found: Results) -> None:
    expected = run_in_process(found.study).to_pandas()
    assert found.study.sets == ("n=[5, 6]", "repetitions=2") and set(found.rows["n"]) == {5, 6}
    assert found.failed == 0
    assert sorted(found.rows["trial"]) == sorted(expected["trial"]) and len(found.rows) == len(expected)


def test_measures_and_claims_are_frames(found: Results) -> None:
    assert {"measure", "system", "value", "low", "high"} <= set(found.measures.columns) and len(found.measures)
    assert {"id", "verdict", "value"} <= set(found.claims.columns)
    assert set(found.claims["study"]) <= {found.study.name}


def test_pictures_and_the_report_are_files(found: Results) -> None:
    assert found.report.is_file() and all(file.suffix == ".svg" and file.is_file() for file in found.figures.values())
    page = found._repr_html_()
    assert found.study.title in page and page.count("<img") == len(found.figures) > 0
    assert str(found.report) in repr(found)


def test_what_cannot_be_run_is_said(tmp_path: Path, spark: SparkSession) -> None:
    with pytest.raises(BadInput, match="no grid has it"):
        run_study("gain", out=tmp_path, quiet=True, nodes=7)
    with pytest.raises(BadInput, match="unknown"):
        run_study("gian", out=tmp_path, quiet=True)
    with pytest.raises(BadInput, match=r"^study paper: stands for several, gain, .*; run one at a time$"):
        run_study("paper", out=tmp_path, quiet=True)
    with pytest.raises(BadInput, match=r"^--master here: must be "):
        run_study("gain", out=tmp_path, quiet=True, master="here")
    assert list(tmp_path.iterdir()) == [], "nothing was begun"
