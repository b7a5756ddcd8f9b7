"""All measures of rows, worked out in plain Python, formula by formula as docs/measures.md has them."""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from psvr.protocol.constants import REASONS

Row = dict[str, Any]
Ratio = Callable[[Row], tuple[Any, Any]]
Key = tuple[Any, ...]

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(200)


@cache
def t95(df: int) -> float:
    """Return the t within which 95 % of Student's distribution lie, by integrating its density."""
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    low, high = 0.0, 16.0
    for _ in range(60):
        t = (low + high) / 2
        density = scale * (1 + ((POINTS + 1) * t / 2) ** 2 / df) ** (-(df + 1) / 2)
        low, high = (t, high) if (WEIGHTS * density).sum() * t < 0.95 else (low, t)
    return high


def total(values: Sequence[int | None] | None) -> int | None:
    return None if values is None else sum(v for v in values if v is not None)


def hops_sum(r: Row) -> int | None:
    found: int | None = r.get("hops_sum")
    numbers: Sequence[int] | None = r.get("hops")
    if found is not None or numbers is None:
        return found
    return sum(h * number for h, number in enumerate(numbers))


def node_time(r: Row) -> Any:
    return None if r["nodes"] is None or r["simulated_us"] is None else r["nodes"] * r["simulated_us"] / 1e6


def known(values: Sequence[int | None] | None) -> int | None:
    return None if values is None else sum(v is not None for v in values)


SINGLE: dict[str, tuple[float, Ratio]] = {
    "delivery_ratio": (100, lambda r: (r["delivered"], r["expected"])),
    "duplicates": (100, lambda r: (r["duplicates"], r["delivered"])),
    "messages": (1, lambda r: (r["messages"], r["published"])),
    "hops": (1, lambda r: (hops_sum(r), r["delivered"])),
    "short_routes": (100, lambda r: (None if r["hops"] is None else sum(r["hops"][:4]), r["delivered"])),
    "latency": (0.001, lambda r: (r["latency_us_sum"], r["delivered"])),
    "stabilization": (1e-6, lambda r: (r["stable_us"], 1)),
    "never_stable": (100, lambda r: (int(r["stable_us"] is None), None if r["simulated_us"] is None else 1)),
    "recovery": (1e-6, lambda r: (total(r["recovery_us"]), known(r["recovery_us"]))),
    "never_recovered": (
        100,
        lambda r: (
            (None, None)
            if r["recovery_us"] is None
            else (len(r["recovery_us"]) - (known(r["recovery_us"]) or 0), len(r["recovery_us"]))
        ),
    ),
    "control_bytes": (
        1,
        lambda r: (
            total([r["hello_bytes"], r["sub_bytes"]])
            if r["hello_bytes"] is not None and r["sub_bytes"] is not None
            else None,
            node_time(r),
        ),
    ),
    "hello_bytes": (1, lambda r: (r["hello_bytes"], node_time(r))),
    "sub_bytes": (1, lambda r: (r["sub_bytes"], node_time(r))),
    "pub_bytes": (1, lambda r: (r["pub_bytes"], node_time(r))),
    "table_bytes": (1, lambda r: (r["max_table_bytes"], 1)),
    "table_bytes_packed": (1, lambda r: (r["max_table_bytes_packed"], 1)),
    "node_load": (1, lambda r: (r["node_load_sum"], r["nodes"])),
    "node_load_max": (1, lambda r: (r["node_load_max"], 1)),
    "link_load": (1, lambda r: (r["link_load_sum"], r["links_used"])),
    "link_load_max": (1, lambda r: (r["link_load_max"], 1)),
    "degree": (2, lambda r: (r["links"], r["nodes"])),
    "parent_changes": (3600, lambda r: (r["parent_changes"], node_time(r))),
    "ring_changes": (3600, lambda r: (r["ring_changes"], node_time(r))),
    "link_failures": (
        1000,
        lambda r: (dict(zip(REASONS, r["dropped"] or [])).get("all tries on the link failed"), r["published"]),
    ),
    "no_access": (100, lambda r: (r["no_access"], r["frames"])),
    "power": (0.001, lambda r: (r["energy_uj"], node_time(r))),
    "transmit_power": (0.001, lambda r: (r["transmit_uj"], node_time(r))),
    "energy_per_delivery": (1e-6, lambda r: (r["energy_uj"], r["delivered"])),
}
SHARES = {"delivery_ratio", "short_routes", "never_stable", "never_recovered"}
PAIRS = {
    "gain": ("messages", 100.0),
    "hops_difference": ("hops", 1.0),
    "delivery_difference": ("delivery_ratio", 100.0),
    "short_routes_difference": ("short_routes", 100.0),
}


