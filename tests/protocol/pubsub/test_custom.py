"""Custom rules in the plain form: which are called, and what is kept of their results."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol import systems
from psvr.protocol.layout import blank
from psvr.protocol.positions import NONE
from psvr.protocol.pubsub import custom, publication, subscription
from psvr.protocol.records import Node, Outcome, Pub, Sub
from psvr.protocol.table import make_row
from tests.support.network import CHANNEL
from tests.support.protocol.hand_made import CHILD, NOW, OTHER, PARENT, SMALL, inner


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Leave no row of one test to the next."""
    before = len(systems.ROWS)
    yield
    del systems.ROWS[before:]


def with_rules(like: int = k.PSVR, /, **rules: Callable[..., Any]) -> Node:
    me = inner(system=like)
    me.settings.custom = systems.new_row(systems.CustomSystem("mine", k.SYSTEMS[like], rules))
    return me


def some_pub() -> Pub:
    pub = blank(Pub, SMALL)
    pub.src, pub.cur, pub.ep, pub.ring, pub.channel, pub.hops, pub.origin = PARENT, 4, 4, 77, CHANNEL, 1, 3
    return pub


def nothing(*_: Any) -> int:
    return 0


RULES = ("forward", "detour", "write_sub", "hear_sub", "clean")


@pytest.mark.parametrize("name", RULES)
def test_only_the_rules_that_are_given_replace_those_of_the_system(name: str) -> None:
    me = with_rules(**{name: nothing})
    assert [custom.replaces(me, which) for which in range(5)] == [rule == name for rule in RULES]
    assert custom.has_custom_table(me) == (name == "clean")


@pytest.mark.parametrize("row", [0, -1, k.MAX_CUSTOM, 500])
def test_a_row_that_belongs_to_nobody_replaces_nothing(row: int) -> None:
    me = with_rules(forward=nothing)
    me.settings.custom = row
    assert not custom.replaces(me, custom.FORWARD)


def test_a_custom_forward_is_called_instead() -> None:
    def forward(me: Node, now: int, pub: Pub, out: Outcome) -> None:
        assert now == NOW and pub.number == 0
        out.send[0].to, out.send[0].goal, out.sends = OTHER, 16, 1

    out = blank(Outcome, SMALL)
    out.send[0].ep = out.send[0].at = 9  # remains of the last one
    publication.handle(with_rules(forward=forward), NOW, some_pub(), out)
    assert [(x.to, x.at, x.goal, x.ep) for x in out.send[: out.sends]] == [(OTHER, NONE, 16, NONE)]


def test_a_custom_system_without_a_detour_rule_has_no_detour() -> None:
    me, out = with_rules(forward=nothing), blank(Outcome, SMALL)
    for entry in me.row[make_row(me, CHANNEL)].entry:
        entry.ns, entry.since = 15, NOW
    publication.detour(me, NOW, some_pub(), 10, OTHER, out)
    assert out.sends == 0
    me.settings.custom = 0
    publication.detour(me, NOW, some_pub(), 10, OTHER, out)
    assert out.sends == 1


def test_a_custom_detour_learns_what_failed() -> None:
    def detour(me: Node, now: int, pub: Pub, at: int, avoid: int, out: Outcome) -> None:
        assert (now, at, avoid) == (NOW, 10, OTHER)
        out.send[0].to, out.sends = CHILD, 1

    out = blank(Outcome, SMALL)
    publication.detour(with_rules(k.SHEN, detour=detour), NOW, some_pub(), 10, OTHER, out)
    assert [x.to for x in out.send[: out.sends]] == [CHILD]


@pytest.mark.parametrize("name", ["forward", "detour"])
def test_fields_that_a_rule_forgets_are_blank_and_forbidden_values_are_dropped(name: str) -> None:
    def forgetful(me: Node, now: int, pub: Pub, *more: Any) -> None:
        out = more[-1]
        out.sends, out.send[1].to = 2, 99

    me, out = with_rules(**{name: forgetful}), blank(Outcome, SMALL)
    for x in out.send:
        x.to, x.at, x.goal, x.ep = CHILD, 5, 6, 7  # remains of the last one
    if name == "forward":
        publication.handle(me, NOW, some_pub(), out)
    else:
        publication.detour(me, NOW, some_pub(), 10, OTHER, out)
    assert [(x.to, x.at, x.goal, x.ep) for x in out.send[: out.sends]] == [(k.NOBODY, NONE, NONE, NONE)]
    assert out.reason == k.NO_WAY


