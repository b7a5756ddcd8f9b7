"""Draw any state and any message, force the node into it, apply a rule: no exception, nothing out of range after it,
and what the rule stands for is true again.  Each test says how much of what it is about its draws must reach."""

import random

from psvr.protocol import constants as k
from psvr.protocol import links, node, ring, table, tree
from psvr.protocol.layout import blank, outside, snapshot
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import publication, subscription
from psvr.protocol.records import Hello, Link, Node, Outcome, Pub, Sub
from tests.support.network import CHANNEL
from tests.support.protocol.states import CAPACITY, NOW, Draw, any_node, drawn, reached


def wrong(me: Node, *names: str) -> list[str]:
    """Return the fields out of range among those whose paths begin with one of the names."""
    return [x for x in outside(me, Node) if x.startswith(names)]


@drawn(1500, links=1 / 3, follows=0.2, ring=0.1, rows=0.1, parent_kept=0.05, ring_kept=0.05)
def test_drawn_states_are_populated(rng: random.Random) -> set[str]:
    """Enough is left of them after the first rules: otherwise all other tests here would examine empty nodes."""
    me, _ = any_node(rng)
    before = me.parent, me.ring
    links.tidy(me, NOW)
    kept = sum(link.id != k.NOBODY for link in me.link) >= 2
    node.derive(me, NOW)
    entries = [e.ns for c, row in zip(me.channel, me.row) if c != k.NO_CHANNEL for e in row.entry]
    return reached(
        links=kept,
        follows=me.root != me.id,
        ring=ring.has_ring(me),
        rows=ring.has_ring(me) and any(table.valid(me, ns) != NONE for ns in entries),
        parent_kept=me.parent == before[0] != k.NOBODY,
        ring_kept=me.ring == before[1] >= 0,
    )


@drawn(1000, hello_of_link=0.3, hello_of_other=0.1, sub_taken=0.08, sub_passed_on=0.02, pub_taken=0.08, pub_sent=0.03)
def test_drawn_messages_are_taken(rng: random.Random) -> set[str]:
    me, draw = any_node(rng, k.PSVR)
    node.derive(me, NOW)
    hello, sub, pub = (draw.message(cls, me) for cls in (Hello, Sub, Pub))
    known = links.sender(me, hello.src) != NONE
    relayed, out = blank(Sub, CAPACITY), blank(Outcome, CAPACITY)
    reason = node.hear_sub(me, NOW, sub, relayed)
    node.hear_pub(me, NOW, pub, out)
    return reached(
        hello_of_link=known,
        hello_of_other=not known and hello.src >= 0,
        sub_taken=reason == k.FINE,
        sub_passed_on=relayed.channels > 0,
        pub_taken=out.reason == k.FINE,
        pub_sent=out.sends > 0,
    )


@drawn(600, links=0.4, two_way=0.3, half_open=0.03, candidate_taken_in=0.03)
def test_links_are_distinct_living_good_nodes(rng: random.Random) -> set[str]:
    me, _ = any_node(rng)
    candidates = {c.id for c in me.candidate}
    links.each_period(me, NOW)
    assert not wrong(me, "link", "candidate", "turned_away")
    kept = [link for link in me.link if link.id != k.NOBODY]
    ids = [link.id for link in kept]
    assert len(ids) == len(set(ids)) <= me.settings.links and me.id not in ids
    assert not set(ids) & {c.id for c in me.candidate if c.id != k.NOBODY}
    for link in kept:
        assert links.link_quality(link) >= links.min_quality(me, link)
        assert NOW - link.heard <= (k.SILENCE + (k.PATIENCE if link.q_in < k.QUALITY_ADMIT else 0)) * k.SECOND
        assert link.keeps_me or NOW - link.since <= k.HALF_OPEN * k.SECOND
    for c in me.candidate:
        assert c.shun == 0 or c.shun - NOW <= k.EVICTED_MAX * k.SECOND
    return reached(
        links=bool(kept),
        two_way=any(map(links.two_way, kept)),
        half_open=links.half_open(me) > 0,
        candidate_taken_in=bool(candidates & {link.id for link in kept if link.since == NOW}),
    )


