"""One trace for simulated and real runs: a row per event, and a folder of many runs is one table.

`import psvr.trace` loads neither numpy nor pyarrow: a live node writes JSON lines with Python alone.
"""

from typing import TYPE_CHECKING

from .columns import CLOCKS, COLUMNS, EVENTS, TraceError
from .lines import json_line

if TYPE_CHECKING:
    from .arrow import schema
    from .line_files import read_json_lines
    from .reading import dataset, read, runs
    from .rows import ROW
    from .writer import Writer
else:
    HOME = {"ROW": "rows", "Writer": "writer", "schema": "arrow", "dataset": "reading", "read": "reading",
            "runs": "reading", "read_json_lines": "line_files"}

    def __getattr__(name):
        from importlib import import_module
        if name not in HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".{HOME[name]}", __name__), name)

__all__ = ["CLOCKS", "COLUMNS", "EVENTS", "ROW", "TraceError", "Writer", "dataset", "json_line", "read",
           "read_json_lines", "runs", "schema"]
