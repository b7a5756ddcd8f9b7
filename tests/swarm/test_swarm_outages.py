"""Faults of a swarm that overlap, without processes: who is killed and started when, and who can hear whom."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from psvr.sim.plan import plan
from psvr.sim.scenario import parse
from psvr.swarm import members
from psvr.swarm.members import Member
from psvr.swarm.record import Places
from psvr.swarm.run import Swarm
from psvr.swarm.schedule import FaultBegins, FaultEnds, schedule

SECOND = 1_000_000


class Wire:
    """A medium that only remembers who is joined."""

    def __init__(self) -> None:
        self.links: list[tuple[int, int]] = []

    async def start(self, members: int) -> None: ...
    def close(self) -> None: ...

    def connect(self, links: list[tuple[int, int]]) -> None:
        self.links = list(links)

    def prefix(self, v: int) -> list[str]:
        return []

    def flags(self, v: int) -> list[str]:
        return []


class Pretended(Member):
    """A node that is up as soon as it is launched, and counts how often."""

    launches = 0

    def launch(self) -> None:
        self.launches += 1


class Quiet:
    """Applications that want nothing."""

    async def connect(self) -> None: ...
    def hang_up(self) -> None: ...


async def at_once(socket: Path) -> bool:
    return True


class Ring(Swarm):
    """Five nodes that are all up."""

    def __init__(self, folder: Path, *faults: dict[str, Any]) -> None:
        scenario = parse({"duration": 100, "topology": {"kind": "ring", "n": 5}, "fault": list(faults)})
        self.wire = Wire()
        super().__init__(scenario, plan(scenario), self.wire, Places(folder, folder, "test"))
        self.members = [Pretended(v, folder, [], "key") for v in range(5)]
        self.applications = [Quiet() for _ in range(5)]  # type: ignore[misc]
        for v in range(5):
            self.record.alive[v] = True
        self.trace = lambda row: None  # type: ignore[assignment]
        self.wire.links = self.record.open_links()

    async def play_until(self, *times: float) -> list[tuple[list[int], list[int], list[tuple[int, int]]]]:
        """Per time: who is alive, how often each was launched, and which links are cut."""
        self.failure = asyncio.get_running_loop().create_future()
        told, found = list(schedule(self.plan, 100 * SECOND)), []
        for time in times:
            while told and told[0][0] <= time * SECOND:
                action = told.pop(0)[1]
                assert isinstance(action, FaultBegins | FaultEnds)
                self.act(action)
                while self.tasks:
                    await asyncio.sleep(0)
            found.append(
                (
                    [int(alive) for alive in self.record.alive],
                    [member.launches for member in self.members],  # type: ignore[attr-defined]
                    sorted(set(self.record.links) - set(self.wire.links)),
                )
            )
        return found


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "answers", at_once)


def crash(at: float, **more: Any) -> dict[str, Any]:
    return {"at": at, "kind": "crash", "nodes": [2], **more}


@pytest.mark.parametrize(
    "faults, lives",
    [
        ([crash(20, duration=50), crash(25, duration=2)], [(0, 0), (0, 0), (1, 1)]),
        ([crash(20, duration=2), crash(21, duration=49)], [(0, 0), (0, 0), (1, 1)]),
        ([crash(20), crash(25, duration=2)], [(0, 0), (0, 0), (0, 0)]),
        ([crash(20, duration=50), {"at": 25, "kind": "restart", "nodes": [2]}], [(0, 0), (1, 1), (1, 1)]),
        ([crash(20, duration=20), crash(40, duration=30)], [(0, 0), (0, 0), (1, 1)]),
    ],
)
def test_a_process_starts_when_the_last_of_its_crashes_ends(
    tmp_path: Path, faults: list[dict[str, Any]], lives: list[tuple[int, int]]
) -> None:
    async def run() -> list[tuple[int, int]]:
        found = await Ring(tmp_path, *faults).play_until(20, 45, 80)
        return [(alive[2], launches[2]) for alive, launches, _ in found]

    assert asyncio.run(run()) == lives


def test_links_are_joined_again_when_the_last_fault_is_over(tmp_path: Path) -> None:
    async def run() -> list[list[tuple[int, int]]]:
        swarm = Ring(
            tmp_path,
            {"at": 10, "kind": "cut", "links": [[0, 1]]},
            {"at": 20, "kind": "partition", "nodes": [0], "duration": 10},
            {"at": 25, "kind": "cut", "links": [[0, 4]], "duration": 15},
            {"at": 50, "kind": "heal", "links": "all"},
        )
        return [cut for _, _, cut in await swarm.play_until(15, 20, 35, 45, 50)]

    assert asyncio.run(run()) == [[(0, 1)], [(0, 1), (0, 4)], [(0, 1), (0, 4)], [(0, 1)], []]


def test_a_member_killed_before_its_turn_is_not_launched(tmp_path: Path) -> None:
    async def run() -> tuple[list[bool], int]:
        turn, member = asyncio.Semaphore(1), Pretended(0, tmp_path, [], "key")
        async with turn:
            first, second = (asyncio.ensure_future(member.start(turn)) for _ in range(2))
            await asyncio.sleep(0)
        assert await second and not await first
        async with turn:
            third = asyncio.ensure_future(member.start(turn))
            await asyncio.sleep(0)
            member.kill()
        return [await third, member.ready], member.launches

    assert asyncio.run(run()) == ([False, False], 1)
