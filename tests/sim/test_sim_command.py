"""`psvr sim` as a user meets it: what it prints, and the trace that it leaves."""

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from psvr import __version__
from psvr.cli import main
from psvr.protocol.constants import REASONS
from psvr.sim import machine
from psvr.sim.engine import engine
from psvr.sim.network import Network, is_compiled
from psvr.sim.scenario import load, parse
from psvr.trace import read, runs
from tests.support.sim.sim_running import CALM, LOSSY_LINE, agree, psvr_sim, refused, rows

pytestmark = pytest.mark.usefixtures("compiled")
FIELDS: dict[str, type] = {
    "published": int,
    "expected": int,
    "delivered": int,
    "missed": int,
    "missed_by": dict,
    "duplicates": int,
    "delivery_ratio": float,
    "messages": int,
    "transmissions": dict,
    "hops": dict,
    "latency": dict,
    "stable_at": float,
    "recoveries": list,
    "max_table_bytes": int,
    "events": int,
    "wall_s": float,
    "events_per_s": int,
    "fingerprint": str,
}


def test_json_has_all_fields(calm: Path) -> None:
    found = psvr_sim(calm, "--json").json
    assert {name: type(found[name]) for name in FIELDS} == FIELDS
    assert found["published"] == 15 * 3 and found["expected"] == 4 * 14 * 3 == found["delivered"]
    assert (found["missed"], found["duplicates"], found["delivery_ratio"], found["recoveries"]) == (0, 0, 1.0, [])
    assert found["missed_by"] == {}
    assert set(found["transmissions"]) == {"hello", "sub", "pub", "ack"}
    sent = found["transmissions"]
    assert 0 < found["messages"] == sent["pub"] < sent["ack"] <= sent["pub"] + sent["sub"]
    assert sum(found["hops"].values()) == found["delivered"] and min(map(int, found["hops"])) == 1
    assert 0 < found["latency"]["p50"] <= found["latency"]["p99"] and 0 < found["latency"]["mean"] < 1
    assert 0 < found["stable_at"] < 40 and found["max_table_bytes"] > 0
    assert found["events_per_s"] == pytest.approx(found["events"] / found["wall_s"], rel=0.01)
    assert re.fullmatch("[0-9a-f]{16}", found["fingerprint"])


def test_what_never_came_is_null(calm: Path) -> None:
    found = psvr_sim(calm, "--json", "--set", "duration=0.4", "--set", "traffic=[]").json
    assert found["stable_at"] is None and found["delivery_ratio"] is None and found["hops"] == {}
    assert found["latency"] == {"mean": None, "p50": None, "p99": None} and found["published"] == 0


def test_one_recovery_for_each_fault(calm: Path) -> None:
    faults = '[{at = 30, kind = "corrupt", nodes = "all"}, {at = 59.9, kind = "crash", nodes = [0]}]'
    printed = psvr_sim(calm, "--set", f"fault={faults}")
    first, second = psvr_sim(calm, "--json", "--set", f"fault={faults}").json["recoveries"]
    assert 0 < first < 29 and second is None
    late = "not recovered before the next fault, or the end"
    assert re.search(rf"fault 1 +recovered after {first:.1f} s\n  fault 2 +{late}\n", printed.out)


def test_warmup_leaves_publications_out(calm: Path) -> None:
    every = psvr_sim(calm, "--json").json
    later = psvr_sim(calm, "--json", "--set", "warmup=45").json
    assert later["published"] == 15 * 2 and later["messages"] < every["messages"]
    assert later["fingerprint"] == every["fingerprint"] and later["transmissions"] == every["transmissions"]


