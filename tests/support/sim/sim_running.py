"""Runs `psvr sim` in this process or in a new one, and keeps its output."""

import contextlib
import io
import json
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psvr.cli import main
from psvr.sim.network import Network
from psvr.sim.scenario import parse
from psvr.trace import read

# Settled long before the first publication; all publications have arrived when the run ends.
CALM = """
duration = 60
[topology]
kind = "geometric"
n = 15
degree = 6
[[traffic]]
channel = "news"
subscribers = 4
every = 5
start = 40
stop = 55
"""
LOSSY_LINE = (
    CALM.replace('"geometric"', '"line"').replace("degree = 6", "")
    + """
[radio]
model = "lossy"
loss = 0.1
retries = 0
"""
)
# Takes minutes; a trace of all events fills a part in about a second.
LONG = (
    CALM.replace("duration = 60", "duration = 1e6")
    .replace("n = 15", "n = 60")
    .replace("start = 40\nstop = 55", "start = 5")
    + """
[protocol]
hello = 0.05
"""
)
# When tests run in the background, the processes they start ignore Ctrl-C.
COMMAND = """
import signal, sys
from psvr.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""


@dataclass(frozen=True)
class Printed:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert (self.status, self.err) == (0, ""), self
        assert self.out.endswith("}\n") and self.out.count("\n") == 1
        return json.loads(self.out)


def psvr_sim(*arguments: str | Path) -> Printed:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(["sim", *map(str, arguments)])
        except SystemExit as leaving:  # argparse
            status = int(leaving.code or 0)
    return Printed(status, out.getvalue(), err.getvalue())


def warm_up() -> None:
    """Compile everything, so that no other run prints that it is compiling."""
    Network(parse(tomllib.loads(CALM))).run(1)


def start(*arguments: str | Path, **streams: Any) -> "subprocess.Popen[str]":
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "sim", *map(str, arguments)], text=True, **{**pipes, **streams}
    )


def refused(printed: Printed, *parts: str) -> None:
    """One line on standard error that names what is wrong, nothing else."""
    assert (printed.status, printed.out) == (2, ""), printed
    assert printed.err.startswith("psvr: ") and printed.err.endswith("\n") and printed.err.count("\n") == 1, printed.err
    assert len(printed.err) < 300
    for part in parts:
        assert part in printed.err, printed.err


def rows(folder: Path) -> list[dict[str, Any]]:
    return read(folder).to_pylist()  # type: ignore[no-any-return]


def agree(found: list[dict[str, Any]], figures: dict[str, Any], level: str) -> None:
    """The trace of a run without warmup and faults agrees with its summary.

    Those about HELLO and SUB have no channel.
    """
    about_pubs = Counter(row["event"] for row in found if row["channel"])
    others = Counter(row["event"] for row in found if not row["channel"])
    transmissions = figures["transmissions"]
    assert about_pubs["published"] == figures["published"] and about_pubs["sent"] == figures["messages"]
    handed_over = [(r["origin"], r["boot"], r["sequence"], r["node"]) for r in found if r["event"] == "delivered"]
    assert len(handed_over) - len(set(handed_over)) == figures["duplicates"]
    assert len({key for key in handed_over if key[0] != key[3]}) == figures["delivered"]
    subs = others["sent"] - transmissions["hello"]  # a SUB that is not acknowledged is sent in several tries
    assert others["sent"] == 0 if level == "pub" else transmissions["sub"] / 2 < subs <= transmissions["sub"]
    if level == "all":
        assert about_pubs["received"] + others["received"] == figures["events"] - sum(transmissions.values())
    else:
        assert others["received"] == 0
