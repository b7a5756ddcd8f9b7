"""What was handed to applications, and how often the same."""

from typing import ClassVar

import numpy as np
import pyarrow as pa

from psvr.results.deliveries import OPEN
from psvr.trace.columns import DELIVERED

from ..batches import Batch
from .measure import Measure, Pieces, Shape, fields
from .subscriptions import PUBLISHED_ROWS, published_rows
from .tables import KEY, Array, array, dense, valid

DELIVERED_ROWS = fields(*KEY, "channel", "node", "time", "hops")
UNKNOWN = -(1 << 40)  # in the place of hops that are not known


def delivered_rows(batch: Batch) -> pa.Table:
    return batch.plain(DELIVERED_ROWS.names, batch.of(DELIVERED))


def in_order(pair: Array, time: Array, hops: Array) -> Array:
    """The order by pair, time and hops.  A trace is nearly in this order, so that one sort is mostly enough."""
    order = np.argsort(pair, kind="stable")
    p, t, h = pair[order], time[order], hops[order]
    same = p[1:] == p[:-1]
    late = (t[1:] < t[:-1]) | ((t[1:] == t[:-1]) & (h[1:] < h[:-1]))
    return np.lexsort((hops, time, pair)) if bool((same & late).any()) else order


def begins(ordered: Array) -> Array:
    """The places at which a sorted list has a new value."""
    if not len(ordered):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))


def hops_of(rows: pa.Table) -> Array:
    """Hops, with those that are not known before all others."""
    return np.where(valid(rows, "hops"), array(rows, "hops").astype(np.int64), UNKNOWN)


def first_times(publication: Array, time: Array, other: Array) -> Array:
    """For other rows, by the numbers of their publications, the first time at which these were published, or OPEN."""
    first = np.full(max(publication.max(initial=-1), other.max(initial=-1)) + 1, OPEN)
    np.minimum.at(first, publication, time)
    return first[other]


class Deliveries(Measure):
    columns = DELIVERED_ROWS.names
    shapes: ClassVar = {"published": Shape(PUBLISHED_ROWS, KEY), "delivered": Shape(DELIVERED_ROWS, KEY)}
    schema = fields(*KEY, "channel", "node", "time", "hops", "latency_us", "copy")

    def take(self, batch: Batch) -> Pieces:
        return {"published": published_rows(batch), "delivered": delivered_rows(batch)}

    def finish(self, pieces: Pieces) -> pa.Table:
        published, rows = pieces["published"], pieces["delivered"]
        of_published, of_row = dense(KEY, published, rows)
        first = first_times(of_published, array(published, "time"), of_row)
        known = (first < OPEN) & valid(rows, *KEY)
        [pair] = dense([*KEY, "node"], rows)
        order = in_order(pair, array(rows, "time"), hops_of(rows))
        begin = begins(pair[order])
        copy = np.empty(len(order), np.int64)
        copy[order] = np.arange(len(order)) - np.repeat(begin, np.diff(np.append(begin, len(order)))) + 1
        latency = pa.array(np.where(known, array(rows, "time") - first, 0), mask=~known)
        return rows.append_column("latency_us", latency).append_column("copy", pa.array(copy)).select(self.schema.names)
