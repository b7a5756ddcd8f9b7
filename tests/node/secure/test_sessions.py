"""Replay protection without storage: whatever is recorded, delayed, repeated or reordered."""

import copy
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psvr.node.secure.sessions import (
    DOUBLE,
    FRESH,
    MAX_ECHOES,
    MAX_PROVEN_ECHOES,
    OWN,
    RECENT_ROUNDS,
    REPEATED,
    UNPROVEN,
    WINDOW,
    Sessions,
    Verdict,
)


@dataclass(frozen=True)
class Sent:
    """A datagram that somebody recorded."""

    id: int
    salt: bytes
    counter: int
    echoes: tuple[bytes, ...]
    at: int  # when it was sent, in steps of the world


@dataclass
class End:
    """One boot of a node."""

    id: int
    salt: bytes
    booted: int = 0
    most: int = 256
    counter: int = 0
    accepted: set[tuple[int, bytes, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.sessions = Sessions(self.id, self.salt, self.most)

    def data(self, at: int = 0) -> Sent:
        self.counter += 1
        return Sent(self.id, self.salt, self.counter, (), at)

    def hello(self, at: int = 0) -> Sent:
        echoes = tuple(self.sessions.echoes())
        self.counter += 1
        return Sent(self.id, self.salt, self.counter, echoes, at)

    def hear(self, sent: Sent) -> Verdict:
        return self.sessions.validate(sent.id, sent.salt, sent.counter, sent.echoes)

    def hellos_in_vain(self, count: int) -> None:
        for _ in range(count):
            self.hello()


def salt(number: int) -> bytes:
    return number.to_bytes(8, "big")


def pair() -> tuple[End, End]:
    return End(1, salt(1)), End(2, salt(2))


def acquaint(a: End, b: End) -> None:
    """Three HELLOs: b learns of a, a hears its own challenge from b, b hears its own from a."""
    b.hear(a.hello())
    assert a.hear(b.hello()) == FRESH
    assert b.hear(a.hello()) == FRESH


def crowd(r: End, count: int) -> list[End]:
    """So many neighbours, all proven to r in one round."""
    ends, hello = [End(i, salt(i)) for i in range(1, count + 1)], r.hello()
    for end in ends:
        end.hear(hello)
    assert {r.hear(end.hello()) for end in ends} == {FRESH}
    return ends


def test_three_hellos_are_enough() -> None:
    a, b = pair()
    assert b.hear(a.hello()) == UNPROVEN
    assert a.hear(b.hello()) == FRESH
    assert b.hear(a.data()) == UNPROVEN
    assert b.hear(a.hello()) == FRESH
    assert b.hear(a.data()) == FRESH and a.hear(b.data()) == FRESH


def test_a_datagram_counts_once() -> None:
    a, b = pair()
    acquaint(a, b)
    sent = a.data()
    assert [b.hear(sent) for _ in range(3)] == [FRESH, REPEATED, REPEATED]


def test_what_proved_a_boot_counts_once() -> None:
    a, b = pair()
    b.hear(a.hello())
    proof = b.hello()
    assert [a.hear(proof), a.hear(proof)] == [FRESH, REPEATED]


def test_order_does_not_matter_inside_the_window() -> None:
    a, b = pair()
    acquaint(a, b)
    sent = [a.data() for _ in range(WINDOW)]
    assert {b.hear(it) for it in reversed(sent)} == {FRESH}
    assert {b.hear(it) for it in sent} == {REPEATED}


def test_too_old_for_the_window() -> None:
    a, b = pair()
    acquaint(a, b)
    late, *sent = [a.data() for _ in range(WINDOW + 1)]
    assert b.hear(sent[-1]) == FRESH
    assert b.hear(late) == REPEATED and b.hear(sent[0]) == FRESH


def test_a_leap_forgets_nothing_that_matters() -> None:
    a, b = pair()
    acquaint(a, b)
    before = a.data()
    assert b.hear(before) == FRESH
    a.counter = 1 << 63
    assert b.hear(a.data()) == FRESH
    assert b.hear(before) == REPEATED


@pytest.mark.parametrize("counter", [0, -1])
def test_there_is_no_counter_below_one(counter: int) -> None:
    a, b = pair()
    acquaint(a, b)
    assert b.sessions.validate(a.id, a.salt, counter, ()) == REPEATED


def test_datagrams_from_before_the_proof_are_refused() -> None:
    """S lives on while R restarts; what S sent before that, and R's new boot has not seen, stays out."""
    s, r = pair()
    acquaint(s, r)
    before = [s.hello(), s.data(), s.data()]
    r = End(2, salt(3))
    assert [r.hear(it) for it in before] == [UNPROVEN] * 3
    acquaint(s, r)
    assert [r.hear(it) for it in before] == [REPEATED] * 3
    assert r.hear(s.data()) == FRESH


def test_a_restart_takes_over_and_the_old_boot_stays_out() -> None:
    a, b = pair()
    acquaint(a, b)
    recorded = [a.hello(), a.data(), a.hello()]
    again = End(1, salt(9))
    acquaint(again, b)
    assert [b.hear(it) for it in recorded] == [UNPROVEN] * 3
    assert b.hear(again.data()) == FRESH


def test_a_dead_boot_that_was_held_back_does_not_displace_theliving() -> None:
    """It echoes my present boot, truly, but nothing that I said since its successor was proven."""
    a, b = pair()
    a.hear(b.hello())
    held_back = [a.hello(), a.data()]  # echoes b, and never arrives
    again = End(1, salt(9))
    acquaint(again, b)
    assert [b.hear(it) for it in held_back] == [UNPROVEN] * 2
    assert b.hear(again.data()) == FRESH


def test_restarts_of_many_do_not_wait_for_each_other() -> None:
    r = End(0, salt(1000))
    crowd(r, 20)
    anew = [End(i, salt(100 + i)) for i in range(1, 21)]
    hello = r.hello()
    for end in anew:
        end.hear(hello)
    assert [r.hear(end.hello()) for end in anew] == [FRESH] * 20


def test_my_own_datagrams_come_back() -> None:
    a, _ = pair()
    assert [a.hear(a.data()), a.hear(a.hello())] == [OWN, OWN]


def test_somebody_else_has_my_id() -> None:
    a, other = End(1, salt(1)), End(1, salt(2))
    assert other.hear(a.hello()) == UNPROVEN
    sent = other.hello()
    assert a.hear(sent) == DOUBLE
    assert other.hear(a.hello()) == DOUBLE


def test_a_double_that_is_gone_is_not_reported_again() -> None:
    a, other = End(1, salt(1)), End(1, salt(2))
    other.hear(a.hello())
    recorded = other.hello()
    assert [a.hear(recorded), a.hear(recorded)] == [DOUBLE, UNPROVEN]
    other.hear(a.hello())
    assert a.hear(other.hello()) == DOUBLE


def test_my_own_earlier_boot_is_no_double() -> None:
    before, b = pair()
    acquaint(before, b)
    recorded = [before.hello(), before.data()]
    a = End(1, salt(9))
    acquaint(a, b)
    assert [a.hear(it) for it in recorded] == [UNPROVEN] * 2


def test_echoes_of_the_proven_are_never_pushed_out() -> None:
    r = End(0, salt(1 << 32))
    hellos = [end.hello() for end in crowd(r, MAX_PROVEN_ECHOES)]
    assert {r.hear(it) for it in hellos} == {FRESH}
    wanted = {it.echoes[0] for it in hellos}
    for i in range(5000):
        assert r.hear(End(i, salt(1000 + i)).hello()) == UNPROVEN
    said = r.sessions.echoes()
    assert wanted <= set(said) and len(said) <= 1 + MAX_ECHOES
    assert len(r.sessions.unproven) <= 256


def test_with_many_neighbours_all_have_their_turn() -> None:
    r = End(0, salt(1 << 32))
    crowd(r, 200)
    said = [set(r.sessions.echoes()[1:]) for _ in range(4)]
    assert len(set().union(*said)) == 200 and max(map(len, said)) <= MAX_ECHOES


def test_strangers_have_their_turn_too() -> None:
    r = End(0, salt(1 << 32))
    crowd(r, 100)
    hellos = [End(500 + i, salt(500 + i)).hello() for i in range(40)]
    for it in hellos:
        r.hear(it)
    said = set().union(*(r.sessions.echoes() for _ in range(3)))
    assert {it.echoes[0] for it in hellos} <= said


def test_who_is_not_heard_any_more_is_not_echoed() -> None:
    a, b = pair()
    acquaint(a, b)
    b.hear(End(3, salt(3)).hello())
    b.hellos_in_vain(RECENT_ROUNDS - 1)
    assert [len(b.sessions.echoes()), len(b.sessions.echoes())] == [3, 1]
    b.hellos_in_vain(100 * RECENT_ROUNDS)
    assert b.hear(a.data()) == FRESH  # silence alone does not turn a neighbour into a stranger


def test_a_late_hello_does_not_bring_an_older_challenge_back() -> None:
    a, b = pair()
    first, second = a.hello(), a.hello()
    b.hear(second)
    b.hear(first)
    assert b.sessions.echoes()[1:] == [second.echoes[0]]
    acquaint(a, b)
    first, second = a.hello(), a.hello()
    assert [b.hear(second), b.hear(first)] == [FRESH, FRESH]
    assert b.sessions.echoes()[1:] == [second.echoes[0]]


def test_only_the_latest_challenges_are_mine() -> None:
    a, b = pair()
    b.hear(a.hello())
    proof = b.hello()
    a.hellos_in_vain(RECENT_ROUNDS - 1)
    assert copy.deepcopy(a).hear(proof) == FRESH
    a.hellos_in_vain(1)
    assert a.hear(proof) == UNPROVEN and len(a.sessions.mine) <= RECENT_ROUNDS


def test_a_full_table_keeps_theliving() -> None:
    r = End(0, salt(100), most=2)
    a, b, c = (End(i, salt(i)) for i in (1, 2, 3))
    acquaint(a, r)
    acquaint(b, r)
    c.hear(r.hello())
    assert r.hear(c.hello()) == UNPROVEN
    assert r.hear(a.data()) == FRESH and r.hear(b.data()) == FRESH


def test_a_full_table_lets_the_silent_go_and_their_records_stay_out() -> None:
    r = End(0, salt(100), most=2)
    a, b, c = (End(i, salt(i)) for i in (1, 2, 3))
    hello = r.hello()
    a.hear(hello)
    b.hear(hello)
    recorded = [a.hello(), a.data(), b.hello()]
    assert [r.hear(it) for it in recorded] == [FRESH] * 3
    r.hellos_in_vain(RECENT_ROUNDS - 1)
    c.hear(r.hello())
    assert r.hear(c.hello()) == UNPROVEN  # there is no room yet
    c.hear(r.hello())
    assert r.hear(c.hello()) == FRESH  # in the place of both
    assert [r.hear(it) for it in recorded] == [UNPROVEN] * 3
    a.hear(r.hello())
    assert r.hear(a.hello()) == FRESH  # it is alive, and can prove it
    assert [r.hear(it) for it in recorded[:2]] == [REPEATED] * 2


def test_a_restart_needs_no_room_in_a_full_table() -> None:
    """It takes the place of its former boot, and nobody else loses his, however long he was silent."""
    r = End(0, salt(100), most=2)
    a, b = (End(i, salt(i)) for i in (1, 2))
    acquaint(a, r)
    acquaint(b, r)
    r.hellos_in_vain(2 * RECENT_ROUNDS)
    again = End(1, salt(9))
    acquaint(again, r)
    assert r.hear(again.data()) == FRESH and r.hear(b.data()) == FRESH and r.hear(a.data()) == UNPROVEN


@pytest.mark.parametrize("echoes", [[b""], [b"", b""], [b"x" * 100] * 300, [bytes(8)] * 9])
def test_senseless_echoes_do_no_harm(echoes: list[bytes]) -> None:
    a, b = pair()
    assert b.sessions.validate(7, salt(7), 5, echoes) == UNPROVEN
    assert all(len(it) == 8 for it in b.sessions.echoes())
    acquaint(a, b)


NODES = 4  # so many that two can be forgotten at once for the sake of a third
EVERYONE = (1 << NODES) - 1


class World:
    """Nodes that restart, and somebody who has every datagram ever sent and replays them at will."""

    def __init__(self, most: int) -> None:
        self.most, self.step, self.salts = most, 0, 0
        self.sent: list[Sent] = []
        self.ends = [self.boot(i) for i in range(NODES)]

    def boot(self, i: int) -> End:
        self.salts += 1
        return End(i, salt(self.salts), self.step, self.most)

    def act(self, what: str, i: int, j: int) -> None:
        self.step += 1
        if what == "restart":
            self.ends[i] = self.boot(i)
        elif what == "wait":
            self.ends[i].hellos_in_vain(RECENT_ROUNDS // 2 + 1)
        elif what == "play":
            self.play(j, self.ends[i])
        elif what == "round":
            for k in range(i, i + NODES):
                self.send("hello", k % NODES, EVERYONE)
        else:
            self.send(what, i, j)

    def send(self, what: str, i: int, j: int) -> None:
        """The other nodes hear it if their bit is set in j."""
        end = self.ends[i]
        sent = end.hello(self.step) if what == "hello" else end.data(self.step)
        self.sent.append(sent)
        for k, other in enumerate(self.ends):
            if j >> k & 1:
                self.deliver(sent, other)

    def play(self, which: int, to: End) -> None:
        """Whom this node knows and what it can hear from the living is the same before and after."""
        if self.sent:
            living = {end.id: end.salt for end in self.ends}
            known = [i for i, boot in to.sessions.proven.items() if boot.salt == living[i]]
            self.deliver(self.sent[which % len(self.sent)], to)
            now = to.sessions.proven
            assert self.most < NODES or all(i in now and now[i].salt == living[i] for i in known)

    def deliver(self, sent: Sent, to: End) -> None:
        verdict = to.hear(sent)
        assert (verdict == OWN) == ((sent.id, sent.salt) == (to.id, to.salt))
        assert verdict != DOUBLE
        assert len(to.sessions.proven) <= self.most
        if verdict == FRESH:
            assert sent.at > to.booted
            assert (sent.id, sent.salt, sent.counter) not in to.accepted
            to.accepted.add((sent.id, sent.salt, sent.counter))


ACTS = st.tuples(
    st.sampled_from(["hello", "data", "round", "round", "play", "play", "play", "restart", "wait"]),
    st.integers(0, NODES - 1),
    st.integers(0, 60),
)


@settings(max_examples=600)
@given(st.sampled_from([1, 2, 3, 256]), st.lists(ACTS, min_size=20, max_size=80))
def test_nothing_is_accepted_twice_or_from_before_the_boot(most: int, acts: list[tuple[str, int, int]]) -> None:
    world = World(most)
    for act in acts:
        world.act(*act)


@settings(max_examples=300)
@given(st.lists(ACTS, max_size=60), st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, 200)), max_size=12))
def test_whatever_happened_three_rounds_of_hellos_join_all(
    acts: list[tuple[str, int, int]], plays: list[tuple[int, int]]
) -> None:
    """Even while somebody replays recorded datagrams in between."""
    world = World(256)
    for act in acts:
        world.act(*act)
    for i in range(3 * NODES):
        for to, which in plays[i :: 3 * NODES]:
            world.act("play", to, which)
        world.act("hello", i % NODES, EVERYONE)
    for end in world.ends:
        for other in world.ends:
            if other is not end:
                assert other.hear(end.data(world.step)) == FRESH
