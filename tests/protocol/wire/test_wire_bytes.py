"""Frames byte by byte: what other implementations have to send and to read."""

from typing import Any

import pytest

from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, blank, snapshot
from psvr.protocol.records import Hello, Node, Pub, Sub
from psvr.protocol.wire import lengths, messages
from tests.support.protocol.hand_made import SMALL


def some_hello() -> Hello:
    m = blank(Hello, SMALL)
    m.src, m.number, m.root, m.parent, m.dist, m.seq, m.size, m.start, m.length = 9, 258, 1, 5, 3, 770, 4, 11, 40
    m.digest, m.ring, m.free, m.alt, m.children, m.links, m.heards = 0x01020304, 0xA1A2A3A4, 2, 1, 1, 2, 1
    for x, listed in zip(m.link, [(20, 200, 3, 0x0B0C0D0E), (5, 255, 0, -1)]):
        x.id, x.quality, x.size, x.digest = listed
    for rest in m.link[2:]:
        rest.id, rest.digest = k.NOBODY, -1
    m.heard[0].id, m.heard[0].quality = 30, 100
    for heard in m.heard[1:]:
        heard.id = k.NOBODY
    return m


def some_sub() -> Sub:
    m = blank(Sub, SMALL)
    m.src, m.to, m.back, m.limit, m.ring, m.last, m.channels = 9, k.NOBODY, 20, 300, 0xA1A2A3A4, 1, 2
    m.position, m.channel = [4, 10, -1, -1], [5, -2, 0, 0]
    return m


def some_pub() -> Pub:
    m = blank(Pub, SMALL)
    m.src, m.cur, m.ep, m.ring, m.channel, m.origin, m.boot = 9, 16, 4, 0xA1A2A3A4, -2, 3, 6
    m.number, m.hops, m.again, m.age, m.load = 8, 259, 1, 260, 2
    return m


HELLO = (
    "21 03 0009 00000102 0001 0005 0003 00000302 0004 000b 0028 01020304 a1a2a3a4 02 01 02 01 "
    "0014 c8 0005 ff 0003 0b0c0d0e 001e 64"
)
SUB = "22 03 0009 ffff 0014 012c a1a2a3a4 02 02 0004 000a 0000000000000005 fffffffffffffffe"
PUB = "23 03 0009 0010 0004 a1a2a3a4 fffffffffffffffe 0003 00000006 00000008 0103 0104 6869"


def test_hello() -> None:
    frame = messages.encode_hello(some_hello())
    assert frame == bytes.fromhex(HELLO) and lengths.hello_length(some_hello(), 2, 2) == len(frame)
    assert snapshot(messages.decode(frame, SMALL), Hello) == snapshot(some_hello(), Hello)


def test_sub() -> None:
    frame = messages.encode_sub(some_sub())
    assert frame == bytes.fromhex(SUB) and lengths.sub_length(some_sub(), 2, 2) == len(frame)
    assert snapshot(messages.decode(frame, SMALL), Sub) == snapshot(some_sub(), Sub)


def test_pub() -> None:
    frame = messages.encode_pub(some_pub(), b"hi")
    assert frame == bytes.fromhex(PUB) and lengths.pub_length(some_pub(), 2, 2) == len(frame)
    read = messages.decode(frame, SMALL)
    assert isinstance(read, tuple) and read[1] == b"hi" and snapshot(read[0], Pub) == snapshot(some_pub(), Pub)


def test_wider_ids_and_positions() -> None:
    assert messages.encode_hello(some_hello(), 4, 2)[:6] == bytes.fromhex("2143 00000009")
    assert messages.encode_sub(some_sub(), 8, 4)[:10] == bytes.fromhex("2293 0000000000000009")
    assert messages.encode_pub(some_pub(), b"", 2, 8)[:12] == bytes.fromhex("2323 0009 0000000000000010")


@pytest.mark.parametrize("again, flags", [(0, 2), (1, 3), (2, 6), (5, 11), (7, 15)])
def test_how_often_it_was_sent_anew(again: int, flags: int) -> None:
    m = some_pub()
    m.again = again
    assert messages.encode_pub(m)[1] == flags
    read = messages.decode(messages.encode_pub(m), SMALL)
    assert isinstance(read, tuple) and read[0].again == again


