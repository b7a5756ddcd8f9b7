"""Measuring times, and showing tables."""

import os
import time
from collections.abc import Callable, Iterable


def one_core() -> None:
    """Stay on one core, so that nothing in a comparison runs in parallel."""
    os.environ["RAYON_NUM_THREADS"] = "1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def best_of(function: Callable[[], object], times: int) -> float:
    """Seconds of the fastest of several runs: what the machine can do undisturbed."""
    function()
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - begin)
    return best


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
