"""`psvr swarm`: what it refuses, before anything starts; and what a scenario becomes."""

from pathlib import Path
from typing import Any

import pytest

from psvr import cli
from psvr.errors import BadInput
from psvr.sim.plan import plan
from psvr.sim.scenario import parse
from psvr.swarm.record import Record
from psvr.swarm.schedule import (
    MAX_NODES,
    Change,
    FaultBegins,
    FaultEnds,
    Publish,
    check,
    check_plan,
    links_of,
    schedule,
)

RING = 'topology = {kind = "ring", n = 5}\n'
FAULT = RING + "[[fault]]\nat = 1\nnodes = 1\n"

WRONG = [
    (FAULT + 'kind = "corrupt"', [], "fault.0.kind: must be one of crash, restart, cut, heal, partition"),
    (FAULT + 'kind = "jam"\nduration = 1', [], "fault.0.kind: must be one of"),
    (RING + 'protocol = {system = "shen"}', [], "protocol.system: must be psvr"),
    (RING + "protocol = {depth = 10}", [], "protocol.depth: must be 64"),
    (RING + "protocol = {hello = 0.01}", [], "protocol.hello: must be a number from 0.02"),
    (RING + "protocol = {lease = 0.05}", [], "protocol.lease: must be"),
    ('topology = {kind = "grid", n = 9, spacing = 10}\nradio = {model = "ieee802154"}', [], "radio.model: must be"),
    (f'topology = {{kind = "gnp", n = {MAX_NODES + 1}, degree = 20}}', [], f"topology.n: must be at most {MAX_NODES}"),
    ('topology = {kind = "line", n = 70}', [], "topology: must be less than 64 steps deep"),
    (RING, ["--delay", "0.2", "0.1"], "--delay: must be two numbers"),
    (RING, ["--duplicate", "2"], "--duplicate: must be a number from 0 to 1"),
    (RING, ["--reorder", "-1"], "--reorder: must be a number from 0 to 1"),
    (RING, ["--run", "a\nb"], "--run: must be a name"),
    (RING, ["--run", ""], "--run: must be a name, not empty"),
    (RING, ["--set", "topology.n=2"], "topology.n: must be at least 3 for a ring"),
    ("topology = 7", [], "topology: must be a table"),
    ("topology = ", [], "not TOML"),
]


@pytest.mark.parametrize("text, flags, said", WRONG)
def test_bad_input_is_one_line(
    text: str, flags: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    assert cli.main(["swarm", str(file), *flags]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1 and said in err


def test_options_that_are_no_numbers_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["swarm", str(tmp_path / "any.toml"), "--delay", "a", "b"])
    assert left.value.code == 2 and len(capsys.readouterr().err.splitlines()) == 1


def test_a_run_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ring.toml"
    file.write_text(RING)
    (tmp_path / "node-1-000001.jsonl").write_text(
        '{"run":"ring-1","time":1,"clock":"unix","node":1,"event":"published"}\n'
    )
    assert cli.main(["swarm", str(file), "--trace", str(tmp_path)]) == 2
    assert "--run: must be new to the folder" in capsys.readouterr().err


TABLES: dict[str, Any] = {
    "seed": 5,
    "duration": 20,
    "topology": {"kind": "ring", "n": 6},
    "traffic": [{"channel": "a", "subscribers": 2, "every": 3, "start": 1}],
    "subscribe": [{"at": 7, "node": 0, "channel": "b"}],
    "fault": [
        {"at": 5, "kind": "crash", "nodes": [1], "duration": 4},
        {"at": 9, "kind": "cut", "links": [[0, 1]], "duration": 100},
    ],
}


def test_the_story_is_what_the_plan_of_the_simulator_says() -> None:
    drawn = plan(parse(TABLES))
    told = list(schedule(drawn, 20_000_000))
    assert [time for time, _ in told] == sorted(time for time, _ in told)
    changes = [(time, *action) for time, action in told if isinstance(action, Change)]
    assert changes == [(*tuple(row)[:3], bool(row[3])) for row in drawn.changes.tolist()]
    made = sorted((time, action.node) for time, action in told if isinstance(action, Publish))
    assert made == sorted(
        (time, int(row["node"]))
        for row in drawn.sources
        for time in range(int(row["first"]), int(row["stop"]), int(row["period"]))
    )
    assert [(time, type(a), a.fault.kind) for time, a in told if isinstance(a, FaultBegins | FaultEnds)] == [
        (5_000_000, FaultBegins, "crash"),
        (9_000_000, FaultBegins, "cut"),
        (9_000_000, FaultEnds, "crash"),
    ]


def test_a_deep_network_is_refused_and_a_flat_one_is_not() -> None:
    check_plan(plan(parse({"topology": {"kind": "line", "n": 64}})))
    with pytest.raises(BadInput, match="not 64"):
        check_plan(plan(parse({"topology": {"kind": "line", "n": 65}})))


def test_what_real_nodes_can_do_passes() -> None:
    check(parse(TABLES))


def test_the_record_knows_who_was_connected() -> None:
    record = Record(4, links_of(plan(parse({"topology": {"kind": "line", "n": 4}}))))
    for v in range(4):
        record.set_alive(v, True)
    record.begin()
    record.set_cut([(2, 1)], True)
    record.set_alive(0, False)
    record.set_cut([(1, 2)], False)
    assert [epoch.part.tolist() for epoch in record.history.epochs] == [
        [0, 0, 0, 0],
        [0, 0, 2, 2],
        [-1, 1, 2, 2],
        [-1, 1, 1, 1],
    ]
    assert record.ground_truth()[0] == [1, 2, 3] and record.ground_truth()[1].part == [0, 0, 0]
