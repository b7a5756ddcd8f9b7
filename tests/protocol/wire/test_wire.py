"""Frames: what is encoded is decoded again, lengths are predicted, and nothing malformed raises."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psvr.protocol import constants as k
from psvr.protocol import node
from psvr.protocol.layout import Capacity, Int, blank, fields, nearness, snapshot
from psvr.protocol.records import Hello, Node, Pub, Sub
from psvr.protocol.wire import lengths, messages
from tests.support.network import Network

CAPACITY = Capacity()
WIDTHS = st.sampled_from([2, 4, 8])
randoms = st.integers(0, 2**32).map(random.Random)


def in_range(rng: random.Random, cls: type, w: int, p: int, capacity: Capacity = CAPACITY) -> Any:
    """A message with every value in its range and within the widths."""
    made: Any = blank(cls, capacity)
    for f in fields(cls):

        def draw(item: Any, name: str = f.name) -> Any:
            if not isinstance(item, Int):
                return in_range(rng, item, w, p, capacity)
            high = item.high
            if item.bytes == 8 and name in ("src", "to", "back", "origin", "id", "root", "parent"):
                high = min(high, (1 << 8 * w) - 2)
            if name in ("cur", "ep", "start", "position", "size", "length"):
                high = min(high, (1 << 8 * p) - 2)
            return rng.choice([item.low, high, rng.randint(item.low, high)])

        held = getattr(capacity, f.capacity) if f.capacity else 0
        setattr(made, f.name, [draw(f.item) for _ in range(held)] if held else draw(f.item))
    return made


def any_hello(rng: random.Random, w: int, p: int) -> Hello:
    m: Hello = in_range(rng, Hello, w, p)
    m.free, m.links, m.heards = rng.randint(0, 255), rng.randint(0, 8), rng.randint(0, 24)
    m.children = rng.randint(0, m.links)
    for i, listed in enumerate(m.link):
        if i >= m.links:
            listed.id, listed.quality = k.NOBODY, 0
        if i < m.children:
            listed.size, listed.digest = max(listed.size, 1), max(listed.digest, 0)
        else:
            listed.size, listed.digest = 0, -1
    for heard in m.heard[m.heards :]:
        heard.id, heard.quality = k.NOBODY, 0
    if m.ring < 0:
        m.start = -1
    return m


def any_sub(rng: random.Random, w: int, p: int) -> Sub:
    m: Sub = in_range(rng, Sub, w, p)
    positions, m.channels = rng.randint(0, 8), rng.randint(0, 16)
    m.position = [max(x, 0) for x in m.position[:positions]] + [-1] * (8 - positions)
    m.channel[m.channels :] = [k.NO_CHANNEL] * (16 - m.channels)
    return m


@given(randoms, WIDTHS, WIDTHS)
def test_hello_comes_back(rng: random.Random, w: int, p: int) -> None:
    m = any_hello(rng, w, p)
    frame = messages.encode_hello(m, w, p)
    assert len(frame) == lengths.hello_length(m, w, p)
    assert snapshot(messages.decode(frame, CAPACITY), Hello) == snapshot(m, Hello)


@given(randoms, WIDTHS, WIDTHS)
def test_sub_comes_back(rng: random.Random, w: int, p: int) -> None:
    m = any_sub(rng, w, p)
    frame = messages.encode_sub(m, w, p)
    assert len(frame) == lengths.sub_length(m, w, p)
    assert snapshot(messages.decode(frame, CAPACITY), Sub) == snapshot(m, Sub)


@given(randoms, WIDTHS, WIDTHS, st.binary(max_size=40))
def test_pub_comes_back(rng: random.Random, w: int, p: int, data: bytes) -> None:
    m = in_range(rng, Pub, w, p)
    m.load = len(data)
    frame = messages.encode_pub(m, data, w, p)
    assert len(frame) == lengths.pub_length(m, w, p)
    decoded = messages.decode(frame, CAPACITY)
    assert isinstance(decoded, tuple) and decoded[1] == data
    assert snapshot(decoded[0], Pub) == snapshot(m, Pub)


@settings(max_examples=500)
@given(st.binary(max_size=200), st.integers(0, 3), WIDTHS)
def test_any_bytes_have_an_answer(data: bytes, kind: int, w: int) -> None:
    """Whatever is decoded is in range, and is encoded to the same bytes again."""
    head = bytes((messages.VERSION << 4 | kind, messages.WIDTHS.index(w) << 6 | messages.WIDTHS.index(2) << 4))
    for frame in (data, head + data):
        answer = messages.decode(frame, CAPACITY)
        if isinstance(answer, messages.Malformed):
            assert answer.reason and "\n" not in answer.reason
        elif isinstance(answer, tuple):
            assert messages.encode_pub(*answer, w=w_of(frame), p=p_of(frame)) == frame
        elif isinstance(answer, Hello):
            assert messages.encode_hello(answer, w_of(frame), p_of(frame)) == frame
        else:
            assert messages.encode_sub(answer, w_of(frame), p_of(frame)) == frame


def w_of(frame: bytes) -> int:
    return messages.WIDTHS[frame[1] >> 6]


def p_of(frame: bytes) -> int:
    return messages.WIDTHS[frame[1] >> 4 & 3]


@given(randoms, st.data())
def test_damaged_frames_have_an_answer(rng: random.Random, data: st.DataObject) -> None:
    frame = bytearray(messages.encode_hello(any_hello(rng, 2, 2)))
    for _ in range(data.draw(st.integers(1, 4))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(frame[: data.draw(st.integers(0, len(frame)))])
    for x in (bytes(frame), cut, bytes(frame) + b"\0"):
        messages.decode(x, CAPACITY)
    longer = messages.encode_hello(any_hello(rng, 2, 2)) + b"\0"
    assert isinstance(messages.decode(longer, CAPACITY), messages.Malformed)


@pytest.mark.parametrize(
    "frame, reason",
    [
        (b"", "shorter than a header"),
        (b"\x21", "shorter than a header"),
        (b"\x11\0", "version"),
        (b"\x2f\0", "kind"),
        (b"\x21\xc0", "width"),
        (b"\x21\x0c", "flags"),
        (b"\x23\0", "shorter than its lists"),
        (b"\x22\0" + bytes(30), "longer"),
        (b"\x23\0" + bytes(6) + b"\1" + bytes(25), "flags"),
    ],
)
def test_reasons(frame: bytes, reason: str) -> None:
    answer = messages.decode(frame, CAPACITY)
    assert isinstance(answer, messages.Malformed) and reason in answer.reason


def test_what_does_not_fit_its_width_is_not_sent() -> None:
    m = blank(Pub, CAPACITY)
    m.origin = 65535  # would read as nobody
    with pytest.raises(OverflowError):
        messages.encode_pub(m)
    assert messages.encode_pub(m, w=4)


def star(leaves: int) -> Network:
    net = Network([(0, v) for v in range(1, leaves + 1)], leaves + 1)
    net.run(25)
    return net


def test_hello_with_eight_links_fits_a_radio_frame_and_candidates_take_turns() -> None:
    net = star(12)  # eight become children, which is the longest HELLO; four remain candidates
    me, turns = net.node[0], []
    assert sum(link.id != k.NOBODY for link in me.link) == 8 and me.turned_away == 4
    for _ in range(8):
        node.write_hello(me, net.now, net.hello)
        assert net.hello.children == 8
        assert len(messages.encode_hello(net.hello)) <= k.FRAME <= 127
        turns.append({h.id for h in net.hello.heard[: net.hello.heards]})
    assert set.union(*turns) == {c.id for c in me.candidate if c.id != k.NOBODY} and len(set.union(*turns)) == 4
    assert max(map(len, turns)) < 4


def test_a_sub_too_long_for_a_frame_is_split_by_channels() -> None:
    net = Network([(0, 1)], 2, capacity=Capacity(channels=40, batch=40))
    net.run(10)
    channels = [1000 + c for c in range(30)]
    for c in channels:
        net.subscribe(0, channel=c)
    named, part, frames = [], 0, 0
    while True:
        sub = blank(Sub, net.capacity)
        part = node.write_sub(net.node[0], net.now, part, sub)
        assert len(messages.encode_sub(sub)) <= k.FRAME
        named += sub.channel[: sub.channels]
        frames += 1
        if part == 0:
            break
    assert sorted(named) == channels and frames > 2
    net.run(3)
    assert sorted(c for c in net.node[1].channel if c) == channels


def test_layout_of_a_node_is_packed_without_surprise() -> None:
    """Bytes of a node's memory for the default capacities; a change here is a decision, not an accident."""
    numpy = pytest.importorskip("numpy")
    from psvr.protocol.layout import dtype

    assert numpy.dtype(dtype(Node, CAPACITY)).itemsize == sum_of(Node)


def sum_of(cls: type) -> int:
    """The size of a layout by its own declaration, with the alignment of C."""
    at, widest = 0, 1
    for f in sorted(fields(cls), key=nearness):
        size, align = (f.item.bytes, f.item.bytes) if isinstance(f.item, Int) else (sum_of(f.item), align_of(f.item))
        at = -(-at // align) * align + size * (getattr(CAPACITY, f.capacity) if f.capacity else 1)
        widest = max(widest, align)
    return -(-at // widest) * widest


def align_of(cls: type) -> int:
    return max(f.item.bytes if isinstance(f.item, Int) else align_of(f.item) for f in fields(cls))
