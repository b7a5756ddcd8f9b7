"""A study in a few lines of Python: run it, read its results as data frames, look at its figures."""

import base64
import html
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from .driver import Options, run_studies, session_for
from .pipeline import Prepared, rows_of
from .report.claims import Claim
from .study.study import Study

Value = bool | int | float | str


class Results:
    """What came of a study; in a notebook it shows its figures."""

    def __init__(self, prepared: Prepared, claims: Sequence[Claim], options: Options, failed: int = 0) -> None:
        self._prepared, self._claims, self._options = prepared, claims, options
        self.failed = failed  # trials that could not be run; the report says why

    @property
    def study(self) -> Study:
        return self._prepared.study

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row per trial and system: its parameters and what came of it."""
        with session_for(self._options, keep=True) as spark:
            return rows_of(spark, self._prepared).toPandas()

    @cached_property
    def measures(self) -> pd.DataFrame:
        """Per combination of parameters, system and measure: a value and its confidence interval."""
        return pq.read_table(self._prepared.folder / "measures.parquet").to_pandas()

    @cached_property
    def claims(self) -> pd.DataFrame:
        """What the paper says of this, our value, and the verdict."""
        return pd.DataFrame([asdict(claim) for claim in self._claims if claim.study == self.study.name])

    @property
    def figures(self) -> dict[str, Path]:
        """The figures of the study by name, as SVG files."""
        found = sorted((self._options.out / "figures").glob(f"{self.study.name}-*.svg"))
        return {file.stem: file for file in found}

    @property
    def report(self) -> Path:
        """The report on all studies of the folder, a page of HTML."""
        return self._options.out / "report.html"

    def __repr__(self) -> str:
        return f"<Results of {self.study.name}: {self.study.title}; report: {self.report}>"

    def _repr_html_(self) -> str:
        pictures = [base64.b64encode(file.read_bytes()).decode() for file in self.figures.values()]
        shown = "".join(f'<p><img src="data:image/svg+xml;base64,{picture}"></p>' for picture in pictures)
        return f"<h4>{html.escape(self.study.title)}</h4>{shown}"


def run_study(
    study: str | Path,
    *,
    scale: str = "quick",
    out: str | Path = "lab",
    master: str = "local[*]",
    conf: Sequence[str] = (),
    systems: Sequence[str | Path] = (),
    again: bool = False,
    quiet: bool = False,
    **parameters: Value | Sequence[Value],
) -> Results:
    """Run a study, a built-in one by name or your own by its folder, and return its results.

    Finished trials are kept in the folder `out`: what was run before is not run again.  `parameters` replace those of
    the study, such as `n=[20, 50]` or `repetitions=10`.  `systems` are files of custom systems to be compared as well.
    The Spark session stays for the next call; `psvr.lab.stop()` ends it.
    """
    sets = [
        f"{name}={json.dumps(value if isinstance(value, str | int | float) else list(value))}"
        for name, value in parameters.items()
    ]
    options = Options(scale, sets, [str(file) for file in systems], Path(out), master, conf, again, quiet=quiet)
    outcome = run_studies([str(study)], options, keep=True, single=True)
    return Results(outcome.studies[0], outcome.claims, options, outcome.failed)
