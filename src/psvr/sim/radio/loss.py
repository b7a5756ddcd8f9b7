"""Path loss: how many dB a signal loses over a distance, by named models."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

NEAREST = 0.1  # metres: shorter distances count as this
FARTHEST = 1e9


def dual_slope(metres: Any) -> Any:
    """The indoor model of IEEE 802.15.4: as in free space up to 8 m, steeper beyond."""
    near = np.maximum(metres, NEAREST)
    return np.where(near <= 8.0, 40.2 + 20.0 * np.log10(near), 58.5 + 33.0 * np.log10(near / 8.0))


def castalia(metres: Any) -> Any:
    """The default of the simulator Castalia, from measurements with motes."""
    return 55.0 + 24.0 * np.log10(np.maximum(metres, NEAREST))


def free_space(metres: Any) -> Any:
    """At 2.4 GHz, with nothing in between."""
    return 40.2 + 20.0 * np.log10(np.maximum(metres, NEAREST))


MODELS: dict[str, Callable[[Any], Any]] = {"dual-slope": dual_slope, "castalia": castalia, "free-space": free_space}


def reach(model: str, decibels: float) -> float:
    """The metres over which a signal loses this much."""
    low, high = NEAREST, FARTHEST
    for _ in range(200):
        middle = math.sqrt(low * high)
        if float(MODELS[model](middle)) < decibels:
            low = middle
        else:
            high = middle
    return high
