"""tree-steps: PSVR without shortcuts.  Intervals are served as always, but over links of the spanning tree only.

What PSVR saves compared with it is due to shortcuts alone.  It needs exactly as many messages as `shen`.
"""

from psvr.protocol import constants as k
from psvr.protocol.positions import NONE, ahead, covers, inside
from psvr.protocol.psvr import end_of_part, usable
from psvr.protocol.systems import custom_rule
from psvr.protocol.table import next_subscriber
from psvr.protocol.tree import is_tree
from psvr.routing.systems import Message, Publication, Settled, system


@system("tree-steps", positions=True, text="PSVR over links of the tree only, without shortcuts")
def messages(settled: Settled, publication: Publication) -> list[Message]:
    length, ns = settled.length, settled.next_subscriber(publication.subscribers)
    todo = [(int(p), int(p)) for p in settled.positions(publication.publisher)[:1]]
    sent: list[Message] = []
    for cur, ep in todo:  # grows while it is processed: breadth first
        for p in settled.positions(settled.ring[cur]):
            if covers(cur, ep, p, length):
                end = settled.after[p] if inside(settled.after[p], p, ep, length) else ep
                if ns[p] >= 0 and inside(ns[p], p, end, length):
                    goal = furthest(settled, p, ns[p])
                    sent.append((int(p), goal, int(end)))
                    todo.append((goal, int(end)))
    return sent


def furthest(settled: Settled, p: int, s: int) -> int:
    """The furthest position of a tree neighbour in (p, s]."""
    near = settled.tree.neighbours(settled.ring[p])
    places = [int(q) for v in near for q in settled.positions(v) if q == s or inside(q, p, s, settled.length)]
    return max(places, key=lambda q: ahead(p, q, settled.length))


@custom_rule("tree-steps", like="psvr")
def forward(me, now, pub, out):
    for j in range(len(me.position)):
        p = me.position[j]
        if p == NONE:
            break
        if covers(pub.cur, pub.ep, p, me.length):
            end, s = end_of_part(me, j, pub.ep), next_subscriber(me, pub.channel, j)
            if s != NONE and inside(s, p, end, me.length):
                step(me, p, s, end, out)


def step(me, p, s, end, out):
    """One PUB from p to the furthest position of a tree neighbour in (p, s]."""
    x = out.send[out.sends]
    x.at, x.ep, most = p, end, 0
    for i in range(len(me.link)):
        link = me.link[i]
        if is_tree(me, link) and usable(me, link, k.NOBODY):
            for j in range(len(link.position)):
                far = ahead(p, link.position[j], me.length)
                if link.position[j] != NONE and most < far <= ahead(p, s, me.length):
                    x.to, x.goal, most = link.id, link.position[j], far
    if most > 0:
        out.sends += 1
    else:
        out.reason = k.NO_WAY
