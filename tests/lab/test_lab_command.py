"""`psvr lab`: a study from its folder to the report, again, changed, and everything that a user can do wrong."""

import errno
import json
import os
import shutil
import signal
import socket
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from psvr.cli import main
from psvr.cli.options import folder
from psvr.lab.run.work import run_in_process
from psvr.lab.study import load
from tests.support.lab.lab_process import KEYS, claims, lab, refused, start, stored
from tests.support.lab.small_study import STUDY, TRIAL, small_study

LOCAL = ("--master", "local[2]")


class Inside:
    """The command in this process, in whose session of Spark it runs: starting its own would take seconds."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        status = main(["lab", *map(str, arguments)])
        return status, *self.capsys.readouterr()

    def refused(self, *arguments: object) -> str:
        """Return the one line with which a command is refused."""
        status, answer, said = self(*arguments)
        assert (status, answer) == (2, "") and len(said.splitlines()) == 1, said
        return said


@pytest.fixture
def inside(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> Inside:
    return Inside(capsys)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A study that was run: its folder, the folder of results, and what the command said."""
    folder = tmp_path_factory.mktemp("ran")
    study = small_study(folder)
    done = lab("run", study, "--out", folder / "out", *LOCAL)
    assert done.returncode == 0, done.stderr
    return study, folder / "out", done.stderr


@pytest.fixture
def copied(ran: tuple[Path, Path, str], tmp_path: Path) -> tuple[Path, Path]:
    """The same study, and the same results: for a test that changes them."""
    study, out, _ = ran
    return shutil.copytree(study, tmp_path / "small"), shutil.copytree(out, tmp_path / "out")


def test_rows_are_those_of_a_plain_run(ran: tuple[Path, Path, str]) -> None:
    study, out, _ = ran
    plain = run_in_process(load([str(study)])[0]).sort_by(KEYS)
    assert stored(out / "small").cast(plain.schema).equals(plain)


def test_everything_is_where_it_belongs(ran: tuple[Path, Path, str]) -> None:
    _, out, said = ran
    for name in (
        "small/measures.parquet",
        "small/study.json",
        "figures/small-messages.svg",
        "figures/small-messages.png",
        "report.html",
        "report.json",
    ):
        assert (out / name).stat().st_size > 100, name
    assert "10 of 10 trials" in said and "report.html" in said and "holds      It needs more." in said
    assert "<" not in said and "&" not in said
    assert [c["verdict"] for c in claims(out)] == ["holds"]
    notes = pq.read_schema(next((out / "small" / "trials").glob("*.parquet"))).metadata
    assert notes[b"psvr.study"] == b"small" and len(notes[b"psvr.code"]) == 16


def test_the_same_command_again_runs_nothing(ran: tuple[Path, Path, str], inside: Inside) -> None:
    study, out, _ = ran
    before = {f: f.stat().st_mtime_ns for f in (out / "small" / "trials").iterdir()}
    assert inside("run", study, "--out", out)[0] == 0
    assert before == {f: f.stat().st_mtime_ns for f in (out / "small" / "trials").iterdir()}


def test_more_repetitions_and_systems_run_only_what_is_new(copied: tuple[Path, Path], inside: Inside) -> None:
    study, out = copied
    first = stored(out / "small")
    status, _, said = inside(
        "run", study, "--out", out, "--set", "repetitions=3", "--set", 'systems=["psvr/all", "td", "ts"]'
    )
    assert status == 0 and "changed" not in said
    rows = stored(out / "small")
    assert rows.num_rows == 5 * 3 * 3  # nothing twice
    assert set(zip(first["trial"].to_pylist(), first["system"].to_pylist())) < set(
        zip(rows["trial"].to_pylist(), rows["system"].to_pylist())
    )


