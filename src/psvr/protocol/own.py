"""Where rules of one's own come in: those of a file of the user take the place of rules of a built-in system.

`settings.own` says whose; 0: nobody's.  Plain, they are called as they stand (`systems`); compiled, through a table of
addresses, so that nothing else is compiled again because of them.  What they leave is brought back into range.
"""

from . import constants as k
from .form import COMPILED, rule
from .links import sender
from .numbers import clip
from .positions import NONE
from .psvr import start_sub
from .records import Node, Outcome, Pub, Sub

if COMPILED:
    from psvr.addresses import act, ask, given
else:
    from .systems import call as act
    from .systems import call as ask
    from .systems import given

FORWARD, DETOUR, WRITE_SUB, HEAR_SUB, CLEAN = range(5)      # in the order of systems.RULES


@rule
def replaces(me: Node, which: int) -> bool:
    """This node has a rule of its own in place of its system's."""
    return 0 < me.settings.own < k.OWN_MOST and given(me.settings.own, which)


@rule
def has_own_table(me: Node) -> bool:
    """What RS says is not up to the rules of the built-in system."""
    return replaces(me, WRITE_SUB) or replaces(me, HEAR_SUB) or replaces(me, CLEAN)


@rule
def forward(me: Node, now: int, pub: Pub, out: Outcome) -> None:
    clear(out)
    act(me.settings.own, FORWARD, (me, now, pub, out))
    tidy(me, out)


@rule
def detour(me: Node, now: int, pub: Pub, at: int, avoid: int, out: Outcome) -> None:
    clear(out)
    act(me.settings.own, DETOUR, (me, now, pub, at, avoid, out))
    tidy(me, out)


@rule
def clear(out: Outcome) -> None:
    """A field that a rule forgets to write says nothing, whatever stood there."""
    for i in range(len(out.send)):
        x = out.send[i]
        x.to, x.at, x.goal, x.ep = k.NOBODY, NONE, NONE, NONE


@rule
def tidy(me: Node, out: Outcome) -> None:
    """Keep of an outcome what can be sent: to a link, or to all."""
    kept, furthest = 0, 2 * k.SIZE_MOST - 1
    for i in range(clip(out.sends, 0, len(out.send))):
        x, y = out.send[i], out.send[kept]
        if x.to != k.NOBODY and sender(me, x.to) == NONE:
            out.reason = k.NO_WAY
            continue
        y.to, y.at = x.to, clip(x.at, NONE, furthest)
        y.goal, y.ep = clip(x.goal, NONE, furthest), clip(x.ep, NONE, furthest)
        kept += 1
    out.sends, out.deliver, out.reason = kept, clip(out.deliver, 0, 1), clip(out.reason, k.FINE, k.OUT_OF_RANGE)


@rule
def write_sub(me: Node, now: int, part: int, out: Sub) -> int:
    """The next part must be a later one, or there would be no end."""
    start_sub(me, out)
    following = ask(me.settings.own, WRITE_SUB, (me, now, part, out))
    out.channels = clip(out.channels, 0, len(out.channel))
    return following if following > part else 0


@rule
def hear_sub(me: Node, now: int, sub: Sub, out: Sub) -> int:
    start_sub(me, out)
    reason = ask(me.settings.own, HEAR_SUB, (me, now, sub, out))
    out.channels = clip(out.channels, 0, len(out.channel))
    return clip(reason, k.FINE, k.OUT_OF_RANGE)


@rule
def clean(me: Node, now: int) -> None:
    act(me.settings.own, CLEAN, (me, now))