def test_summary_in_words(calm: Path) -> None:
    printed, found = psvr_sim(calm), psvr_sim(calm, "--json").json
    assert (printed.status, printed.err) == (0, "")
    assert printed.out.startswith("calm-1: psvr, 15 nodes, ") and ", ideal channel, 60 s\n" in printed.out
    for line in (
        f"stable           at {found['stable_at']:.1f} s",
        "published        45",
        "delivered        100.00 % (168 of 168; 0 missed, 0 delivered twice)",
        f"messages         {found['messages']:,}, {found['messages'] / 45:.2f} per publication",
        f"fingerprint      {found['fingerprint']}",
    ):
        assert f"\n  {line}\n" in printed.out
    assert all(f"{number:,} {name.upper()}" in printed.out for name, number in found["transmissions"].items())
    assert all(re.search(rf" {hops} █* {number:,}\n", printed.out) for hops, number in found["hops"].items())


def test_keys_set_from_outside(calm: Path) -> None:
    printed = psvr_sim(
        calm,
        "--set",
        "topology={kind = 'ring', n = 9}",
        "--set",
        "protocol.system=flood",
        "--set",
        "seed=5",
        "--set",
        "traffic.0.subscribers=[2]",
    )
    assert printed.out.startswith("calm-5: flood, 9 nodes, 9 links in reach, ")
    assert "(24 of 24; 0 missed" in printed.out
    refused(psvr_sim(calm, "--set", "topology.degre=3"), "topology.degre: unknown key (did you mean degree?)")
    refused(psvr_sim(calm, "--set", "fault.0.at=3"), "fault.0: must be the number of an entry")
    refused(psvr_sim(calm, "--set", "seed"), "seed: must be KEY=VALUE")
    refused(psvr_sim(calm, "--run", ""), "--run: must be a name, not empty")


@pytest.mark.parametrize("level", ["pub", "control", "all"])
def test_trace_agrees_with_the_summary(calm: Path, tmp_path: Path, level: str) -> None:
    arguments = [] if level == "pub" else ["--trace-level", level]
    figures = psvr_sim(calm, "--json", "--trace", tmp_path / "t", *arguments).json
    found = rows(tmp_path / "t")
    agree(found, figures, level)
    assert {(r["run"], r["clock"], r["channel"]) for r in found} <= {("calm-1", "sim", "news"), ("calm-1", "sim", None)}
    assert sum(r["event"] == "subscribed" for r in found) == 4 and not any(r["event"] == "dropped" for r in found)
    changes = {"parent changed", "ring changed", "table changed"}
    assert changes & {r["event"] for r in found} == (set() if level == "pub" else changes)
    times = [r["time"] for r in found if r["event"] != "sent"]  # a frame may be sent some µs after it is written
    assert times == sorted(times) and times[0] >= 0 and times[-1] < 60_000_000
    assert figures["fingerprint"] == psvr_sim(calm, "--json").json["fingerprint"]


def test_every_miss_has_a_reason_in_the_trace(tmp_path: Path) -> None:
    file = tmp_path / "lossy.toml"
    file.write_text(LOSSY_LINE + '[host]\nprofile = "paper"\n')
    figures = psvr_sim(file, "--json", "--trace", tmp_path / "t").json
    found = rows(tmp_path / "t")
    agree(found, figures, "pub")

    def publications(event: str, **wanted: Any) -> set[tuple[int, int]]:
        return {(r["origin"], r["sequence"]) for r in found if r["event"] == event and wanted.items() <= r.items()}

    subscribers = {r["node"] for r in found if r["event"] == "subscribed"}
    missed = [
        p for p in publications("published") for v in subscribers - {p[0]} if p not in publications("delivered", node=v)
    ]
    assert len(missed) == figures["missed"] == sum(figures["missed_by"].values()) > 0
    told = [f"  missed           {number:,}: {reason}" for reason, number in figures["missed_by"].items()]
    assert [row for row in psvr_sim(file).out.splitlines() if row.startswith("  missed")] == told
    assert set(missed) <= publications("dropped")
    reasons = {r["reason"] for r in found if r["event"] == "dropped"}
    assert "all tries on the link failed" in reasons <= {*REASONS, "all tries on the link failed"}
    assert all(r["reason"] is None for r in found if r["event"] != "dropped")


