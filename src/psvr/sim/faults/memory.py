"""What a fault may leave in memory: not only noise, but lies that look true.

Noise is the weakest of lies: a random time is never recent, so the first rule clears whatever depends on it.

| kind | what a node remembers afterwards |
|---|---|
| `bytes` | random bytes |
| `plausible` | recent times and real neighbours; roots that do not exist, with the highest numbers; the living root
  marked as dead; fresh entries for nodes that do not subscribe; names of publications that are still to come |
| `swapped` | what another node of the network remembers, its clock included |
| `foreign` | what a node remembers in another network of the same nodes |
| `any` | each node one of these, or its own memory with some fields changed, or every field from another kind |

Messages are drawn in the same way.  Records are numpy's, as in the simulator; `snapshot` makes plain objects of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from psvr.protocol import constants as k
from psvr.protocol.layout import Int, declared, fields
from psvr.protocol.numbers import LOW32, mix
from psvr.protocol.positions import NONE
from psvr.protocol.records import READ_ONLY, Hello, Node, Time

Record: TypeAlias = NDArray[Any]  # a slice of length one of an array of records
Pool: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]  # values, and their cumulative frequencies
Pools: TypeAlias = dict[str, Pool]  # by the name of a field
Weighted: TypeAlias = Sequence[tuple[float, Any]]  # each with a sequence of values

KINDS = ("bytes", "plausible", "swapped", "foreign", "any")
MIXTURE = {"bytes": 0.1, "plausible": 0.3, "swapped": 0.15, "foreign": 0.2, "changed": 0.15, "blended": 0.1}
CHANGES = 5  # fields of a node's own memory that are changed, at most
MAX_CLOCK = 1 << 40  # µs, twelve days: how far apart the clocks of nodes may be
RECENT = 12 * k.SECOND  # how far back recent times in lies go
TIME = Time.__metadata__[0]  # type: ignore[attr-defined]
NUMBERS = (k.SEQ_TRUSTED - 30, k.SEQ_TRUSTED - 1, k.SEQ_TRUSTED, k.SEQ_LIMIT - 30, k.SEQ_LIMIT - 1, k.SEQ_LIMIT)


@dataclass(frozen=True)
class Lie:
    """What all nodes struck by a fault may agree on."""

    roots: tuple[int, ...]
    seq: int
    ring: int
    length: int


@dataclass(frozen=True)
class Truth:
    """What lies about a node are made of."""

    id: int
    now: int  # on its clock
    hello: int  # its period
    ids: NDArray[np.int64]  # of all nodes
    near: NDArray[np.int64]  # of the nodes in its reach
    channels: NDArray[np.int64]  # hashes
    names: NDArray[np.int64]  # (·, 3) origin, boot and number of publications


def draw_lie(rng: np.random.Generator, ids: NDArray[np.int64]) -> Lie:
    """A lie of up to three roots, most of which do not exist, with a sequence number and a ring."""
    absent = rng.integers(0, max(int(ids[0]), 1), 3)  # below all existing ids, if there is room
    roots = rng.choice(np.concatenate((absent, rng.choice(ids, 1), ids[:1])), rng.integers(1, 4))
    seq = rng.choice([int(rng.integers(0, 1000)), *NUMBERS])
    return Lie(tuple(roots.tolist()), int(seq), int(rng.integers(0, LOW32)), 2 * int(rng.integers(1, 2 * len(ids) + 1)))


def draw_bytes(record: Record, rng: np.random.Generator, keep: Sequence[str]) -> None:
    """Fill all but the kept fields with random bytes, the same ones regardless of how fields are laid out in memory."""
    kept = {name: record[name].copy() for name in keep}
    in_order = np.dtype([(name, record.dtype[name]) for name in declared(record.dtype)], align=True)
    noise = rng.integers(0, 256, record.size * in_order.itemsize, np.uint8).view(in_order)
    for name in declared(record.dtype):
        record[name] = noise[name]
    for name, value in kept.items():
        record[name] = value


def pools(t: Truth, lie: Lie, rng: np.random.Generator) -> Pools:
    """Plausible values for fields by name, whatever record they are in."""
    near = t.near if len(t.near) else t.ids
    recent, soon = np.maximum(t.now - rng.integers(0, RECENT, 32), 0), t.now + rng.integers(0, 4 * t.hello, 8)
    times = [(8, recent), (1, [0, t.now, t.now + 1, 1 << 61]), (1, [t.now // 2])]
    node = [(8, near), (1, t.ids), (1, [t.id, k.NOBODY, *lie.roots])]
    position = [(6, rng.integers(0, lie.length, 32)), (1, [NONE]), (1, rng.integers(0, 1 << 20, 4))]
    digest = [(3, [lie.ring]), (1, rng.integers(0, LOW32, 8)), (1, [-1])]
    leaf = [mix(0, int(id)) for id in (t.id, *near[:8])]  # the digest of a node without children
    listed: list[tuple[str, Weighted]] = [
        ("id to origin", node),
        ("src", [(6, [t.id]), (3, near), (1, t.ids)]),
        ("back", [(2, [k.NOBODY]), (1, near)]),
        ("root", [(5, lie.roots), (2, t.ids[:1]), (2, [t.id]), (1, t.ids)]),
        ("dead_root", [(2, t.ids[:1]), (2, lie.roots), (1, [k.NOBODY])]),
        ("parent", [(3, [t.id]), (3, near), (2, [k.NOBODY]), (1, t.ids)]),
        ("seq", [(3, [lie.seq]), *NUMBER]),
        ("ring", digest),
        ("digest", [*digest, (1, leaf)]),
        ("my_digest", [*digest, (2, leaf[:1])]),
        ("key", digest),
        ("length", [(5, [lie.length]), (1, [0, 2, 1 << 20])]),
        ("position my_start start cur ep ns spare", position),
        ("channel", [(4, [*t.channels, 5]), (1, [k.NO_CHANNEL])]),
        ("to", [(8, near), (1, [k.NOBODY])]),
        ("since heard fresh dead_at said_at at spare_since made due born", times),
        ("hello_at trigger_at sub_at clean_at shun look_at", [(6, soon), (4, recent), *times]),
    ]
    return FIXED | by_name(listed)


def by_name(listed: Sequence[tuple[str, Weighted]]) -> Pools:
    return {name: drawn for names, weighted in listed for drawn in [pool(weighted)] for name in names.split()}


def pool(weighted: Weighted) -> Pool:
    """The values of several weighted parts, and their cumulative frequencies."""
    values = [np.asarray(part, np.int64) for _, part in weighted]
    shares = np.repeat([weight / len(part) for weight, part in weighted], [len(part) for part in values])
    reach = np.cumsum(shares)
    return np.concatenate(values), reach / reach[-1]


NUMBER: Weighted = [(2, np.arange(200)), (1, NUMBERS)]
FIXED = by_name(  # what depends neither on the truth nor on the lie
    [
        ("number own dead_seq custom", NUMBER),  # custom: a setting, which is kept as it is
        ("overflow", [(1, range(200))]),
        ("dist", [(6, range(4)), (1, range(70)), (1, [k.MAX_DISTANCE])]),
        ("size", [(3, range(1, 6)), (1, range(99))]),
        ("q_in q_out", [(8, range(k.QUALITY_ADMIT, k.QUALITY_ONE, 99)), (1, range(0, k.QUALITY_ONE, 99))]),
        ("quality", [(1, range(256))]),
        ("samples", [(1, range(32))]),
        ("keeps_me", [(4, [1]), (1, [0])]),
        ("boot bursts", [(1, range(5))]),
        ("hops limit", [(4, range(1, 30)), (1, [0, k.MAX_HOPS])]),
        ("turn seen_next load", [(1, range(80))]),
        ("free turned_away children links heards channels", [(4, range(4)), (1, range(9))]),
        ("alt last again evicted detoured doubted sent here met hopes", [(1, [0, 1])]),
        ("state", [(1, range(9))]),
        ("rounds", [(1, range(4))]),
        ("age", [(3, range(9000)), (1, range(60_000))]),
        ("reason", [(1, range(16))]),
        ("next top seen", [(1, range(12))]),
        ("phase", [(1, range(4))]),
    ]
)


def leaves(record: Any, cls: type) -> list[tuple[Any, str, Int]]:
    """All numbers in a record, as (array, name of the field, what it may be)."""
    found: list[tuple[Any, str, Int]] = []
    for f in fields(cls):
        if isinstance(f.item, Int):
            found.append((record, f.name, f.item))
        else:
            found += leaves(record[f.name], f.item)
    return found


def draw_plausible(
    record: Record,
    cls: type,
    truth: Truth,
    lie: Lie,
    rng: np.random.Generator,
    keep: Sequence[str] = (),
    drawn: Pools | None = None,
) -> None:
    """Give every field a plausible value; in a node, the parts often agree too.

    `drawn` are the pools for this truth and lie, for callers that draw several records from them.
    """
    kept = {name: record[name].copy() for name in keep}
    drawn = drawn or pools(truth, lie, rng)
    for part, name, _ in leaves(record, cls):
        if name in drawn:
            values, reach = drawn[name]
            part[name] = values[reach[:-1].searchsorted(rng.random(part[name].shape), side="right")]
    for name, value in kept.items():
        record[name] = value
    if cls is Node:
        agree(record[0], truth, lie, rng)
    elif cls is Hello:
        record["link"]["id"][0, 0] = rng.choice(truth.near) if len(truth.near) else truth.id
    if rng.random() < 0.7:
        ascending(record["position"] if "position" in (record.dtype.names or ()) else np.empty((0, 1)))


def agree(me: Any, truth: Truth, lie: Lie, rng: np.random.Generator) -> None:
    """Make parts of a node's memory consistent: real and distinct neighbours, a parent or children, a ring."""
    links, near = me["link"], rng.permutation(truth.near)[: len(me["link"])]
    if rng.random() < 0.8:
        links["id"][: len(near)], links["id"][len(near) :] = near, k.NOBODY
    for link in links:
        if rng.random() < 0.7:
            ascending(link["position"][None])
    if rng.random() < 0.8 and len(truth.names):
        picked = truth.names[rng.integers(0, len(truth.names), len(me["seen"]))]
        for i, name in enumerate(("origin", "boot", "number")):
            me["seen"][name] = picked[:, i]
    if not len(near):
        return
    if min(lie.roots) < truth.id and rng.random() < 0.6:
        follow(me, truth, lie, rng)
    elif rng.random() < 0.6:
        children = rng.random(len(links)) < 0.7
        me["root"] = links["root"][children] = truth.id
        links["parent"][children], links["keeps_me"][children], me["parent"] = truth.id, 1, k.NOBODY


