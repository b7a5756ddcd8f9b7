"""The log of a node: a line per event, whatever is in it."""

import io
import json
import re

import pytest

from psvr.node.daemon.logs import LEVELS, Log


def lines(form: str, level: str = "info") -> tuple[Log, io.StringIO]:
    out = io.StringIO()
    return Log(form, level, out), out


def test_text() -> None:
    log, out = lines("text")
    log.info("neighbour found", id=7, channel="a b", rest=[1, 2], empty="")
    time, rest = out.getvalue().split(" ", 1)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", time)
    assert rest == 'info    neighbour found id=7 channel="a b" rest="[1, 2]" empty=""\n'


def test_json() -> None:
    log, out = lines("json")
    log.warning("slow", channel="ä\n", id=None)
    told = json.loads(out.getvalue())
    assert told.pop("time").endswith("Z")
    assert told == {"level": "warning", "message": "slow", "channel": "ä\n", "id": None}


@pytest.mark.parametrize("form", ["text", "json"])
def test_always_one_line_that_steers_no_terminal(form: str) -> None:
    log, out = lines(form)
    log.error("a\nb\x1b[2J", channel="c\nd\x1b[2J\u2028")
    assert out.getvalue().count("\n") == 1 and len(out.getvalue().splitlines()) == 1
    assert "\x1b" not in out.getvalue()


def test_levels() -> None:
    log, out = lines("text", "warning")
    log.debug("one")
    log.info("two")
    log.warning("three")
    log.error("four")
    assert [line.split()[2] for line in out.getvalue().splitlines()] == ["three", "four"]


def test_a_log_that_nobody_takes_hurts_nobody() -> None:
    log, out = lines("text")
    out.close()
    log.error("lost")


def test_no_standard_error_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    Log().error("lost")


class Flushed(io.StringIO):
    """Remembers what had been written whenever it was flushed."""

    def __init__(self) -> None:
        super().__init__()
        self.flushed: list[str] = []

    def flush(self) -> None:
        self.flushed.append(self.getvalue())


@pytest.mark.parametrize("least", LEVELS)
def test_each_level_and_those_above_are_written_at_once(least: str) -> None:
    out = Flushed()
    log = Log("json", least, out)
    for level in LEVELS:
        getattr(log, level)(f"a {level}", number=1)
    told = [json.loads(line) for line in out.getvalue().splitlines()]
    expected = LEVELS[LEVELS.index(least) :]
    assert [(line["level"], line["message"], line["number"]) for line in told] == [(n, f"a {n}", 1) for n in expected]
    assert len(out.flushed) == len(expected) and out.flushed[-1] == out.getvalue()


def test_without_a_stream_it_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    Log().warning("something", name="größe")
    assert capsys.readouterr().err.endswith("warning something name=größe\n")
