"""A scenario played with real nodes, in real time."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from psvr.errors import BadInput
from psvr.node.keys import new_key
from psvr.node.tracing import Tracing
from psvr.sim import outages
from psvr.sim.plan import FaultEvent, Plan
from psvr.sim.results import SECOND
from psvr.sim.scenario import Scenario
from psvr.sim.summary import window

from .members import AT_ONCE, Member, command, end, start_all, stop_all
from .record import Record
from .story import Change, Publish, Relieve, Strike, links_of, story
from .talk import Applications, Gone
from .tally import all_arrived
from .watch import Watch

CALM = 1.0                  # seconds between two looks whether all has arrived, at the end …
SILENCE = 8 * SECOND        # … and µs without a delivery after which no more are waited for
GUARD = 0.2                 # seconds between two looks whether all processes live
TRACE_FILES = 100_000       # none of a run is thrown away


class Medium(Protocol):
    """What joins the nodes."""

    async def start(self, members: int) -> None: ...
    def connect(self, links: list[tuple[int, int]]) -> None: ...
    def prefix(self, v: int) -> list[str]: ...
    def flags(self, v: int) -> list[str]: ...
    def close(self) -> None: ...


@dataclass
class Places:
    """Where things of a run are."""

    folder: Path            # of the nodes, for the time of the run
    trace: Path
    run: str                # its name in the trace


class Swarm:
    def __init__(self, scenario: Scenario, drawn: Plan, medium: Medium, places: Places) -> None:
        self.scenario, self.plan, self.medium, self.places = scenario, drawn, medium, places
        self.record, self.outages = Record(drawn.n, links_of(drawn)), outages.Outages()
        self.members: list[Member] = []
        self.applications: list[Applications] = []
        self.turn = asyncio.Semaphore(AT_ONCE)
        self.tasks: set[asyncio.Task[None]] = set()
        self.trace = Tracing(places.trace, places.run, lambda text: None)
        self.phase, self.stopped = "starting", False

    async def run(self, stop: Callable[[], bool] = lambda: False) -> None:
        """From the first process to the last; `stop` is asked now and then."""
        self.failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        try:
            await self.medium.start(self.plan.n)
            self.trace.begin("swarm")
            self.make()
            await self.until(self.play(stop))
        finally:
            for task in list(self.tasks):
                task.cancel()
            end(self.members)
            self.medium.close()
            self.trace.close()

    async def until(self, work: Coroutine[Any, Any, None]) -> None:
        """Done when the work is, or when anything fails."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task, self.failure}, return_when=asyncio.FIRST_COMPLETED)
            (self.failure if self.failure.done() else task).result()
        finally:
            task.cancel()
            await asyncio.wait({task})

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Beside all else; if it fails, the run does."""
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.over)

    def over(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None and not self.failure.done():
            self.failure.set_exception(task.exception())    # type: ignore[arg-type]

    def make(self) -> None:
        key = new_key()
        for v in range(self.plan.n):
            member = Member(v, self.places.folder / str(v), command(self.flags(v), self.medium.prefix(v)), key)
            self.members.append(member)
            self.applications.append(Applications(member.socket, partial(self.record.got, v)))

    def flags(self, v: int) -> list[str]:
        p, folder = self.scenario.protocol, self.places.folder / str(v)
        chosen = {name: value for name, value in vars(self.scenario.host).items() if value is not None}
        given = {"id": int(self.plan.ids[v]), "state": folder, "socket": folder / "socket", "hello": p.hello,
                 "lease": p.lease or 0, "links": p.links, "channels": p.channels, "shortcuts": p.shortcuts,
                 "host": ",".join(f"{name}={value}" for name, value in chosen.items()),
                 "trace": self.places.trace, "trace-files": TRACE_FILES, "run": self.places.run}
        return [part for name, value in given.items() for part in (f"--{name}", str(value))] + self.medium.flags(v)

    # --- from start to end

    async def play(self, stop: Callable[[], bool]) -> None:
        await start_all(self.members, self.turn)
        for v in range(self.plan.n):
            await self.join(v)
        self.record.begin()
        self.medium.connect(self.record.open_links())
        watch = self.watch = Watch(self.record, self.applications, self.scenario.protocol.links)
        self.phase = "running"
        self.begin(watch.go_on())
        self.begin(self.guard())
        await self.tell(stop)
        self.phase = "ending"
        await self.wait_for_the_last(stop)
        await watch.look()
        self.record.end()
        self.phase = "stopping"
        for applications in self.applications:
            applications.hang_up()
        for task in list(self.tasks):
            task.cancel()
        await stop_all(self.members)
        self.stopped = stop()

    async def tell(self, stop: Callable[[], bool]) -> None:
        """Everything in its time."""
        duration = round(self.scenario.duration * SECOND)
        for time, action in story(self.plan, duration):
            if await self.passed(time, stop):
                return
            self.act(action)
        await self.passed(duration, stop)

    async def passed(self, time: int, stop: Callable[[], bool]) -> bool:
        """Wait until then; True if the user wants no more."""
        while (left := (time - self.record.now) / SECOND) > 0 and not stop():
            await asyncio.sleep(min(left, GUARD))
        return stop()

    async def wait_for_the_last(self, stop: Callable[[], bool]) -> None:
        """What is on its way may still arrive."""
        begun = self.record.now
        last = begun + window(self.plan.n)
        while self.record.now < last and not stop() and not all_arrived(self):
            heard = max([begun, *(d.time for d in self.record.deliveries[-1:])])
            if self.record.now - heard > SILENCE and self.watch.waiting == 0:
                return
            await asyncio.sleep(CALM)

    async def guard(self) -> None:
        while True:
            await asyncio.sleep(GUARD)
            for member in self.members:
                if member.ready:
                    member.check()

    # --- what happens

    def act(self, action: Any) -> None:
        if isinstance(action, Publish):
            self.begin(self.applications[action.node].publish(self.plan.channels[action.channel], "x" * action.load))
        elif isinstance(action, Change):
            self.begin(self.change(action))
        elif isinstance(action, Strike):
            self.strike(action.fault)
        elif isinstance(action, Relieve):
            self.apply(self.outages.end(action.fault))

    async def change(self, change: Change) -> None:
        channel, applications = self.plan.channels[change.channel], self.applications[change.node]
        if change.on:
            await applications.subscribe(channel)
            self.record.subscribed(change.node, change.channel)
        else:
            self.record.unsubscribed(change.node, change.channel)
            applications.unsubscribe(channel)

    def strike(self, fault: FaultEvent) -> None:
        self.record.history.faults.append(self.record.now)
        self.apply(self.outages.begin(fault, fault.links.tolist()))
        for v in fault.nodes if len(fault.nodes) else fault.links[:, 0]:
            self.trace({"time": self.record.now + self.record.started, "clock": "unix",
                        "node": int(self.plan.ids[v]), "event": "fault", "detail": fault.kind})

    def apply(self, change: outages.Change) -> None:
        for v in (*change.died, *change.started):
            self.crash(v)
        for v in change.started:
            self.begin(self.start_again(v))
        for links, cut in ((change.cut, True), (change.healed, False)):
            if links:
                self.record.set_cut(links, cut)
                self.medium.connect(self.record.open_links())

    def crash(self, v: int) -> None:
        self.applications[v].hang_up()
        self.members[v].kill()
        self.record.set_alive(v, False)

    async def start_again(self, v: int) -> None:
        if await self.members[v].start(self.turn):
            await self.join(v)

    async def join(self, v: int) -> None:
        """A node that answers: its applications are there, and from now on much is expected of it."""
        member, applications = self.members[v], self.applications[v]
        life = member.life
        try:
            await applications.connect()
        except Gone:
            if member.life != life:
                return                  # killed meanwhile
            raise BadInput(f"node {v}: hung up on its applications; see {member.log}") from None
        if member.life == life:
            self.record.set_alive(v, True)
