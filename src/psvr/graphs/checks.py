"""Checks of what a user hands in, and the one way to say what is allowed.

Compiled code checks no bounds, so everything passes here before it gets there.
"""

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from psvr.errors import BadInput, shown

MOST_NODES = 100_000_000        # positions, at most two per node, stay within int32


def whole_from(least: int, most: int, what: str = "a whole number") -> str:
    return f"{what} from {least} to {most}" if most > least else f"{what}: only {least}"


def whole(value: Any, field: str, least: int, most: int, what: str = "a whole number") -> int:
    """The value as an int, if it is a whole number from least to most."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not least <= number <= most:
        raise BadInput(f"{field}: must be {whole_from(least, most, what)}, not {shown(value)}")
    return number


def real_from(least: float, most: float, above: bool = False, below: bool = False) -> str:
    if above or below:
        return f"a number {'above' if above else 'from'} {least:.10g}, {'below' if below else 'at most'} {most:.10g}"
    return f"a number from {least:.10g} to {most:.10g}"


def real(value: Any, field: str, least: float, most: float, above: bool = False, below: bool = False) -> float:
    """The value as a float, if it is a number from least to most; `above`, `below`: if it is not these themselves."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not least <= value <= most or (above and value == least) or (below and value == most):
        raise BadInput(f"{field}: must be {real_from(least, most, above, below)}, not {shown(value)}")
    return float(value)


def nodes(values: Iterable[Any], field: str, n: int) -> npt.NDArray[np.int32]:
    """Node ids as an ascending array, each once."""
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
    """Links as an array (m, 2) of whole numbers; whether they are links of a network is not looked at yet."""
    if not isinstance(edges, np.ndarray):
        edges = list(edges) if isinstance(edges, Iterable) else [edges]
        for i, edge in enumerate(edges):
            if isinstance(edge, str) or not hasattr(edge, "__len__") or len(edge) != 2:
                raise BadInput(f"edges[{i}]: must be a pair of node ids, not {shown(edge)}")
        edges = np.array(edges) if edges else np.empty((0, 2), dtype=np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2 or (edges.dtype.kind not in "iu" and len(edges)):
        raise BadInput("edges: must be pairs of whole numbers, an array of shape (m, 2)")
    return np.ascontiguousarray(edges, dtype=np.int64)
