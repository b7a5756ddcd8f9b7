"""Runs that would not fit into the memory of the machine are refused before anything is drawn."""

import re
from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.sim import footprint
from psvr.sim.engine.table_sizes import MIN_NAMES, MIN_SLOTS
from psvr.sim.engine.world import capacity_for, new_world
from psvr.sim.footprint import available, between_nodes, check, per_node, rounded_down
from psvr.sim.plan import planning
from psvr.sim.scenario import Scenario, parse
from tests.support.sim.sim_running import psvr_sim, refused

GIB = 1 << 30
HUGE = 10_000_000
WIRELESS = {"radio": {"model": "ieee802154"}, "protocol": {"links": 5}}


def scenario(topology: dict[str, Any], **tables: Any) -> Scenario:
    return parse({"topology": topology, **tables})


@pytest.fixture
def eight(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with eight gigabytes free, on which nothing may be drawn."""

    def drawn(*_: Any) -> None:
        raise AssertionError("something was drawn")

    monkeypatch.setattr(footprint, "available", lambda: 8 * GIB)
    monkeypatch.setattr(planning, "draw", drawn)
    monkeypatch.setattr(planning, "draw_wireless", drawn)


@pytest.mark.usefixtures("eight")
@pytest.mark.parametrize(
    "topology, tables, key",
    [
        ({"kind": "line", "n": HUGE}, {}, "need 183.5 GB of memory, and 8.6 GB are free"),
        ({"kind": "geometric", "n": HUGE, "degree": 8}, {}, "or lower topology.degree"),
        (
            {"kind": "grid", "rows": 3000, "columns": 3000},
            {},
            "topology.rows, columns: must make at most about 450,000",
        ),
        ({"kind": "gnp", "n": 20_000, "p": 0.5}, {"protocol": {"channels": 1000}}, "protocol.channels, topology.p"),
        ({"kind": "edges", "n": HUGE, "edges": [[0, 1]], "connected": False}, {}, "topology.n: must make at most"),
        ({"kind": "geometric", "n": HUGE, "degree": 20}, WIRELESS, "topology.n: must make at most about"),
        ({"kind": "geometric", "n": 100_000, "area": 100}, WIRELESS, "topology.n: must make at most about"),
        ({"kind": "line", "n": HUGE, "spacing": 30}, WIRELESS, "topology.n: must make at most about"),
    ],
)
def test_too_many_nodes(topology: dict[str, Any], tables: dict[str, Any], key: str) -> None:
    with pytest.raises(BadInput) as caught:
        planning.plan(scenario(topology, **tables))
    said = str(caught.value)
    assert key in said and "on this machine" in said and "and 8.6 GB are free" in said
    assert len(said) < 250 and "\n" not in said


@pytest.mark.usefixtures("eight")
def test_the_command_says_so_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "huge.toml"
    file.write_text(f"topology = {{kind = 'line', n = {HUGE}}}")
    refused(psvr_sim(file), "topology.n: must make at most about 450,000 nodes like these on this machine")


def test_what_is_proposed_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    for topology in ({"kind": "line", "n": HUGE}, {"kind": "gnp", "n": HUGE, "degree": 9}):
        for free in (1 * GIB, 50 * GIB):
            monkeypatch.setattr(footprint, "available", lambda free=free: free)
            with pytest.raises(BadInput) as caught:
                check(scenario(topology))
            [fitting] = re.findall(r"at most about ([0-9,]+) nodes", str(caught.value))
            n = int(fitting.replace(",", ""))
            check(scenario({**topology, "n": n}))
            with pytest.raises(BadInput):
                check(scenario({**topology, "n": int(1.2 * n)}))


@pytest.mark.parametrize("tables", [{}, {"protocol": {"links": 30, "channels": 200}}, WIRELESS])
def test_the_estimate_covers_what_a_world_takes(tables: dict[str, Any]) -> None:
    """All arrays of a world together, and not many times as much."""
    n = 3000
    s = scenario({"kind": "geometric", "n": n, "degree": 12}, **tables)
    p = planning.plan(s)
    air = p.field.air() if p.field is not None else memory_free_air()
    world = new_world(
        capacity_for(s.protocol.links, s.protocol.channels), p.ids, p.first, p.near, p.hashes, p.sources, air
    )
    taken = sum(array.nbytes for array in (*world, *air) if hasattr(array, "nbytes"))
    taken -= world.subs.nbytes + world.sub_frames.nbytes  # few at n / 4
    taken -= world.names.nbytes * (1 - MIN_NAMES / world.names.shape[1])
    taken -= (world.held.nbytes + world.flights.nbytes) * (1 - MIN_SLOTS / world.held.shape[1])  # never touched
    assert taken < n * per_node(s) + between_nodes(s) < 4 * taken


def memory_free_air() -> Any:
    from psvr.sim.radio.air import no_air

    return no_air()


MEMINFO = "MemTotal:       24000000 kB\nMemFree:          900000 kB\nMemAvailable:   16000000 kB\nBuffers: 5 kB\n"


@pytest.mark.parametrize(
    "meminfo, group, expected",
    [
        (MEMINFO, {}, 16_384_000_000),
        (None, {}, None),
        ("nothing of use", {}, None),
        (MEMINFO, {"max": "max", "current": "900", "stat": "inactive_file 100"}, 16_384_000_000),
        (MEMINFO, {"max": "4000", "current": "900", "stat": "anon 5\ninactive_file 100\n"}, 3200),
        (MEMINFO, {"max": "400", "current": "900", "stat": "inactive_file 100"}, 0),
        (MEMINFO, {"max": "4000"}, 16_384_000_000),
    ],
)
def test_what_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meminfo: str | None, group: dict[str, str], expected: int | None
) -> None:
    """Of the machine, and of the container, which may throw away files that it has read."""
    if meminfo is not None:
        (tmp_path / "meminfo").write_text(meminfo)
    for name, text in group.items():
        (tmp_path / f"memory.{name}").write_text(text)
    monkeypatch.setattr(footprint, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(footprint, "GROUP", tmp_path)
    assert available() == expected


def test_where_nobody_says_what_is_free_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footprint, "available", lambda: None)
    check(scenario({"kind": "line", "n": HUGE}))


@pytest.mark.parametrize("n, expected", [(0.0, 0), (7.9, 7), (42, 42), (1234, 1200), (999_999, 990_000)])
def test_two_digits(n: float, expected: int) -> None:
    assert rounded_down(n) == expected
