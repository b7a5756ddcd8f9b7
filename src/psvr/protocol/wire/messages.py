"""Messages as bytes, and back.

A frame begins with its kind and version, followed by the widths of ids and positions (2, 4 or 8 bytes) and two flags.
Numbers are big-endian; all ones stand for −1 (no node, no position).  A flag says whether there is a ring.
Anything that is not a well-formed frame yields a `Malformed` with a reason; the decoder never raises.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from .. import constants as k
from ..layout import Capacity, Int, blank, fields
from ..positions import NONE
from ..records import Hello, Pub, Sub
from .lengths import positions_of

VERSION = 2
HELLO, SUB, PUB = 1, 2, 3
WIDTHS = (2, 4, 8)
ALT = LAST = 1  # flag 1 of HELLO and SUB
HAS_RING = 2  # flag 2 of all three
NO_DIGEST = 0  # on the wire, where there is no ring
ONES = {width: (1 << 8 * width) - 1 for width in WIDTHS}  # no id, no position
# A PUB is read and written in one step at every hop: header, src, cur, ep, ring, channel, origin, boot, number, hops,
# age.  By its widths, in bytes or as in the header: its struct, the bits of the widths, what means no id or position.
PUBS = {
    (w, p): (struct.Struct(f"!BB{id}{position}{position}Iq{id}IIHH"), i << 6 | j << 4, ONES[w], ONES[p])
    for i, (w, id) in enumerate(zip(WIDTHS, "HIQ"))
    for j, (p, position) in enumerate(zip(WIDTHS, "HIQ"))
}
PUBS_READ = {bits >> 4: (form, no_id, no_position) for form, bits, no_id, no_position in PUBS.values()}
LIMIT = {f.name: f.item.high for f in fields(Pub) if isinstance(f.item, Int)}
ID_LIMIT, POSITION_LIMIT, NUMBER_LIMIT, LOAD_LIMIT = LIMIT["src"], LIMIT["cur"], LIMIT["number"], LIMIT["load"]


@dataclass(frozen=True)
class Malformed:
    """Bytes that are not a frame."""

    reason: str


class Writer:
    """Writes fields one after the other; `done` returns the frame."""

    def __init__(self, kind: int, flags: int, w: int, p: int) -> None:
        self.w, self.p = w, p
        self.parts = [bytes((VERSION << 4 | kind, WIDTHS.index(w) << 6 | WIDTHS.index(p) << 4 | flags))]

    def put(self, value: int, width: int) -> None:
        """Write all ones for −1; raise OverflowError if the value does not fit, or would read as −1."""
        if value >= (1 << 8 * width) - (width != 1):
            raise OverflowError(f"{value} does not fit {width} bytes")
        self.parts.append(((1 << 8 * width) - 1 if value == -1 else value).to_bytes(width, "big"))

    def ids(self, *values: int) -> None:
        for value in values:
            self.put(value, self.w)

    def positions(self, *values: int) -> None:
        for value in values:
            self.put(value, self.p)

    def number(self, value: int, width: int) -> None:
        self.parts.append(value.to_bytes(width, "big"))

    def done(self) -> bytes:
        return b"".join(self.parts)


def ring_or_none(value: int) -> int:
    return max(value, NO_DIGEST)


def encode_hello(m: Hello, w: int = 2, p: int = 2) -> bytes:
    """Raise OverflowError if an id or a position needs more than its width."""
    out = Writer(HELLO, (ALT if m.alt else 0) | (HAS_RING if m.ring >= 0 else 0), w, p)
    out.ids(m.src)
    out.number(m.number, 4)
    out.ids(m.root, m.parent)
    out.number(m.dist, 2)
    out.number(m.seq, 4)
    out.positions(m.size, m.start, m.length)
    out.number(m.digest, 4)
    out.number(ring_or_none(m.ring), 4)
    for count in (m.free, m.children, m.links, m.heards):
        out.number(count, 1)
    for i in range(m.links):
        out.ids(m.link[i].id)
        out.number(m.link[i].quality, 1)
    for i in range(m.children):
        out.positions(m.link[i].size)
        out.number(m.link[i].digest, 4)
    for i in range(m.heards):
        out.ids(m.heard[i].id)
        out.number(m.heard[i].quality, 1)
    return out.done()


def encode_sub(m: Sub, w: int = 2, p: int = 2) -> bytes:
    out = Writer(SUB, (LAST if m.last else 0) | (HAS_RING if m.ring >= 0 else 0), w, p)
    positions = positions_of(m)
    out.ids(m.src, m.to, m.back)
    out.number(m.limit, 2)
    out.number(ring_or_none(m.ring), 4)
    out.number(positions, 1)
    out.number(m.channels, 1)
    out.positions(*m.position[:positions])
    for c in range(m.channels):
        out.number(m.channel[c] & 0xFFFFFFFFFFFFFFFF, 8)
    return out.done()


def encode_pub(m: Pub, data: bytes = b"", w: int = 2, p: int = 2) -> bytes:
    form, widths, no_id, no_position = PUBS[w, p]
    src, origin, cur, ep, ring, again = m.src, m.origin, m.cur, m.ep, m.ring, m.again
    if not (-1 <= src < no_id > origin >= -1 and -1 <= cur < no_position > ep >= -1):
        raise OverflowError(f"ids {src}, {origin} do not fit {w} bytes, or positions {cur}, {ep} not {p}")
    flags = (HAS_RING if ring >= 0 else 0) | again & 1 | (again & 6) << 1
    try:
        return (
            form.pack(
                VERSION << 4 | PUB,
                widths | flags,
                src & no_id,
                cur & no_position,
                ep & no_position,
                ring if ring >= 0 else NO_DIGEST,
                m.channel,
                origin & no_id,
                m.boot,
                m.number,
                m.hops,
                m.age,
            )
            + data
        )
    except struct.error as error:
        raise OverflowError(str(error)) from None


class Reader:
    """Reads from the front; past the end it sets `short` and returns zeros."""

    def __init__(self, data: bytes, w: int, p: int) -> None:
        self.data, self.at, self.w, self.p, self.short = data, 2, w, p, False

    def number(self, width: int) -> int:
        piece = self.data[self.at : self.at + width]
        self.at += width
        self.short |= len(piece) < width
        return int.from_bytes(piece, "big")

    def take(self, width: int) -> int:
        value = self.number(width)
        return -1 if value == (1 << 8 * width) - 1 else value

    def id(self) -> int:
        return self.take(self.w)

    def position(self) -> int:
        return self.take(self.p)

    def channel(self) -> int:
        value = self.number(8)
        return value - (1 << 64) if value >> 63 else value


def decode(data: bytes, capacity: Capacity) -> Hello | Sub | tuple[Pub, bytes] | Malformed:
    """Return the message in a frame, as a plain object whose tables have at least the given capacity."""
    if len(data) < 2:
        return Malformed("shorter than a header")
    if data[0] == VERSION << 4 | PUB and data[1] >> 4 in PUBS_READ:
        return read_pub(data)  # by far the most common
    version, kind = data[0] >> 4, data[0] & 15
    if version != VERSION:
        return Malformed(f"version {version} instead of {VERSION}")
    widths = data[1] >> 6, data[1] >> 4 & 3
    if 3 in widths:
        return Malformed("unknown width of ids or positions")
    if data[1] & 12 and kind != PUB:
        return Malformed("unknown flags")
    reader = Reader(data, WIDTHS[widths[0]], WIDTHS[widths[1]])
    if kind == HELLO:
        return read_hello(reader, data[1] & 3, capacity)
    if kind == SUB:
        return read_sub(reader, data[1] & 3, capacity)
    return Malformed(f"unknown kind {kind}")


def finish(reader: Reader, message: Any) -> Any:
    """Return the message, if all of the frame was read and every value is in the range of its field."""
    if reader.short:
        return Malformed("shorter than its lists")
    if reader.at < len(reader.data):
        return Malformed("longer than its lists")
    wrong = first_out_of_range(message)
    return Malformed(f"{wrong} is out of range") if wrong else message


def first_out_of_range(message: Any) -> str:
    """Return the name of a field whose value is out of range, or an empty string."""
    for f in fields(type(message)):
        held = getattr(message, f.name)
        for x in held if f.capacity else (held,):
            wrong = "" if isinstance(f.item, Int) else first_out_of_range(x)
            if wrong or (isinstance(f.item, Int) and not f.item.low <= x <= f.item.high):
                return f"{f.name}.{wrong}" if wrong else f.name
    return ""


def read_hello(r: Reader, flags: int, capacity: Capacity) -> Hello | Malformed:
    head = r.id(), r.number(4), r.id(), r.id(), r.number(2), r.number(4), r.position(), r.position(), r.position()
    own, ring = r.number(4), r.number(4)
    free, children, links, heards = r.number(1), r.number(1), r.number(1), r.number(1)
    if children > links:
        return Malformed("more children than links")
    m = blank(Hello, capacity._replace(links=max(links, capacity.links), candidates=max(heards, capacity.candidates)))
    m.src, m.number, m.root, m.parent, m.dist, m.seq, m.size, m.start, m.length = head
    m.alt, m.free, m.children, m.links, m.heards = flags & ALT, free, children, links, heards
    m.digest, m.ring = own, ring if flags & HAS_RING else -1
    if not flags & HAS_RING and (ring != NO_DIGEST or m.start != NONE):
        return Malformed("a position without a ring")
    for i, listed in enumerate(m.link):
        listed.id, listed.quality, listed.digest = (r.id(), r.number(1), -1) if i < links else (k.NOBODY, 0, -1)
    for i in range(children):
        m.link[i].size, m.link[i].digest = r.position(), r.number(4)
        if m.link[i].size < 1:
            return Malformed("a child without a size")
    for i, heard in enumerate(m.heard):
        heard.id, heard.quality = (r.id(), r.number(1)) if i < heards else (k.NOBODY, 0)
    return finish(r, m)  # type: ignore[no-any-return]


def read_sub(r: Reader, flags: int, capacity: Capacity) -> Sub | Malformed:
    src, to, back, limit, ring = r.id(), r.id(), r.id(), r.number(2), r.number(4)
    positions, channels = r.number(1), r.number(1)
    m = blank(Sub, capacity._replace(links=max(positions, capacity.links), batch=max(channels, capacity.batch)))
    m.src, m.to, m.back, m.limit, m.channels = src, to, back, limit, channels
    m.last, m.ring = flags & LAST, ring if flags & HAS_RING else -1
    if not flags & HAS_RING and ring != NO_DIGEST:
        return Malformed("a ring that is none")
    m.position = [r.position() if i < positions else NONE for i in range(len(m.position))]
    if NONE in m.position[:positions]:
        return Malformed("a position that is none")
    for c in range(channels):
        m.channel[c] = r.channel()
    return finish(r, m)  # type: ignore[no-any-return]


def read_pub(data: bytes) -> tuple[Pub, bytes] | Malformed:
    """Read a PUB in one step; only values that the frame could hold, but not their fields, need checking."""
    flags, (form, no_id, no_position) = data[1] & 15, PUBS_READ[data[1] >> 4]
    if len(data) < form.size:
        return Malformed("shorter than its lists")
    m = Pub()
    _, _, src, cur, ep, ring, m.channel, origin, m.boot, m.number, m.hops, m.age = form.unpack_from(data)
    m.src, m.origin = -1 if src == no_id else src, -1 if origin == no_id else origin
    m.cur, m.ep = -1 if cur == no_position else cur, -1 if ep == no_position else ep
    m.ring, m.again = ring if flags & HAS_RING else -1, flags & 1 | flags >> 1 & 6
    if not flags & HAS_RING and ring != NO_DIGEST:
        return Malformed("flags that do not fit")
    data = data[form.size :]
    m.load = len(data)
    if (
        m.src > ID_LIMIT
        or m.origin > ID_LIMIT
        or m.cur > POSITION_LIMIT
        or m.ep > POSITION_LIMIT
        or m.boot > NUMBER_LIMIT
        or m.number > NUMBER_LIMIT
        or m.load > LOAD_LIMIT
    ):
        return Malformed(f"{first_out_of_range(m)} is out of range")
    return m, data
