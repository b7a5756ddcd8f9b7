"""Arrays aligned to cache lines, or offset from them."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

TWO_LINES = 128  # bytes: processors fetch lines in pairs


def zeros(length: int, kind: DTypeLike, later: int = 0) -> NDArray[Any]:
    """Like `numpy.zeros`; the first item is `later` bytes after the beginning of a line."""
    size = length * np.dtype(kind).itemsize
    memory = np.zeros(size + 2 * TWO_LINES, np.uint8)
    begin = (later - memory.ctypes.data) % TWO_LINES
    return memory[begin : begin + size].view(kind)