@drawn(600, of_link=0.3, keeps_me=0.1, of_candidate=0.05)
def test_links_record_what_they_hear(rng: random.Random) -> set[str]:
    me, draw = any_node(rng)
    links.tidy(me, NOW)
    links.tidy_candidates(me, NOW)
    hello = draw.message(Hello, me)
    place = links.hear(me, NOW, hello)
    assert not wrong(me, "link", "candidate")
    if place != NONE:
        link = me.link[place]
        assert link.id == hello.src and link.heard == NOW
        assert bool(link.keeps_me) == (me.id in [x.id for x in hello.link[: max(0, hello.links)]])
        assert link.number == max(0, min(hello.number, k.SEQ_LIMIT))
    heard = [c for c in me.candidate if c.id == hello.src and c.heard == NOW]
    assert place == NONE or not heard
    return reached(
        of_link=place != NONE, keeps_me=place != NONE and me.link[place].keeps_me == 1, of_candidate=bool(heard)
    )


@drawn(600, follows=0.2, own_root=0.2, refused=0.1, gave_up=0.02)
def test_tree_follows_an_offer_or_is_its_own_root(rng: random.Random) -> set[str]:
    me, _ = any_node(rng)
    links.tidy(me, NOW)
    tree.derive(me, NOW)
    assert not wrong(me, "root", "parent", "dist", "seq", "own", "fresh", "dead")
    offers = [link for link in me.link if links.two_way(link) and 0 <= link.root < me.id]
    usable = [link for link in offers if not tree.refused(me, NOW, link)]
    assert bool(usable) == (me.root != me.id)
    if me.root == me.id:
        assert (me.parent, me.dist, me.seq) == (k.NOBODY, 0, me.own)
    else:
        parent = me.link[links.sender(me, me.parent)]
        assert parent in usable and me.root == parent.root == min(link.root for link in usable)
        assert me.dist == parent.dist + 1 <= me.settings.depth and parent.parent != me.id
        assert me.seq == max(link.seq for link in usable if link.root == me.root)
        if me.root == me.dead_root and NOW - me.dead_at <= tree.dead_life(me):
            assert me.seq > me.dead_seq
    assert 0 <= me.own <= k.SEQ_TRUSTED + 2 * NOW // k.SECOND
    return reached(
        follows=me.root != me.id,
        own_root=me.root == me.id,
        refused=len(usable) < len(offers),
        gave_up=me.dead_at == NOW,
    )


@drawn(600, ring=0.15, ring_of_a_parent=0.1, children=0.05, no_ring=0.1)
def test_ring_positions_are_what_start_and_sizes_say(rng: random.Random) -> set[str]:
    me, _ = any_node(rng)
    links.tidy(me, NOW)
    tree.derive(me, NOW)
    ring.derive(me)
    assert not wrong(me, "size", "digest", "ring", "length", "position")
    children = sorted((link for link in me.link if tree.is_child(me, link)), key=lambda link: link.id)
    assert me.size == min(1 + sum(max(child.size, 1) for child in children), k.MAX_SIZE)
    positions = [p for p in me.position if p != NONE]
    assert me.position[len(positions) :] == [NONE] * (4 - len(positions))
    if ring.has_ring(me):
        due = [positions[0]]
        for child in children:
            due.append(due[-1] + 2 * max(child.size, 1))
        assert positions == (due[:-1] if me.root == me.id else due)
        assert positions[-1] < me.length and len(positions) == tree.tree_degree(me)
        if me.root != me.id:
            parent = me.link[links.sender(me, me.parent)]
            assert (parent.my_start, parent.my_digest, parent.ring) == (positions[0], me.digest, me.ring)
    else:
        assert not positions and me.ring == -1 and me.length == 0
    assert not ring.derive(me)  # nothing changes by asking again
    return reached(
        ring=ring.has_ring(me),
        ring_of_a_parent=ring.has_ring(me) and me.root != me.id,
        children=ring.has_ring(me) and bool(children),
        no_ring=not ring.has_ring(me),
    )


