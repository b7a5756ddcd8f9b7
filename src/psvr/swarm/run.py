"""A scenario run with real nodes, in real time."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Protocol

from psvr.errors import BadInput
from psvr.node.daemon.tracing import Tracing
from psvr.node.secure.keys import new_key
from psvr.results.deliveries import SECOND
from psvr.results.figures import window
from psvr.sim.faults import outages
from psvr.sim.plan import Plan
from psvr.sim.plan.faults import FaultEvent
from psvr.sim.scenario import Scenario

from .applications import Applications, Gone
from .members import MAX_STARTING, Member, command, end, start_all, stop_all
from .record import Places, Record
from .schedule import Change, FaultBegins, FaultEnds, Publish, links_of, schedule
from .summary import all_arrived
from .watch import Watch

CHECK_EVERY = 1.0  # seconds, at the end, between two checks whether everything has arrived
SILENCE = 8 * SECOND  # µs without a delivery after which no more are waited for
GUARD = 0.2  # seconds between two checks that all processes are alive
TRACE_FILES = 100_000  # so many that none of a run is removed


class Medium(Protocol):
    """What joins the nodes."""

    async def start(self, members: int) -> None: ...
    def connect(self, links: list[tuple[int, int]]) -> None: ...
    def prefix(self, v: int) -> list[str]: ...
    def flags(self, v: int) -> list[str]: ...
    def close(self) -> None: ...


class Swarm:
    def __init__(self, scenario: Scenario, drawn: Plan, medium: Medium, places: Places) -> None:
        self.scenario, self.plan, self.medium, self.places = scenario, drawn, medium, places
        self.record, self.outages = Record(drawn.n, links_of(drawn)), outages.Outages()
        self.members: list[Member] = []
        self.applications: list[Applications] = []
        self.turn = asyncio.Semaphore(MAX_STARTING)
        self.tasks: set[asyncio.Task[None]] = set()
        self.trace = Tracing(places.trace, places.run, lambda text: None)
        self.phase, self.stopped = "starting", False

    async def run(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Run from the first process to the last; `stop` is called now and then."""
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
        """Wait until the work is done, or anything fails."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task, self.failure}, return_when=asyncio.FIRST_COMPLETED)
            (self.failure if self.failure.done() else task).result()
        finally:
            task.cancel()
            await asyncio.wait({task})

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Start work in the background; if it fails, the run fails."""
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.task_done)

    def task_done(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None and not self.failure.done():
            self.failure.set_exception(task.exception())  # type: ignore[arg-type]

    def make(self) -> None:
        key = new_key()
        for v in range(self.plan.n):
            member = Member(v, self.places.folder / str(v), command(self.flags(v), self.medium.prefix(v)), key)
            self.members.append(member)
            self.applications.append(Applications(member.socket, partial(self.record.received, v)))

    def flags(self, v: int) -> list[str]:
        p, folder = self.scenario.protocol, self.places.folder / str(v)
        chosen = {name: value for name, value in vars(self.scenario.host).items() if value is not None}
        given = {
            "id": int(self.plan.ids[v]),
            "state": folder,
            "socket": folder / "socket",
            "hello": p.hello,
            "lease": p.lease or 0,
            "links": p.links,
            "channels": p.channels,
            "shortcuts": p.shortcuts,
            "host": ",".join(f"{name}={value}" for name, value in chosen.items()),
            "trace": self.places.trace,
            "trace-files": TRACE_FILES,
            "run": self.places.run,
        }
        return [part for name, value in given.items() for part in (f"--{name}", str(value))] + self.medium.flags(v)

    # --- start to finish

    async def play(self, stop: Callable[[], bool]) -> None:
        await start_all(self.members, self.turn)
        for v in range(self.plan.n):
            await self.join(v)
        self.record.begin()
        self.medium.connect(self.record.open_links())
        watch = self.watch = Watch(self.record, self.applications, self.scenario.protocol.links)
        self.phase = "running"
        self.spawn(watch.run())
        self.spawn(self.guard())
        await self.play_schedule(stop)
        self.phase = "ending"
        await self.wait_for_stragglers(stop)
        await watch.look()
        self.record.end()
        self.phase = "stopping"
        for applications in self.applications:
            applications.hang_up()
        for task in list(self.tasks):
            task.cancel()
        await stop_all(self.members)
        self.stopped = stop()

    async def play_schedule(self, stop: Callable[[], bool]) -> None:
        """Carry out the schedule, each action at its time."""
        duration = round(self.scenario.duration * SECOND)
        for time, action in schedule(self.plan, duration):
            if await self.wait_until(time, stop):
                return
            self.act(action)
        await self.wait_until(duration, stop)

    async def wait_until(self, time: int, stop: Callable[[], bool]) -> bool:
        """Wait until then; return True if the user has asked to stop."""
        while (left := (time - self.record.now) / SECOND) > 0 and not stop():
            await asyncio.sleep(min(left, GUARD))
        return stop()

    async def wait_for_stragglers(self, stop: Callable[[], bool]) -> None:
        """Wait for deliveries that are still on their way."""
        begin = self.record.now
        last = begin + window(self.plan.n)
        while self.record.now < last and not stop() and not all_arrived(self):
            heard = max([begin, *(d.time for d in self.record.deliveries[-1:])])
            if self.record.now - heard > SILENCE and self.watch.waiting == 0:
                return
            await asyncio.sleep(CHECK_EVERY)

    async def guard(self) -> None:
        while True:
            await asyncio.sleep(GUARD)
            for member in self.members:
                if member.ready:
                    member.check()

    # --- actions

    def act(self, action: Any) -> None:
        if isinstance(action, Publish):
            self.spawn(self.applications[action.node].publish(self.plan.channels[action.channel], "x" * action.load))
        elif isinstance(action, Change):
            self.spawn(self.change(action))
        elif isinstance(action, FaultBegins):
            self.strike(action.fault)
        elif isinstance(action, FaultEnds):
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
            self.trace(
                {
                    "time": self.record.now + self.record.started,
                    "clock": "unix",
                    "node": int(self.plan.ids[v]),
                    "event": "fault",
                    "detail": fault.kind,
                }
            )

    def apply(self, change: outages.Change) -> None:
        for v in (*change.died, *change.started):
            self.crash(v)
        for v in change.started:
            self.spawn(self.start_again(v))
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
        """Connect the applications of a node that answers; from now on it counts as alive."""
        member, applications = self.members[v], self.applications[v]
        life = member.life
        try:
            await applications.connect()
        except Gone:
            if member.life != life:
                return  # killed in the meantime
            raise BadInput(f"node {v}: hung up on its applications; see {member.log}") from None
        if member.life == life:
            self.record.set_alive(v, True)