def test_only_what_can_be_sent_is_kept_of_an_outcome() -> None:
    def forward(me: Node, now: int, pub: Pub, out: Outcome) -> None:
        for x, to in zip(out.send, (99, CHILD, k.NOBODY, PARENT)):
            x.to, x.at, x.goal, x.ep = to, -7, 1 << 31, 1 << 31
        out.sends, out.deliver, out.reason = 9, 5, 77

    me, out = with_rules(forward=forward), blank(Outcome, SMALL)
    publication.handle(me, NOW, some_pub(), out)
    most = 2 * k.MAX_SIZE - 1
    assert [(x.to, x.at, x.goal, x.ep) for x in out.send[: out.sends]] == [
        (CHILD, NONE, most, most),
        (k.NOBODY, NONE, most, most),
        (PARENT, NONE, most, most),
    ]
    assert (out.deliver, out.reason) == (1, k.NO_WAY)


@pytest.mark.parametrize("said, stuck", [(99, 4), (2, 2), (-5, 0)])
def test_parts_that_are_stuck_are_brought_into_range_too(said: int, stuck: int) -> None:
    """A host keeps each of them: one too many would be read past the end of the table."""

    def forward(me: Node, now: int, pub: Pub, out: Outcome) -> None:
        out.reason, out.stuck = k.NO_WAY, said
        out.left[0].to, out.left[0].at, out.left[0].goal, out.left[0].ep = 99, 4, -7, 1 << 31

    me, out = with_rules(forward=forward), blank(Outcome, SMALL)
    for x in out.left:
        x.to, x.at, x.goal, x.ep = CHILD, 5, 6, 7  # remains of the last one
    publication.handle(me, NOW, some_pub(), out)
    expected = [(k.NOBODY, 4, NONE, 2 * k.MAX_SIZE - 1), *[(k.NOBODY, NONE, NONE, NONE)] * 3]
    assert [(x.to, x.at, x.goal, x.ep) for x in out.left[: out.stuck]] == expected[:stuck]


@pytest.mark.parametrize("said, reason", [(77, k.OUT_OF_RANGE), (-1, k.FINE), (k.ECHO, k.ECHO)])
def test_reasons_of_custom_rules_are_brought_into_range(said: int, reason: int) -> None:
    def forward(me: Node, now: int, pub: Pub, out: Outcome) -> None:
        out.reason, out.sends, out.deliver = said, -3, -1

    out = blank(Outcome, SMALL)
    publication.handle(with_rules(forward=forward), NOW, some_pub(), out)
    assert (out.reason, out.sends, out.deliver) == (reason, 0, 0)


@pytest.mark.parametrize("to, reason", [(CHILD, k.FINE), (99, k.NO_WAY), (OTHER, k.NO_WAY)])
def test_a_send_to_a_node_that_is_no_link_is_reported(to: int, reason: int) -> None:
    def forward(me: Node, now: int, pub: Pub, out: Outcome) -> None:
        out.send[0].to, out.sends = to, 1

    me, out = with_rules(forward=forward), blank(Outcome, SMALL)
    me.link[2].keeps_me = 0
    publication.handle(me, NOW, some_pub(), out)
    assert (out.reason, out.sends) == (reason, int(reason == k.FINE))


@pytest.mark.parametrize("part, answer, following", [(0, 0, 0), (0, 3, 3), (3, 3, 0), (3, 2, 0), (3, 4, 4), (0, -1, 0)])
def test_subs_of_a_custom_rule_come_to_an_end(part: int, answer: int, following: int) -> None:
    def write_sub(me: Node, now: int, part: int, out: Sub) -> int:
        out.channels = 99
        return answer

    out = blank(Sub, SMALL)
    assert subscription.write(with_rules(write_sub=write_sub), NOW, part, out) == following
    assert (out.channels, out.src, out.ring, out.position) == (4, 9, 77, [4, 10, NONE, NONE])


@pytest.mark.parametrize("answer, reason", [(k.FINE, k.FINE), (k.ECHO, k.ECHO), (-3, k.FINE), (99, k.OUT_OF_RANGE)])
def test_a_sub_heard_by_a_custom_rule(answer: int, reason: int) -> None:
    def hear_sub(me: Node, now: int, sub: Sub, out: Sub) -> int:
        out.channels = 77 if answer == k.FINE else -2
        return answer

    out = blank(Sub, SMALL)
    assert subscription.hear(with_rules(hear_sub=hear_sub), NOW, blank(Sub, SMALL), out) == reason
    assert (out.channels, out.src) == (4 if answer == k.FINE else 0, 9)


def test_a_custom_cleaning_rule() -> None:
    called = []
    me = with_rules(clean=lambda me, now: called.append(now))
    subscription.clean(me, NOW)
    assert called == [NOW] and me.clean_at > NOW
