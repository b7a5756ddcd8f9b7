"""When a node does what: HELLOs in time and out of turn, SUBs, cleaning."""

from collections.abc import Callable

import pytest

from psvr.protocol import constants as k
from psvr.protocol import node, ring
from psvr.protocol.layout import blank, snapshot
from psvr.protocol.records import Hello, Node
from psvr.protocol.table import lease, make_row
from tests.support.network import CHANNEL, Network
from tests.support.protocol.hand_made import (
    CHILD,
    NOW,
    OTHER,
    PARENT,
    SMALL,
    add_candidate,
    add_link,
    hello,
    inner,
    started,
)

PERIOD = k.HELLO_PERIOD


def quiet(me: Node) -> Node:
    """Nothing is due for a while."""
    me.hello_at, me.sub_at, me.clean_at, me.trigger_at, me.said_at = NOW + PERIOD, NOW + 300, NOW + 400, 0, NOW - PERIOD
    me.remind_at = me.reminders = 0
    return me


def woken(me: Node, now: int = NOW) -> tuple[int, Hello]:
    out = blank(Hello, SMALL)
    return node.wake(me, now, out), out


def in_ring_of_two() -> Node:
    """Root 9 with the child 20, settled."""
    me = started()
    add_link(me, 0, CHILD, root=9, parent=9, dist=1)
    ring.derive(me)
    return quiet(me)


# --- changes, announced out of turn


@pytest.mark.parametrize("name", ["root", "dist", "parent", "digest", "ring"])
def test_neighbours_act_upon_all_of_tree_and_ring(name: str) -> None:
    me = inner()
    before = node.public_state(me)
    setattr(me, name, getattr(me, name) + 1)
    assert node.public_state(me) != before


def test_neighbours_act_upon_the_start_and_not_upon_what_follows_from_it() -> None:
    me = inner()
    before = node.public_state(me)
    me.position[0] += 1
    assert node.public_state(me) != before
    me.position[0] -= 1
    me.seq, me.size, me.position[1] = 99, 99, 99
    assert node.public_state(me) == before