def test_a_changed_study_and_changed_code_are_said(copied: tuple[Path, Path], inside: Inside) -> None:
    study, out = copied
    (study / "study.toml").write_text(STUDY.replace("[5, 10, 20]", "[5, 10]"))
    (study / "trial.py").write_text(TRIAL.replace("7 *", "9 *"))
    status, _, said = inside("run", study, "--out", out)
    assert status == 0 and "the study has changed: 6 finished" in said and "4 do not" in said
    assert "finished trials come from other code" in said
    assert "other code" in (out / "report.html").read_text()
    assert pq.read_table(out / "small" / "measures.parquet").column("n").to_pylist().count(20) == 0
    assert inside("run", study, "--out", out, "--again")[0] == 0
    plain = run_in_process(load([str(study)])[0]).sort_by(KEYS)
    assert stored(out / "small").cast(plain.schema).equals(plain)


def test_the_report_is_made_again_and_queries_are_answered(ran: tuple[Path, Path, str], inside: Inside) -> None:
    _, out, _ = ran
    (out / "report.html").unlink()
    assert inside("report", "--out", out)[0] == 0 and (out / "report.html").exists()
    query = "SELECT system, count(*) AS rows FROM small GROUP BY system ORDER BY system LIMIT 1"
    assert inside("sql", query, "--out", out)[1].splitlines()[0].split() == ["system", "rows"]
    assert json.loads(inside("sql", query, "--out", out, "--format", "json")[1])["system"] == "psvr/all"
    assert inside("sql", query, "--out", out, "--format", "csv")[1].splitlines()[0] == "system,rows"
    assert "small_measures:" in inside("sql", "--out", out)[1]


def test_a_study_that_was_moved_after_its_run_is_still_reported(tmp_path: Path, inside: Inside) -> None:
    study, out = small_study(tmp_path), tmp_path / "out"
    assert inside("run", study, "--out", out)[0] == 0
    before = claims(out)
    study.rename(tmp_path / "elsewhere")
    assert inside("report", "--out", out)[0] == 0
    assert claims(out) == before and f"the study is no longer in {study}" in (out / "report.html").read_text()
    assert inside("sql", "SELECT count(*) FROM small", "--out", out)[0] == 0


def test_results_say_which_machine_they_are_from_and_how_long_they_took(ran: tuple[Path, Path, str]) -> None:
    _, out, _ = ran
    [study] = json.loads((out / "report.json").read_text())["studies"]
    [machine], [code] = study["origin"]["machine"], study["origin"]["code"]
    assert machine.startswith("2 cores, ") and len(code) == 16 and study["origin"]["seconds"] >= 0
    assert main(["lab", "results", str(out), "--to", str(out.parent / "page")]) == 0
    page = (out.parent / "page" / "README.md").read_text()
    assert machine in page and code in page and "![small: messages](small-messages.svg)" in page


def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(tmp_path: Path, inside: Inside) -> None:
    study = small_study(tmp_path, STUDY.replace("s = [1, 8]", "s = 1\nsleep = 0.4").replace("= 4", "= 10"))
    out = tmp_path / "out"
    run = start("run", study, "--out", out, *LOCAL, "--scale", "paper")
    while not list(out.glob("small/trials/*.parquet")):
        assert run.poll() is None
        time.sleep(0.1)
    os.killpg(run.pid, signal.SIGINT)
    said = run.communicate(timeout=60)[1]
    assert run.returncode == 130 and "the same command goes on" in said and "Traceback" not in said
    some = stored(out / "small").num_rows
    assert 0 < some < 60
    assert inside("run", study, "--out", out, *LOCAL, "--scale", "paper")[0] == 0
    assert stored(out / "small").num_rows == 60


def test_a_custom_system_is_compared_with_the_others(tmp_path: Path, inside: Inside) -> None:
    """Routed in settled networks, where without shortcuts it is like Shen's, and run by its rules in the simulator."""
    small = ("--set", "repetitions=1", "--set", "n=20", "--set", "degree=8")
    file = Path(__file__).parents[2] / "examples" / "systems" / "tree_steps.py"
    status, _, said = inside("run", "hops", "--out", tmp_path, *small, "--system", file)
    assert status == 0, said
    rows = {(row["grid"], row["system"]): row for row in stored(tmp_path / "hops").to_pylist()}
    assert rows["settled", "tree-steps"]["messages"] == rows["settled", "shen"]["messages"] > 0
    assert rows["full", "tree-steps/paper"]["delivered"] > 0.95 * rows["full", "shen/paper"]["delivered"] > 0
    assert {("wireless", "tree-steps/paper"), ("wireless", "tree-steps")} < set(rows)
    assert inside("report", "--out", tmp_path)[0] == 0


