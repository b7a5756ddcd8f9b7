"""What all publish/subscribe layers share about subscriptions: when SUBs are sent and rows are cleaned.

`vr2015` learns its next subscribers as PSVR does; `ring` and `flood` need no subscriptions at all.
"""

from .. import constants as k
from .. import psvr, table
from ..form import rule
from ..links import two_way
from ..numbers import LOW32, MAX_COUNT, clip, due, elapsed, spread
from ..records import Link, Node, Sub
from ..tree import is_tree
from . import custom, shen


@rule
def announces(me: Node) -> bool:
    """Return whether the system of this node sends SUBs."""
    return me.settings.system != k.RING and me.settings.system != k.FLOOD


@rule
def on_new_ring(me: Node, now: int) -> None:
    """Empty the table, which means nothing any more; announce the new positions soon, and more than once."""
    if me.settings.system != k.SHEN:
        table.reset(me)
    me.bursts = me.settings.bursts
    me.sub_at = now + spread(me.id, now, 1, k.BURST_MIN, k.BURST_MAX)


@rule
def sub_is_due(me: Node, now: int) -> bool:
    return announces(me) and due(now, me.sub_at, 2 * table.lease(me))


@rule
def after_sub(me: Node, now: int) -> None:
    """Schedule the next SUB: the repetitions of a burst, then one per lease, a little early."""
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
    """Forget SUBs that cannot have been relayed, and bring counts back into range."""
    for i in range(len(me.relayed)):
        r = me.relayed[i]
        if not 0 <= r.key <= LOW32 or elapsed(now, r.at) == k.FOREVER:
            r.key = r.at = 0
    me.bursts = clip(me.bursts, 0, me.settings.bursts)
    me.overflow = clip(me.overflow, 0, MAX_COUNT)


@rule
def write(me: Node, now: int, part: int, out: Sub) -> int:
    """Write the `part`-th SUB that is due, and return the next part, 0 after the last."""
    if custom.replaces(me, custom.WRITE_SUB):
        return custom.write_sub(me, now, part, out)
    if me.settings.system == k.SHEN:
        return shen.write_sub(me, now, part, out)
    return psvr.write_sub(me, part, out)


@rule
def is_for(me: Node, link: Link, sub: Sub) -> bool:
    """Return whether a SUB that I send or pass on is meant for this link.

    One to all goes over the tree; one with an addressee goes to any link, which only custom systems make use of.
    """
    if sub.to != k.NOBODY:
        return link.id == sub.to and two_way(link)
    return is_tree(me, link) and link.id != sub.back


@rule
def copies(me: Node, sub: Sub) -> int:
    """Return how often to broadcast a SUB: twice, or more until few would miss it, but at most `sub_copies` times."""
    worst = k.QUALITY_ONE
    for i in range(len(me.link)):
        if is_for(me, me.link[i], sub):
            worst = min(worst, clip(me.link[i].q_out, 0, k.QUALITY_ONE))
    number, lost = 1, k.QUALITY_ONE - worst
    missed = lost
    while number < me.settings.sub_copies and (number < k.MIN_SUB_COPIES or missed > k.SUB_MISSED):
        number, missed = number + 1, missed * lost // k.QUALITY_ONE
    return number


@rule
def hear(me: Node, now: int, sub: Sub, out: Sub) -> int:
    """Hear a SUB and return a reason; if `out.channels` is not 0 afterwards, `out` is to be broadcast."""
    out.channels = 0
    if custom.replaces(me, custom.HEAR_SUB):
        return custom.hear_sub(me, now, sub, out)
    if not announces(me):
        return k.FINE
    if me.settings.system == k.SHEN:
        return shen.hear_sub(me, now, sub)
    return psvr.hear_sub(me, now, sub, out)


@rule
def clean(me: Node, now: int) -> None:
    if custom.replaces(me, custom.CLEAN):
        custom.clean(me, now)
    elif me.settings.system == k.SHEN:
        shen.clean(me, now)
    else:
        table.clean(me, now)
    me.clean_at = now + table.lease(me) // max(me.settings.cleans, 1)