def test_a_change_is_announced_within_20_to_100_ms() -> None:
    pauses = set()
    for id in range(1000, 1400):
        me = quiet(started(id=id))
        add_link(me, 0, PARENT)  # offers a root
        node.derive(me, NOW)
        pauses.add((me.trigger_at - NOW) // k.MILLISECOND)
    assert min(pauses) in (20, 21) and max(pauses) in (98, 99, 100)
    me.trigger_at = 0
    node.derive(me, NOW)
    assert me.trigger_at == 0  # nothing new


@pytest.mark.parametrize("said_ago, least", [(0, 200), (150, 50), (190, 20), (1000, 20)])
def test_two_hellos_are_200_ms_apart(said_ago: int, least: int) -> None:
    me = quiet(started())
    me.said_at = NOW - said_ago * k.MILLISECOND
    add_link(me, 0, PARENT)
    node.derive(me, NOW)
    assert least * k.MILLISECOND <= me.trigger_at - NOW <= max(least, 100) * k.MILLISECOND


@pytest.mark.parametrize(
    "at, stays",
    [(NOW + 1, True), (NOW + k.TRIGGER_GAP, True), (NOW + k.TRIGGER_GAP + 1, False), (0, False), (-5, False)],
)
def test_a_hello_that_is_about_to_be_said_is_not_put_off(at: int, stays: bool) -> None:
    me = quiet(started())
    me.trigger_at = at
    add_link(me, 0, PARENT)
    node.derive(me, NOW)
    assert (me.trigger_at == at) == stays and NOW < me.trigger_at <= NOW + k.TRIGGER_GAP


def test_a_late_number_of_the_root_is_passed_on_at_once_though_nothing_else_changed() -> None:
    for ago, told in ((PERIOD, False), (3 * PERIOD, True)):
        me = started()
        add_link(me, 0, PARENT, seq=7)
        node.derive(me, NOW)
        quiet(me)
        me.seq, me.fresh = 6, NOW - ago
        node.derive(me, NOW)
        assert (me.trigger_at != 0) == told


# --- reminders, to tree neighbours that do not act on it


def up_to_date(what: Callable[[Node], None] | None = None, **settings: int) -> Node:
    """A node whose neighbours act on all that it says, except for `what` they do; nothing else is due for 5 s."""
    me = inner(hello=10 * PERIOD, **settings)
    me.link[0].dist, me.link[0].my_start, me.link[1].size = 1, 4, 3
    ring.derive(me)
    me.link[0].my_digest = me.digest
    node.derive(me, NOW)
    assert me.position[:2] == [4, 10] and not ring.is_ahead(me)
    if what is not None:
        what(me)
        node.derive(me, NOW)
    quiet(me)
    me.hello_at, me.sub_at, me.clean_at = NOW + 9 * PERIOD, NOW + 5 * PERIOD, NOW + 5 * PERIOD
    return me


def behind(what: Callable[[Node], None], **settings: int) -> Node:
    """… and one of them does not: it has just said so."""
    me = up_to_date(what, **settings)
    node.trigger(me, NOW)
    me.trigger_at, me.said_at = 0, NOW
    node.remind(me, NOW)
    return me


def place_another(me: Node) -> None:
    me.link[0].my_digest, me.link[1].ring = 1, -1


AHEAD: dict[str, Callable[[Node], None]] = {
    "the parent places another subtree": place_another,
    "a child has another ring": lambda me: setattr(me.link[1], "ring", 76),
    "a child has no ring": lambda me: setattr(me.link[1], "ring", -1),
    "a child has older news of the root": lambda me: setattr(me.link[1], "seq", me.seq - k.LATE_AFTER - 1),
}
NOT_AHEAD: dict[str, Callable[[Node], None]] = {
    "a child is a little behind": lambda me: setattr(me.link[1], "seq", me.seq - k.LATE_AFTER),
    "others have another ring": lambda me: setattr(me.link[2], "ring", 76),
}


@pytest.mark.parametrize("what", AHEAD)
def test_what_a_tree_neighbour_does_not_act_upon_is_said_again(what: str) -> None:
    me = behind(AHEAD[what])
    for left in reversed(range(k.REMINDERS)):
        at = me.remind_at
        assert me.reminders == left and node.next_due(me, me.said_at) == at
        assert k.REMIND_MIN <= at - me.said_at <= k.REMIND_MAX
        assert woken(me, at - 1)[0] == 0 and woken(me, at)[0] == node.SAY_HELLO
    assert me.remind_at == me.reminders == 0


@pytest.mark.parametrize("what", NOT_AHEAD)
def test_what_all_act_upon_is_not_said_again(what: str) -> None:
    me = up_to_date(NOT_AHEAD[what])
    me.reminders, me.remind_at = 3, NOW
    assert woken(me, NOW)[0] == 0 and me.remind_at == 0


def test_reminders_are_a_setting() -> None:
    for reminders in (0, 1, 7):
        me = behind(AHEAD["a child has another ring"], reminders=reminders)
        said, now = 0, node.next_due(me, NOW)
        while now < NOW + 5 * PERIOD:
            said += woken(me, now)[0] == node.SAY_HELLO
            now = node.next_due(me, now)
        assert said == reminders


@pytest.mark.parametrize("reminders, left", [(-5, 0), (0, 0), (1, 0), (4, 3), (99, 3)])
def test_reminders_out_of_range(reminders: int, left: int) -> None:
    me = up_to_date()
    me.reminders = reminders
    node.remind(me, NOW)
    assert me.reminders == left and (me.remind_at > NOW) == (reminders > 0)


def test_a_reminder_further_ahead_than_any_rule_puts_it_is_due() -> None:
    me = up_to_date()
    me.remind_at = NOW + k.REMIND_MAX + 1
    assert node.next_due(me, NOW) == NOW
    assert woken(me)[0] == 0 and me.remind_at == 0


def test_without_loss_hardly_anything_is_said_again() -> None:
    said = {}
    for reminders in (0, k.REMINDERS):
        net = Network([(v, v + 1) for v in range(11)], 12, settings={"reminders": reminders})
        net.run(60)
        said[reminders] = sum(me.number for me in net.node)
    assert said[0] <= said[k.REMINDERS] <= 1.1 * said[0]


def test_a_silent_link_is_given_up_as_soon_as_anything_is_derived() -> None:
    me = quiet(inner())
    me.link[0].heard = NOW - 9 * PERIOD
    node.derive(me, NOW)
    assert me.link[0].id == k.NOBODY and me.parent == OTHER


def test_a_new_ring_empties_the_table_and_the_same_ring_does_not() -> None:
    me = in_ring_of_two()
    make_row(me, CHANNEL)
    node.derive(me, NOW)
    assert CHANNEL in me.channel and me.bursts == 0
    me.link[0].digest += 1
    node.derive(me, NOW)
    assert CHANNEL not in me.channel and me.bursts == 3 and me.sub_at > NOW


def test_a_hello_of_a_link_is_recorded_in_all_layers_and_a_stranger_s_as_a_candidate() -> None:
    me = quiet(started())
    add_link(me, 0, PARENT, root=k.NOBODY, keeps_me=0)
    said = hello(PARENT, root=2, parent=3, dist=4, seq=70, size=6, digest=12, links=1)
    said.link[0].id, said.link[0].quality = 9, 200
    node.hear_hello(me, NOW, said)
    x = me.link[0]
    assert (x.keeps_me, x.root, x.parent, x.dist, x.seq, x.size, x.digest) == (1, 2, 3, 4, 70, 6, 12)
    assert (me.root, me.parent, me.dist, me.seq) == (2, PARENT, 5, 70) and me.trigger_at > NOW
    before = snapshot(me, Node)
    node.hear_hello(me, NOW, hello(77, root=1))
    after = snapshot(me, Node)
    assert after.pop("candidate")[0]["id"] == 77 and before.pop("candidate") and before == after


# --- waking


def test_a_node_is_woken_at_the_earliest_of_its_times() -> None:
    me = quiet(inner())
    assert node.next_due(me, NOW) == NOW + 300
    me.trigger_at = NOW + 200
    assert node.next_due(me, NOW) == NOW + 200
    me.clean_at = NOW + 100
    assert node.next_due(me, NOW) == NOW + 100
    me.hello_at = NOW + 50
    assert node.next_due(me, NOW) == NOW + 50
    me.sub_at = NOW - 1
    assert node.next_due(me, NOW) == NOW


def test_systems_without_subs_are_not_woken_for_them() -> None:
    me = quiet(inner(system=k.FLOOD))
    assert node.next_due(me, NOW) == NOW + 400


@pytest.mark.parametrize(
    "name, longest",
    [("hello_at", 2 * PERIOD), ("clean_at", 6 * k.SECOND), ("trigger_at", k.TRIGGER_GAP), ("sub_at", 12 * k.SECOND)],
)
def test_a_time_further_than_any_rule_puts_it_is_now(name: str, longest: int) -> None:
    me = quiet(inner())
    me.hello_at = me.clean_at = me.sub_at = NOW + 190 * k.MILLISECOND
    assert lease(me) == 6 * k.SECOND
    setattr(me, name, NOW + longest)
    assert node.next_due(me, NOW) > NOW
    setattr(me, name, NOW + longest + 1)
    assert node.next_due(me, NOW) == NOW
    woken(me)
    assert node.next_due(me, NOW) > NOW


def test_a_period_is_over() -> None:
    me = quiet(started())
    me.hello_at, me.own, me.number = NOW, 7, 40
    add_candidate(me, 0, 30)
    said, out = woken(me)
    assert said == node.SAY_HELLO and (out.src, out.number, out.root, out.seq) == (9, 41, 9, 8)
    assert me.link[0].id == out.link[0].id == 30  # one is taken in, and listed
    assert (me.own, me.said_at, me.trigger_at) == (8, NOW, 0)


def test_windows_and_counts_are_put_in_range_when_tables_are_cleaned() -> None:
    me = quiet(started())
    me.clean_at, me.bursts = NOW, 99
    me.seen[0].boot, me.relayed[0].key = -1, -1
    assert woken(me)[0] == 0
    assert (me.seen[0].boot, me.relayed[0].key, me.bursts) == (0, 0, 3)


def test_periods_are_a_tenth_early_or_late() -> None:
    pauses = set()
    for id in range(1000, 1500):
        me = quiet(started(id=id))
        me.hello_at = NOW
        woken(me)
        pauses.add((me.hello_at - NOW) / PERIOD)
    assert 0.9 <= min(pauses) < 0.91 and 1.09 < max(pauses) <= 1.1


def test_a_triggered_hello_is_not_a_proof_of_life_and_takes_nobody_in() -> None:
    me = quiet(started())
    me.trigger_at, me.own, me.number = NOW, 7, 40
    add_candidate(me, 0, 30)
    said, out = woken(me)
    assert said == node.SAY_HELLO and out.number == 41
    assert (me.own, me.trigger_at, me.said_at, me.hello_at, me.link[0].id) == (7, 0, NOW, NOW + PERIOD, k.NOBODY)


@pytest.mark.parametrize("name", ["hello_at", "trigger_at"])
def test_what_a_hello_says_is_derived_when_it_is_said(name: str) -> None:
    """The parent fell silent: whatever the HELLO is for, it says so."""
    me = quiet(inner())
    me.link[0].heard = NOW - 9 * PERIOD
    setattr(me, name, NOW)
    said, out = woken(me)
    assert said == node.SAY_HELLO and (out.root, out.parent, out.dist, out.links) == (0, OTHER, 3, 2)


def test_nothing_is_said_before_its_time() -> None:
    me = quiet(inner())
    me.trigger_at = NOW + 1
    before = snapshot(me, Node)
    assert woken(me)[0] == 0 and snapshot(me, Node) == before


def test_subs_and_cleaning_have_their_own_times() -> None:
    me = quiet(inner())
    assert woken(me, NOW + 300)[0] == node.SAY_SUB and me.sub_at > NOW + 300 + 5 * k.SECOND
    assert woken(me, NOW + 400)[0] == 0 and me.clean_at == NOW + 400 + lease(me) // 10
    assert woken(quiet(inner(system=k.RING)), NOW + 300)[0] == 0


@pytest.mark.parametrize("number, following", [(0, 1), (k.SEQ_LIMIT - 1, k.SEQ_LIMIT), (k.SEQ_LIMIT, 0), (-4, 0)])
def test_hellos_are_numbered(number: int, following: int) -> None:
    me, out = started(), blank(Hello, SMALL)
    me.number = number
    node.write_hello(me, NOW, out)
    assert me.number == out.number == following


def test_a_node_that_gives_up_its_root_gives_up_its_ring() -> None:
    me = quiet(inner())
    me.fresh = NOW - 100 * PERIOD
    node.derive(me, NOW)
    assert me.dead_root == 0 and not ring.has_ring(me) and me.trigger_at > 0


def test_a_root_resumes_from_the_number_of_its_former_life() -> None:
    me = started()
    node.resume_from(me, 5000)
    assert (me.own, me.seq) == (5000, 5000)
    me.hello_at = NOW
    assert woken(me)[1].seq == 5001
