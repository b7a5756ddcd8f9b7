"""The same rows as lines of JSON: for live nodes, which write few rows and want each of them at once."""

import json
from collections.abc import Mapping

from .columns import CLOCKS, COLUMNS, EVENTS, REQUIRED, TraceError, is_text

WORDS = {"clock": CLOCKS, "event": EVENTS}


def json_line(row: Mapping[str, int | str | None]) -> str:
    """A row, given by the names of its columns, as a line; None is left out."""
    for name in (*REQUIRED, *row):
        if name not in COLUMNS:
            raise TraceError(f"{name}: no such column; must be from {', '.join(COLUMNS)}")
        check(name, row.get(name))
    present = {name: row[name] for name in COLUMNS if row.get(name) is not None}
    return json.dumps(present, ensure_ascii=False, separators=(",", ":")) + "\n"


def check(name: str, value: int | str | None) -> None:
    """Refuse a value that its column cannot hold."""
    kind = COLUMNS[name]
    if value is None and name not in REQUIRED:
        return
    if name in WORDS and value not in WORDS[name]:
        raise TraceError(f"{name}: must be one of {', '.join(WORDS[name])}, not {value!r}")
    if kind == "string":
        if not is_text(value):
            raise TraceError(f"{name}: must be Unicode text, not {value!r}")
    else:
        most = 1 << (int(kind.removeprefix("int")) - 1)
        if type(value) is not int or not -most <= value < most:
            raise TraceError(f"{name}: must be a whole number of {kind.removeprefix('int')} bits, not {value!r}")
