"""Frames from neighbour to neighbour over a link that loses, repeats and reorders."""

import random

import pytest

from psvr.node.core import envelope
from psvr.node.core.peer import (
    EARLY,
    FIRST_LIMIT,
    FULL,
    MAX_IN_FLIGHT,
    MAX_LIMIT,
    MIN_LIMIT,
    PARTS,
    REMEMBERED,
    SHARE,
    TAKEN,
    TRIES,
    Flight,
    Peer,
)
from psvr.node.core.transport import (
    MAX_PARTIAL_FRAMES,
    MAX_SUBS,
    PARTIAL_FRAME_LIFE,
    QUEUE_LIMIT,
    ROOM,
    Transport,
)
from psvr.protocol.constants import KEEP


class Told(Flight):
    """Notes how it ended; useful as long as the test says so."""

    def __init__(self, told: list[bool], use: list[bool] | None = None) -> None:
        self.told, self.use = told, use

    def is_useful(self) -> bool:
        return self.use is None or self.use[0]

    def ended(self, good: bool, now: int) -> None:
        self.told.append(good)


class Pair:
    """Two transports; what one sends reaches the other a while later, if at all."""

    def __init__(self, seed: int = 0, loss: float = 0.0, twice: float = 0.0) -> None:
        self.random, self.loss, self.twice = random.Random(seed), loss, twice
        self.now, self.air = 1, list[tuple[int, int, bytes]]()
        self.ends = [Transport(lambda plain, _: self.put(1, plain)), Transport(lambda plain, _: self.put(0, plain))]
        self.peers = [self.ends[0].meet(1, b"", None, 0), self.ends[1].meet(0, b"", None, 0)]
        self.taken: list[bytes] = []
        self.told: list[bool] = []
        self.refuse, self.because = 0, FULL

    def put(self, to: int, plain: bytes) -> None:
        assert len(plain) <= ROOM
        for _ in range(1 + (self.random.random() < self.twice)):
            if self.random.random() >= self.loss:
                self.air.append((self.now + self.random.randint(100, 9000), to, plain))

    def take(self, frame: bytes) -> int:
        if self.refuse > 0:
            self.refuse -= 1
            return self.because
        self.taken.append(frame)
        return TAKEN

    def send(self, frame: bytes) -> None:
        self.ends[0].send(1, frame, self.now, Told(self.told))

    def send_sub(self, frame: bytes) -> None:
        self.ends[0].send_sub(1, frame, self.now, Flight())

    def run(self, seconds: float) -> None:
        end = self.now + round(seconds * 1e6)
        while self.now < end:
            self.now += 1000
            for arrival in sorted(a for a in self.air if a[0] <= self.now):
                self.air.remove(arrival)
                for item in envelope.items(arrival[2]):
                    self.ends[arrival[1]].hear(self.peers[arrival[1]], item, self.now, self.take)
            for transport in self.ends:
                transport.retry(self.now)
                transport.flush()


