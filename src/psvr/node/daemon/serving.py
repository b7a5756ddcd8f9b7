"""A node as a process: started, watched, and stopped by signals."""

import asyncio
import contextlib
import ctypes
import signal
import time
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from psvr.errors import BadInput
from psvr.node.config.config import Config
from psvr.node.core.events import DoubleId, Dropped, Event, NeighbourFound, NeighbourLost, ParentChanged, RingChanged
from psvr.node.link.choice import LOOPBACK
from psvr.node.link.udp import Sockets
from psvr.node.node import Node
from psvr.node.secure.keys import Keyring, load_keys

from .control import Control
from .logs import Log
from .tracing import Tracing

REPORT_EVERY = 10.0  # seconds between two reports of what was dropped
NEWCOMER_HELLOS = 20  # a node that finds its id taken within so many HELLO periods is the newcomer, and ends
NO_KEY = "no key: frames are neither secret nor authenticated, whoever reaches this node can read and write them"
EVENT_NAMES: dict[type[Event], str] = {
    NeighbourFound: "neighbour found",
    NeighbourLost: "neighbour lost",
    ParentChanged: "parent changed",
    RingChanged: "ring changed",
    Dropped: "dropped",
}


MMAP_THRESHOLD = -3  # of mallopt(3)
MMAP_LIMIT = 128 << 10  # bytes; glibc's default, but fixed


async def serve(config: Config, environment: Mapping[str, str]) -> None:
    """Run a node until SIGTERM or SIGINT."""
    fix_mmap_threshold()
    log = Log(config.log, config.log_level)
    asyncio.get_running_loop().set_exception_handler(lambda _, context: log_exception(log, context))
    keys = load_keys(config.key_file, environment)
    with asked_to_stop() as stop:
        await run(config, keys, log, stop)


async def run(config: Config, keys: Keyring | None, log: Log, stop: asyncio.Event) -> None:
    async with running(config, log) as (node, drops):
        log_start(node, config, keys, log)
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, read_keys_again, node, config, log)
        await watch(node, log, drops, stop)
        log.info("stops")


@contextlib.contextmanager
def asked_to_stop() -> Iterator[asyncio.Event]:
    """An event set by SIGTERM or SIGINT.  Once it is set, further signals on the way out change nothing."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def ask(number: int, frame: object) -> None:
        loop.call_soon_threadsafe(stop.set)

    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, usual in before.items():
            signal.signal(number, signal.SIG_IGN if stop.is_set() else usual)


class Drops:
    """Logs what a node has dropped: a line per reason and period, however many there were."""

    def __init__(self, node: Node, log: Log) -> None:
        self.node, self.log = node, log
        self.logged: Counter[str] = Counter()

    async def report_forever(self) -> None:
        while True:
            await asyncio.sleep(REPORT_EVERY)
            self.report()

    def report(self) -> None:
        for reason, total in self.node.reporter.reasons.items():
            if total > self.logged[reason]:
                self.log.warning("publications dropped", reason=reason, count=total - self.logged[reason], total=total)
                self.logged[reason] = total


@contextlib.asynccontextmanager
async def running(config: Config, log: Log) -> AsyncIterator[tuple[Node, Drops]]:
    """A node with its trace and its socket.  What it drops when it stops is traced and logged as well."""
    async with contextlib.AsyncExitStack() as stack:
        trace = (
            Tracing(config.trace, config.run, log.error, config.trace_bytes, config.trace_files)
            if config.trace
            else None
        )
        node = Node(config, note=trace)
        await node.start()
        drops = Drops(node, log)
        if trace is not None:
            stack.callback(trace.close)
        stack.callback(drops.report)
        stack.push_async_callback(node.stop)
        if trace is not None:
            trace.begin(f"node-{node.id}")
        control = Control(node, config.socket, log)
        await control.start()
        stack.push_async_callback(control.stop)
        yield node, drops


def fix_mmap_threshold() -> bool:
    """Have large buffers mapped, and given back as a whole; return False where the C library is not glibc.

    asyncio reads from a connection into 256 KB, of which a request needs little.  By default glibc soon takes such
    buffers from the heap, where later allocations split what is left of them: about 90 bytes of heap were lost with
    every `psvr pub`, for good.
    """
    try:
        return bool(ctypes.CDLL(None).mallopt(MMAP_THRESHOLD, MMAP_LIMIT))
    except (OSError, AttributeError):
        return False


def log_start(node: Node, config: Config, keys: Keyring | None, log: Log) -> None:
    """Log who started and where, and have the warnings of its link logged from now on."""
    if isinstance(node.link, Sockets):
        node.link.warn = log.warning
    if keys is None:
        log.warning(NO_KEY)
    log.info(
        "node started",
        id=node.id,
        link=describe_link(config),
        key=keys.summary() if keys else "none",
        socket=str(config.socket),
    )


def read_keys_again(node: Node, config: Config, log: Log) -> None:
    """On SIGHUP: change keys without a restart.  A file that cannot be used changes nothing."""
    if config.key_file is None:
        log.warning("there is no key file to be read again")
        return
    try:
        keys = load_keys(config.key_file, {})
    except BadInput as error:
        log.error("the keys stay as they were", error=str(error))
        return
    node.seal.rekey(keys)
    log.info("other keys", key=keys.summary() if keys else "none")


def describe_link(config: Config) -> str:
    if config.ether:
        return f"ether {config.ether}"
    if config.listen or config.peers:
        return f"{len(config.peers)} peers, listening at {config.listen or f'port {config.port}'}"
    return f"multicast on {config.interface or LOOPBACK}, port {config.port}"


async def watch(node: Node, log: Log, drops: Drops, stop: asyncio.Event) -> None:
    """Log what happens until it is time to stop."""
    tasks = [asyncio.ensure_future(work) for work in (stop.wait(), log_events(node, log), drops.report_forever())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()


async def log_events(node: Node, log: Log) -> None:
    started = time.monotonic()
    async for event in node.events():
        if isinstance(event, DoubleId):
            if time.monotonic() - started < NEWCOMER_HELLOS * node.config.hello:
                raise BadInput(
                    f"id: another node has the id {event.id}, too; give this one another, or a state folder of its own"
                )
            log.error("another node has the id of this one", id=event.id)
        else:
            fields = {name: value for name, value in asdict(event).items() if name != "time"}
            (log.debug if isinstance(event, Dropped) else log.info)(EVENT_NAMES[type(event)], **fields)


def log_exception(log: Log, context: dict[str, Any]) -> None:
    """Log an exception that nothing caught in one line, with the place it came from."""
    error = context.get("exception")
    where = traceback.extract_tb(error.__traceback__)[-1:] if isinstance(error, BaseException) else []
    log.error(str(context.get("message", "error")), error=repr(error), at=[f"{f.name}:{f.lineno}" for f in where])
