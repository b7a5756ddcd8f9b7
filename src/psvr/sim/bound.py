"""An upper bound on how long healing takes, from arbitrary memory in all nodes.

| what | periods |
|---|---|
| memory is in range again, and every node has sent a HELLO | 2 |
| an arbitrary average of link quality exceeds the admission level: 39 HELLOs, each up to 10 % late | 43 |
| a back-off ends | 15 |
| a proposal is answered, and the waiting nodes are admitted, one per period | 5 + C_N |
| a fake root is abandoned, at any distance up to D_max, and another one heard of meanwhile | 2 · (8 + D_max/8) |
| the old sequence numbers of a root that was believed dead are no longer refused | 16 + D_max/8 |
| root and distance, then sizes, then positions travel D steps each, 0.3 s a step by triggered HELLOs | 3 · D · 0.3 s |
| a false entry, renewed a moment ago, is overwritten, and so is its spare | 4 δ_S + 2 · δ_S/10 |
| the next SUB of the true subscriber | δ_S |

The last two lines are about the tables of PSVR.  Related systems have rules of their own for them:

| system | what | δ_S |
|---|---|---|
| `jaeger` | a false entry, renewed a moment ago, is marked, and removed, each at the next cleaning | 4 + 2/10 |
| | the next SUB of the true subscriber | 1 |
| `diffusion` | a false interest, born a moment ago, dies, and with it what was reinforced for it | 4 |
| | the next flood of a true interest, which may not follow another too closely, and the next cleaning | 1.5 + 1/10 |

The parts are added as if each began only when the one before it is done.  If frames are lost, all of it takes longer by
the mean number of tries until a frame gets through in both directions.  Names of publications that a fault wrote into
memory are forgotten after `forgotten`; only from then on is every publication sure to be delivered exactly once.
"""

from psvr.protocol import constants as k
from psvr.protocol.host.handed import TURNS

MEMORY, QUALITY, STEP = 2, 43, 0.3
LEASES = k.WRITE_BACK + 2 / k.CLEANS + 1  # what tables take, in δ_S
LEASES_OF = {"diffusion": k.WRITE_BACK + 1 / k.CLEANS + 1.5}  # … under systems that differ
PHASES = {"jaeger": 2}  # system → the cleanings that it takes until an entry is gone; of all others: one


def healing_bound(
    hello: float,
    links: int,
    depth: int,
    lease: float,
    loss: float = 0.0,
    limit: int = k.DEPTH,
    system: str = "psvr",
) -> float:
    """The bound in seconds, for a tree of this depth whose links lose this fraction of frames; `limit` is D_max."""
    periods = (
        MEMORY
        + QUALITY
        + k.EVICTED_MAX
        + k.HALF_OPEN
        + links
        + 3 * (k.ROOT_LIFE + limit / k.ROOT_LIFE_STEPS)
        + k.DEAD_MARGIN
    )
    healed = periods * hello + 3 * depth * STEP + LEASES_OF.get(system, LEASES) * lease
    return max(healed / (1 - loss) ** 2, forgotten(hello))


def stale_bound(system: str, lease: float, write_back: int, cleans: int) -> float:
    """Seconds until the tables are right after a subscriber has left, with T_w/back and T_clean given in δ_S."""
    return (write_back + PHASES.get(system, 1) / max(1, cleans)) * lease


def lease_for(n: int) -> float:
    """The default of δ_S in a network of n nodes, in seconds."""
    return min(k.LEASE_BASE + k.LEASE_STEP * 2 * (n - 1), k.LEASE_MAX) / k.SECOND


def forgotten(hello: float) -> float:
    """Seconds until no name written by a fault counts any more: it has been detected by then, or has expired."""
    return k.NAME_LIFE / k.SECOND + (TURNS + 1) * (1 + k.JITTER_PERCENT / 100) * hello
