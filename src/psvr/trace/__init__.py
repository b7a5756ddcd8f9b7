"""One trace for simulated and real runs: a row per event, and a folder of many runs is one table.

    table = read("traces", ["time", "node", "event", "channel"])        # an Arrow table

`import psvr.trace` loads neither numpy nor pyarrow: a live node writes JSON lines with Python alone.
"""

from typing import TYPE_CHECKING

from psvr.lazy import exports

from .columns import CLOCKS, COLUMNS, EVENTS, FRAMES, LEVELS, TraceError
from .lines import json_line

if TYPE_CHECKING:
    from .arrow import schema
    from .line_files import read_json_lines
    from .reading import dataset, read, runs
    from .rows import ROW
    from .writer import Writer

__all__ = [
    "CLOCKS",
    "COLUMNS",
    "EVENTS",
    "FRAMES",
    "LEVELS",
    "ROW",
    "TraceError",
    "Writer",
    "dataset",
    "json_line",
    "read",
    "read_json_lines",
    "runs",
    "schema",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "arrow": ["schema"],
        "line_files": ["read_json_lines"],
        "reading": ["dataset", "read", "runs"],
        "rows": ["ROW"],
        "writer": ["Writer"],
    },
)
