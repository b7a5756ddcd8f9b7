"""The tool that plants bugs, on a tiny project: it sees what is caught, what survives and what is broken."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mutants.__main__ import main
from mutants.entries import CannotPlant, Mutant, planted
from tests.support.fake_project import BUGS, EXPECTED, SOURCE, TESTS, entry, make

ROOT = Path(__file__).parent.parent.parent


COMPILING = """import pathlib, sums
kept = pathlib.Path(sums.__file__).parent / "__pycache__" / "kernels" / "some.nbc"


def test_compiling():
    kept.parent.mkdir(parents=True, exist_ok=True)
    before = int(kept.read_text()) if kept.exists() else 0
    kept.unlink(missing_ok=True)
    kept.write_text(str(before + 1))


def test_plus():
    assert sums.plus(2, 3) == 5
"""


def run(root: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    code = main(["--root", str(root), *options])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep signals of the test run from the tool; and skip plugins, which take longer to load than these tests."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def test_caught_survived_and_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(make(tmp_path), capsys)
    assert code == 1 and out.splitlines()[-1].startswith("4 planted: 1 caught, 1 SURVIVED, 2 broken;")
    assert "tests/test_sums.py::test_plus" in out and "No module named 'nothing_of_that_name'" in out
    assert "broken: sums-gone: `before` must occur once in src/sums.py, and occurs 0 times" in out
    assert (tmp_path / "src/sums.py").read_text() == SOURCE  # never in the tree itself
    listed = run(tmp_path, capsys, "--list")[1].replace("not tried", "untried").splitlines()
    assert {line.split()[2]: line.split()[0] for line in listed} == EXPECTED


def test_all_caught_is_success_and_is_remembered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path, {"sums-plus": BUGS["sums-plus"]})
    assert run(tmp_path, capsys)[0] == 0
    code, out, _ = run(tmp_path, capsys)
    assert code == 0 and "1 known from before, 0 to try" in out
    assert "0 known from before" in run(tmp_path, capsys, "--fresh")[1]


@pytest.mark.parametrize(
    "file, text",
    [
        ("src/sums.py", SOURCE + "\n\nNEW = 1\n"),
        ("tests/test_sums.py", TESTS + "\n\n# more\n"),
        ("mutants/sums.toml", entry("sums-plus", before="return a + b", after="return a")),
    ],
)
def test_what_changed_is_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, text: str) -> None:
    make(tmp_path, {"sums-plus": BUGS["sums-plus"]})
    run(tmp_path, capsys)
    (tmp_path / file).write_text(text)
    assert "0 known from before, 1 to try" in run(tmp_path, capsys)[1]


def test_other_tests_may_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path, {"sums-plus": BUGS["sums-plus"]})
    run(tmp_path, capsys)
    (tmp_path / "tests/test_other.py").write_text("def test_nothing(): pass\n")
    assert "1 known from before" in run(tmp_path, capsys)[1]


def test_what_was_compiled_is_left_to_the_next_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The tests leave compiled code beside their package; a bug is tried with it, and so is the next run."""
    make(tmp_path, {"sums-plus": {**BUGS["sums-plus"], "file": "src/sums/__init__.py"}})
    (tmp_path / "src/sums").mkdir()
    (tmp_path / "src/sums.py").rename(tmp_path / "src/sums/__init__.py")
    (tmp_path / "tests/test_sums.py").write_text(COMPILING)
    assert run(tmp_path, capsys)[0] == 0
    assert [file.read_text() for file in (tmp_path / ".mutants").rglob("*.nbc")] == ["1"]
    assert not list((tmp_path / "src").rglob("*.nbc"))
    assert run(tmp_path, capsys, "--fresh")[0] == 0
    assert [file.read_text() for file in (tmp_path / ".mutants").rglob("*.nbc")] == ["2"]


def test_damaged_results_are_as_good_as_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path, {"sums-plus": BUGS["sums-plus"]})
    run(tmp_path, capsys)
    for text in ("{", "[]", '{"sums-plus": 3, "without tests/test_sums.py": []}'):
        (tmp_path / ".mutants/results.json").write_text(text)
        assert run(tmp_path, capsys)[0] == 0
    assert json.loads((tmp_path / ".mutants/results.json").read_text())["sums-plus"][1] == "caught"


def test_without_a_bug_the_tests_must_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path)
    (tmp_path / "tests/test_sums.py").write_text(TESTS.replace("== 4", "== 5"))
    code, out, err = run(tmp_path, capsys)
    assert code == 2 and "now with bugs" not in out
    assert err == "mutants: without any bug, these must pass: tests/test_sums.py; tests/test_sums.py::test_minus\n"


def test_a_test_without_end_is_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mutants.trying.MIN_LIMIT", 1.0)
    monkeypatch.setattr("mutants.trying.TIMES", 0)
    make(tmp_path, {"sums-loop": {"before": "return a + b", "after": "while True: pass"}})
    code, out, _ = run(tmp_path, capsys)
    assert code == 0 and "no end within 1 s" in out


