"""Draw any state and any message, force the node into it, apply a rule: no exception, nothing out of range after it,
and what the rule stands for is true again."""

import random

from hypothesis import given, settings
from states import CAPACITY, NOW, any_message, any_node, randoms

from network import CHANNEL
from psvr.protocol import constants as k
from psvr.protocol import links, node, publication, ring, subscription, table, tree
from psvr.protocol.layout import blank, outside, snapshot
from psvr.protocol.positions import NONE
from psvr.protocol.records import Hello, Link, Node, Outcome, Pub, Sub

MANY = settings(max_examples=300)


def wrong(me: Node, *names: str) -> list[str]:
    """Fields out of range, of those whose path begins with one of the names."""
    return [x for x in outside(me, Node) if x.startswith(names)]


@MANY
@given(randoms)
def test_links_are_distinct_living_good_nodes(rng: random.Random) -> None:
    me = any_node(rng)
    links.each_period(me, NOW)
    assert not wrong(me, "link", "candidate", "turned_away")
    ids = [link.id for link in me.link if link.id != k.NOBODY]
    assert len(ids) == len(set(ids)) and me.id not in ids
    assert not set(ids) & {c.id for c in me.candidate if c.id != k.NOBODY}
    for link in me.link:
        if link.id != k.NOBODY:
            assert links.link_quality(link) >= k.QUALITY_DROP
            assert NOW - link.heard <= k.SILENCE * k.SECOND
            assert link.keeps_me or NOW - link.since <= k.HALF_OPEN * k.SECOND


@MANY
@given(randoms)
def test_links_record_what_they_hear(rng: random.Random) -> None:
    me = any_node(rng)
    links.tidy(me, NOW)
    links.tidy_candidates(me, NOW)
    hello = any_message(rng, Hello, me)
    place = links.hear(me, NOW, hello)
    assert not wrong(me, "link", "candidate")
    if place != NONE:
        link = me.link[place]
        assert link.id == hello.src and link.heard == NOW
        assert bool(link.keeps_me) == (me.id in [x.id for x in hello.link[:max(0, hello.links)]])


@MANY
@given(randoms)
def test_tree_follows_an_offer_or_is_its_own_root(rng: random.Random) -> None:
    me = any_node(rng)
    links.tidy(me, NOW)
    tree.derive(me, NOW)
    assert not wrong(me, "root", "parent", "dist", "seq", "own", "fresh", "dead")
    if me.root == me.id:
        assert (me.parent, me.dist, me.seq) == (k.NOBODY, 0, me.own)
    else:
        parent = me.link[links.sender(me, me.parent)]
        assert me.root == parent.root < me.id and me.dist == parent.dist + 1 <= me.settings.depth
        assert parent.parent != me.id
        assert all(link.root >= me.root for link in me.link if not tree.refused(me, NOW, link))


@MANY
@given(randoms)
def test_ring_positions_are_what_start_and_sizes_say(rng: random.Random) -> None:
    me = any_node(rng)
    links.tidy(me, NOW)
    tree.derive(me, NOW)
    ring.derive(me)
    assert not wrong(me, "size", "digest", "ring", "length", "position")
    positions = [p for p in me.position if p != NONE]
    assert positions == sorted(set(positions)) and me.position[len(positions):] == [NONE] * (4 - len(positions))
    if ring.has_ring(me):
        assert positions[-1] < me.length and len(positions) == tree.tree_degree(me)
    else:
        assert not positions and me.ring == -1 and me.length == 0
    assert not ring.derive(me)          # nothing changes by asking again


@MANY
@given(randoms)
def test_ring_records_positions_on_the_ring_only(rng: random.Random) -> None:
    me, link = any_node(rng), blank(Link, CAPACITY)
    hello = any_message(rng, Hello, me)
    ring.hear(me, link, hello)
    assert not outside(link, Link)
    positions = [p for p in link.position if p != NONE]
    assert all(p < link.length for p in positions) and link.position[:len(positions)] == positions


