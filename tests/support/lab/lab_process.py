"""`psvr lab` as a separate process, seen from outside."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

KEYS = [("trial", "ascending"), ("system", "ascending")]


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "psvr", "lab", *map(str, arguments)]


def lab(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, check=False, timeout=300, env={**os.environ, **environment}
    )


def refused(*arguments: object, **environment: str) -> str:
    """Return the one line with which a command is refused."""
    done = lab(*arguments, **environment)
    assert done.returncode == 2, done
    assert len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr, done.stderr
    return done.stderr


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start a run in its own process group, so that all of it can be killed."""
    return subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def stored(folder: Path) -> pa.Table:
    """All rows, whichever files they are in."""
    files = sorted((folder / "trials").glob("*.parquet"))
    return pa.concat_tables([pq.read_table(f) for f in files]).sort_by(KEYS)


def claims(out: Path) -> list[dict[str, Any]]:
    return json.loads((out / "report.json").read_text())["claims"]  # type: ignore[no-any-return]
