"""Runs `psvr route` in this process and keeps its output."""

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psvr.cli import main

TESTS = Path(__file__).parent.parent
VECTORS = TESTS / "vectors" / "routing.json"
GOLDEN = TESTS / "routing" / "cases" / "golden"

# r - e, e - c, e - d, c - a, d - b and c - d, a - b
SMALL: dict[str, Any] = {
    "n": 6,
    "edges": [[0, 1], [1, 2], [1, 4], [2, 3], [4, 5], [2, 4], [3, 5]],
    "root": 0,
    "parent": [-1, 0, 1, 2, 1, 4],
    "publisher": 4,
    "subscribers": [2, 3, 5],
    "shortcuts": "nontree",
}


@dataclass(frozen=True)
class Printed:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def psvr(*arguments: str) -> Printed:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(list(arguments))
        except SystemExit as leaving:  # argparse
            status = int(leaving.code or 0)
    return Printed(status, out.getvalue(), err.getvalue())


def route(folder: Path, case: Any, *arguments: str) -> Printed:
    """Write a case to a file and route it."""
    file = folder / "case.json"
    file.write_text(json.dumps(case), encoding="utf-8")
    return psvr("route", str(file), *arguments)


def changed(**fields: Any) -> dict[str, Any]:
    """The small example with other fields; None leaves one out."""
    return {name: value for name, value in {**SMALL, **fields}.items() if value is not None}


def refused(printed: Printed, *parts: str) -> None:
    """One line on standard error that names what is wrong, nothing else."""
    assert printed.status == 2, printed
    assert printed.out == ""
    assert printed.err.startswith("psvr") and printed.err.endswith("\n") and printed.err.count("\n") == 1, printed.err
    assert "Traceback" not in printed.err and len(printed.err) < 300
    for part in parts:
        assert part in printed.err, printed.err
