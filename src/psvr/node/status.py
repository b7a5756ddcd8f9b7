"""What a node knows and has done, as numbers and texts."""

import asyncio
from typing import TYPE_CHECKING, Any

from psvr.protocol import constants as k
from psvr.protocol import table
from psvr.protocol.holding import KEPT, STUCK
from psvr.protocol.links import link_quality, two_way
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node as Memory
from psvr.protocol.ring import has_ring
from psvr.protocol.tree import is_child, is_tree

if TYPE_CHECKING:
    from .node import Node


def status(node: "Node", now: int) -> dict[str, Any]:
    me, transport, told = node.host.me, node.transport, node.teller
    return {
        "id": node.id, "boot": node.host.body.host.boot,
        "neighbours": [neighbour(me, link, transport.peers.get(link.id), now) for link in me.link
                       if link.id != k.NOBODY],
        "tree": {"root": me.root, "parent": me.parent if me.parent >= 0 else None, "distance": me.dist,
                 "children": [link.id for link in me.link if is_child(me, link)], "nodes": me.size},
        "ring": {"id": me.ring if has_ring(me) else None, "length": me.length if has_ring(me) else 0,
                 "positions": [p for p in me.position if p != NONE] if has_ring(me) else []},
        "tables": {"channels": sum(c != k.NO_CHANNEL for c in me.channel), "rows": len(me.channel),
                   "lease": table.lease(me) / k.SECOND, "turned_away": me.turned_away, "no_room": me.overflow},
        "subscriptions": sorted(node.inbox.wanted),
        "window": sum(name.origin >= 0 for name in node.host.body.names), "tasks": len(asyncio.all_tasks()),
        "outbox": {"waiting": node.host.waiting(), "kept": node.host.number_of(KEPT),
                   "stuck": node.host.number_of(STUCK)},
        "counters": {
            **{name: told.counts[name] for name in ("published", "delivered", "sent", "received", "dropped")},
            "repeated": node.host.repeated, "refused": node.refused, "on_their_way": transport.on_its_way(),
            "taken": node.taken, "frames": transport.sent, "tried_again": transport.again, "given_up": transport.failed,
            "parent_changes": told.counts["parent changed"], "ring_changes": told.counts["ring changed"]},
        "transmissions": dict(transport.frames), "bytes": dict(transport.bytes),
        "dropped": dict(told.reasons), "losing": node.host.losses.reasons(),
    }


def neighbour(me: Memory, link: Any, peer: Any, now: int) -> dict[str, Any]:
    """A kept link; qualities are shares of HELLOs that come through, here and there."""
    return {"id": link.id, "quality": round(link_quality(link) / k.QUALITY_ONE, 3),
            "heard": round(link.q_in / k.QUALITY_ONE, 3), "hears_me": round(link.q_out / k.QUALITY_ONE, 3),
            "two_way": two_way(link), "tree": is_tree(me, link), "positions": [p for p in link.position if p != NONE],
            "silent": round((now - link.heard) / k.SECOND, 3), "round_trip": peer.trip / k.SECOND if peer else None}