def test_faults_are_in_the_trace(calm: Path, tmp_path: Path) -> None:
    fault = "fault=[{at = 30, kind = 'crash', nodes = [3, 4], duration = 5}]"
    assert psvr_sim(calm, "--set", fault, "--trace", tmp_path / "t").status == 0
    found = [(r["time"], r["node"], r["detail"]) for r in rows(tmp_path / "t") if r["event"] == "fault"]
    assert found == [(30_000_000, 3, "crash"), (30_000_000, 4, "crash")]


def test_two_runs_in_one_folder_are_one_table(calm: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    first = psvr_sim(calm, "--json", "--trace", folder).json
    alone = read(folder)
    second = psvr_sim(calm, "--json", "--trace", folder, "--set", "seed=2", "--run", "the other").json
    found = rows(folder)
    agree([r for r in found if r["run"] == "calm-1"], first, "pub")
    agree([r for r in found if r["run"] == "the other"], second, "pub")
    told = runs(folder)
    assert set(told) == {"calm-1", "the other"} and told["the other"]["seed"] == "2"
    assert told["calm-1"]["psvr"] == __version__ and told["calm-1"]["host"]
    again = tmp_path / "again.toml"
    again.write_text(told["calm-1"]["scenario"])
    assert load(again) == load(calm)
    refused(psvr_sim(calm, "--trace", folder), "--trace: run: must be new to the folder")
    assert rows(folder) == found and alone.num_rows == sum(r["run"] == "calm-1" for r in found)


def test_more_rows_at_the_start_than_are_gathered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "TRACE_ROWS", 0)
    file = tmp_path / "many.toml"
    file.write_text("duration = 0.01\n[topology]\nkind = 'line'\nn = 5000\n[[traffic]]\nchannel = 'a'\npublishers = 1")
    assert psvr_sim(file, "--trace", tmp_path / "t").status == 0
    assert sum(r["event"] == "subscribed" for r in rows(tmp_path / "t")) == 5000


def test_the_last_publications_still_arrive(calm: Path) -> None:
    """What is on its way at the end is waited for, and no longer than that."""
    crowd = ["--set", "traffic=[{channel = 'a', every = 0.01, start = 59.9}]", "--json"]
    found = psvr_sim(calm, *crowd).json
    assert found["missed"] == 0 < found["expected"] and 60 < found["simulated_s"] < 63
    # Half a thousand in a line have no ring yet: publications wait for one, but not for longer than twenty seconds.
    waited = psvr_sim(calm, "--json", "--set", "topology={kind = 'line', n = 500}").json["simulated_s"]
    assert 60 <= waited <= 81


def test_the_seed_decides_the_run(calm: Path) -> None:
    prints = [psvr_sim(calm, "--json", "--set", f"seed={seed}").json["fingerprint"] for seed in (1, 1, 2)]
    assert prints[0] == prints[1] != prints[2]


def given(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))


def test_standard_input(calm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, CALM.encode())
    found = psvr_sim("-", "--json", "--set", "seed=3", "--trace", tmp_path / "t").json
    assert found["fingerprint"] == psvr_sim(calm, "--json", "--set", "seed=3").json["fingerprint"]
    assert list(runs(tmp_path / "t")) == ["scenario-3"]
    (tmp_path / "links.txt").write_text("0 1\n1 2\n")
    monkeypatch.chdir(tmp_path)
    given(monkeypatch, b"[topology]\nkind = 'edges'\nfile = 'links.txt'")
    assert psvr_sim("-").out.startswith("scenario-1: psvr, 3 nodes, 2 links")


@pytest.mark.parametrize(
    "text, part",
    [
        (b"seed = ", "standard input: not TOML: "),
        (b"\xff", "standard input: not UTF-8 text"),
        (b"", "topology: missing"),
        (b"a = " + 5000 * b"[", "standard input: lists or tables are nested too deeply"),
    ],
)
def test_refused_standard_input(monkeypatch: pytest.MonkeyPatch, text: bytes, part: str) -> None:
    given(monkeypatch, text)
    refused(psvr_sim("-"), part)


