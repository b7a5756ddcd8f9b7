"""What a driver passes to every rule of a host, and the effects that it gets back."""

from collections.abc import Sequence
from typing import NamedTuple

from .. import constants as k
from ..form import bundle, rule
from ..numbers import clip
from ..positions import NONE
from ..pubsub import publication
from ..records import Effects, Handed, Held, Host, Node, Outcome
from . import handed, taken
from .holding import ENDED, free, free_slots, weighs

SEND, DELIVER, DROPPED, AGAIN, FORGOTTEN, KNOWN = range(1, 7)  # kinds of effects
EVICTION_SHARE = 64  # one in this many slots is freed at a time
HEARD = -1  # instead of a slot: the publication just heard
TAKEN, REFUSED, NO_SLOTS = 0, 1, 2  # what becomes of a PUB that is heard


@bundle
class Body(NamedTuple):
    """A node, its host, and their tables: what a driver passes to every rule here."""

    me: Node
    host: Host
    held: Sequence[Held]
    names: Sequence[Handed]
    out: Effects
    outcome: Outcome


@rule
def start(b: Body, now: int, boot: int) -> None:
    """Make it a host that holds nothing, given tables of zeros; `node.start` does the same for the node."""
    host = b.host
    host.born, host.boot, host.number, b.out.count = now, boot, 0, 0
    host.top = host.used = host.turn = host.seen = host.hopes = host.met = host.weight = 0
    host.next, host.look_at, host.ring, host.phase = NONE, k.FOREVER, b.me.ring, phase(b.me)
    host.later = k.FOREVER
    taken.clear(host)
    for i in range(len(b.names)):
        handed.clear(b.names[i])


@rule
def emit(b: Body, kind: int, slot: int, reason: int) -> None:
    """Add an effect for the driver to carry out; rules stop before there is no room for those that they may add."""
    if b.out.count < len(b.out.effect):
        e = b.out.effect[b.out.count]
        e.kind, e.slot, e.reason = kind, slot, reason
        b.out.count += 1


@rule
def has_room(b: Body) -> bool:
    """Return whether there is room for all the effects that one publication may have."""
    return b.out.count + 2 * len(b.outcome.send) + 4 <= len(b.out.effect)


@rule
def has_slots(b: Body) -> bool:
    """Return whether there are slots for all frames of one publication."""
    return free_slots(b.host, b.held) > len(b.outcome.send)


@rule
def drained(b: Body) -> None:
    """The driver has carried out all effects: slots that have ended are free again."""
    for i in range(b.out.count):
        e = b.out.effect[i]
        if e.kind != SEND and 0 <= e.slot < len(b.held) and b.held[e.slot].state == ENDED:
            free(b.host, b.held, e.slot)
    b.out.count = 0


@rule
def is_early_sub(reason: int) -> bool:
    """Return whether a SUB useless for this reason may be of use a moment later, so that it is not acknowledged."""
    return is_early(reason) or reason == k.NOT_A_LINK or reason == k.NOT_IN_TREE


@rule
def is_early(reason: int) -> bool:
    """Return whether the reason may be gone in a moment, when the ring that it travels on is here."""
    return reason == k.NO_RING or reason == k.OTHER_RING or reason == k.NOT_MY_POSITION


@rule
def scan_by(host: Host, at: int) -> None:
    """Schedule a scan no later than this; in the middle of a scan, once that is over."""
    if host.seen > 0:
        host.later = min(host.later, at)
    elif at < host.look_at:
        host.look_at = at


@rule
def scan_all_now(host: Host, now: int) -> None:
    """Scan everything now, including what the present scan has already passed: all of it may go on."""
    host.look_at, host.seen = now, 0


@rule
def phase(me: Node) -> int:
    """Return how far a new ring has got: what waits or is kept may go on when this changes."""
    return (1 if publication.should_wait(me) else 0) + (2 if publication.is_filling(me) else 0)


@rule
def weigh(b: Body) -> int:
    """Count the bytes of payload held, regardless of the count so far."""
    found = 0
    for i in range(clip(b.host.top, 0, len(b.held))):
        if weighs(b.held[i]):
            found += b.held[i].pub.load
    return found


@rule
def has_few_slots(b: Body) -> bool:
    """Return whether what is kept will have to make room, unless the table grows."""
    return free_slots(b.host, b.held) < slots_needed(b)


@rule
def slots_needed(b: Body) -> int:
    """Return the slots for a publication and its frames, and for one that has to be repeated before making room."""
    return 2 * len(b.outcome.send) + 2
