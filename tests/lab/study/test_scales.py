"""No claim, figure or number of a shipped study is without rows, at any scale: seen from its grids, without a run."""

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from matplotlib.figure import Figure
from pyspark.sql import SparkSession

from psvr.lab.kinds import kind
from psvr.lab.measure.measures import measure
from psvr.lab.report.claims import NO_ROWS, ask_numbers, check
from psvr.lab.report.figures import call_draw
from psvr.lab.study import BUILT_IN, SCALES, Study, available, load
from tests.support.lab.planned_rows import planned_rows

SHIPPED = [name for name in available() if name != "paper"]
TWICE = ["repetitions=2"]  # so that there are intervals


def without_rows(spark: SparkSession, study: Study) -> list[str]:
    """Return the claims, numbers and figures of a study that its trials have nothing for."""
    rows = planned_rows(study)
    own = [name for grid in study.grids for name in kind(grid.kind, study.files).RESULTS.names]
    measures = measure(spark.createDataFrame(rows), own).toArrow()
    frame = spark.createDataFrame(measures)
    numbers = ask_numbers(study.numbers, frame, study.name)
    found = [f"number {name}" for name, value in numbers.items() if value is None]
    found += [f"claim {c.id}" for c in check(study.claims, frame, study.name, numbers) if c.verdict == NO_ROWS]
    return found + empty_figures(study, measures)


def empty_figures(study: Study, measures: pa.Table) -> list[str]:
    file = study.folder / "figure.py"
    figures = call_draw(file, study.name, measures.to_pandas()) if file.exists() else {}
    return [f"figure {name}" for name, figure in figures.items() if is_empty(figure)]


def is_empty(figure: Figure) -> bool:
    """Return whether a figure has no panels, or one in which nothing is drawn or written."""
    return not figure.axes or not all(axes.has_data() or axes.texts for axes in figure.axes)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", SHIPPED)
def test_nothing_is_without_rows(spark: SparkSession, name: str, scale: str) -> None:
    [study] = load([name], scale, TWICE)
    assert without_rows(spark, study) == []


@pytest.mark.parametrize(
    ("name", "before", "after", "missed"),
    [
        (
            "throughput",
            "loss = [0.0, 0.1, 0.2]\nduration",
            "loss = [0.0, 0.1]\nduration",
            "claim throughput-close-heavy",
        ),
        ("throughput", "[grid.wireless", "[grid.radio", "number psvr_wireless"),
        ("range", 's = [5, "all"]', "s = 5", "claim range-all-subscribe"),
        ("testbed", "[grid.long", "[grid.longest", "figure hours"),
        ("hops", "routes = true", "routes = false", "claim hops-mean-settled"),
    ],
)
def test_what_is_without_rows_is_found(
    spark: SparkSession, tmp_path: Path, name: str, before: str, after: str, missed: str
) -> None:
    folder = shutil.copytree(BUILT_IN / name, tmp_path / name)
    text = (folder / "study.toml").read_text("utf-8")
    assert before in text
    (folder / "study.toml").write_text(text.replace(before, after), "utf-8")
    [study] = load([str(folder)], "quick", TWICE)
    assert missed in "\n".join(without_rows(spark, study))
