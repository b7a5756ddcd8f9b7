"""Checks of nodes and links that come from a user.

Compiled code checks no bounds, so everything is checked here first.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from psvr.errors import BadInput, shown
from psvr.fields.checks import whole

MAX_NODES = 100_000_000  # positions, at most two per node, stay within int32


def nodes(values: Iterable[Any], field: str, n: int) -> npt.NDArray[np.int32]:
    """Node ids as an ascending array without duplicates."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu":
        outside = np.flatnonzero((values < 0) | (values >= n))
        for i in outside[:1]:
            whole(values[i], f"{field}[{i}]", 0, n - 1)
        return np.unique(values).astype(np.int32)
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise BadInput(f"{field}: must be a list of node ids, not {shown(values)}")
    kept = {whole(value, f"{field}[{i}]", 0, n - 1) for i, value in enumerate(values)}
    return np.array(sorted(kept), dtype=np.int32)


def pairs(edges: Any) -> npt.NDArray[np.int64]:
    """Links as an array (m, 2) of whole numbers; whether the nodes exist is not checked yet."""
    if not isinstance(edges, np.ndarray):
        edges = list(edges) if isinstance(edges, Iterable) else [edges]
        for i, edge in enumerate(edges):
            if isinstance(edge, str) or not hasattr(edge, "__len__") or len(edge) != 2:
                raise BadInput(f"edges[{i}]: must be a pair of node ids, not {shown(edge)}")
        edges = np.array(edges) if edges else np.empty((0, 2), dtype=np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2 or (edges.dtype.kind not in "iu" and len(edges)):
        raise BadInput("edges: must be pairs of whole numbers, an array of shape (m, 2)")
    return np.ascontiguousarray(edges, dtype=np.int64)