def follow(me: Any, truth: Truth, lie: Lie, rng: np.random.Generator) -> None:
    """Let one of the links offer a root of the lie, and a place on its ring."""
    root = rng.choice([root for root in lie.roots if root < truth.id])
    parent, start = rng.choice(me["link"][: max(len(truth.near), 1)]), int(rng.integers(1, max(lie.length, 2)))
    parent["keeps_me"], parent["root"], parent["seq"], parent["parent"] = 1, root, lie.seq, k.NOBODY
    parent["dist"] = 0 if parent["id"] == root else rng.integers(1, 5)
    parent["heard"] = truth.now - rng.integers(0, min(4 * truth.hello, truth.now + 1))
    parent["ring"], parent["length"], parent["my_start"] = lie.ring, lie.length, start
    me["root"], me["seq"], me["parent"], me["dist"] = root, lie.seq, parent["id"], parent["dist"] + 1
    if rng.random() < 0.7:
        others = me["link"]["id"] != parent["id"]
        me["link"]["parent"][others & (me["link"]["parent"] == truth.id)] = k.NOBODY
        parent["my_digest"] = mix(0, truth.id)
        me["ring"], me["length"], me["position"] = lie.ring, lie.length, NONE
        me["position"][0] = start


def ascending(position: NDArray[Any]) -> None:
    """Sort rows of positions as nodes do: without duplicates, in order, then none."""
    for row in position:
        some = np.unique(row[row >= 0])
        row[: len(some)], row[len(some) :] = some, NONE


