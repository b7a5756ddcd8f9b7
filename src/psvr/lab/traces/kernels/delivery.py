"""How well each run delivered."""

from typing import ClassVar

import numpy as np
import pyarrow as pa

from psvr.results.figures import WINDOW
from psvr.trace.columns import FAULT

from ..batches import Batch
from .copies import DELIVERED_ROWS, UNKNOWN, begins, delivered_rows, first_times, hops_of, in_order
from .measure import Measure, Pieces, Shape, fields
from .publications import COUNTS, combined, counts, pivoted
from .subscriptions import (
    PUBLISHED_ROWS,
    SUBSCRIPTION,
    SUBSCRIPTIONS,
    published_rows,
    spans,
    subscription_rows,
    wanted,
)
from .tables import KEY, Array, array, codes, dense, grouped, valid, where

FACTS = fields("clock", "faults")
SUMS = ("published", "messages", "expected", "delivered", "duplicates", "hops_sum", "latency_us_sum")
PART = pa.schema(
    [
        *fields("clock", "known", "faults", *SUMS),
        pa.field("hops", pa.list_(pa.int64())),
        pa.field("latencies", pa.list_(pa.int64())),
    ]
)


def facts(batch: Batch) -> pa.Table:
    """The number of faults, by clock: a row for each clock that there is."""
    column = batch.rows.column("clock")
    places = column.indices.to_numpy(zero_copy_only=False)
    faults = np.bincount(places[batch.of(FAULT)], minlength=len(column.dictionary))
    there = np.flatnonzero(np.bincount(places, minlength=len(column.dictionary)))
    return pa.table({"clock": column.dictionary.cast(pa.string()).take(pa.array(there)), "faults": faults[there]})


class Delivery(Measure):
    """`expected` is null where the trace has no subscriptions; what reached another node then counts as delivered."""

    columns = tuple(dict.fromkeys([*COUNTS.names[:-2], *SUBSCRIPTION, *DELIVERED_ROWS.names]))
    shapes: ClassVar = {
        "facts": Shape(FACTS),
        "subscriptions": Shape(SUBSCRIPTIONS),
        "counts": Shape(COUNTS, KEY),
        "published": Shape(PUBLISHED_ROWS, KEY),
        "delivered": Shape(DELIVERED_ROWS, KEY),
    }
    schema = pa.schema(
        [
            *fields("clock", "published", "messages", "expected", "delivered", "duplicates"),
            pa.field("hops", pa.list_(pa.int64())),
            *fields("hops_sum", "latency_us_sum"),
            pa.field("latency_us_p50", pa.float64()),
            pa.field("latency_us_p99", pa.float64()),
            *fields("faults"),
        ]
    )
    parts = PART

    def __init__(self, warmup_us: int = 0, window_us: int = WINDOW) -> None:
        self.warmup, self.window = warmup_us, window_us

    def take(self, batch: Batch) -> Pieces:
        return {
            "facts": facts(batch),
            "subscriptions": subscription_rows(batch),
            "counts": counts(batch),
            "published": published_rows(batch),
            "delivered": delivered_rows(batch),
        }

    def combine(self, name: str, piece: pa.Table) -> pa.Table:
        if name == "counts":
            return combined(piece)
        return grouped(piece, ["clock"], faults="sum") if name == "facts" else piece

    def finish(self, pieces: Pieces) -> pa.Table:
        """What is known of some of the publications of a run; `total` makes one row of it."""
        rows = pivoted(pieces["counts"])
        rows = where(rows, array(rows, "time") >= self.warmup)
        fact, begun = pieces["facts"], spans(pieces["subscriptions"])
        sums = {"published": rows.num_rows, "messages": int(array(rows, "messages").sum())}
        rows = where(rows, valid(rows, *KEY))
        sums |= self.pairs(rows, pieces["published"], pieces["delivered"], begun)
        part = {
            "clock": min(fact.column("clock").to_pylist()),
            "known": int(begun.num_rows > 0),
            "faults": int(array(fact, "faults").sum()),
            **sums,
        }
        return pa.Table.from_pylist([part], PART)

    def pairs(self, rows: pa.Table, published: pa.Table, handed: pa.Table, begun: pa.Table) -> dict[str, object]:
        """Publications that count against nodes that got them, or should have."""
        published, handed = (where(table, valid(table, *KEY)) for table in (published, handed))
        counting, of_published, of_handed = dense(KEY, rows, published, handed)
        counts = np.zeros(1 + max(x.max(initial=0) for x in (counting, of_published, of_handed)), np.bool_)
        counts[counting] = True
        published, of_published = where(published, counts[of_published]), of_published[counts[of_published]]
        handed, of_handed = where(handed, counts[of_handed]), of_handed[counts[of_handed]]
        (node, subscriber), nodes = codes(handed.column("node"), begun.column("node"))
        pair = of_handed * (len(nodes) or 1) + node
        p, s = wanted(published, begun, self.window)
        due = np.unique(of_published[p] * (len(nodes) or 1) + subscriber[s])
        hops, time = hops_of(handed), array(handed, "time")
        order = in_order(pair, time, hops)
        first = order[begins(pair[order])]
        if begun.num_rows:
            good = first[np.isin(pair[first], due, assume_unique=True)]
        else:
            good = first[array(handed, "node")[first] != array(handed, "origin")[first]]
        latency = time[good] - first_times(counting, array(rows, "time"), of_handed[good])
        known = hops[good][hops[good] > UNKNOWN]
        return {
            "expected": len(due),
            "delivered": len(good),
            "duplicates": len(pair) - len(first),
            "hops_sum": int(known.sum()),
            "latency_us_sum": int(latency.sum()),
            "hops": np.bincount(known[known >= 0]).tolist(),
            "latencies": latency,
        }

    def total(self, parts: pa.Table) -> pa.Table:
        sums = {name: int(array(parts, name).sum()) for name in SUMS}
        latency = parts.column("latencies").combine_chunks().flatten().to_numpy(zero_copy_only=False).copy()
        return pa.Table.from_pylist(
            [
                {
                    **sums,
                    "clock": min(parts.column("clock").to_pylist()),
                    "expected": sums["expected"] if array(parts, "known").any() else None,
                    "hops": added(parts.column("hops").to_pylist()),
                    "latency_us_p50": percentile(latency, 0.5),
                    "latency_us_p99": percentile(latency, 0.99),
                    "faults": int(array(parts, "faults").max()),  # of the whole run, and in all parts alike
                }
            ],
            self.schema,
        )


def added(lists: list[list[int]]) -> list[int]:
    """The sums of lists of different lengths, place by place."""
    longest = max(map(len, lists), default=0)
    return [sum(each[place] for each in lists if place < len(each)) for place in range(longest)]


def percentile(values: Array, share: float) -> float | None:
    """As Spark computes it, to the last bit: between the two values at this place of the order."""
    if not len(values):
        return None
    place = (len(values) - 1) * share
    low, high = int(np.floor(place)), int(np.ceil(place))
    values.partition([low, high])
    return float(values[low]) + (float(values[high]) - float(values[low])) * (place - low)