def naive(rows: list[Row], parameters: Sequence[str]) -> dict[Key, dict[str, Any]]:
    """Estimates by cell, system, against, measure and bin."""
    found: dict[Key, dict[str, Any]] = {}
    cells = {tuple(r[name] for name in ("grid", *parameters)) for r in rows}
    for cell in cells:
        mine = [r for r in rows if tuple(r[name] for name in ("grid", *parameters)) == cell]
        for system in {r["system"] for r in mine}:
            those = [r for r in mine if r["system"] == system]
            for name, (factor, formula) in SINGLE.items():
                estimates = ratio([formula(r) for r in those], factor)
                put(found, (*cell, system, None, name, None), within(estimates) if name in SHARES else estimates)
            routes(found, (*cell, system, None, "routes"), those)
            over_time(found, (*cell, system, None, "delivery_over_time"), those)
            if system.split("/")[0] not in ("td", "ts", "steiner", "shen", "ring", "flood", "vr2015"):
                for against in {r["system"] for r in mine} - {system}:
                    compare(found, (*cell, system, against), those, [r for r in mine if r["system"] == against])
    return found


def put(found: dict[Key, dict[str, Any]], key: Key, estimates: dict[str, Any] | None) -> None:
    if estimates is not None:
        found[key] = estimates


def routes(found: dict[Key, dict[str, Any]], key: Key, rows: list[Row]) -> None:
    valid = [r for r in rows if r["hops"] is not None]
    for h in range(max((len(r["hops"]) for r in valid), default=0)):
        put(found, (*key, h), within(ratio([((r["hops"] + [0] * h + [0])[h], r["delivered"]) for r in valid], 100)))


def over_time(found: dict[Key, dict[str, Any]], key: Key, rows: list[Row]) -> None:
    lists = [(r["delivered_by_time"], r["expected_by_time"]) for r in rows]
    valid = [both for both in lists if None not in both]
    for b in range(max((len(up) for up, _ in valid), default=0)):
        both = [(up[b], down[b]) for up, down in valid if b < min(len(up), len(down))]
        put(found, (*key, b), within(ratio(both, 100)))


def within(estimates: dict[str, Any] | None) -> dict[str, Any] | None:
    """A share lies between 0 and 100 %."""
    if estimates is None or estimates["low"] is None:
        return estimates
    return {**estimates, "low": max(estimates["low"], 0.0), "high": min(estimates["high"], 100.0)}


def compare(found: dict[Key, dict[str, Any]], key: Key, first: list[Row], second: list[Row]) -> None:
    both = [(a, b) for a in first for b in second if a["trial"] == b["trial"]]
    for name, (single, factor) in PAIRS.items():
        formula = SINGLE[single][1]
        put(found, (*key, name, None), pair([(*formula(a), *formula(b)) for a, b in both], factor, name == "gain"))
    channels = [
        [(x, y) for x, y in zip(a["messages_by_channel"], b["messages_by_channel"]) if x is not None and y is not None]
        for a, b in both
        if a["messages_by_channel"] is not None and b["messages_by_channel"] is not None
    ]
    sums = [(sum(x for x, _ in c), 1, sum(y for _, y in c), 1) for c in channels]
    estimates = pair(sums, 100, gain=True)
    if estimates is not None:
        units = [100 * x / y - 100 for c in channels for x, y in c if y]
        put(found, (*key, "subscription_gain", None), {**estimates, **quantiles(units)})


def ratio(numbers: list[tuple[Any, Any]], factor: float) -> dict[str, Any] | None:
    valid = np.array([x for x in numbers if None not in x], float).reshape(-1, 2)
    up, down = valid.T
    if down.sum() == 0:
        return None
    r = up.sum() / down.sum()
    residuals = (up - r * down) / down.mean()
    each = [factor * u / d for u, d in valid if d]
    return {**interval(factor * r, factor * residuals), **quantiles(each)}


def pair(numbers: list[tuple[Any, ...]], factor: float, gain: bool) -> dict[str, Any] | None:
    valid = np.array([x for x in numbers if None not in x], float).reshape(-1, 4)
    a, p, b, q = valid.T
    if not p.sum() or not q.sum() or (gain and not b.sum()):
        return None
    x, y = a.sum() / p.sum(), b.sum() / q.sum()
    dx, dy = (a - x * p) / p.mean(), (b - y * q) / q.mean()
    if gain:
        each = [factor * (i / j) / (k / m) - factor for i, j, k, m in valid if j and k and m]
        return {**interval(factor * x / y - factor, factor * (dx / y - x * dy / y**2)), **quantiles(each)}
    each = [factor * (i / j - k / m) for i, j, k, m in valid if j and m]
    return {**interval(factor * (x - y), factor * (dx - dy)), **quantiles(each)}


def interval(value: float, residuals: Any) -> dict[str, Any]:
    n = len(residuals)
    if n < 2:
        return {"value": value, "low": None, "high": None, "trials": n}
    margin = t95(n - 1) * math.sqrt((residuals**2).sum() / (n - 1) / n)
    return {"value": value, "low": value - margin, "high": value + margin, "trials": n}


def quantiles(each: list[float]) -> dict[str, Any]:
    names = {"p05": 5, "p25": 25, "p50": 50, "p75": 75, "p95": 95, "least": 0, "most": 100}
    return {name: float(np.percentile(each, q)) if each else None for name, q in names.items()}
