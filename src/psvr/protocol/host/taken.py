"""PUBs that a host has taken over: if an acknowledgement was lost, the neighbour sends the same PUB again.

That PUB is acknowledged again and goes no further.  Without this, every lost acknowledgement doubles the remaining work
of a publication: at 20 % loss, a line of 80 nodes needed half as many messages again.
"""

from .. import constants as k
from ..form import rule
from ..numbers import elapsed
from ..records import Host, Pub, Taken

CUR = 7  # keeps the parts of one publication, and consecutive publications, apart


@rule
def clear(host: Host) -> None:
    for i in range(len(host.taken)):
        host.taken[i].at = -1


@rule
def place(host: Host, pub: Pub) -> Taken:
    """Return where it is if it was taken and nothing has replaced it since."""
    size = len(host.taken)
    return host.taken[(pub.origin % size + pub.number + CUR * pub.cur) % size]


@rule
def was_taken(t: Taken, now: int, pub: Pub) -> bool:
    """Return whether this is the very same part of a publication, on the same ring, after as many hops."""
    return (
        t.number == pub.number
        and t.origin == pub.origin
        and t.boot == pub.boot
        and t.hops == pub.hops
        and t.cur == pub.cur
        and t.ep == pub.ep
        and t.ring == pub.ring
        and t.again == pub.again < k.MAX_AGAIN
        and elapsed(now, t.at) <= k.KEEP
    )


@rule
def remember(t: Taken, now: int, pub: Pub) -> None:
    t.origin, t.boot, t.number, t.again, t.hops = pub.origin, pub.boot, pub.number, pub.again, pub.hops
    t.cur, t.ep, t.ring, t.at = pub.cur, pub.ep, pub.ring, now
