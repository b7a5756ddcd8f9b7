"""How long healing may take: an upper bound, from arbitrary memory in all nodes, where nothing is lost.

| what | periods |
|---|---|
| memory is in range again, and everyone has said HELLO | 2 |
| an arbitrary average of link quality is above the level of admission: 39 HELLOs, each up to 10 % late | 43 |
| a back-off ends | 15 |
| a proposal is answered, and the nodes that are waiting are taken in, one per period | 5 + C_N |
| the last fake root is given up, D steps away | 8 + D/8 |
| its old numbers are no longer refused | 24 |
| root and distance, then sizes, then positions travel D steps each, 0.3 s a step by triggered HELLOs | 3 · D · 0.3 s |
| an entry that nobody renews is written back and cleaned | 4 δ_S + δ_S/10 |

The parts are added as if each began only when the one before is done.  Measured times are a seventh of it, or less.
"""

from psvr.protocol import constants as k

MEMORY, QUALITY, STEP = 2, 43, 0.3


def healing_bound(hello: float, links: int, depth: int, lease: float) -> float:
    """Seconds, for a network whose tree is `depth` deep."""
    periods = (MEMORY + QUALITY + k.EVICTED_MOST + k.HALF_OPEN + links
               + k.ROOT_LIFE + depth / k.ROOT_LIFE_STEPS + k.DEAD_LIFE)
    return periods * hello + 3 * depth * STEP + (k.WRITE_BACK + 1 / k.CLEANS) * lease


def lease_for(n: int) -> float:
    """δ_S of a network of n nodes, in seconds, where it is not set."""
    return min(k.LEASE_BASE + k.LEASE_STEP * 2 * (n - 1), k.LEASE_MOST) / k.SECOND
