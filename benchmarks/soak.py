"""Nodes that run for a long time: do memory, file descriptors, tasks and tables stay flat?

Five processes in a ring of UDP peers, with a key.  One publishes small and large messages all the time; the others stay
subscribed to it, and subscribe to ever new channels for a while.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from psvr.node.secure.keys import new_key
from psvr.swarm.applications import Connection
from psvr.swarm.members import Member, end, start_all

from .timing import table

ON_REQUEST = True  # 25 minutes
NODES, PORT = 5, 47_310
LARGE = 200  # one message in so many has 60,000 bytes
QUARTERS = 4  # in the first, caches fill up and Python's memory reaches its size
SAMPLE_EVERY = 5.0  # seconds
TABLES = ("memory, MB", "descriptors", "tasks", "window", "channels", "kept")


def member(v: int, folder: Path, key: str) -> Member:
    peers = ",".join(f"127.0.0.1:{PORT + (v + step) % NODES}" for step in (1, -1))
    flags = [
        "--id",
        str(v),
        "--state",
        str(folder / str(v)),
        "--socket",
        str(folder / str(v) / "socket"),
        "--listen",
        f"127.0.0.1:{PORT + v}",
        "--peers",
        peers,
        "--hello",
        "0.25",
    ]
    return Member(v, folder / str(v), [sys.executable, "-m", "psvr", "node", *flags], key)


async def publish(line: Connection, sent: list[float], rate: float) -> None:
    """Publish at this rate; each message is a number and padding."""
    begin = time.monotonic()
    while True:
        data = f"{len(sent)} " + "x" * (60_000 if len(sent) % LARGE == LARGE - 1 else 50)
        await line.ask({"op": "publish", "channel": "news", "data": data})
        sent.append(time.monotonic())
        await asyncio.sleep(max(0.0, begin + len(sent) / rate - time.monotonic()))


async def listen(socket: Path, got: list[int]) -> None:
    line = await Connection.open(socket)
    await line.ask({"op": "subscribe", "channels": ["news"]})
    while True:
        got.append(int((await line.next())["data"].split()[0]))


async def come_and_go(socket: Path, v: int) -> None:
    """Subscribe to a new channel every two seconds, for two seconds."""
    turn = 0
    while True:
        line = await Connection.open(socket)
        await line.ask({"op": "subscribe", "channels": [f"passing {v} {turn}"]})
        await asyncio.sleep(2.0)
        line.close()
        turn += 1


async def sample(node: Member, line: Connection) -> dict[str, float]:
    status = await line.ask({"op": "status"})
    assert node.process is not None
    proc = Path(f"/proc/{node.process.pid}")
    pages = int((proc / "statm").read_text().split()[1])
    return {
        "memory, MB": pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        "descriptors": len(os.listdir(proc / "fd")),
        "tasks": status["tasks"],
        "window": status["window"],
        "channels": status["tables"]["channels"],
        "kept": status["outbox"]["kept"],
    }


async def soak(folder: Path, minutes: float, rate: float) -> tuple[list[list[dict[str, float]]], int, list[list[int]]]:
    key = new_key()
    nodes = [member(v, folder, key) for v in range(NODES)]
    looks: list[list[dict[str, float]]] = [[] for _ in nodes]
    got: list[list[int]] = [[] for _ in nodes]
    sent: list[float] = []
    tasks: list[asyncio.Task[Any]] = []
    try:
        await start_all(nodes, asyncio.Semaphore(NODES))
        lines = [await Connection.open(node.socket) for node in (*nodes, nodes[0])]
        for v in range(1, NODES):
            tasks += [
                asyncio.ensure_future(work)
                for work in (listen(nodes[v].socket, got[v]), come_and_go(nodes[v].socket, v))
            ]
        await asyncio.sleep(10.0)
        tasks.append(asyncio.ensure_future(publish(lines[-1], sent, rate)))
        until = time.monotonic() + 60 * minutes
        while time.monotonic() < until:
            await asyncio.sleep(SAMPLE_EVERY)
            for v, node in enumerate(nodes):
                looks[v].append(await sample(node, lines[v]))
            for task in tasks:
                if task.done():
                    task.result()
        tasks.pop().cancel()
        await asyncio.sleep(5.0)
    finally:
        for task in tasks:
            task.cancel()
        end(nodes)
    return looks, len(sent), got


def course(looks: list[dict[str, float]], name: str) -> str:
    """The means over the second, third and last quarter of the time."""
    means = []
    for quarter in range(1, QUARTERS):
        part = [
            found[name] for found in looks[len(looks) * quarter // QUARTERS : len(looks) * (quarter + 1) // QUARTERS]
        ]
        means.append(sum(part) / len(part))
    return " → ".join(f"{mean:.1f}" for mean in means)


def with_options(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser("python -m benchmarks soak")
    parser.add_argument("--minutes", type=float, default=25.0)
    parser.add_argument("--rate", type=float, default=50.0, help="publications per second (default: 50)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="psvr-soak-") as folder:
        looks, sent, got = asyncio.run(soak(Path(folder), options.minutes, options.rate))
    print(f"{options.minutes:g} minutes, {sent:,} publications; means of the second, third and last quarter\n")
    print(
        table(
            ["node", *TABLES, "delivered", "twice"],
            [
                [
                    str(v),
                    *(course(looks[v], name) for name in TABLES),
                    f"{len(set(got[v])):,}" if v else "–",
                    f"{len(got[v]) - len(set(got[v]))}" if v else "–",
                ]
                for v in range(NODES)
            ],
        ),
        flush=True,
    )


def run() -> None:
    with_options([])
