"""What the lab says: answers to queries, errors of Spark in short, the command that runs a study again."""

import tarfile
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError

from psvr import jit
from psvr.errors import BadInput
from psvr.lab import driver
from psvr.lab.evaluation import rerun
from psvr.lab.query import MAX_WIDTH, as_csv, as_json, as_table, cell
from psvr.lab.report.wording import escaped, plain, words
from psvr.lab.run.folder import Request
from psvr.lab.spark.errors import MAX_LENGTH, shorten
from psvr.lab.spark.ship import key_line, non_empty, pack
from psvr.lab.study.study import values


class Row(tuple[Any, ...]):
    def asDict(self, recursive: bool) -> dict[str, Any]:
        assert recursive
        return dict(zip(("name", "n", "value"), self))


FOUND: Any = SimpleNamespace(
    columns=["name", "n", "value"],
    dtypes=[("name", "string"), ("n", "bigint"), ("value", "double")],
    collect=lambda: [Row(("größe", 5, 1234.56789)), Row((None, 12345, None)), Row(("x" * 70, [1, 2], 0.5))],
)


def test_cells() -> None:
    assert [cell(v) for v in (None, 5, 1234.56789, 0.1, 1e-9, "text", [1, 2], True)] == [
        "",
        "5",
        "1234.57",
        "0.1",
        "1e-09",
        "text",
        "[1, 2]",
        "True",
    ]


def test_an_answer_as_a_table() -> None:
    assert as_table(FOUND).splitlines() == [
        "name".ljust(MAX_WIDTH) + "       n    value",
        "─" * MAX_WIDTH + "  " + "─" * 6 + "  " + "─" * 7,
        "größe".ljust(MAX_WIDTH) + "       5  1234.57",
        " " * MAX_WIDTH + "   12345",
        "x" * MAX_WIDTH + "  [1, 2]      0.5",
    ]


def test_an_answer_for_other_programs_is_complete() -> None:
    assert as_csv(FOUND) == f'name,n,value\ngröße,5,1234.56789\n,12345,\n{"x" * 70},"[1, 2]",0.5\n'
    assert as_json(FOUND).splitlines()[:2] == [
        '{"name": "gr\\u00f6\\u00dfe", "n": 5, "value": 1234.56789}',
        '{"name": null, "n": 12345, "value": null}',
    ]


@pytest.mark.parametrize(
    "text, short",
    [
        ("[UNRESOLVED] A column.  SQLSTATE: 42703; line 1\n== SQL ==\nSELECT", "A column"),
        ("plain.\nmore", "plain"),
        (
            "An error\nCaused by: org.x.First: outer\n\tat there\nCaused by: java.Inner: the very  reason\n\tat here",
            "java.Inner: the very reason",
        ),
        ("", ""),
        ("y" * 1000, "y" * MAX_LENGTH),
    ],
)
def test_errors_of_spark_are_shortened(text: str, short: str) -> None:
    assert shorten(text) == short


@pytest.mark.parametrize(
    "error, reason",
    [
        (ConnectionRefusedError(111, "Connection refused"), "its Java process ended"),
        (Py4JNetworkError("Answer from Java side is empty"), "its Java process ended"),
        (Py4JError("An error\nCaused by: java.Inner: no room"), "java.Inner: no room"),
    ],
)
def test_spark_that_ends_while_the_report_is_made_is_one_line(
    error: Exception, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: object) -> None:
        raise error

    monkeypatch.setattr(driver, "prepare_all", lambda out, prepared: [])
    monkeypatch.setattr(driver, "report_on", ends)
    spark: Any = None
    with pytest.raises(BadInput, match=f"^Spark stopped: {reason}; what is finished is stored, the same command goes"):
        driver.make_report(spark, [], driver.Options(out=tmp_path))


@pytest.mark.parametrize(
    "text, line",
    [
        (
            "Job aborted\norg.apache.SparkException: outer\n  ModuleNotFoundError: No module named 'pyarrow'\nat x",
            "ModuleNotFoundError: No module named 'pyarrow'",
        ),
        (
            "a\nCaused by: java.io.IOException: Cannot run program python9",
            "java.io.IOException: Cannot run program python9",
        ),
        ("nothing\nof use\n\n", "of use"),
        ("", "no reason given"),
    ],
)
def test_the_line_that_says_why_a_worker_failed(text: str, line: str) -> None:
    assert key_line(text) == line


def test_of_the_same_files_the_same_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "cache_folder", lambda: None)  # compiled code is large
    first = pack()
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert pack() == first
    with tarfile.open(fileobj=BytesIO(first)) as tar:
        names = tar.getnames()
        assert {"psvr/__init__.py", "psvr/lab/spark/ship.py", "psvr/kernels"} <= set(names)
        assert {(member.mtime, member.uid, member.uname) for member in tar} == {(0, 0, "")}
    assert not any("__pycache__" in name for name in names) and len(names) == len(set(names))
    assert non_empty("a", None, "", "b") == ["a", "b"]


def test_the_command_that_runs_a_study_again() -> None:
    asked = Request("gain", "paper", ("n=[5, 10]", "repetitions=3"), (("my system.py", "text"),), ("mine",))
    assert rerun(asked) == (
        "psvr lab run gain --scale paper --set 'n=[5, 10]' --set repetitions=3 --system 'my system.py'"
    )
    assert rerun(Request("/a folder", "quick", (), (), ())) == "psvr lab run '/a folder' --scale quick"


def test_a_value_that_stands_twice_is_one() -> None:
    assert values([5, 10, 5], "n") == (5, 10) and values("all", "s") == ("all",)
    assert values([True, 0.5], "x") == (True, 0.5)


def test_nothing_is_taken_for_html() -> None:
    assert escaped("""<b a="1" b='2'>&""") == "&lt;b a=&quot;1&quot; b=&#x27;2&#x27;&gt;&amp;"
    assert words("T_D & `<x>` **b**\n[a link](http://x)") == (
        "T<sub>D</sub> &amp; <code>&lt;x&gt;</code> <strong>b</strong> a link"
    )
    assert plain("<b>7.1</b>&nbsp;% &lt;") == "7.1 % <"
