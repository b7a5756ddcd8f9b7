"""One of our processes: `python -m benchmarks.live_systems.worker SYSTEM ROLE SPEC`.

It reports when it is ready, then reads orders as lines of JSON, and answers each with a line, until the input ends.

| role | order | answer |
|---|---|---|
| publisher | burst: send for so many seconds, as fast as possible | how many, and when the first was sent |
| publisher | pace: send so many, with so many seconds between | the same |
| subscriber | collect the messages of a run until all came, or none for a while | how many, the last, delays in ns |
"""

import asyncio
import importlib
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from .form import FILL, HEAD, Send, Spec

IDLE = 3.0  # seconds without a message after which no more are expected
LOOK = 0.02


async def orders() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


def answer(**content: Any) -> None:
    print(json.dumps(content), flush=True)


async def burst(send: Send, run: int, seconds: float) -> int:
    number, end = 0, time.monotonic_ns() + round(seconds * 1e9)
    while (now := time.monotonic_ns()) < end:
        await send(HEAD.pack(now, run, number) + FILL)
        number += 1
    return number


async def pace(send: Send, run: int, count: int, every: float) -> int:
    begin = time.monotonic()
    for number in range(count):
        await asyncio.sleep(max(begin + number * every - time.monotonic(), 0))
        await send(HEAD.pack(time.monotonic_ns(), run, number) + FILL)
    return count


async def publish(send: Send, given: asyncio.StreamReader) -> None:
    do: dict[str, Callable[..., Awaitable[int]]] = {"burst": burst, "pace": pace}
    while line := await given.readline():
        order = json.loads(line)
        begin = time.monotonic_ns()
        answer(sent=await do[order.pop("do")](send, **order), begin=begin)


class Arrivals:
    """What a subscriber received; only stored on arrival, possibly in another thread, and evaluated later."""

    def __init__(self) -> None:
        self.raw: list[tuple[int, bytes]] = []

    def note(self, data: bytes) -> None:
        self.raw.append((time.monotonic_ns(), data))

    async def collect(self, run: int, count: int, idle: float = IDLE) -> dict[str, Any]:
        delays: dict[int, int] = {}
        last, looked, quiet = 0, 0, time.monotonic()
        while len(delays) < count and time.monotonic() - quiet < idle:
            await asyncio.sleep(LOOK)
            fresh = self.raw[looked:]
            looked += len(fresh)
            for at, data in fresh:
                sent, its_run, number = HEAD.unpack_from(data)
                if its_run == run and number not in delays:
                    delays[number], last, quiet = at - sent, at, time.monotonic()
        self.raw = self.raw[looked:]
        return {"arrived": len(delays), "last": last, "delays": list(delays.values())}


async def listen(arrivals: Arrivals, given: asyncio.StreamReader) -> None:
    while line := await given.readline():
        order = json.loads(line)
        found = await arrivals.collect(order["run"], order["count"], order.get("idle", IDLE))
        answer(**found if order.get("delays") else found | {"delays": []})


async def main(system: str, role: str, spec: Spec) -> None:
    module, given = importlib.import_module(f"{__package__}.{system}"), await orders()
    if role == "publisher":
        async with module.publisher(spec) as send:
            answer(ready=True)
            await publish(send, given)
    elif role == "subscriber":
        arrivals = Arrivals()
        async with module.subscriber(spec, arrivals.note):
            answer(ready=True)
            await listen(arrivals, given)
    else:
        async with module.relay(spec):
            answer(ready=True)
            await given.read()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))
    sys.stdout.flush()
    os._exit(0)  # some libraries have threads that never end
