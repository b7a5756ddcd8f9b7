"""How functions are compiled."""

from typing import Any

import numpy as np
import pytest
from numba.core.errors import NumbaError

from psvr.jit import in_place, jit


def make(n: int) -> Any:
    return np.zeros(n, np.int64)


def test_code_that_works_in_place_has_no_memory_of_its_own() -> None:
    """So it counts no references, which took most of the simulator's time; and each form has its own compiled code."""
    for _ in range(2):
        assert len(jit(make)(3)) == 3
        with pytest.raises(NumbaError):
            in_place(make)(3)
