"""The protocol's rules: compiled against plain Python, compilation, and start from the cache.

python -m benchmarks rules
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import psvr.protocol.node as plain
from benchmarks.timing import best_of, one_core, table
from psvr.protocol.layout import Capacity, blank, dtype, restore, snapshot
from psvr.protocol.records import Hello, Node, Outcome, Pub, Sub

CAPACITY = Capacity()
CHANNEL, NOW = 4711, 10**9
RECORDS = (Node, Node, Hello, Sub, Sub, Pub, Outcome)

FRESH = "import benchmarks.rules as r; r.everything(r.compiled_pair())"


def plain_pair() -> tuple[Any, ...]:
    """Two linked nodes, and records for their messages."""
    return plain, *meet(plain, *(blank(cls, CAPACITY) for cls in RECORDS))


def compiled_pair() -> tuple[Any, ...]:
    import numpy as np
    import psvr.compiled.node as rules

    return rules, *meet(rules, *(np.zeros(1, dtype(cls, CAPACITY))[0] for cls in RECORDS))


def meet(rules: Any, a: Any, b: Any, hello: Any, *rest: Any) -> tuple[Any, ...]:
    for me, id in ((a, 0), (b, 1)):
        settings = blank(Node, CAPACITY).settings
        plain.default_settings(settings)
        shot = snapshot(me, Node)
        shot["settings"] = snapshot(settings, type(settings))
        restore(me, Node, shot)
        rules.start(me, id, NOW)
    rules.subscribe(b, NOW, CHANNEL)
    for second in range(20):
        for me, other in ((a, b), (b, a)):
            if rules.wake(me, NOW + second * 1_000_000 + 500_000, hello) & 1:
                rules.hear_hello(other, NOW + second * 1_000_000 + 600_000, hello)
    return a, b, hello, *rest


def everything(pair: tuple[Any, ...]) -> None:
    """Call every entry point of a host once."""
    rules, a, b, hello, sub, out, pub, outcome = pair
    now = NOW + 21_000_000
    rules.write_sub(b, now, 0, sub)
    rules.hear_sub(a, now, sub, out)
    rules.publish(a, now, CHANNEL, 1, 1, 0, pub, outcome)
    rules.hear_pub(b, now, pub, outcome)
    rules.hear_hello(a, now, hello)
    rules.wake(a, now, hello)
    rules.next_due(a, now)
    rules.unsubscribe(b, now, 5)


def calls(pair: tuple[Any, ...]) -> dict[str, float]:
    """Microseconds per call, called from Python."""
    rules, a, b, hello, sub, out, pub, outcome = pair
    now = NOW + 21_000_000
    everything(pair)
    rules.write_hello(b, now, hello)
    jobs: dict[str, Callable[[], object]] = {
        "hear_hello": lambda: rules.hear_hello(a, now, hello),
        "hear_sub": lambda: rules.hear_sub(a, now, sub, out),
        "publish": lambda: rules.publish(a, now, CHANNEL, 1, 1, 0, pub, outcome),
        "next_due": lambda: rules.next_due(a, now),
    }
    return {name: 1e6 * best_of(partial(repeat, job), 5) / 300 for name, job in jobs.items()}


def repeat(job: Callable[[], object]) -> list[object]:
    return [job() for _ in range(300)]


def fresh_process(cache: str) -> float:
    """Seconds that a whole process takes."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", FRESH], check=True, env={**os.environ, "NUMBA_CACHE_DIR": cache})
    return time.perf_counter() - begin


def run() -> None:
    one_core()
    with tempfile.TemporaryDirectory() as cache:
        cold = fresh_process(cache)
        cached = min(fresh_process(cache) for _ in range(3))
    print("## The rules\n")
    print(
        table(
            ["rule, called from Python", "plain objects", "compiled"],
            [
                [name, f"{a:.1f} µs", f"{b:.1f} µs"]
                for (name, a), b in zip(calls(plain_pair()).items(), calls(compiled_pair()).values())
            ],
        )
    )
    print(
        "\n"
        + table(
            ["start", "time", "target"],
            [
                ["all entry points compiled and called", f"{cold:.1f} s", "60 s with routing"],
                ["the same from the cache, whole process", f"{cached:.2f} s", "1 s"],
            ],
        )
        + "\n"
    )
