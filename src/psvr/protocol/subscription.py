"""What every publish/subscribe layer shares of subscriptions: when SUBs are sent and rows are cleaned.

`vr2015` learns its next subscribers as PSVR does; `ring` and `flood` need no subscriptions at all.
"""

from . import constants as k
from . import own, psvr, shen, table
from .form import rule
from .numbers import COUNT_MOST, LOW32, clip, due, elapsed, spread
from .records import Link, Node, Sub
from .tree import is_tree


@rule
def announces(me: Node) -> bool:
    """The system of this node sends SUBs."""
    return me.settings.system != k.RING and me.settings.system != k.FLOOD


@rule
def on_new_ring(me: Node, now: int) -> None:
    """The table means nothing any more; teach the new positions soon, and say so more than once."""
    if me.settings.system != k.SHEN:
        table.reset(me)
    me.bursts = me.settings.bursts
    me.sub_at = now + spread(me.id, now, 1, k.BURST_LEAST, k.BURST_MOST)


@rule
def sub_is_due(me: Node, now: int) -> bool:
    return announces(me) and due(now, me.sub_at, 2 * table.lease(me))


@rule
def after_sub(me: Node, now: int) -> None:
    """When to send the next SUB: the repetitions of a burst, then the lease, a little early or late."""
    me.bursts = clip(me.bursts, 1, max(me.settings.bursts, 1)) - 1
    if me.bursts == 2:
        me.sub_at = now + k.BURST_SECOND
    elif me.bursts == 1:
        me.sub_at = now + k.BURST_THIRD
    else:
        lease = table.lease(me)
        early = lease * k.JITTER_PERCENT // 100
        me.sub_at = now + lease - spread(me.id, now, 2, 0, early)


@rule
def tidy(me: Node, now: int) -> None:
    """Forget SUBs that cannot have been relayed, and bring the counts back into range."""
    for i in range(len(me.relayed)):
        r = me.relayed[i]
        if not 0 <= r.key <= LOW32 or elapsed(now, r.at) == k.FOREVER:
            r.key = r.at = 0
    me.bursts = clip(me.bursts, 0, me.settings.bursts)
    me.overflow = clip(me.overflow, 0, COUNT_MOST)


@rule
def write(me: Node, now: int, part: int, out: Sub) -> int:
    """The `part`-th SUB that is due; the number of the next, 0 when that was the last."""
    if own.replaces(me, own.WRITE_SUB):
        return own.write_sub(me, now, part, out)
    if me.settings.system == k.SHEN:
        return shen.write_sub(me, now, part, out)
    return psvr.write_sub(me, part, out)


@rule
def is_for(me: Node, link: Link, sub: Sub) -> bool:
    """A SUB of mine, or one that I pass on, is for this link."""
    return is_tree(me, link) and (link.id == sub.to if sub.to != k.NOBODY else link.id != sub.back)


@rule
def copies(me: Node, sub: Sub) -> int:
    """How often a SUB is broadcast: twice, and more often on bad links, until few would miss it, or `sub_copies`."""
    worst = k.QUALITY_ONE
    for i in range(len(me.link)):
        if is_for(me, me.link[i], sub):
            worst = min(worst, clip(me.link[i].q_out, 0, k.QUALITY_ONE))
    number, lost = 1, k.QUALITY_ONE - worst
    missed = lost
    while number < me.settings.sub_copies and (number < k.SUB_COPIES_LEAST or missed > k.SUB_MISSED):
        number, missed = number + 1, missed * lost // k.QUALITY_ONE
    return number


@rule
def hear(me: Node, now: int, sub: Sub, out: Sub) -> int:
    """A SUB is heard; if `out` then names channels, it is to be broadcast over the tree."""
    out.channels = 0
    if own.replaces(me, own.HEAR_SUB):
        return own.hear_sub(me, now, sub, out)
    if not announces(me):
        return k.FINE
    if me.settings.system == k.SHEN:
        return shen.hear_sub(me, now, sub)
    return psvr.hear_sub(me, now, sub, out)


@rule
def clean(me: Node, now: int) -> None:
    if own.replaces(me, own.CLEAN):
        own.clean(me, now)
    elif me.settings.system == k.SHEN:
        shen.clean(me, now)
    else:
        table.clean(me, now)
    me.clean_at = now + table.lease(me) // max(me.settings.cleans, 1)
