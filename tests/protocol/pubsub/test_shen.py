"""Shen's rules one by one: what each tree neighbour wants, what is announced to whom, where a publication goes."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol.layout import blank
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import shen
from psvr.protocol.records import Node, Outcome, Pub, Sub
from psvr.protocol.table import find_row, lease, make_row
from tests.support.network import CHANNEL
from tests.support.protocol.hand_made import CHILD, LONG_AGO, NOW, OTHER, PARENT, SMALL, add_link, inner

SECOND_CHILD = 22


def hub() -> Node:
    """Node 9 with its parent, a child, a link beside the tree, and a second child."""
    me = inner(system=k.SHEN)
    add_link(me, 3, SECOND_CHILD, root=0, parent=9, dist=2)
    me.sub_at = NOW + 1000 * k.SECOND
    return me


def want(me: Node, i: int, channel: int = CHANNEL, since: int = NOW) -> None:
    """The i-th link has said that it wants a channel."""
    entry = me.row[make_row(me, channel)].entry[i]
    entry.ns, entry.since = shen.WANTED, since


def told(src: int = CHILD, *channels: int, to: int = 9, last: int = 1) -> Sub:
    sub = blank(Sub, SMALL)
    sub.src, sub.to, sub.last, sub.channels = src, to, last, len(channels)
    sub.channel[: len(channels)] = channels
    return sub


def wanting(me: Node, channel: int = CHANNEL) -> list[int]:
    """Return who wants a channel, as far as node 9 knows."""
    row = find_row(me, channel)
    return (
        [] if row == NONE else [x.id for i, x in enumerate(me.link) if shen.wanted_by(me, NOW, i, me.row[row].entry[i])]
    )


def test_a_wish_holds_for_the_write_back_of_a_tree_link() -> None:
    life = k.WRITE_BACK * lease(hub())
    for since, i, holds in (
        (NOW, 1, True),
        (NOW - life, 1, True),
        (NOW - life - 1, 1, False),
        (NOW + 1, 1, False),
        (NOW, 2, False),
        (NOW, 0, True),
    ):
        me = hub()
        want(me, i, since=since)
        assert bool(wanting(me)) == holds
    me = hub()
    want(me, 1)
    me.row[find_row(me, CHANNEL)].entry[1].ns = 3
    assert wanting(me) == []


@pytest.mark.parametrize("since, holds", [(LONG_AGO, True), (NOW - 5, True), (NOW - 4, False)])
def test_what_the_previous_link_in_this_place_wanted_does_not_count(since: int, holds: bool) -> None:
    me = hub()
    want(me, 1, since=NOW - 5)
    me.link[1].since = since
    assert bool(wanting(me)) == holds


def test_what_is_wanted_on_my_side_is_what_i_want_or_any_other_link() -> None:
    me = hub()
    assert [shen.wanted_beyond(me, NOW, CHANNEL, i) for i in (0, 1, 3)] == [False] * 3
    want(me, 1)
    assert [shen.wanted_beyond(me, NOW, CHANNEL, i) for i in (0, 1, 3)] == [True, False, True]
    want(me, 3)
    assert [shen.wanted_beyond(me, NOW, CHANNEL, i) for i in (0, 1, 3)] == [True] * 3
    me = hub()
    me.wants[CHANNEL % 4] = CHANNEL
    assert [shen.wanted_beyond(me, NOW, CHANNEL, i) for i in (0, 1, 3)] == [True] * 3


def said(me: Node) -> list[tuple[int, list[int], int]]:
    """All SUBs that are due, as (addressee, channels, last)."""
    found, part = [], 0
    for _ in range(50):
        out = blank(Sub, SMALL)
        part = shen.write_sub(me, NOW, part, out)
        if out.to != k.NOBODY:
            assert out.position == [NONE] * 4 and out.src == 9
            found.append((out.to, out.channel[: out.channels], out.last))
        if part == 0:
            return found
    raise AssertionError("no end")


def test_every_tree_neighbour_is_told_what_is_wanted_on_the_other_sides() -> None:
    me = hub()
    me.wants[5 % 4] = 5
    want(me, 1, 6)
    want(me, 3, 5)
    assert said(me) == [(PARENT, [5, 6], 1), (CHILD, [5], 1), (SECOND_CHILD, [5, 6], 1)]


def test_a_channel_that_i_want_too_is_named_once() -> None:
    for channel in (4, 5):  # in the first row, and in another
        me = hub()
        me.wants[channel % 4] = channel
        want(me, 1, channel)
        assert said(me)[0] == (PARENT, [channel], 1)


def test_a_node_that_wants_nothing_says_so() -> None:
    assert said(hub()) == [(PARENT, [], 1), (CHILD, [], 1), (SECOND_CHILD, [], 1)]


def test_a_list_too_long_for_a_frame_is_sent_in_parts_none_of_them_complete() -> None:
    me = hub()
    me.settings.frame = 2 + 3 * 2 + 2 + 4 + 2 + 2 * 8
    me.wants = [5, 6, 7, 8]
    assert said(me)[:2] == [(PARENT, [5, 6], 0), (PARENT, [7, 8], 0)]
    me.wants = [5, 6, 0, 0]
    assert said(me)[:2] == [(PARENT, [5, 6], 1), (CHILD, [5, 6], 1)]


@pytest.mark.parametrize(
    "sub, reason",
    [
        (told(CHILD, CHANNEL), k.FINE),
        (told(PARENT, CHANNEL), k.FINE),
        (told(99, CHANNEL), k.NOT_A_LINK),
        (told(OTHER, CHANNEL), k.NOT_IN_TREE),
        (told(CHILD, CHANNEL, to=8), k.NOT_IN_TREE),
        (told(CHILD, CHANNEL, to=k.NOBODY), k.NOT_IN_TREE),
    ],
)
def test_whose_subs_are_heard(sub: Sub, reason: int) -> None:
    me = hub()
    assert shen.hear_sub(me, NOW, sub) == reason
    assert wanting(me) == ([sub.src] if reason == k.FINE else [])


@pytest.mark.parametrize("last, left", [(1, [SECOND_CHILD]), (0, [CHILD, SECOND_CHILD])])
def test_a_complete_message_takes_back_what_it_does_not_name(last: int, left: list[int]) -> None:
    me = hub()
    want(me, 1, 6)
    want(me, 3, 6)
    want(me, 1, 7)
    shen.hear_sub(me, NOW, told(CHILD, 7, last=last))
    assert wanting(me, 6) == left and wanting(me, 7) == [CHILD]


def test_what_a_message_does_not_count_it_does_not_name() -> None:
    me, sub = hub(), told(CHILD, 7)
    sub.channel[1] = 6  # remains of the last one
    want(me, 1, 6)
    shen.hear_sub(me, NOW, sub)
    assert (wanting(me, 6), wanting(me, 7)) == ([], [CHILD])


def test_a_channel_without_a_row_is_reported_and_the_others_are_noted() -> None:
    me = hub()
    me.channel = [4, 0, 3, 7]
    assert shen.hear_sub(me, NOW, told(CHILD, 8, 5, 12)) == k.NO_ROOM
    assert (wanting(me, 8), wanting(me, 5), wanting(me, 12), wanting(me, 7)) == ([CHILD], [], [], [])


def test_a_wish_repeated_is_renewed() -> None:
    me = hub()
    want(me, 1, since=NOW - 9)
    shen.hear_sub(me, NOW, told(CHILD, CHANNEL))
    assert me.row[find_row(me, CHANNEL)].entry[1].since == NOW


@pytest.mark.parametrize(
    "before, sub, news",
    [
        ([], told(CHILD, CHANNEL), True),
        ([(1, CHANNEL)], told(CHILD, CHANNEL), False),
        ([(1, CHANNEL)], told(CHILD), True),
        ([(3, CHANNEL)], told(CHILD), False),
        ([(1, CHANNEL)], told(CHILD, CHANNEL, 6), True),
        ([(1, CHANNEL)], told(CHILD, 6, CHANNEL), True),
        ([(1, 4), (3, 5)], told(CHILD), True),
        ([], told(CHILD), False),
    ],
)
def test_changes_are_announced_soon(before: list[tuple[int, int]], sub: Sub, news: bool) -> None:
    me = hub()
    for i, channel in before:
        want(me, i, channel)
    shen.hear_sub(me, NOW, sub)
    soon = k.TRIGGER_MIN <= me.sub_at - NOW <= k.TRIGGER_MAX
    assert soon == news and (news or me.sub_at == NOW + 1000 * k.SECOND)


@pytest.mark.parametrize(
    "at, stays", [(NOW, True), (NOW + k.TRIGGER_MAX, True), (NOW + k.TRIGGER_MAX + 1, False), (NOW - 1, False)]
)
def test_changes_about_to_be_announced_are_not_put_off(at: int, stays: bool) -> None:
    me = hub()
    me.sub_at = at
    shen.announce_soon(me, NOW)
    assert (me.sub_at == at) == stays


def test_cleaning_forgets_what_no_tree_neighbour_wants() -> None:
    me = hub()
    want(me, 1)
    want(me, 2, 6)  # of a link beside the tree
    entry: Any = me.row[find_row(me, CHANNEL)].entry
    entry[1].spare, entry[1].spare_since, entry[3].ns, entry[3].since = 4, 5, 7, NOW
    shen.clean(me, NOW)
    assert (entry[1].ns, entry[1].since, entry[1].spare, entry[1].spare_since) == (0, NOW, NONE, 0)
    assert (entry[3].ns, entry[3].since) == (NONE, 0)
    assert find_row(me, CHANNEL) != NONE and find_row(me, 6) == NONE


def test_the_row_of_an_own_subscription_stays() -> None:
    me = hub()
    make_row(me, CHANNEL)
    me.wants[CHANNEL % 4] = CHANNEL
    shen.clean(me, NOW)
    assert find_row(me, CHANNEL) != NONE


@pytest.mark.parametrize(
    "src, goes_to",
    [(PARENT, [CHILD, SECOND_CHILD]), (CHILD, [PARENT, SECOND_CHILD]), (9, [PARENT, CHILD, SECOND_CHILD])],
)
def test_a_publication_goes_to_all_that_want_it_but_the_sender(src: int, goes_to: list[int]) -> None:
    me, pub, out = hub(), blank(Pub, SMALL), blank(Outcome, SMALL)
    for i in range(4):
        want(me, i)
    want(me, 1, 6)
    pub.src, pub.channel = src, CHANNEL
    shen.forward(me, NOW, pub, out)
    assert [(x.to, x.at, x.goal, x.ep) for x in out.send[: out.sends]] == [(id, NONE, NONE, NONE) for id in goes_to]
    out.sends, pub.channel = 0, 7
    shen.forward(me, NOW, pub, out)
    assert out.sends == 0
