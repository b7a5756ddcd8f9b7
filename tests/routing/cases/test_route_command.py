"""The real command, as a user starts it, and a network of a hundred thousand nodes."""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.support.route_running import SMALL, route


def psvr(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "psvr", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120)


def test_from_standard_input() -> None:
    done = psvr("route", "-", "--json", stdin=json.dumps(SMALL))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["messages"] == [[2, 3, 4], [6, 7, 8], [8, 2, 6]]


def test_refused_without_a_traceback(tmp_path: Path) -> None:
    done = psvr("route", "-", stdin=json.dumps({**SMALL, "edges": [[0, 1], [1, 1]]}))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "psvr: edges[1]: must link two different nodes, not 1 to itself\n"
    done = psvr("route", str(tmp_path / "none.json"))
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_narrow_output_replaces_what_it_cannot_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = psvr("route", "-", stdin=json.dumps({**SMALL, "names": ["é", "1", "2", "3", "4", "5"]}))
    assert done.returncode == 0 and "0:?" in done.stdout


def test_a_hundred_thousand_nodes(tmp_path: Path) -> None:
    n, random = 100_000, np.random.default_rng(1)
    tree = [[int(random.integers(v)), v] for v in range(1, n)]
    pairs = {(int(min(u, v)), int(max(u, v))) for u, v in random.integers(0, n, (200_000, 2)) if u != v}
    extra = sorted(pairs - {(u, v) for u, v in tree})
    wanted = random.choice(n, 300, replace=False).tolist()
    case = {"n": n, "edges": [*tree, *map(list, extra)], "publisher": 7, "subscribers": wanted}
    begun = time.monotonic()
    printed = route(tmp_path, case)
    assert printed.status == 0 and time.monotonic() - begun < 20
    lines = printed.out.splitlines()
    assert len(lines) < 200 and max(map(len, lines)) <= 100 and "  … 199,898 more positions" in lines
    found = route(tmp_path, case, "--json").json
    assert len(found["ring"]) == 2 * (n - 1) and found["counts"]["steiner"] is None
    assert len(found["hops"]) == len(set(wanted) - {7})