@drawn(600, positions=0.3, my_start=0.1)
def test_ring_records_positions_on_the_ring_only(rng: random.Random) -> set[str]:
    me, draw = any_node(rng)
    link, hello = blank(Link, CAPACITY), draw.message(Hello, me)
    ring.hear(me, link, hello)
    assert not outside(link, Link)
    positions = [p for p in link.position if p != NONE]
    assert all(p < link.length for p in positions) and link.position[: len(positions)] == positions
    return reached(positions=bool(positions), my_start=link.my_start != NONE)


@drawn(600, ring=0.15, entries=0.1, aged=0.03)
def test_cleaned_tables_name_other_nodes_on_the_ring(rng: random.Random) -> set[str]:
    me, draw = any_node(rng, rng.choice([k.PSVR, k.VR2015]))
    node.derive(me, NOW)
    rows = draw.node()
    me.channel, me.row = rows.channel, rows.row  # arbitrary again, whatever the new ring has reset
    before = [[(e.ns, e.since) for e in row.entry] for row in me.row]
    subscription.clean(me, NOW)
    assert not wrong(me, "row", "clean_at")
    entries = aged = False
    for channel, row, old in zip(me.channel, me.row, before):
        for entry, p, (ns, since) in zip(row.entry, me.position, old):
            for s in (entry.ns, entry.spare):
                assert s == NONE or (channel != k.NO_CHANNEL and p != NONE and table.valid(me, s) == s)
            fresh = entry.ns != NONE and 0 <= NOW - entry.since <= k.WRITE_BACK * table.lease(me)
            assert entry.ns == NONE or fresh or entry.since < NOW
            if channel != k.NO_CHANNEL and p != NONE and table.valid(me, ns) == ns != NONE:
                if 0 <= NOW - since <= k.WRITE_BACK * table.lease(me):
                    assert (entry.ns, entry.since) == (ns, since)
                    entries = True
                else:
                    aged = True
        if channel != k.NO_CHANNEL and not table.wants(me, channel):
            assert any(e.ns != NONE for e in row.entry)
    return reached(ring=ring.has_ring(me), entries=entries, aged=aged)


@drawn(400, entries=0.03)
def test_cleaned_tables_of_shen(rng: random.Random) -> set[str]:
    me, _ = any_node(rng, k.SHEN)
    node.derive(me, NOW)
    subscription.clean(me, NOW)
    assert not wrong(me, "row", "clean_at")
    left = [(i, e) for row in me.row for i, e in enumerate(row.entry) if e.ns != NONE]
    for i, entry in left:
        assert entry.ns == 0 and tree.is_tree(me, me.link[i])
        assert me.link[i].since <= entry.since <= NOW <= entry.since + k.WRITE_BACK * table.lease(me)
    return reached(entries=bool(left))


@drawn(1000, learnt=0.05, closer=0.02, passed_on=0.02)
def test_subscriptions_teach_the_nearest(rng: random.Random) -> set[str]:
    me, draw = any_node(rng, k.PSVR)
    node.derive(me, NOW)
    sub, out = draw.message(Sub, me), blank(Sub, CAPACITY)
    sub.channel[0], sub.channels = CHANNEL, max(sub.channels, 1)
    before = [table.next_subscriber(me, CHANNEL, j) for j in range(4)]
    reason = node.hear_sub(me, NOW, sub, out)
    assert not outside(out, Sub)
    row = table.find_row(me, CHANNEL)
    learnt = reason in (k.FINE, k.REPEATED) and row != NONE
    closer = False
    if learnt:
        for j, p in enumerate(x for x in me.position if x != NONE):
            ns = table.next_subscriber(me, CHANNEL, j)
            named = [s for s in sub.position if table.valid(me, s) != NONE]
            known = [s for s in (*named, before[j]) if s != NONE]
            assert ns == (min(known, key=lambda s: (s - p) % me.length) if known else NONE)
            closer |= ns != before[j]
    if out.channels:
        assert out.src == me.id and out.back == sub.src and out.ring == me.ring and out.limit < sub.limit
        assert not any(table.wants(me, c) for c in out.channel[: out.channels])
        again = blank(Sub, CAPACITY)
        no_room = k.NO_ROOM if reason == k.NO_ROOM else k.FINE
        assert node.hear_sub(me, NOW + k.RELAY_PAUSE - 1, sub, again) == (no_room or k.REPEATED)
        assert again.channels == 0
        assert node.hear_sub(me, NOW + k.RELAY_PAUSE, sub, again) == no_room and again.channels == out.channels
    return reached(learnt=learnt, closer=closer, passed_on=out.channels > 0)


