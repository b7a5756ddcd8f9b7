"""Message counts of many publications under several systems, from arrays of subscriber sets and publishers."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from psvr.errors import BadInput, shown
from psvr.graphs.csr import Ints, Marks
from psvr.graphs.graph import Graph
from psvr.routing.kernels.batch import count_psvr, count_tree, count_vr2015
from psvr.routing.kernels.rings import children, top_down
from psvr.routing.kernels.ties import count_td_tied
from psvr.routing.kernels.trees import count_td

from .settled import Settled
from .spanning import tie_number

Count = Callable[[Settled, Marks, Ints, Ints], None]


def psvr(shortcuts: str) -> Count:
    def count(settled: Settled, members: Marks, publishers: Ints, out: Ints) -> None:
        count_psvr(settled.tables(shortcuts), members, publishers, out)

    return count


def vr2015(shortcuts: str) -> Count:
    def count(settled: Settled, members: Marks, publishers: Ints, out: Ints) -> None:
        count_vr2015(settled.tables(shortcuts), members, publishers, out)

    return count


def ring(settled: Settled, members: Marks, publishers: Ints, out: Ints) -> None:
    out[:] = settled.length


def flood(settled: Settled, members: Marks, publishers: Ints, out: Ints) -> None:
    out[:] = settled.graph.n


def along_tree(parent: Ints, members: Marks, publishers: Ints, out: Ints) -> None:
    root = int(np.argmin(parent))
    count_tree(parent, top_down(root, *children(parent)), members, publishers, out)


def shen(settled: Settled, members: Marks, publishers: Ints, out: Ints) -> None:
    along_tree(settled.parent, members, publishers, out)


def ts(settled: Settled, members: Marks, publishers: Ints, out: Ints) -> None:
    along_tree(settled.central_parent, members, publishers, out)


def td(settled: Settled, members: Marks, publishers: Ints, out: Ints) -> None:
    count_td(settled.graph.start, settled.graph.near, members, publishers, out)


COLUMNS: dict[str, Count] = {
    "psvr/all": psvr("all"),
    "psvr/nontree": psvr("nontree"),
    "vr2015/all": vr2015("all"),
    "vr2015/nontree": vr2015("nontree"),
    "ring": ring,
    "shen": shen,
    "td": td,
    "ts": ts,
    "flood": flood,
}


def count_messages(
    settled: Settled, members: Any, publishers: Any, columns: Iterable[str] = tuple(COLUMNS)
) -> dict[str, Ints]:
    """The number of messages of every publication under each of these systems.

    `members[i, v]` is true if node v is in set i, and `publishers[i]` are the publishers for that set.
    """
    chosen = list(columns)
    for name in chosen:
        if name not in COLUMNS:
            raise BadInput(f"columns: must be from {', '.join(COLUMNS)}, not {shown(name)}")
    marks, senders = checked(settled.graph.n, np.asarray(members), np.asarray(publishers))
    result = {name: np.zeros(senders.shape, dtype=np.int32) for name in chosen}
    for name, out in result.items():
        if settled.length or name == "flood":
            COLUMNS[name](settled, marks, senders, out)
    return result


def count_td_messages(graph: Graph, members: Any, publishers: Any, ties: str, seed: int = 0) -> Ints:
    """The number of messages of every publication under T_D, with trees that differ from the usual ones.

    `ties` says which parent a node takes in the tree of a publisher where several ways are equally short, see
    `spanning.shortest_tree`; the others are the arguments of `count_messages`.
    """
    number = tie_number(ties)
    marks, senders = checked(graph.n, np.asarray(members), np.asarray(publishers))
    counts = np.zeros(senders.shape, dtype=np.int32)
    count_td_tied(graph.start, graph.near, number, seed, marks, senders, counts)
    return counts


def checked(n: int, members: Any, publishers: Any) -> tuple[Marks, Ints]:
    """Both arrays, checked, in the form that compiled code takes."""
    if members.ndim != 2 or members.shape[1] != n or members.dtype.kind not in "biu":
        raise BadInput(f"members: must be an array of true and false with a column for each of the {n} nodes")
    if publishers.ndim != 2 or len(publishers) != len(members) or publishers.dtype.kind not in "iu":
        raise BadInput(f"publishers: must be an array of node ids with a row for each of the {len(members)} sets")
    if publishers.size and not 0 <= publishers.min() <= publishers.max() < n:
        raise BadInput(f"publishers: must be nodes from 0 to {n - 1}")
    marks = np.ascontiguousarray(members != 0, dtype=np.uint8)
    return marks, np.ascontiguousarray(publishers, dtype=np.int32)
