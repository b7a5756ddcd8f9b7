"""The quality of the links that nodes keep: as they claim it, and as measured."""

from typing import Any

import numpy as np

from psvr.graphs.csr import Floats
from psvr.protocol.constants import NOBODY, QUALITY_ONE

from .air import Air


def quality(air: Air, nodes: Any, ids: Any, hellos: Any) -> dict[str, Any]:
    """The fraction of HELLOs received over the whole run, on links that are kept at its end, and on all others."""
    n = len(ids)
    senders = np.repeat(np.arange(n), np.diff(air.first[: n + 1]))
    ratio = air.ways["heard"][: air.first[n]] / np.maximum(hellos[senders], 1)
    place, claimed = kept_ways(air, nodes, ids, senders)
    kept = ratio[place]
    others = np.delete(ratio, place)
    others = others[others > 0]
    return {
        "kept": len(place),
        "claimed": mean(claimed),
        "measured": mean(kept),
        "measured_p5": float(np.percentile(kept, 5)) if len(kept) else None,
        "others": mean(others),
    }


def kept_ways(air: Air, nodes: Any, ids: Any, senders: Any) -> tuple[Any, Floats]:
    """The indices of ways of kept links, from their far end to the node that keeps them, and the quality claimed."""
    receivers, slots = np.nonzero(nodes["link"]["id"] != NOBODY)
    link = nodes["link"][receivers, slots]
    wanted = np.searchsorted(ids, link["id"]) * len(ids) + receivers
    ways = senders * len(ids) + air.near[: air.first[len(ids)]]
    heard = np.isin(link["id"], ids) & np.isin(wanted, ways)  # may be false after a fault has overwritten memory
    return np.searchsorted(ways, wanted[heard]), link["q_in"][heard] / QUALITY_ONE


def mean(values: Any) -> float | None:
    return float(values.mean()) if len(values) else None
