"""What hosts have handed over: nothing twice, and no repetition is lost while there is room."""

import random

import numpy as np
import pytest

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, dtype
from psvr.protocol.records import Pub
from psvr.sim.handed import BUCKET, BYTES, HANDED, LEAST, MOST, ROOMY, TURNS, bucket, forget, is_new, places


class Hands:
    """Of two hosts, the second."""

    def __init__(self, size: int) -> None:
        self.memory, self.pub = np.zeros((2, size), HANDED), np.zeros(1, dtype(Pub, Capacity()))[0]

    def over(self, number: int, now: int, again: int = 0, origin: int = 5) -> bool:
        self.pub["origin"], self.pub["boot"], self.pub["number"], self.pub["again"] = origin, 1, number, again
        return bool(is_new(self.memory, 1, now, self.pub))


def test_once_and_not_again() -> None:
    hands = Hands(LEAST)
    assert hands.over(1, 10) and not hands.over(1, 11) and not hands.over(1, 11, again=1)
    assert hands.over(1, 12, origin=6) and hands.over(2, 12)
    assert not hands.memory[0]["number"].any()              # the other host's is untouched


def test_a_repetition_is_let_through_if_it_surely_was_not_here() -> None:
    hands = Hands(BUCKET)                                   # all names fall together
    assert hands.over(1, 10, again=1) and not hands.over(1, 10, again=1)
    assert all(hands.over(number, 20) for number in range(2, 2 + BUCKET))       # the first name is forgotten
    assert not hands.over(1, 30, again=1) and not hands.over(100, 30, again=1) and hands.over(100, 30)
    assert hands.over(101, 20 + k.REPEAT_LIFE, again=1)     # now the others are too old


@pytest.mark.parametrize("seed", range(20))
def test_like_a_set_while_there_is_room(seed: int) -> None:
    """Of any names, each is handed over exactly once, however often and in whatever order it comes."""
    rng, seen, now = random.Random(seed), set[tuple[int, int]](), rng_time(seed)
    hands = Hands(places(2, np.array([200_000])))
    for _ in range(2000):
        now += 100_000
        name = (rng.randrange(1, 4), rng.randrange(now // 2_000_000, now // 2_000_000 + 10))
        assert hands.over(name[1], now, again=rng.randrange(2), origin=name[0]) == (name not in seen)
        seen.add(name)


def rng_time(seed: int) -> int:
    return random.Random(-1 - seed).randrange(1 << 40)


@pytest.mark.parametrize("seed", range(20))
def test_arbitrary_memory_hides_nothing(seed: int) -> None:
    hands, now = Hands(LEAST), rng_time(seed)
    hands.memory.view(np.uint8)[:] = np.random.default_rng(seed).integers(0, 256, hands.memory.nbytes).reshape(2, -1)
    for number in range(1, 20):
        assert hands.over(number, now, again=1) and not hands.over(number, now, again=1)


@pytest.mark.parametrize("ahead", [0, 1, 40, 10_000])
def test_names_of_a_fault_are_forgotten_whatever_their_time(ahead: int) -> None:
    """One whose time is still to come is found within a round of turns; else it would be known later on."""
    hands, now, size = Hands(LEAST), 10**12, LEAST
    for number in range(1, 200):
        places = hands.memory[1][bucket(size, 5, 1, number):][:BUCKET]
        places[number % BUCKET] = (5, 1, number, now + k.REPEAT_LIFE + ahead * k.SECOND)
    for turn in range(3, 3 + TURNS):
        forget(hands.memory, 1, now, turn)
    later = now + max(ahead * k.SECOND, k.NAME_LIFE + 1 if ahead == 0 else 0)
    assert all(hands.over(number, later) for number in range(1, 200))


def test_what_was_handed_over_is_not_forgotten() -> None:
    hands = Hands(LEAST)
    assert hands.over(1, 10)
    for turn in range(TURNS):
        forget(hands.memory, 1, 10, turn)
    assert not hands.over(1, 10 + k.NAME_LIFE) and hands.over(1, 11 + k.NAME_LIFE)


def test_room_for_what_is_published_while_repetitions_may_come_within_bounds() -> None:
    every_second = np.full(10, 1_000_000)
    assert places(20, every_second) == 1024 >= ROOMY * 10 * k.REPEAT_LIFE // k.SECOND
    assert places(20, np.zeros(0)) == LEAST and places(2, np.full(1000, 1)) == MOST
    assert places(10_000, np.full(10_000, 1_000_000)) * 10_000 * HANDED.itemsize <= BYTES
    assert places(10_000_000, every_second) == LEAST
