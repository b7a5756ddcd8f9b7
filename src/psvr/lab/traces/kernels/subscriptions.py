"""Who had subscribed when, and who should therefore get what."""

from typing import ClassVar

import numpy as np
import pyarrow as pa

from psvr.results.deliveries import OPEN
from psvr.results.figures import WINDOW
from psvr.trace.columns import PUBLISHED, SUBSCRIBED, UNSUBSCRIBED

from ..batches import Batch
from .measure import Measure, Pieces, Shape, fields
from .tables import KEY, Array, array, codes, counted, valid

SUBSCRIPTION = ("time", "node", "event", "channel")
SUBSCRIPTIONS = fields(*SUBSCRIPTION)
PUBLISHED_ROWS = fields(*KEY, "channel", "time")
AT_ONCE = 1 << 22  # pairs of a publication and a subscription that are looked at at a time


def subscription_rows(batch: Batch) -> pa.Table:
    return batch.plain(SUBSCRIPTION, batch.of(SUBSCRIBED, UNSUBSCRIBED))


def published_rows(batch: Batch) -> pa.Table:
    return batch.plain(PUBLISHED_ROWS.names, batch.of(PUBLISHED))


def spans(rows: pa.Table) -> pa.Table:
    """One row per subscription: it ends when its node next unsubscribes from its channel, if ever."""
    [node], _ = codes(rows.column("node"))
    [channel], _ = codes(rows.column("channel").fill_null("")) if rows.num_rows else ([np.zeros(0, int)], None)
    who = (node.astype(np.int64) << 32 | channel) << 1 | ~valid(rows, "channel")
    time, leaves = array(rows, "time"), array(rows, "event") == UNSUBSCRIBED
    order = np.lexsort((leaves, time, who))
    end = np.full(len(order), OPEN)
    end[leaves[order]] = time[order][leaves[order]]
    end = next_end(who[order], end)
    keep = order[~leaves[order]]
    found = end[~leaves[order]]
    return pa.table(
        {
            **{name: rows.column(name).take(pa.array(keep)) for name in ("node", "channel")},
            "begin": pa.array(time[keep]),
            "end": pa.array(found, mask=found == OPEN),
        }
    )


def next_end(who: Array, end: Array) -> Array:
    """For each place of an ordered list, the first end from there on that belongs to the same one; or OPEN."""
    places = np.where(end < OPEN, np.arange(len(end)), len(end))
    following = np.minimum.accumulate(places[::-1])[::-1]
    known = following < len(end)
    at = np.where(known, following, 0)
    return np.where(known & (who[at] == who), end[at], OPEN) if len(end) else end


def wanted(published: pa.Table, begun: pa.Table, window: int) -> tuple[Array, Array]:
    """Places of publications, and of subscriptions to which they should have come; a pair may be there twice."""
    published_at = np.flatnonzero(valid(published, "channel"))
    found: list[tuple[Array, Array]] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    if len(published_at) and begun.num_rows:
        (channel, of), _ = codes(published.column("channel").fill_null(""), begun.column("channel").fill_null(""))
        time, origin = array(published, "time"), array(published, "origin")
        known = published.column("origin").is_valid().to_numpy()
        real = begun.column("channel").is_valid().to_numpy()
        begin, end, node = array(begun, "begin"), array(begun, "end", OPEN), array(begun, "node")
        for each in np.unique(channel[published_at]):
            mine = np.flatnonzero((of == each) & real)
            pubs = published_at[(channel[published_at] == each) & known[published_at]]
            step = max(1, AT_ONCE // max(1, len(mine)))
            for first in range(0, len(pubs) if len(mine) else 0, step):
                some = pubs[first : first + step]
                at, who = time[some][:, None], node[mine]
                good = (begin[mine] < at) & (end[mine] > at + window) & (who != origin[some][:, None])
                p, s = np.nonzero(good)
                found.append((some[p], mine[s]))
    return np.concatenate([p for p, _ in found]), np.concatenate([s for _, s in found])


class Subscriptions(Measure):
    columns = SUBSCRIPTION
    shapes: ClassVar = {"subscriptions": Shape(SUBSCRIPTIONS, ("node", "channel"))}
    schema = fields("node", "channel", "begin", "end")

    def take(self, batch: Batch) -> Pieces:
        return {"subscriptions": subscription_rows(batch)}

    def finish(self, pieces: Pieces) -> pa.Table:
        return spans(pieces["subscriptions"])


class Expected(Measure):
    columns = (*SUBSCRIPTION, *KEY)
    shapes: ClassVar = {"published": Shape(PUBLISHED_ROWS, KEY), "subscriptions": Shape(SUBSCRIPTIONS)}
    schema = fields(*KEY, "node")

    def __init__(self, window_us: int = WINDOW) -> None:
        self.window = window_us

    def take(self, batch: Batch) -> Pieces:
        return {"published": published_rows(batch), "subscriptions": subscription_rows(batch)}

    def finish(self, pieces: Pieces) -> pa.Table:
        begun = spans(pieces["subscriptions"])
        p, s = wanted(pieces["published"], begun, self.window)
        rows = pieces["published"].select(list(KEY)).take(pa.array(p))
        rows = rows.append_column("node", begun.column("node").take(pa.array(s)))
        return counted(rows, [*KEY, "node"]).drop_columns("n")
