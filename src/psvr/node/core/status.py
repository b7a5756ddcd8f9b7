"""What a node knows and has done, as numbers and strings."""

import asyncio
from collections.abc import Mapping
from typing import Any

from psvr.protocol import constants as k
from psvr.protocol import table
from psvr.protocol.host.holding import KEPT, STUCK
from psvr.protocol.links import link_quality, two_way
from psvr.protocol.positions import NONE
from psvr.protocol.records import Node as Memory
from psvr.protocol.ring import has_ring
from psvr.protocol.tree import is_child, is_tree

from .host import Host
from .inbox import Inbox
from .reporter import Reporter
from .transport import Transport


def status(
    host: Host, transport: Transport, inbox: Inbox, reporter: Reporter, counters: Mapping[str, int], now: int
) -> dict[str, Any]:
    """The status; `counters` are those that the node itself keeps."""
    me = host.me
    return {
        "id": me.id,
        "boot": host.body.host.boot,
        "neighbours": [
            neighbour(me, link, transport.peers.get(link.id), now) for link in me.link if link.id != k.NOBODY
        ],
        "tree": {
            "root": me.root,
            "parent": me.parent if me.parent >= 0 else None,
            "distance": me.dist,
            "children": [link.id for link in me.link if is_child(me, link)],
            "nodes": me.size,
        },
        "ring": {
            "id": me.ring if has_ring(me) else None,
            "length": me.length if has_ring(me) else 0,
            "positions": [p for p in me.position if p != NONE] if has_ring(me) else [],
        },
        "tables": {
            "channels": sum(c != k.NO_CHANNEL for c in me.channel),
            "rows": len(me.channel),
            "lease": table.lease(me) / k.SECOND,
            "turned_away": me.turned_away,
            "no_room": me.overflow,
        },
        "subscriptions": sorted(inbox.wanted),
        "window": sum(name.origin >= 0 for name in host.body.names),
        "tasks": len(asyncio.all_tasks()),
        "outbox": {"waiting": host.waiting(), "kept": host.count_in_state(KEPT), "stuck": host.count_in_state(STUCK)},
        "counters": {
            **{name: reporter.counts[name] for name in ("published", "delivered", "sent", "received", "dropped")},
            "repeated": host.repeated,
            "on_their_way": transport.on_its_way(),
            "frames": transport.sent,
            "tried_again": transport.retried,
            "given_up": transport.failed,
            **counters,
            "parent_changes": reporter.counts["parent changed"],
            "ring_changes": reporter.counts["ring changed"],
        },
        "transmissions": dict(transport.frames),
        "bytes": dict(transport.bytes),
        "dropped": dict(reporter.reasons),
        "losing": host.losses.reasons(),
    }


def neighbour(me: Memory, link: Any, peer: Any, now: int) -> dict[str, Any]:
    """A link that is kept; qualities are the shares of HELLOs that get through, in each direction."""
    return {
        "id": link.id,
        "quality": round(link_quality(link) / k.QUALITY_ONE, 3),
        "heard": round(link.q_in / k.QUALITY_ONE, 3),
        "hears_me": round(link.q_out / k.QUALITY_ONE, 3),
        "two_way": two_way(link),
        "tree": is_tree(me, link),
        "positions": [p for p in link.position if p != NONE],
        "silent": round((now - link.heard) / k.SECOND, 3),
        "round_trip": peer.rtt / k.SECOND if peer else None,
    }