def rebase(record: Record, cls: type, by: int) -> None:
    """Shift all times that are not 0."""
    for part, name, item in leaves(record, cls):
        if item is TIME:
            part[name] = np.where(part[name] > 0, np.maximum(part[name] + by, 0), 0)


def take_over(record: Record, other: Record, keep: Sequence[str] = READ_ONLY) -> None:
    """Copy another record, except for the fields that are kept."""
    for name in record.dtype.names or ():
        if name not in keep:
            record[name] = other[name]


def change(record: Record, other: Record, rng: np.random.Generator, keep: Sequence[str] = READ_ONLY) -> None:
    """Copy some fields, or single rows of tables, from another record."""
    names = [name for name in declared(record.dtype) if name not in keep]
    for name in rng.choice(names, rng.integers(1, CHANGES + 1)):
        if record[name].ndim > 1:
            row = rng.integers(record[name].shape[1])
            record[name][:, row] = other[name][:, row]
        else:
            record[name] = other[name]


def blend(
    record: Record, draws: Sequence[Callable[[Record], None]], rng: np.random.Generator, keep: Sequence[str] = READ_ONLY
) -> None:
    """Take every field from one of several draws."""
    made = [record.copy() for _ in draws]
    for other, draw in zip(made, draws):
        draw(other)
    for name in declared(record.dtype):
        if name not in keep:
            record[name] = made[rng.integers(len(made))][name]