def test_flags_say_whether_there_is_a_ring() -> None:
    hello, sub, pub = some_hello(), some_sub(), some_pub()
    hello.ring = sub.ring = pub.ring = hello.start = -1
    hello.alt = sub.last = pub.again = 0
    frames = [messages.encode_hello(hello), messages.encode_sub(sub), messages.encode_pub(pub)]
    assert [frame[1] for frame in frames] == [0, 0, 0]
    read: list[Any] = [messages.decode(frame, SMALL) for frame in frames]
    assert [read[0].ring, read[1].ring, read[2][0].ring] == [-1, -1, -1]


def test_a_ring_called_0_is_a_ring() -> None:
    hello, sub, pub = some_hello(), some_sub(), some_pub()
    hello.ring = sub.ring = pub.ring = 0
    read = messages.decode(messages.encode_pub(pub), SMALL)
    assert isinstance(read, tuple) and read[0].ring == 0
    assert snapshot(messages.decode(messages.encode_hello(hello), SMALL), Hello) == snapshot(hello, Hello)
    assert snapshot(messages.decode(messages.encode_sub(sub), SMALL), Sub) == snapshot(sub, Sub)


@pytest.mark.parametrize("w", messages.WIDTHS)
def test_nobody_and_nowhere_come_back(w: int) -> None:
    pub = some_pub()
    pub.src = pub.origin = k.NOBODY
    pub.cur = pub.ep = -1
    assert messages.encode_pub(pub, b"hi", w, w).count(b"\xff" * w) >= 4
    read = messages.decode(messages.encode_pub(pub, b"hi", w, w), SMALL)
    assert isinstance(read, tuple) and snapshot(read[0], Pub) == snapshot(pub, Pub)


def test_all_links_may_be_children_of_one_node_each() -> None:
    m = some_hello()
    m.children = m.links = 1
    m.link[0].size = 1
    m.link[1].id, m.link[1].quality = k.NOBODY, 0
    assert snapshot(messages.decode(messages.encode_hello(m), SMALL), Hello) == snapshot(m, Hello)


def test_a_subtree_larger_than_any_network_is_refused() -> None:
    m = some_hello()
    m.link[0].size = 1 << 30
    assert messages.decode(messages.encode_hello(m, 2, 4), SMALL) == messages.Malformed("link.size is out of range")


# All ones are nobody: an id that would read so cannot be sent.


@pytest.mark.parametrize("w", messages.WIDTHS)
@pytest.mark.parametrize("less", [1, 2])
@pytest.mark.parametrize(
    "kind, name",
    [
        ("hello", "src"),
        ("hello", "root"),
        ("hello", "parent"),
        ("sub", "src"),
        ("sub", "to"),
        ("sub", "back"),
        ("pub", "src"),
        ("pub", "origin"),
    ],
)
def test_an_id_of_all_ones_is_not_sent(kind: str, name: str, w: int, less: int) -> None:
    made = {"hello": some_hello, "sub": some_sub, "pub": some_pub}[kind]()
    setattr(made, name, (1 << 8 * w) - less)
    encode = getattr(messages, f"encode_{kind}")
    if less == 1:
        with pytest.raises(OverflowError):
            encode(made, w=w)
    else:
        assert b"\xff" * (w - 1) + b"\xfe" in encode(made, w=w)


@pytest.mark.parametrize("p", messages.WIDTHS)
@pytest.mark.parametrize(
    "kind, name", [("hello", "start"), ("hello", "length"), ("sub", "position"), ("pub", "cur"), ("pub", "ep")]
)
def test_a_position_of_all_ones_is_not_sent(kind: str, name: str, p: int) -> None:
    made = {"hello": some_hello, "sub": some_sub, "pub": some_pub}[kind]()
    ones = (1 << 8 * p) - 1
    setattr(made, name, [ones, -1, -1, -1] if name == "position" else ones)
    with pytest.raises(OverflowError):
        getattr(messages, f"encode_{kind}")(made, p=p)


@pytest.mark.parametrize("listed", ["link", "heard"])
def test_an_id_of_all_ones_is_not_listed(listed: str) -> None:
    m = some_hello()
    getattr(m, listed)[0].id = 65535
    with pytest.raises(OverflowError):
        messages.encode_hello(m)


@pytest.mark.parametrize("name, value", [("number", 1 << 32), ("boot", -1), ("hops", 65536), ("channel", 1 << 63)])
def test_other_numbers_that_do_not_fit_are_not_sent(name: str, value: int) -> None:
    m = some_pub()
    setattr(m, name, value)
    with pytest.raises(OverflowError):
        messages.encode_pub(m)