def test_the_report_is_written_between_its_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Before\n<!-- mutants: begin -->\nold\n<!-- mutants: end -->\nAfter\n")
    run(make(tmp_path), capsys, "--report", str(page))
    text = page.read_text()
    assert text.startswith("# Before\n<!-- mutants: begin -->\n4 planted, 1 caught; ") and "old" not in text
    assert text.endswith("<!-- mutants: end -->\nAfter\n") and "| sums | 4 | 1 |" in text
    assert "| sums-plus | `return a + b` → `return a - b` | sums are wrong | `test_sums.py::test_plus` |" in text
    assert "| **SURVIVED** |" in text and "**broken** `before` must" in text
    run(tmp_path, capsys, "--report", str(page))  # again, from what is kept
    assert page.read_text().count("| sums-plus |") == 1


@pytest.mark.parametrize(
    "options, message",
    [
        (["--only", "sums-pluss"], "--only: no mutant and no list is called 'sums-pluss' (did you mean sums-plus?)"),
        (["--jobs", "0"], "--jobs: must be 1 or more, not 0"),
        (["--report", "nowhere.md"], "--report: nowhere.md cannot be read: No such file or directory"),
        (["--report", "x", "--only", "sums-plus"], "--report: must be of all mutants; leave --only out"),
    ],
)
def test_options_that_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    code, _, err = run(make(tmp_path), capsys, *options)
    assert (code, err) == (2, f"mutants: {message}\n")


def test_a_document_without_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing")
    code, _, err = run(make(tmp_path), capsys, "--report", str(page))
    assert code == 2 and "must have the lines <!-- mutants: begin -->" in err and page.read_text() == "nothing"


@pytest.mark.parametrize(
    "text, message",
    [
        ("[[mutant]", "must be TOML"),
        ("mutant = 3\n", "must be a list of [[mutant]]"),
        ("[other]\n", "must be a list of [[mutant]]"),
        (entry("sums-x", before="a", after="b", befor="c"), "entry 1: unknown key befor (did you mean before?)"),
        (entry("sums-x", before="a"), "entry 1: after must be there, and a text"),
        (
            entry("sums-x", before="a", after="b", tests=[]),
            "entry 1: tests must be a list of files or tests, one at least",
        ),
        (
            entry("Sums_x", before="a", after="b"),
            "entry 1: id must be lower-case words joined by hyphens, not 'Sums_x'",
        ),
        (entry("sums-x", before="a", after="a"), "entry 1: before must be some code, and after must differ from it"),
        (entry("sums-x", before="a", after="b") * 2, "sums-x is also in sums.toml; ids must differ"),
    ],
)
def test_lists_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    make(tmp_path)
    (tmp_path / "mutants/sums.toml").write_text(text)
    code, _, err = run(tmp_path, capsys)
    assert code == 2 and message in err and err.startswith("mutants: sums.toml") and err.count("\n") == 1


def test_no_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path)
    (tmp_path / "mutants/sums.toml").unlink()
    assert run(tmp_path, capsys)[0] == 2


def mutant(**keys: Any) -> Mutant:
    return Mutant(
        **{
            "id": "a-b",
            "file": "sums.py",
            "before": "return",
            "after": "yield",
            "why": "",
            "tests": ("t",),
            "within": "",
            "area": "sums",
            **keys,
        }
    )


@pytest.mark.parametrize(
    "within, before, after, expected",
    [
        ("plus", "return", "yield", "    yield a + b\n"),
        ("step", "return 1", "return 2", "        return 2\n"),
        ("Counter.step", "return 1", "return 2", "        return 2\n"),
        ("Counter", "return 1", "return 2", "        return 2\n"),
        ("minus", "    if a == b:\n        return 0\n", "", "def minus(a, b):\n    return a - b\n"),
    ],
)
def test_where_a_bug_is_planted(within: str, before: str, after: str, expected: str) -> None:
    text = planted(mutant(within=within, before=before, after=after), SOURCE)
    assert expected in text and len(text) - len(SOURCE) == len(after) - len(before)


@pytest.mark.parametrize(
    "keys, message",
    [
        ({}, "`before` must occur once in sums.py, and occurs 4 times"),
        ({"within": "minus"}, "`before` must occur once in minus of sums.py, and occurs 2 times"),
        ({"within": "times"}, "sums.py must define times once, and does 0 times"),
        ({"within": "plus", "before": "return a", "after": "return ("}, "with `after` in it, sums.py is not Python"),
    ],
)
def test_where_a_bug_cannot_be_planted(keys: dict[str, str], message: str) -> None:
    with pytest.raises(CannotPlant, match=message.replace("(", "\\(")):
        planted(mutant(**keys), SOURCE)


def test_interrupted_it_leaves_nothing_running_and_goes_on_later(tmp_path: Path) -> None:
    """Two bugs: one is caught, the next one sleeps when the tool is told to end."""
    bugs = {
        "sums-plus": BUGS["sums-plus"],
        "sums-sleep": {"before": "return a + b", "after": "import time; open(__file__ + '.here', 'w'); time.sleep(60)"},
    }
    make(tmp_path / "project", bugs)
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "mutants", "--root", str(tmp_path / "project"), "--jobs", "1"]
    tool = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not list((tmp_path / "tmp").glob("*/sums-sleep/src/*.here")) and tool.poll() is None:
        time.sleep(0.05)
    tool.send_signal(signal.SIGINT)
    out, err = tool.communicate(timeout=60)
    assert (tool.returncode, err) == (130, "mutants: interrupted; what is done is kept for the next run\n"), out
    assert "caught" in out and not list((tmp_path / "tmp").iterdir())
    kept = json.loads((tmp_path / "project/.mutants/results.json").read_text())
    assert kept["sums-plus"][1] == "caught" and "sums-sleep" not in kept
