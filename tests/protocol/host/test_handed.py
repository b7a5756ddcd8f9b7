"""What hosts have handed over: nothing twice, and no repetition is lost while there is room."""

import random

import numpy as np
import pytest

from psvr.protocol import constants as k
from psvr.protocol.host.handed import BUCKET, TURNS, admit, bucket, clear, forget, is_crowded, is_known, restore
from psvr.protocol.layout import Capacity, blank, dtype
from psvr.protocol.records import Handed, Held, Pub
from psvr.sim.engine.table_sizes import (
    MAX_NAMES,
    MAX_NAMES_BYTES,
    MAX_SLOTS,
    MAX_SLOTS_BYTES,
    MIN_NAMES,
    MIN_SLOTS,
    ROOMY,
    USUAL_NAMES,
    rooms,
)
from psvr.sim.engine.world import SOURCE


class Hands:
    def __init__(self, size: int) -> None:
        self.names, self.pub = [blank(Handed, Capacity()) for _ in range(size)], blank(Pub, Capacity())
        for name in self.names:
            clear(name)

    def name(self, number: int, origin: int = 5, again: int = 0) -> Pub:
        self.pub.origin, self.pub.boot, self.pub.number, self.pub.again = origin, 1, number, again
        return self.pub

    def over(self, number: int, now: int, again: int = 0, origin: int = 5) -> bool:
        pub = self.name(number, origin, again)
        known = is_known(self.names, now, pub)
        found = admit(self.names, now, pub)
        assert (found == k.REPEATED) == known
        return found == k.FINE


def test_once_and_not_again() -> None:
    hands = Hands(MIN_NAMES)
    assert hands.over(1, 10) and not hands.over(1, 11) and not hands.over(1, 11, again=1)
    assert hands.over(1, 12, origin=6) and hands.over(2, 12)


def test_after_a_restart_of_its_origin_a_number_names_another_publication() -> None:
    hands = Hands(BUCKET)  # all names fall together
    for boot in (1, 2):
        pub = hands.name(1)
        pub.boot = boot
        assert admit(hands.names, 10, pub) == k.FINE and admit(hands.names, 10, pub) == k.REPEATED


def test_a_repetition_is_let_through_if_it_surely_was_not_here() -> None:
    hands = Hands(BUCKET)  # all names fall together
    assert hands.over(1, 10, again=1) and not hands.over(1, 10, again=1)
    assert all(hands.over(number, 20) for number in range(2, 2 + BUCKET))  # the first name is forgotten
    assert not hands.over(1, 30, again=1) and not hands.over(100, 30, again=1) and hands.over(100, 30)
    assert admit(hands.names, 30, hands.name(200, again=1)) == k.CROWDED and is_crowded(hands.names, 30, hands.pub)
    assert hands.over(101, 20 + k.REPEAT_LIFE, again=1)  # now the others are too old
    assert not is_crowded(hands.names, 20 + k.REPEAT_LIFE, hands.name(200))


@pytest.mark.parametrize("seed", range(20))
def test_like_a_set_while_there_is_room(seed: int) -> None:
    """Each of any names is handed over exactly once, however often and in whatever order they come."""
    rng, seen, now = random.Random(seed), set[tuple[int, int]](), rng_time(seed)
    hands = Hands(512)
    for _ in range(2000):
        now += 100_000
        name = (rng.randrange(1, 4), rng.randrange(now // 2_000_000, now // 2_000_000 + 10))
        assert hands.over(name[1], now, again=rng.randrange(2), origin=name[0]) == (name not in seen)
        seen.add(name)


def rng_time(seed: int) -> int:
    return random.Random(-1 - seed).randrange(1 << 40)


@pytest.mark.parametrize("seed", range(20))
def test_arbitrary_memory_hides_nothing(seed: int) -> None:
    rng, now = random.Random(seed), rng_time(seed)
    hands = Hands(MIN_NAMES)
    for name in hands.names:
        name.origin, name.at = rng.getrandbits(64) - (1 << 63), rng.getrandbits(64) - (1 << 63)
        name.boot, name.number = rng.getrandbits(32) - (1 << 31), rng.getrandbits(32) - (1 << 31)
    for number in range(1, 20):
        assert hands.over(number, now, again=1) and not hands.over(number, now, again=1)


@pytest.mark.parametrize("ahead", [0, 1, 40, 10_000])
def test_names_of_a_fault_are_forgotten_whatever_their_time(ahead: int) -> None:
    """One whose time is still to come is found within a round of turns; else it would be known later on."""
    hands, now = Hands(MIN_NAMES), 10**12
    for number in range(1, 200):
        name = hands.names[bucket(MIN_NAMES, 5, 1, number) + number % BUCKET]
        name.origin, name.boot, name.number, name.at = 5, 1, number, now + ahead * k.SECOND
    for turn in range(3, 3 + TURNS):
        forget(hands.names, now, turn)
    later = now + max(ahead * k.SECOND, k.NAME_LIFE + 1 if ahead == 0 else 0)
    assert all(hands.over(number, later) for number in range(1, 200))


def test_what_was_handed_over_is_not_forgotten() -> None:
    hands = Hands(MIN_NAMES)
    assert hands.over(1, 10)
    for turn in range(TURNS):
        forget(hands.names, 10, turn)
    assert not hands.over(1, 10 + k.NAME_LIFE) and hands.over(1, 11 + k.NAME_LIFE)


def test_a_table_that_grows_forgets_nothing() -> None:
    old, new = Hands(BUCKET), Hands(2 * BUCKET)
    assert all(old.over(number, number) for number in range(1, 1 + BUCKET))
    for name in old.names:
        restore(new.names, name.origin, name.boot, name.number, name.at)
    assert not any(new.over(number, 100) for number in range(1, 1 + BUCKET)) and new.over(99, 100)


def sources(n: int, number: int, period: int) -> np.ndarray:
    found = np.zeros(number, SOURCE)
    found["node"], found["period"] = np.arange(number) % n, period
    return found


def test_room_for_what_is_published_while_repetitions_may_come_within_bounds() -> None:
    slots, names = rooms(20, sources(20, 20, k.SECOND))
    assert names == 2048 >= ROOMY * 20 * k.REPEAT_LIFE // k.SECOND and slots == MAX_SLOTS
    assert rooms(20, sources(20, 0, 1))[1] == USUAL_NAMES and rooms(2, sources(2, 1000, 1))[1] == MAX_NAMES
    many = rooms(10_000, sources(10_000, 10_000, k.SECOND))
    assert many[1] * 10_000 * dtype(Handed, Capacity()).itemsize <= MAX_NAMES_BYTES
    assert many[0] == MIN_SLOTS
    assert MIN_SLOTS < (some := rooms(1_000, sources(1_000, 1_000, k.SECOND))[0]) < MAX_SLOTS
    assert some * 1_000 * dtype(Held, Capacity()).itemsize <= MAX_SLOTS_BYTES
    assert rooms(100_000_000, sources(100, 10, k.SECOND)) == (MIN_SLOTS, MIN_NAMES)