# What is not a frame, and why.


@pytest.mark.parametrize(
    "frame, reason",
    [
        (HELLO.replace("21 03", "21 01"), "a position without a ring"),
        (HELLO.replace("21 03", "21 01").replace("a1a2a3a4", "00000000"), "a position without a ring"),
        (HELLO.replace("21 03", "21 01").replace("000b", "ffff"), "a position without a ring"),
        ("21 03", "shorter than its lists"),
        ("21", "shorter than a header"),
        (HELLO.replace("02 01 02 01 ", "02 03 02 01 "), "more children than links"),
        (HELLO.replace("0003 0b0c0d0e", "0000 0b0c0d0e"), "a child without a size"),
        (HELLO + "00", "longer than its lists"),
        (HELLO[:-2], "shorter than its lists"),
        (HELLO.replace("00000102", "80000000"), "number is out of range"),
        (SUB.replace("22 03", "22 01"), "a ring that is none"),
        (SUB.replace("0004 000a", "ffff 000a"), "a position that is none"),
        (SUB + "00", "longer than its lists"),
        (SUB[:-2], "shorter than its lists"),
        (PUB.replace("23 03", "23 01"), "flags that do not fit"),
        (PUB[: -len("04 6869")], "shorter than its lists"),
        (PUB.replace("00000008", "80000000"), "number is out of range"),
        (HELLO.replace("21 03", "21 07"), "unknown flags"),
        (HELLO.replace("21 03", "21 0b"), "unknown flags"),
        (HELLO.replace("21 03", "21 c3"), "unknown width of ids or positions"),
        (HELLO.replace("21 03", "21 33"), "unknown width of ids or positions"),
        (HELLO.replace("21 03", "11 03"), "version 1 instead of 2"),
        (HELLO.replace("21 03", "24 03"), "unknown kind 4"),
    ],
)
def test_what_is_wrong_with_a_frame(frame: str, reason: str) -> None:
    assert messages.decode(bytes.fromhex(frame), SMALL) == messages.Malformed(reason)


def test_longer_lists_than_a_node_has_room_for_are_read() -> None:
    tiny = Capacity(*[1] * len(Capacity()))
    hello, sub = messages.decode(bytes.fromhex(HELLO), tiny), messages.decode(bytes.fromhex(SUB), tiny)
    assert isinstance(hello, Hello) and [x.id for x in hello.link] == [20, 5]
    assert isinstance(sub, Sub) and sub.position == [4, 10] and sub.channel == [5, -2]


# How much fits.


@pytest.mark.parametrize("w, p, positions, channels", [(2, 2, 2, 12), (2, 2, 8, 10), (8, 4, 2, 9), (2, 2, 0, 12)])
def test_channels_that_fit_one_sub(w: int, p: int, positions: int, channels: int) -> None:
    capacity = Capacity(batch=16)
    me, sub = blank(Node, capacity), blank(Sub, capacity)
    me.settings.frame, me.settings.id_bytes, me.settings.position_bytes = k.FRAME, w, p
    sub.position = [0] * positions + [-1] * (8 - positions)
    assert lengths.channels_per_sub(me, sub) == channels
    sub.channels = channels
    assert len(messages.encode_sub(sub, w, p)) <= k.FRAME < len(messages.encode_sub(sub, w, p)) + 8
    me.settings.frame = 10
    assert lengths.channels_per_sub(me, sub) == 1
    me.settings.frame = 1000
    assert lengths.channels_per_sub(me, sub) == 16


@pytest.mark.parametrize("w, p, links, children, heards", [(2, 2, 2, 1, 22), (2, 2, 8, 8, 2), (8, 8, 2, 2, 0)])
def test_candidates_that_fit_one_hello(w: int, p: int, links: int, children: int, heards: int) -> None:
    capacity = Capacity()
    me, m = blank(Node, capacity), blank(Hello, capacity)
    me.settings.frame, me.settings.id_bytes, me.settings.position_bytes = k.FRAME, w, p
    m.links, m.children = links, children
    assert lengths.heards_per_hello(me, m) == heards
    m.heards = heards
    assert heards == 0 or lengths.hello_length(m, w, p) <= k.FRAME < lengths.hello_length(m, w, p) + w + 1
    me.settings.frame = 1000
    assert lengths.heards_per_hello(me, m) == 24
