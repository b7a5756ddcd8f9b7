"""How long healing may take: an upper bound, from arbitrary memory in all nodes.

| what | periods |
|---|---|
| memory is in range again, and everyone has said HELLO | 2 |
| an arbitrary average of link quality is above the level of admission: 39 HELLOs, each up to 10 % late | 43 |
| a back-off ends | 15 |
| a proposal is answered, and the nodes that are waiting are taken in, one per period | 5 + C_N |
| a fake root is given up, at any distance up to D_max, and another that was heard of meanwhile | 2 · (8 + D_max/8) |
| the old numbers of a root that was taken for dead are no longer refused | 16 + D_max/8 |
| root and distance, then sizes, then positions travel D steps each, 0.3 s a step by triggered HELLOs | 3 · D · 0.3 s |
| a false entry, renewed a moment ago, is written back, and so is its spare | 4 δ_S + 2 · δ_S/10 |
| the next SUB of the true subscriber | δ_S |

The parts are added as if each began only when the one before is done.  Where frames are lost, all of it takes longer by
the number of tries until one comes through in both directions, on average.  Names of publications that a fault wrote
down are forgotten after `forgotten`, so nothing is sure to be handed over exactly once before that.
"""

from psvr.protocol import constants as k
from psvr.protocol.handed import TURNS

MEMORY, QUALITY, STEP = 2, 43, 0.3


def healing_bound(hello: float, links: int, depth: int, lease: float, loss: float = 0.0, limit: int = k.DEPTH) -> float:
    """Seconds, for a tree of this depth whose links lose this share of frames; `limit` is the nodes' D_max."""
    periods = (MEMORY + QUALITY + k.EVICTED_MOST + k.HALF_OPEN + links
               + 3 * (k.ROOT_LIFE + limit / k.ROOT_LIFE_STEPS) + k.DEAD_MORE)
    healed = periods * hello + 3 * depth * STEP + (k.WRITE_BACK + 2 / k.CLEANS + 1) * lease
    return max(healed / (1 - loss) ** 2, forgotten(hello))


def lease_for(n: int) -> float:
    """δ_S of a network of n nodes, in seconds, where it is not set."""
    return min(k.LEASE_BASE + k.LEASE_STEP * 2 * (n - 1), k.LEASE_MOST) / k.SECOND


def forgotten(hello: float) -> float:
    """Seconds until no name counts that a fault wrote down: found in time, or it has had its life."""
    return k.NAME_LIFE / k.SECOND + (TURNS + 1) * (1 + k.JITTER_PERCENT / 100) * hello