@pytest.mark.parametrize("loss", [0.0, 0.1, 0.3])
def test_all_frames_arrive_once_and_are_acknowledged(loss: float) -> None:
    pair = Pair(1, loss, twice=0.2)
    frames = [bytes([i % 256, i // 256]) * (1 + i % 40) for i in range(300)]
    for frame in frames:
        pair.send(frame)
    pair.run(30)
    assert sorted(pair.taken) == sorted(frames) and pair.told == [True] * 300
    assert pair.ends[0].on_its_way() == 0 and pair.ends[0].next_due() is None


def test_a_long_frame_goes_in_parts() -> None:
    pair = Pair(2, 0.2, twice=0.2)
    frames = [random.Random(i).randbytes(size) for i, size in enumerate((1193, 1194, 5000, 66_000))]
    for frame in frames:
        pair.send(frame)
    pair.run(20)
    assert sorted(pair.taken) == sorted(frames) and pair.told == [True] * len(frames)
    assert not pair.peers[1].partial_frames


def test_what_was_not_taken_over_comes_again() -> None:
    for frame in (b"short", bytes(5000)):
        pair = Pair()
        pair.refuse = 3
        pair.send(frame)
        pair.run(5)
        assert pair.taken == [frame] and pair.told == [True] and pair.ends[0].retried >= 3


def test_nothing_is_left_behind_by_many_that_came_later() -> None:
    """One frame is refused for a while; those behind it must not get so far ahead that it counts as known."""
    pair = Pair()
    frames = [b"slow", *(b"%d" % i for i in range(3 * REMEMBERED))]
    taken, pair.refuse = pair.take, 5

    def slow(frame: bytes) -> int:
        if frame == b"slow":
            return taken(frame)
        pair.taken.append(frame)
        return TAKEN

    pair.take = slow  # type: ignore[method-assign]
    for frame in frames:
        pair.send(frame)
    pair.run(10)
    assert sorted(pair.taken) == sorted(frames) and pair.told == [True] * len(frames)


def test_what_is_never_answered_is_given_up() -> None:
    pair = Pair(0, loss=1.0)
    pair.send(b"a")
    pair.send(bytes(3000))
    pair.run(10)
    assert pair.told == [False, False] and pair.ends[0].failed == 4 and pair.ends[0].on_its_way() == 0
    assert pair.ends[0].sent == 4 * TRIES


def test_what_is_of_no_use_any_more_is_not_tried_again() -> None:
    pair, told, use = Pair(0, loss=1.0), list[bool](), [True]
    pair.ends[0].send(1, b"a", pair.now, Told(told, use))
    pair.run(0.05)
    use[0] = False
    pair.run(0.2)
    assert told == [False] and pair.ends[0].sent < TRIES


def test_frames_for_nobody_fail_a_moment_later() -> None:
    transport, told = Transport(lambda plain, peer: None), list[bool]()
    transport.send(9, b"a", 5, Told(told))
    assert told == [] and transport.next_due() == 0
    transport.retry(6)
    assert told == [False] and transport.next_due() is None


def test_a_new_boot_ends_what_was_on_its_way_to_the_old_one() -> None:
    pair = Pair(0, loss=1.0)
    for _ in range(MAX_IN_FLIGHT + 10):
        pair.send(b"a")
    pair.ends[0].meet(1, b"new", None, pair.now)
    assert pair.told == [False] * (MAX_IN_FLIGHT + 10)


def test_the_queue_has_a_bound_that_can_be_seen() -> None:
    pair = Pair(0, loss=1.0)
    for i in range(MAX_IN_FLIGHT + QUEUE_LIMIT):
        assert not pair.ends[0].is_full(1), i
        pair.send(b"a")
    assert pair.ends[0].is_full(1) and len(pair.peers[0].in_flight) == MAX_IN_FLIGHT


def test_numbers_go_round() -> None:
    pair = Pair(3, 0.2, twice=0.3)
    pair.peers[0].number = envelope.NUMBERS - 20
    frames = [bytes([i]) for i in range(60)] + [bytes(4000)]
    for frame in frames:
        pair.send(frame)
    pair.run(20)
    assert sorted(pair.taken) == sorted(frames)


@pytest.mark.parametrize("forgetful", [0, 1])
def test_a_neighbour_that_one_side_has_forgotten_is_understood_at_once(forgetful: int) -> None:
    """After a silence, one side may have given the other up, and that other not: neither takes new for known."""
    pair = Pair(5, 0.1)
    pair.peers[0].number = envelope.NUMBERS // 2 + 100  # also when numbers are high
    pair.ends[0].numbered = pair.peers[0].number
    for time in range(3):
        frames = [bytes([time, i]) for i in range(50)] + [bytes([time]) * 4000]
        for frame in frames:
            pair.send(frame)
        pair.run(20)
        assert sorted(pair.taken) == sorted(frames), time
        pair.taken.clear()
        other = 1 - forgetful
        pair.ends[forgetful].leave(other, pair.now)
        pair.peers[forgetful] = pair.ends[forgetful].meet(other, b"", None, pair.now)


def test_parts_that_no_honest_neighbour_would_send() -> None:
    """Too many parts, parts that never end: nothing grows without a bound."""
    pair = Pair()
    peer: Peer = pair.peers[1]
    for number in range(0, 200_000, 7):
        endless = envelope.part(number, 3, PARTS, b"x") + envelope.part(number + 1, 0, PARTS + 1, b"x")
        for item in envelope.items(endless):
            pair.ends[1].hear(peer, item, pair.now, pair.take)
    assert len(peer.partial_frames) <= MAX_PARTIAL_FRAMES + 1 and pair.taken == []


def test_a_frame_that_is_never_completed_is_forgotten() -> None:
    """Of one that a neighbour gave up, parts would stay for as long as it is a neighbour."""
    pair = Pair()

    def hear(number: int, part: int, later: int) -> None:
        for item in envelope.items(envelope.part(number, part, 3, b"x")):
            pair.ends[1].hear(pair.peers[1], item, pair.now + later, pair.take)

    hear(1, 0, 0)
    hear(12, 2, PARTIAL_FRAME_LIFE)
    assert list(pair.peers[1].partial_frames) == [1, 10]
    hear(21, 1, PARTIAL_FRAME_LIFE + 1)
    assert list(pair.peers[1].partial_frames) == [10, 20]
    hear(10, 0, 2 * PARTIAL_FRAME_LIFE + 1)  # it comes too late itself
    assert list(pair.peers[1].partial_frames) == [20]
    hear(20, 0, 2 * PARTIAL_FRAME_LIFE + 1)
    hear(22, 2, 2 * PARTIAL_FRAME_LIFE + 1)
    assert pair.peers[1].partial_frames == {} and pair.taken == [b"xxx"]


def test_parts_that_are_not_taken_leave_nothing_behind() -> None:
    pair = Pair()
    for number in range(1, 1000):
        for item in envelope.items(envelope.part(number, 0, 1, b"x") + envelope.part(number + 5000, 1, 2, bytes(2000))):
            pair.ends[1].hear(pair.peers[1], item, pair.now, lambda frame: EARLY)
    assert pair.peers[1].partial_frames == {}


def test_a_number_from_long_ago_costs_no_memory() -> None:
    pair = Pair()
    for number in (0, 1 << 31, (1 << 31) + 5, envelope.NUMBERS - REMEMBERED):
        for item in envelope.items(envelope.frame(number, b"%d" % number)):
            pair.ends[1].hear(pair.peers[1], item, pair.now, pair.take)
    assert pair.peers[1].seen.bit_length() <= REMEMBERED and pair.taken == [b"0"]


def test_what_a_neighbour_cannot_take_yet_comes_again_and_again() -> None:
    """For ten seconds it has no room: far longer than frames without an answer are tried."""
    pair = Pair(loss=0.1)
    pair.refuse = 1 << 30
    for i in range(20):
        pair.send(bytes([i]))
    pair.run(10)
    assert pair.told == [] and pair.taken == []
    pair.refuse = 0
    pair.run(2)
    assert sorted(pair.taken) == [bytes([i]) for i in range(20)] and pair.told == [True] * 20


def test_what_it_never_takes_is_given_up() -> None:
    pair = Pair(loss=0.1)
    pair.refuse = 1 << 30
    pair.send(b"x")
    pair.run(KEEP / 1e6)
    assert pair.told == []
    pair.run(TRIES * 0.5 + 1)
    assert pair.told == [False] and pair.taken == []


def test_what_still_comes_too_early_after_some_tries_is_given_up() -> None:
    """Its neighbour may be on another ring for long: then another way is better than to wait."""
    pair = Pair()
    pair.refuse, pair.because = 1 << 30, EARLY
    pair.send(b"x")
    pair.run(TRIES * 0.5)
    assert pair.told == [False] and pair.ends[0].retried == TRIES - 1


def test_less_flies_where_much_is_lost_and_more_again_where_nothing_is() -> None:
    pair = Pair(loss=0.5)
    peer = pair.peers[0]
    for _ in range(200):
        pair.send(bytes(1000))
    pair.run(1)
    assert peer.limit < 2 * MIN_LIMIT and peer.load < FIRST_LIMIT
    pair.loss = 0.0
    for _ in range(400):
        pair.send(bytes(1000))
    pair.run(5)
    assert 4 * MIN_LIMIT < peer.limit <= MAX_LIMIT and not peer.in_flight


def test_a_slow_way_is_found_out_and_not_filled_with_repetitions() -> None:
    """A frame every 10 ms and no more, whatever is sent: 64 KB would lie there for half a second."""
    pair = Pair()
    for _ in range(500):
        pair.send(bytes(1000))
    free = 0
    put = pair.put

    def slow(to: int, plain: bytes) -> None:
        nonlocal free
        if to == 0:
            put(to, plain)
        else:
            free = max(free, pair.now) + 10_000
            pair.air.append((free, to, plain))

    pair.ends[0].send_items = lambda plain, _: slow(1, plain)
    pair.run(7)
    assert pair.told == [True] * 500 and pair.ends[0].retried < 150


def test_frames_that_wait_for_their_last_part_are_kept_as_many_as_can_fly() -> None:
    pair = Pair()
    pair.refuse = 1 << 30
    pair.ends[0].send_items = lambda plain, _: pair.air.append((pair.now + len(pair.air), 1, plain))  # in their order
    frames = [i.to_bytes(2, "big") * 597 for i in range(MAX_IN_FLIGHT)]  # in two parts, the second as small as it gets
    for frame in frames:
        pair.send(frame)
    pair.run(10)
    assert len(pair.peers[1].partial_frames) == MAX_IN_FLIGHT
    pair.refuse = 0
    pair.run(5)
    assert pair.told == [True] * MAX_IN_FLIGHT and sorted(pair.taken) == sorted(frames)


def test_what_is_too_old_to_be_known_is_not_acknowledged() -> None:
    """It is better to give it up there than to take it for known here."""
    pair = Pair()
    for number in (REMEMBERED + 5, 5, 6):
        for item in envelope.items(envelope.frame(number, b"%d" % number)):
            pair.ends[1].hear(pair.peers[1], item, pair.now, pair.take)
    assert pair.peers[1].acks == [REMEMBERED + 5, 6] and pair.taken == [b"4101", b"6"]


def test_subs_do_not_wait_for_all_pubs() -> None:
    pair = Pair()
    for i in range(MAX_IN_FLIGHT + QUEUE_LIMIT):
        pair.send(i.to_bytes(2, "big"))
    pair.send_sub(b"first")
    pair.run(20)
    assert (
        pair.taken.index(b"first") <= 2 * MAX_IN_FLIGHT
        and len(pair.taken) == len(set(pair.taken)) == MAX_IN_FLIGHT + QUEUE_LIMIT + 1
    )


def test_pubs_do_not_wait_for_all_subs() -> None:
    """SUBs come faster than they can go; a PUB among them neither starves nor is taken for one that came before."""
    pair, subs = Pair(), 0
    pubs = [b"pub %d" % i for i in range(300)] + [bytes([i]) * 5000 for i in range(10)]
    for pub in pubs:
        pair.send(pub)
    while len(pair.taken) < 2 * REMEMBERED:
        for _ in range(400):
            subs += 1
            pair.send_sub(b"sub %d" % subs + bytes(900))
        pair.run(0.02)
    assert len(pair.peers[0].subs) > MAX_SUBS // 2, "there were always more"
    came = {frame: place for place, frame in enumerate(pair.taken)}
    assert pair.told == [True] * len(pubs) and all(pub in came for pub in pubs)
    assert max(came[pub] for pub in pubs) < 2 * (SHARE + 1) * len(pubs), "each has its turn"


def test_subs_have_their_share_beside_large_pubs() -> None:
    """A share of the items, not of the frames: of which there are 51 in each of these."""
    pair = Pair()
    for i in range(30):
        pair.send(bytes([i]) * 60_000)
    for i in range(500):
        pair.send_sub(b"sub %d" % i)
    pair.run(10)
    last = max(place for place, frame in enumerate(pair.taken) if frame.startswith(b"sub"))
    assert pair.told == [True] * 30 and len(pair.taken) == 530
    assert sum(len(frame) == 60_000 for frame in pair.taken[:last]) <= 1 + 500 / (51 * SHARE) + 1


def test_numbers_are_in_the_order_of_flight() -> None:
    """A frame in parts has successive numbers, though SUBs are sent while it flies."""
    pair, flew = Pair(), list[envelope.Item]()
    put = pair.put

    def watch(to: int, plain: bytes) -> None:
        flew.extend(item for item in envelope.items(plain) if to == 1 and item.kind != envelope.ACK)
        put(to, plain)

    pair.ends[0].send_items = lambda plain, _: watch(1, plain)
    for i in range(40):
        pair.send(bytes([i]) * (5000 if i % 3 else 50))
        for j in range(10):
            pair.send_sub(b"sub %d %d" % (i, j))
    pair.run(10)
    assert pair.told == [True] * 40 and pair.ends[0].retried == 0, "else numbers come twice"
    assert [item.number for item in flew] == list(range(1, len(flew) + 1))
    assert all(item.part == 0 or flew[place - 1].part == item.part - 1 for place, item in enumerate(flew))


def test_a_sub_that_waits_already_is_not_sent_twice() -> None:
    pair = Pair()
    for i in range(MAX_IN_FLIGHT):
        pair.send(i.to_bytes(2, "big"))
    for _ in range(50):
        pair.send_sub(b"the same")
        pair.send_sub(b"another")
    assert len(pair.peers[0].subs) == 2
    pair.run(5)
    pair.send_sub(b"the same")  # the first has been sent already
    pair.run(1)
    assert sorted(frame for frame in pair.taken if len(frame) > 2) == [b"another", b"the same", b"the same"]


def test_a_sub_of_a_ring_that_is_no_more_is_not_sent() -> None:
    pair = Pair()
    for i in range(MAX_IN_FLIGHT):
        pair.send(i.to_bytes(2, "big"))
    for ring in (1, 2):
        pair.ends[0].send_sub(1, b"ring %d" % ring, pair.now, Told([], use=[ring == 2]))
    pair.run(5)
    assert [frame for frame in pair.taken if len(frame) > 2] == [b"ring 2"] and pair.ends[0].on_its_way() == 0


def test_subs_that_wait_have_a_bound() -> None:
    pair = Pair(0, loss=1.0)
    for i in range(3 * MAX_SUBS):
        pair.send_sub(b"%d" % i)
    assert len(pair.peers[0].subs) == MAX_SUBS and len(pair.peers[0].in_flight) == MAX_IN_FLIGHT
