"""Where custom rules come in: rules from a file of the user replace those of a built-in system.

`settings.custom` says whose; 0: nobody's.  In the plain form they are called directly (`systems`); in the compiled
form, through a table of addresses, so that nothing else has to be recompiled.  Their results are brought back into
range.
"""

from .. import constants as k
from ..form import COMPILED, rule
from ..links import sender
from ..numbers import clip
from ..positions import NONE
from ..psvr import start_sub
from ..records import Node, Outcome, Pub, Send, Sub

if COMPILED:
    from psvr.addresses import act, ask, given
else:
    from ..systems import call as act
    from ..systems import call as ask
    from ..systems import given

FORWARD, DETOUR, WRITE_SUB, HEAR_SUB, CLEAN = range(5)  # in the order of systems.RULES


@rule
def replaces(me: Node, which: int) -> bool:
    """Return whether a custom rule replaces that of the node's system."""
    return 0 < me.settings.custom < k.MAX_CUSTOM and given(me.settings.custom, which)


@rule
def has_custom_table(me: Node) -> bool:
    """Return whether RS means something of its own: other SUBs may fill the same table, but need no other cleaning."""
    return replaces(me, CLEAN)


@rule
def forward(me: Node, now: int, pub: Pub, out: Outcome) -> None:
    clear(out)
    act(me.settings.custom, FORWARD, (me, now, pub, out))
    tidy(me, out)


@rule
def detour(me: Node, now: int, pub: Pub, at: int, avoid: int, out: Outcome) -> None:
    clear(out)
    act(me.settings.custom, DETOUR, (me, now, pub, at, avoid, out))
    tidy(me, out)


@rule
def clear(out: Outcome) -> None:
    """Blank all sends, so that a field that a rule forgets to write means nothing."""
    for i in range(len(out.send)):
        blank_send(out.send[i])
    for i in range(len(out.left)):
        blank_send(out.left[i])


@rule
def blank_send(x: Send) -> None:
    x.to, x.at, x.goal, x.ep = k.NOBODY, NONE, NONE, NONE


@rule
def tidy(me: Node, out: Outcome) -> None:
    """Keep only what can be sent, to a link or to all, and bring everything else into its range."""
    kept = 0
    for i in range(clip(out.sends, 0, len(out.send))):
        x = out.send[i]
        if x.to != k.NOBODY and sender(me, x.to) == NONE:
            out.reason = k.NO_WAY
            continue
        copy_send(x, x.to, out.send[kept])
        kept += 1
    out.sends, out.deliver, out.reason = kept, clip(out.deliver, 0, 1), clip(out.reason, k.FINE, k.OUT_OF_RANGE)
    out.stuck = clip(out.stuck, 0, len(out.left))
    for i in range(out.stuck):
        copy_send(out.left[i], k.NOBODY, out.left[i])


@rule
def copy_send(x: Send, to: int, out: Send) -> None:
    """Copy a send, addressed to `to`, with positions that a field can hold."""
    most = 2 * k.MAX_SIZE - 1
    out.to, out.at, out.goal, out.ep = to, clip(x.at, NONE, most), clip(x.goal, NONE, most), clip(x.ep, NONE, most)


@rule
def write_sub(me: Node, now: int, part: int, out: Sub) -> int:
    """Write a SUB and return the next part, which must be a later one, or there would be no end."""
    start_sub(me, out)
    following = ask(me.settings.custom, WRITE_SUB, (me, now, part, out))
    out.channels = clip(out.channels, 0, len(out.channel))
    return following if following > part else 0


@rule
def hear_sub(me: Node, now: int, sub: Sub, out: Sub) -> int:
    start_sub(me, out)
    reason = ask(me.settings.custom, HEAR_SUB, (me, now, sub, out))
    out.channels = clip(out.channels, 0, len(out.channel))
    return clip(reason, k.FINE, k.OUT_OF_RANGE)


@rule
def clean(me: Node, now: int) -> None:
    act(me.settings.custom, CLEAN, (me, now))
