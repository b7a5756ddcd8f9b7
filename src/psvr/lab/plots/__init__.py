"""Helpers for the figures of all studies; the `figure.py` of a custom study may use them too."""

from matplotlib.axes import Axes

from .looks import BOUND, INK, LOOKS, PAPER, QUIET, RULE, Look, in_order, look, shades
from .panels import WIDTH, bound, caption, from_zero, legend, log_x, named, nothing, panels, ticks, wide_scale, zero
from .rows import choose, levels, nearest, profile_of, spread, systems_of, versus
from .shapes import bars, boxes, heat, histogram, level_lines, line, lines, mean_marks

__all__ = [
    "BOUND",
    "INK",
    "LOOKS",
    "PAPER",
    "QUIET",
    "RULE",
    "WIDTH",
    "Axes",
    "Look",
    "bars",
    "bound",
    "boxes",
    "caption",
    "choose",
    "from_zero",
    "heat",
    "histogram",
    "in_order",
    "legend",
    "level_lines",
    "levels",
    "line",
    "lines",
    "log_x",
    "look",
    "mean_marks",
    "named",
    "nearest",
    "nothing",
    "panels",
    "profile_of",
    "shades",
    "spread",
    "systems_of",
    "ticks",
    "versus",
    "wide_scale",
    "zero",
]