@drawn(1500, sends=0.05, two_sends=0.005, delivers=0.05, psvr=0.02)
def test_publications_end_and_stay_in_their_interval(rng: random.Random) -> set[str]:
    me, draw = any_node(rng)
    node.derive(me, NOW)
    pub, out = draw.message(Pub, me), blank(Outcome, CAPACITY)
    pub.hops, pub.cur = rng.choice([0, 1, 5]), rng.choice([pub.cur, *(p for p in me.position if p != NONE)])
    publication.handle(me, NOW, pub, out)
    assert not outside(out, Outcome)
    kept = {link.id for link in me.link if links.two_way(link)}
    served: list[int] = []
    for send in out.send[: out.sends]:
        assert send.to in kept or (me.settings.system == k.FLOOD and send.to == k.NOBODY)
        carried = blank(Pub, CAPACITY)
        publication.carry(me, pub, send, carried)
        assert carried.src == me.id and carried.hops == pub.hops + 1
        assert (carried.origin, carried.boot, carried.number, carried.again) == (
            pub.origin,
            pub.boot,
            pub.number,
            pub.again,
        )
        if me.settings.system == k.PSVR:
            assert send.at in me.position and send.goal not in me.position
            part = (send.ep - send.at) % me.length or me.length
            assert 0 < (send.goal - send.at) % me.length < part
            served += [(send.at + i) % me.length for i in range(min(part, 5000))]
    assert len(served) == len(set(served))  # no part of the ring is served twice
    return reached(sends=out.sends > 0, two_sends=out.sends > 1, delivers=out.deliver == 1, psvr=bool(served))


@drawn(200, links=0.1, ring=0.05)
def test_hosts_survive_any_memory(rng: random.Random) -> set[str]:
    """Woken when it is due, a node says HELLO within two periods, and after a lease all its memory is in range."""
    (me, _), now, first = any_node(rng), NOW, 0
    kept = on_ring = False
    while now < NOW + 2 * table.lease(me):
        due = node.next_due(me, now)
        assert due >= now
        now = due
        hello, sub = blank(Hello, CAPACITY), blank(Sub, CAPACITY)
        said = node.wake(me, now, hello)
        kept, on_ring = kept or links.find_free(me) != 0, on_ring or ring.has_ring(me)
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
    return reached(links=kept, ring=on_ring)


@drawn(300, suppressed=0.02)
def test_names_that_a_fault_wrote_suppress_nothing_for_long(rng: random.Random) -> set[str]:
    me, _ = any_node(rng, k.FLOOD)
    pub, twin = blank(Pub, CAPACITY), blank(Outcome, CAPACITY)
    pub.origin, pub.boot, pub.number = rng.choice([(3, 1, 1001), (0, 1, 1002)])
    again = Draw(random.Random(rng.random())).node(k.FLOOD)
    early = publication.is_new(me, NOW, pub)
    publication.tidy(again, NOW)  # as in every period
    publication.handle(again, NOW + k.NAME_LIFE + 1, pub, twin)
    assert twin.reason == k.FINE
    return reached(suppressed=not early)


@drawn(300)
def test_start_leaves_nothing_behind(rng: random.Random) -> set[str]:
    me, _ = any_node(rng)
    before = snapshot(me, Node)
    node.start(me, me.id, NOW)
    assert not outside(me, Node)
    assert snapshot(me, Node)["wants"] == before["wants"] and me.root == me.id and not ring.has_ring(me)
    other = Draw(random.Random(rng.random())).node(me.settings.system)
    other.settings, other.wants = me.settings, me.wants
    node.start(other, me.id, NOW)
    assert snapshot(other, Node) == snapshot(me, Node)
    return set()
