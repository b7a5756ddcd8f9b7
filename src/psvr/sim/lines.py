"""Arrays that begin where a line of the cache does, or a little later."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

TWO_LINES = 128             # bytes: processors fetch lines by twos


def zeros(length: int, kind: DTypeLike, later: int = 0) -> NDArray[Any]:
    """As `numpy.zeros`; the first item is so many bytes behind the beginning of a line."""
    size = length * np.dtype(kind).itemsize
    memory = np.zeros(size + 2 * TWO_LINES, np.uint8)
    begin = (later - memory.ctypes.data) % TWO_LINES
    return memory[begin:begin + size].view(kind)
