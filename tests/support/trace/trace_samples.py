"""What several test modules share: rows, and what a reader must get for them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from psvr.trace import COLUMNS, EVENTS, ROW

FIELDS = {"from": "from_", "end_point": "ep"}


def rows(count: int, **fields: Any) -> np.ndarray:
    """Rows that say nothing but time (their number), node 0, event `published`, and these fields."""
    made = np.full(count, -1, ROW)
    made["time"], made["node"], made["event"] = np.arange(count), 0, 0
    for name, value in fields.items():
        made[name] = value
    return made


def told(
    row: np.void, run: str, clock: str, channels: Sequence[str], reasons: Sequence[str], details: Sequence[str]
) -> dict[str, Any]:
    """A row as a reader sees it, worked out the slow way."""
    value = {name: int(row[FIELDS.get(name, name)]) for name in COLUMNS if name not in ("run", "clock")}
    line: dict[str, Any] = {
        name: None if number == -1 and name not in ("time", "node") else number for name, number in value.items()
    }
    line |= {"run": run, "clock": clock, "event": EVENTS[value["event"]]}
    if line["channel"] is not None:
        line["channel"] = channels[value["channel"]]
    if line["reason"] is not None:
        line["reason"] = reasons[value["reason"]] if reasons else str(value["reason"])
    if line["detail"] is not None:
        name_it = line["event"] == "fault" and details
        line["detail"] = details[value["detail"]] if name_it else str(value["detail"])
    return line