def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, inside: Inside) -> None:
    study, out = small_study(tmp_path), tmp_path / "out"
    assert "did you mean gain?" in refused("run", "gian", "--out", out), "as a process"
    assert "no grid has it" in inside.refused("run", study, "--set", "x=3", "--out", out)
    assert "--master" in inside.refused("run", study, "--master", "mesos://x", "--out", out, "--quiet")
    (tmp_path / "file").write_text("")
    assert "cannot be written" in inside.refused("run", study, "--out", tmp_path / "file" / "out")
    assert "no such folder" in inside.refused("report", "--out", tmp_path / "nowhere")
    assert "none.py: No such file" in inside.refused("run", study, "--system", tmp_path / "none.py", "--out", out)


def test_trials_that_fail_are_counted_and_the_others_go_on(tmp_path: Path, inside: Inside) -> None:
    study, out = small_study(tmp_path, STUDY.replace("s = [1, 8]", "s = 1\nbroken = 20")), tmp_path / "out"
    status, _, said = inside("run", study, "--out", out)
    assert status == 3 and "2 trials could not be run" in said and "n: this one is not possible" in said
    assert set(stored(out / "small").column("n").to_pylist()) == {5, 10} and len(claims(out)) == 1
    assert "2 trials could not be run" in (out / "report.html").read_text()
    status, _, said = inside("run", study, "--out", out, "--quiet")
    assert status == 3 and said.endswith("trials that could not be run: 2; the report says why\n")
    counted = "SELECT count(*) AS trials, max(attempts) AS attempts, min(reason) AS reason FROM small_failures"
    rows = json.loads(inside("sql", counted, "--out", out, "--format", "json")[1])
    assert rows == {"trials": 2, "attempts": 2, "reason": "n: this one is not possible"}
    (study / "trial.py").write_text(TRIAL.replace("raise BadInput", "BadInput"))
    assert inside("run", study, "--out", out)[0] == 0
    assert set(stored(out / "small").column("n").to_pylist()) == {5, 10, 20}


