"""The digest of the code covers all sources of the package."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import psvr
from psvr.lab.run import provenance
from psvr.lab.run.provenance import PACKAGE, code_of_psvr, is_source
from tests.support.lab.small_study import small_study

# One trial of each kind, simulated over both channels; then all files of ours that are loaded.
RUN = """
import sys
from pathlib import Path
import psvr
from psvr.lab.study import load
from psvr.lab.run.work import run_in_process
studies = load(["hops", "throughput"], "quick", ["repetitions=1", "n=8", "degree=6", "s=2", "c_n=8", "loss=0.0"])
for study in [*studies, *load([sys.argv[1]])]:
    assert run_in_process(study).num_rows
for name, module in list(sys.modules.items()):
    if name.partition(".")[0] == "psvr" and getattr(module, "__file__", None):
        print(Path(module.__file__).resolve().relative_to(Path(psvr.__file__).resolve().parent).as_posix())
"""


def test_every_module_that_a_trial_imports_is_covered(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(small_study(tmp_path))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert {
        "jit.py",
        "addresses.py",
        "errors.py",
        "sim/engine/engine.py",
        "lab/kinds/settled.py",
        "lab/run/work.py",
    } <= loaded
    assert [path for path in sorted(loaded) if not is_source(path)] == []


@pytest.mark.parametrize(
    "path, counts",
    [
        ("jit.py", True),
        ("addresses.py", True),
        ("sim/radio/devices/cc2420.toml", True),
        ("checked/__init__.py", True),
        ("trace/columns.py", True),
        ("lab/report/report.py", True),
        ("cli/sim.py", True),
        ("lab/studies/gain/study.toml", False),
        ("lab/studies/healing/trial.py", False),
        ("lab/report/page.css", False),
        ("py.typed", False),
    ],
)
def test_what_counts(path: str, counts: bool) -> None:
    assert (PACKAGE / path).is_file() and is_source(path) == counts


@pytest.mark.parametrize("path, same", [("jit.py", False), ("new.py", False), ("lab/new.css", True)])
def test_the_digest_follows_the_files_that_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, same: bool
) -> None:
    package, shipped = tmp_path / "psvr", code_of_psvr()
    for file in Path(psvr.__file__).parent.rglob("*"):
        where = package / file.relative_to(Path(psvr.__file__).parent)
        if is_source(where.relative_to(package).as_posix()):
            where.parent.mkdir(parents=True, exist_ok=True)
            where.write_bytes(file.read_bytes())
    monkeypatch.setattr(provenance, "PACKAGE", package)
    assert code_of_psvr.__wrapped__() == shipped
    with (package / path).open("a") as longer:
        longer.write("# more\n")
    assert (code_of_psvr.__wrapped__() == shipped) == same


def note(began: str, written: str, **more: str) -> dict[str, Any]:
    day = "2026-03-01T"
    made = {"psvr": "0.3.0", "code": "c0de", "python": "3.11.2", "processor": "EPYC", "memory": "24 GiB", "cores": "2"}
    return {**made, "times": [[f"{day}{began}Z", f"{day}{written}Z"]], **more}


def test_where_rows_come_from_is_said_once_each() -> None:
    notes = [note("10:00:00", "10:00:10"), note("10:00:20", "10:00:30", code="beef", cores="1")]
    found = provenance.origin(notes)
    assert found == provenance.Origin(
        ("0.3.0",), ("beef", "c0de"), ("1 core, EPYC, 24 GiB", "2 cores, EPYC, 24 GiB"), ("3.11.2",), 20.0
    )
    assert provenance.origin([]) == provenance.Origin()
    assert provenance.origin([{"psvr": "0.2.0"}]) == provenance.Origin(psvr=("0.2.0",))  # as earlier versions wrote


@pytest.mark.parametrize(
    "spans, seconds",
    [
        (["10:00:00 10:00:10"], 10),
        (["10:00:00 10:00:10", "10:00:05 10:00:15"], 15),  # two batches at a time
        (["10:00:00 10:00:30", "10:00:05 10:00:15"], 30),
        (["12:00:00 12:00:05", "10:00:00 10:00:10"], 15),  # a run that was resumed later
    ],
)
def test_time_taken_counts_every_moment_once(spans: list[str], seconds: float) -> None:
    assert provenance.time_taken([note(*span.split()) for span in spans]) == seconds


def test_time_is_unknown_if_a_file_does_not_say() -> None:
    assert provenance.time_taken([note("10:00:00", "10:00:10"), {"written": "2026-03-01T10:00:00Z"}]) is None


def test_the_machine_is_in_the_notes_of_every_file() -> None:
    found = provenance.provenance("gain", "quick", "c0de")
    assert found["processor"] and found["memory"].endswith(" GiB") and float(found["memory"].split()[0]) > 0
    assert provenance.machine({**found, "cores": "2"}).startswith("2 cores, ")
