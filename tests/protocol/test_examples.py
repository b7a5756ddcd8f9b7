"""The paper's figures and all vectors, through the protocol's own rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, blank
from psvr.protocol.pubsub.publication import detour
from psvr.protocol.records import Node, Outcome, Pub
from psvr.protocol.table import clear_entry, update
from tests.support.network import CHANNEL
from tests.support.settle import messages, next_subscribers, ring_of, settle, spread_sub

CASES = json.loads((Path(__file__).parent.parent / "vectors" / "routing.json").read_text())
LARGE = "racdgehjbif", "ra re rj rb ac ad dg eh bi if cb de gf aj"


def graph(names: str, links: str) -> tuple[int, list[tuple[int, int]]]:
    return len(names), [(names.index(link[0]), names.index(link[1])) for link in links.split()]


def tree(names: str, links: str) -> list[int]:
    """Parents, from tree links written parent first."""
    parent = [-1] * len(names)
    for link in links.split():
        parent[names.index(link[1])] = names.index(link[0])
    return parent


def small(subscribers: str, **more: Any) -> Any:
    n, edges = graph("recadb", "re ec ed ca db cd ab")
    return settle(n, edges, tree("recadb", "re ec ed ca db"), ["recadb".index(x) for x in subscribers], **more)


def large(**more: Any) -> Any:
    n, edges = graph(*LARGE)
    parents = tree(LARGE[0], "ra re rj rb ac ad dg eh bi if")
    return settle(n, edges, parents, [LARGE[0].index(x) for x in "cgi"], **more)


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_vectors(case: dict[str, Any]) -> None:
    edges = [tuple(e) for e in case["edges"]]
    net = settle(case["n"], edges, case["parent"], case["subscribers"], case["shortcuts"])
    assert ring_of(net) == case["ring"]
    assert next_subscribers(net) == case["next_subscriber"]
    assert sorted(map(list, messages(net, case["publisher"]))) == case["messages"]
    hops = {str(v): h for _, v, h in net.delivered if v != case["publisher"]}
    assert hops == case["hops"]


def test_small() -> None:
    net = small("abc", shortcuts="nontree")
    assert [*"recacedbde"] == ["recadb"[v] for v in ring_of(net)]
    assert next_subscribers(net) == [2, 2, 3, 4, 7, 7, 7, 2, 2, 2]
    assert messages(net, "recadb".index("d")) == [(6, 7, 8), (8, 2, 6), (2, 3, 4)]


def test_large() -> None:
    net = large(shortcuts="nontree")
    assert "".join(LARGE[0][v] for v in ring_of(net)) == "racadgdareherjrbifib"
    assert sorted(messages(net, LARGE[0].index("a"))) == [
        (1, 2, 3),
        (3, 4, 7),
        (4, 5, 6),
        (7, 13, 1),
        (13, 14, 1),
        (14, 15, 0),
        (15, 16, 19),
    ]
    assert sorted(messages(net, LARGE[0].index("b"))) == [(2, 3, 15), (3, 4, 7), (4, 5, 6), (15, 16, 19), (19, 2, 15)]
    assert len(messages(large(shortcuts="all"), LARGE[0].index("a"))) == 6
    assert (7, 14, 1) in messages(large(shortcuts="all"), LARGE[0].index("a"))


def test_the_second_best_link_takes_over() -> None:
    """With `all`, a sends from 7 to r at 14; if that link fails, to j at 13, as with `nontree`."""
    net = large(shortcuts="all")
    a, r, out = (net.node[LARGE[0].index("a")], LARGE[0].index("r"), blank(Outcome, net.capacity))
    pub = blank(Pub, net.capacity)
    pub.channel, pub.ep = CHANNEL, 1
    detour(a, net.now, pub, 7, r, out)
    assert [(x.to, x.at, x.goal, x.ep) for x in out.send[: out.sends]] == [(LARGE[0].index("j"), 7, 13, 1)]
    detour(a, net.now, pub, 8, r, out)
    assert (out.sends, out.reason) == (0, k.NOT_MY_POSITION)


def test_vr2015_goes_around() -> None:
    net = small("abc", shortcuts="nontree", system="vr2015")
    assert [to for _, to, _ in messages(net, "recadb".index("d"))] == [7, 8, 2, 3, 4]


def test_ring_and_flood_count() -> None:
    assert len(messages(large(system="ring"), 0)) == 20
    assert len(messages(large(system="flood"), 0)) == 11


def test_shen_follows_the_tree() -> None:
    net = large(system="shen")
    assert len(messages(net, LARGE[0].index("a"))) == 6  # c; d, g; r, b, i
    assert {v for _, v, _ in net.delivered} == {LARGE[0].index(x) for x in "cgi"}


def test_line() -> None:
    """c subscribes, then a: d, b, f point to 10 and then to 9; c's entries become 3, 3; a's stay 10, 10."""
    names, tie = "recadbf", "re ec ca ad db bf"
    n, edges = graph(names, tie)

    def table(net: Any, name: str) -> list[int | None]:
        found = next_subscribers(net)
        return [found[p] for p in net.node[names.index(name)].position if p >= 0]

    net = settle(n, edges, tree(names, tie), [names.index("c")])
    assert [*"recadbfbdace"] == [names[v] for v in ring_of(net)]
    assert {x for name in "dbf" for x in table(net, name)} == {10} and table(net, "a") == [10, 10]
    net.subscribe(names.index("a"))
    spread_sub(net, names.index("a"))
    assert {x for name in "dbf" for x in table(net, name)} == {9}
    assert table(net, "c") == [3, 3] and table(net, "a") == [10, 10]


def test_interval() -> None:
    """P = 5, 12, 18 with ns 14, 14, 20 and a subscriber at 3, 7 becomes 7, 14, 20."""
    me = blank(Node, Capacity(links=3))
    me.length, me.position, me.ring = 30, [5, 12, 18], 1
    me.channel[0], entries = CHANNEL, me.row[0].entry
    for entry, ns in zip(entries, [14, 14, 20]):
        clear_entry(entry)
        entry.ns, entry.since = ns, 100
    for entry, p in zip(entries, me.position):
        for s in (3, 7):
            update(me, 100, entry, p, s)
    assert [e.ns for e in entries] == [7, 14, 20]