def test_the_first_failure_ends_the_run_if_that_is_wanted(tmp_path: Path, inside: Inside) -> None:
    study = small_study(tmp_path, STUDY.replace("s = [1, 8]", "s = 1\nbroken = 20"))
    status, _, said = inside("run", study, "--out", tmp_path / "out", "--fail-fast")
    assert status == 3 and "stopped, because trial " in said and not (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize("act, said", [("os._exit(9)", "exit code 9"), ("os.kill(os.getpid(), 11)", "SIGSEGV")])
def test_a_trial_that_kills_its_process_is_named(act: str, said: str, tmp_path: Path, inside: Inside) -> None:
    deadly = f"    if parameters['n'] == 20 and seed % 2:\n        import os\n        {act}\n    draw ="
    study = small_study(tmp_path, trial=TRIAL.replace("    draw =", deadly))
    status, _, printed = inside("run", study, "--out", tmp_path / "out")
    plain = run_in_process(load([str(small_study(tmp_path / "plain"))])[0]).to_pylist()
    expected = {row["trial"] for row in plain if row["n"] != 20 or row["seed"] % 2 == 0}
    assert status == 3 and f"its process died: {said}" in printed and len({r["trial"] for r in plain} - expected) > 0
    assert set(stored(tmp_path / "out" / "small").column("trial").to_pylist()) == expected


def test_a_figure_that_cannot_be_drawn_leaves_the_report_of_everything_else(tmp_path: Path, inside: Inside) -> None:
    good, bad = (small_study(tmp_path, STUDY.replace('"more"', f'"{name}"'), name=name) for name in ("good", "bad"))
    (bad / "figure.py").write_text("def draw(measures):\n    return 1 / 0")
    status, _, said = inside("run", good, bad, "--out", tmp_path / "out", "--quiet")
    assert status == 2 and said.endswith("figure.py, line 2: ZeroDivisionError: division by zero\n"), said
    page = (tmp_path / "out" / "report.html").read_text()
    assert "ZeroDivisionError" in page and {c["verdict"] for c in claims(tmp_path / "out")} == {"holds"}
    assert (tmp_path / "out" / "figures" / "good-messages.svg").is_file()


@pytest.mark.parametrize("name", ["l[1]", "{x,y}", "a*b?", "with space", "file:"])
def test_a_folder_may_have_any_name(name: str, tmp_path: Path, inside: Inside) -> None:
    study, out = small_study(tmp_path, STUDY.replace("n = [5, 10, 20]", "n = 5")), tmp_path / name
    assert inside("run", study, "--out", out, "--quiet")[0] == 0
    assert json.loads(inside("sql", "SELECT count(*) AS n FROM small", "--out", out, "--format", "json")[1])["n"] == 4


def test_other_places_than_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("s3a://bucket/x", "hdfs://host/x", "file://host/x"):
        assert f"--out: {place}: must be a folder" in refused("run", "gain", "--out", place)
        assert f"--to: {place}: must be a folder" in refused("ingest", tmp_path, "--to", place)
    assert folder("file:///with%20space/x") == Path("/with space/x") and folder("file:x") == Path("file:x")
    assert list(tmp_path.iterdir()) == []


def test_a_corrupt_file_is_named_and_without_it_all_is_well(copied: tuple[Path, Path], inside: Inside) -> None:
    study, out = copied
    whole = stored(out / "small")
    file = next((out / "small" / "trials").glob("*.parquet"))
    file.write_bytes(file.read_bytes()[:300])
    status, _, said = inside("run", study, "--out", out, "--quiet")
    assert status == 2 and file.name in said and len(said.splitlines()) == 1
    file.unlink()
    assert inside("run", study, "--out", out)[0] == 0
    assert stored(out / "small").equals(whole)


def test_damaged_results_are_named_and_made_again(copied: tuple[Path, Path], inside: Inside) -> None:
    _, out = copied
    for name in ("small/measures.parquet", "report.json"):
        file = out / name
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2])
        status, _, said = inside("sql", "SELECT 1", "--out", out)
        assert status == 2 and str(file) in said and len(said.splitlines()) == 1
        assert inside("report", "--out", out)[0] == 0
        assert inside("sql", "SELECT 1", "--out", out)[0] == 0


def test_no_room_for_the_report_leaves_the_old_one(
    copied: tuple[Path, Path], inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, out = copied
    before = {file: file.read_bytes() for file in out.rglob("*.*g") if file.is_file()}
    assert len(before) == 2

    def full(handle: int) -> None:
        if ".half-" in os.readlink(f"/proc/self/fd/{handle}"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("psvr.atomic.os.fsync", full)
    status, _, said = inside("report", "--out", out)
    assert status == 2 and "no space left" in said and len(said.splitlines()) == 1
    assert before == {file: file.read_bytes() for file in before} and not list(out.rglob(".half-*"))


def test_two_runs_in_one_folder_are_refused(tmp_path: Path, inside: Inside) -> None:
    study = small_study(tmp_path, STUDY.replace("s = [1, 8]", "s = 1\nsleep = 30"))
    run = start("run", study, "--out", tmp_path / "out", *LOCAL)
    try:
        while not (tmp_path / "out" / ".lock").exists():
            time.sleep(0.05)
        time.sleep(0.5)
        assert "another psvr lab" in inside.refused("run", study, "--out", tmp_path / "out", *LOCAL)
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()


def test_a_master_that_is_not_there_is_said(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    study, rows = small_study(tmp_path), tmp_path / "out" / "small" / "trials"
    rows.mkdir(parents=True)
    pq.write_table(pa.table({"trial": ["x"], "system": ["td"]}), rows / "part.parquet")
    said = refused("run", study, "--out", tmp_path / "out", "--master", master, "--quiet", "--again")
    assert str(port) in said
    assert (rows / "part.parquet").exists()  # set aside only when others can be made


def test_bad_queries_are_said_in_one_line(ran: tuple[Path, Path, str], inside: Inside) -> None:
    _, out, _ = ran
    for query in ("SELECT nothing FROM small", "SELEC 1", "SELECT 1/0 FROM small", "SELECT * FROM smal"):
        inside.refused("sql", query, "--out", out)