BAD = [
    (("n = 15", "n = 15\nnodes = 3"), "topology.nodes: unknown key"),
    (("n = 15", "n = '15'"), "topology.n: must be"),
    (("degree = 6", "degree = 15"), "topology.degree: must be"),
    (("degree = 6", "degree = 0.5"), "topology.degree: "),
    (("duration = 60", "duration = -1"), "duration: must be a number from"),
    (("start = 40", "start = -40"), "traffic.0.start: must be"),
    (("every = 5", "every = 0"), "traffic.0.every: must be"),
    (("[[traffic]]", "[[fault]]\nat = 9\nkind = 'crash'\nnodes = [15]\n[[traffic]]"), "fault.0.nodes[0]: must be"),
    (("[[traffic]]", "[[fault]]\nat = 9\nkind = 'cut'\nlinks = [[0, 99]]\n[[traffic]]"), "fault.0.links[0]: must be"),
    (("[[traffic]]", "[[fault]]\nat = 9\nkind = 'quake'\n[[traffic]]"), "fault.0.kind: must be one of corrupt, "),
    (("duration = 60", "duration"), "not TOML: "),
]


@pytest.mark.parametrize("change, part", BAD)
def test_bad_scenarios(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], part: str) -> None:
    """Also where the rules are not compiled yet: that is not begun."""
    monkeypatch.setattr("psvr.cli.sim.is_compiled", lambda scenario: False)
    assert change[0] in CALM
    file = tmp_path / "bad.toml"
    file.write_text(CALM.replace(*change))
    refused(psvr_sim(file, "--trace", tmp_path / "t"), part)
    assert not (tmp_path / "t").exists()


def test_files_that_are_no_scenario(tmp_path: Path) -> None:
    refused(psvr_sim(tmp_path / "none.toml"), "none.toml: No such file")
    refused(psvr_sim(tmp_path), f"{tmp_path}: Is a directory")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    refused(psvr_sim(tmp_path / "bytes.toml"), "bytes.toml: not UTF-8 text")
    (tmp_path / "lost.toml").write_text("[topology]\nkind = 'edges'\nfile = 'none.txt'")
    refused(psvr_sim(tmp_path / "lost.toml"), "topology.file: ", "none.txt: No such file")


def test_unknown_level(calm: Path) -> None:
    printed = psvr_sim(calm, "--trace-level", "some")
    assert (printed.status, printed.out, printed.err.count("\n")) == (2, "", 1)
    assert "--trace-level" in printed.err and "control" in printed.err


class Reached(Exception):
    """The network would be made, and what is missing compiled."""


@pytest.mark.parametrize(
    "keys, size",
    [
        (["protocol.links=200"], "200 links and 16 channels"),
        (["protocol.channels=2000"], "8 links and 2000 channels"),
        (["protocol.links=200", "traffic=[]"], "200 links and 16 channels"),
    ],
)
def test_compiling_is_announced_for_every_size_of_memory(
    calm: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], keys: list[str], size: str
) -> None:
    """Though the engine is compiled, for another size."""

    def stop(*_: Any) -> None:
        raise Reached

    monkeypatch.setattr("psvr.cli.sim.Network", stop)
    sets = [word for key in keys for word in ("--set", key)]
    for quiet, said in (
        ([], f"compiling the rules for nodes of up to {size}, once; it takes a minute or two …\n"),
        (["--quiet"], ""),
    ):
        with pytest.raises(Reached):
            main(["sim", str(calm), *sets, *quiet])
        assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"protocol": {"links": 5, "channels": 3, "system": "shen"}},
        {"radio": {"model": "lossy", "loss": 0.1}},
        {"topology": {"kind": "grid", "n": 9, "spacing": 20}, "radio": {"model": "ieee802154"}},
    ],
)
@pytest.mark.parametrize("level", ["off", "all"])
def test_nothing_is_announced_where_the_same_code_serves(keys: dict[str, Any], level: str) -> None:
    scenario = parse({"topology": {"kind": "ring", "n": 5}, **keys})
    assert is_compiled(scenario)
    run: Any = engine.run
    compiled = len(run.overloads)
    Network(scenario, level=level).run(0.6)
    assert len(run.overloads) == compiled
