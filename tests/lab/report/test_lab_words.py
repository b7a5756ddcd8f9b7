"""Progress, and scenarios with gaps: small parts of the lab that say or fill something."""

import io
import time
from types import SimpleNamespace
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.lab.kinds.template import check, filled, gaps, scenario_of
from psvr.lab.run.progress import BAR_WIDTH, Progress, format_duration


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    it = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(time, "monotonic", lambda: it.now)
    return it


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_how_far_a_study_is(clock: SimpleNamespace) -> None:
    it = Progress("gain", stream=io.StringIO())
    it.start(done=1000, total=3000, cost=100.0)
    assert it.text() == f"gain         {'░' * BAR_WIDTH} 1,000 of 3,000 trials, 0.0/s"
    clock.now += 10
    it.add(500, 25.0)
    assert it.text() == f"gain         {'█' * 6}{'░' * 18} 1,500 of 3,000 trials, 50.0/s, 30 s left"
    it.add(1500, 75.0)
    assert it.text() == f"gain         {'█' * BAR_WIDTH} 3,000 of 3,000 trials, 200.0/s"


def test_a_log_gets_a_line_now_and_then(clock: SimpleNamespace) -> None:
    out = io.StringIO()
    it = Progress("gain", stream=out)
    it.start(0, 100, 10.0)
    for _ in range(40):
        clock.now += 1
        it.add(1, 0.1)
    assert len(out.getvalue().splitlines()) == 1 + 3
    it.finish()
    assert "40 of 100 trials" in out.getvalue().splitlines()[-1] and "\r" not in out.getvalue()


def test_a_terminal_has_one_line_that_changes(clock: SimpleNamespace) -> None:
    out = Terminal()
    it = Progress("gain", stream=out)
    it.start(0, 100, 10.0)
    for _ in range(10):
        clock.now += 0.125
        it.add(1, 0.1)
    it.say("something")
    it.finish()
    text = out.getvalue()
    assert text.count("\r\033[K") == 1 + 5 + 1 + 1 and text.count("\n") == 2 and text.endswith("\n")


def test_quiet_is_quiet(clock: SimpleNamespace) -> None:
    for out in (io.StringIO(), Terminal()):
        it = Progress("gain", quiet=True, stream=out)
        it.start(0, 100, 10.0)
        it.say("something")
        it.finish()
        assert out.getvalue() == ""


@pytest.mark.parametrize(
    "seconds, text", [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h")]
)
def test_times_for_people(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


TEMPLATE: dict[str, Any] = {
    "duration": "$d",
    "topology": {"kind": "ring", "n": "$n"},
    "protocol": {"links": "$k"},
    "traffic": [{"channel": "$5", "subscribers": ["$s", 2], "every": 10}],
}


def test_gaps_are_filled_wherever_they_are() -> None:
    given = {"d": 60, "n": 9, "k": 4, "5": "news", "s": 7}
    assert filled(TEMPLATE, given) == {
        "duration": 60,
        "topology": {"kind": "ring", "n": 9},
        "protocol": {"links": 4},
        "traffic": [{"channel": "news", "subscribers": [7, 2], "every": 10}],
    }
    assert sorted(gaps(TEMPLATE)) == ["5", "d", "k", "n", "s"]
    check(TEMPLATE, given)
    s = scenario_of(TEMPLATE, given, 77, "psvr/nontree")
    assert (s.seed, s.protocol.system, s.protocol.shortcuts, s.protocol.links) == (77, "psvr", "nontree", 4)
    assert s.traffic[0].subscribers == (7, 2) and TEMPLATE["protocol"] == {"links": "$k"}


def test_nothing_is_varied_in_vain() -> None:
    with pytest.raises(BadInput, match=r"^loss: would change nothing"):
        check(TEMPLATE, {"d": 60, "n": 9, "k": 4, "5": "news", "s": 7, "loss": 0.1})
    with pytest.raises(BadInput, match=r'^scenario: "\$s": no parameter has this name'):
        check(TEMPLATE, {"d": 60, "n": 9, "k": 4, "5": "news"})