@MANY
@given(randoms)
def test_cleaned_tables_name_other_nodes_on_the_ring(rng: random.Random) -> None:
    me = any_node(rng, rng.choice([k.PSVR, k.VR2015]))
    node.derive(me, NOW)
    rows = any_node(rng)
    me.channel, me.row = rows.channel, rows.row         # arbitrary again, whatever the new ring has reset
    subscription.clean(me, NOW)
    assert not wrong(me, "row", "clean_at")
    for channel, row in zip(me.channel, me.row):
        for entry, p in zip(row.entry, me.position):
            for s in (entry.ns, entry.spare):
                assert s == NONE or (channel != k.NO_CHANNEL and p != NONE and table.valid(me, s) == s)
            assert entry.ns == NONE or NOW - entry.since <= k.WRITE_BACK * table.lease(me) or entry.since == 0
        if channel != k.NO_CHANNEL and not table.wants(me, channel):
            assert any(e.ns != NONE for e in row.entry)


@MANY
@given(randoms)
def test_cleaned_tables_of_shen(rng: random.Random) -> None:
    me = any_node(rng, k.SHEN)
    node.derive(me, NOW)
    subscription.clean(me, NOW)
    assert not wrong(me, "row", "clean_at")


@MANY
@given(randoms)
def test_subscriptions_teach_the_nearest(rng: random.Random) -> None:
    me = any_node(rng, k.PSVR)
    node.derive(me, NOW)
    sub, out = any_message(rng, Sub, me), blank(Sub, CAPACITY)
    sub.channel[0] = CHANNEL
    reason = node.hear_sub(me, NOW, sub, out)
    assert not outside(out, Sub)
    learnt = reason in (k.FINE, k.TOO_MANY_HOPS, k.REPEATED) and sub.channels > 0
    row = table.find_row(me, CHANNEL)
    if learnt and row != NONE:
        for j, p in enumerate(x for x in me.position if x != NONE):
            ns = table.next_subscriber(me, CHANNEL, j)
            for s in sub.position:
                if table.valid(me, s) != NONE:
                    assert (ns - p) % me.length <= (s - p) % me.length


@MANY
@given(randoms)
def test_publications_end_and_stay_in_their_interval(rng: random.Random) -> None:
    me = any_node(rng)
    node.derive(me, NOW)
    pub, out = any_message(rng, Pub, me), blank(Outcome, CAPACITY)
    pub.hops, pub.cur = rng.choice([0, 1, 5]), rng.choice(me.position)
    publication.handle(me, NOW, pub, out)
    assert not outside(out, Outcome)
    kept = {link.id for link in me.link if links.two_way(link)}
    for send in out.send[:out.sends]:
        assert send.to in kept or (me.settings.system == k.FLOOD and send.to == k.NOBODY)
        carried = blank(Pub, CAPACITY)
        publication.carry(me, pub, send, carried)
        assert carried.src == me.id and carried.hops == pub.hops + 1
        if me.settings.system == k.PSVR:
            assert send.at in me.position and send.goal not in me.position
            assert 0 < (send.goal - send.at) % me.length < ((send.ep - send.at) % me.length or me.length)


@MANY
@given(randoms)
def test_hosts_survive_any_memory(rng: random.Random) -> None:
    """Woken when it is due, a node says HELLO within two periods, and after a lease all its memory is in range."""
    me, now, first = any_node(rng), NOW, 0
    while now < NOW + 2 * table.lease(me):
        due = node.next_due(me, now)
        assert due >= now
        now = due
        hello, sub = blank(Hello, CAPACITY), blank(Sub, CAPACITY)
        said = node.wake(me, now, hello)
        if said & node.SAY_SUB:
            part = node.write_sub(me, now, 0, sub)
            for _ in range(200):
                assert not outside(sub, Sub)
                if part == 0:
                    break
                part = node.write_sub(me, now, part, sub)
            assert part == 0
        if said & node.SAY_HELLO:
            first = first or now
            assert not outside(hello, Hello)
    assert first <= NOW + 2 * k.SECOND
    assert not outside(me, Node)


@given(randoms)
def test_start_leaves_nothing_of_before(rng: random.Random) -> None:
    me = any_node(rng)
    before = snapshot(me, Node)
    node.start(me, me.id, NOW)
    assert not outside(me, Node)
    assert snapshot(me, Node)["wants"] == before["wants"] and me.root == me.id and not ring.has_ring(me)
