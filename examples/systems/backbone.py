"""backbone: a flood that is repeated only by inner nodes of the spanning tree.

Every node has a tree neighbour that is an inner node, so all nodes still hear it, with as many transmissions as there
are inner nodes: in radio networks, where one transmission reaches all neighbours, often less than half of a flood.
"""

import numpy as np

from psvr.protocol import constants as k
from psvr.protocol.systems import custom_rule
from psvr.protocol.tree import tree_degree
from psvr.routing.systems import Message, Publication, Settled, system


def transmissions(settled: Settled, messages: list[Message]) -> int:
    """The cost: all inner nodes and the publisher transmit, even if nobody hears it for the first time."""
    inner = np.flatnonzero(np.diff(settled.tree.start) > 1).tolist()
    return len({messages[0][0], *inner}) if messages else 1


@system("backbone", positions=False, text="inner nodes of the tree repeat it once", count=transmissions)
def messages(settled: Settled, publication: Publication) -> list[Message]:
    """Who first hears it from whom; hearing it again costs nothing."""
    heard, todo, sent = {publication.publisher}, [publication.publisher], []
    for v in todo:
        for u in settled.graph.neighbours(v).tolist():
            if u not in heard:
                heard.add(u)
                sent.append((v, u))
                if settled.tree.neighbours(u).size > 1:
                    todo.append(u)
    return sent


@custom_rule("backbone", like="flood")
def forward(me, now, pub, out):
    if pub.hops == 0 or tree_degree(me) > 1:
        out.send[0].to = k.NOBODY  # to all
        out.sends = 1
