"""Whether an origin repeats a publication that it has kept."""

from .. import constants as k
from ..form import rule
from ..numbers import elapsed
from ..pubsub import publication
from ..records import Held
from .body import Body


@rule
def others_are_responsible(b: Body, h: Held) -> bool:
    """Return whether it was handed to somebody who is now responsible for it."""
    return b.me.settings.custody > 0 and publication.uses_ring(b.me) and h.sent == 1 and h.doubted == 0


@rule
def should_repeat(b: Body, h: Held) -> bool:
    """Return whether it may have been lost, or there are nodes that it has not reached."""
    if h.pub.ring == b.me.ring and h.doubted == 0:
        return False  # the most common case
    if not publication.should_repeat(b.me, h.pub, h.doubted == 1):
        return False
    if others_are_responsible(b, h) and not nodes_differ(b, h):
        h.pub.ring = b.me.ring
    return h.pub.ring != b.me.ring or h.doubted == 1


@rule
def nodes_differ(b: Body, h: Held) -> bool:
    """Return whether there are more nodes than when it was sent, or fewer, and one that is gone may have had it."""
    return b.me.length > h.length or (b.me.length < h.length and was_under_way(b, h))


@rule
def was_under_way(b: Body, h: Held) -> bool:
    """Return whether it may have been under way when its ring was lost.

    What was sent longer ago has arrived, or is in the hands of a node that is alive.
    """
    return h.due < h.since or elapsed(h.due, h.since) <= k.FLIGHT * b.me.settings.hello
