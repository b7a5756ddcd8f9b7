"""The lab: studies run as a data pipeline on Spark, from the grid of parameters to the report.

study = run_study("gain", repetitions=10)
study.measures          # a pandas data frame; study.rows and study.claims are others
study                   # in a notebook: its figures
"""

from typing import TYPE_CHECKING

from psvr.lazy import exports

if TYPE_CHECKING:
    from .measure.traces import read_trace
    from .notebook import Results, run_study
    from .spark.sessions import session, stop
    from .study.study import Study, available, load

__all__ = ["Results", "Study", "available", "load", "read_trace", "run_study", "session", "stop"]

__getattr__, __dir__ = exports(
    __name__,
    {
        "measure.traces": ["read_trace"],
        "notebook": ["Results", "run_study"],
        "spark.sessions": ["session", "stop"],
        "study.study": ["Study", "available", "load"],
    },
)
