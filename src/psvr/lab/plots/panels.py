"""Figures of panels side by side: their axes, the paper's bound, one legend, a caption."""

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .looks import BOUND, QUIET

WIDTH, NARROW = 9.5, 6.0  # inches; a page shows them at about their natural size
WORDS = {"degree": "{} neighbours", "loss": "{} loss"}


def panels(rows: int, columns: int, height: float = 2.5, **sharing: Any) -> tuple[Figure, Any]:
    """Return a figure and its panels as an array [row, column]."""
    figure = Figure(figsize=(WIDTH if columns > 1 else NARROW, height * rows + 0.5), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **sharing)
    if sharing.get("sharey"):
        for inner in axes[:, 1:].flat:
            inner.tick_params(axis="y", left=False)
    return figure, axes


def nothing() -> Figure:
    """Return the figure of a study that has not been run."""
    figure = Figure(figsize=(NARROW, 1.2), layout="constrained")
    figure.text(0.5, 0.5, "no rows yet", ha="center", va="center", color=QUIET, fontsize=12)
    return figure


def caption(figure: Figure, text: str) -> Figure:
    """Set the text that the report shows below the figure."""
    figure.set_label(text)
    return figure


def named(column: str, value: Any) -> str:
    return WORDS.get(column, f"{column} = {{}}").format(f"{float(value):g}")


def bound(axes: Axes, value: float, text: str, start: float) -> None:
    """Mark what the paper says: below this value from `start` on."""
    right = max(axes.get_xlim()[1], start)
    axes.plot(
        [start, right], [value, value], color=BOUND, linestyle=(0, (5, 2.5)), linewidth=1.2, label=text, zorder=1.5
    )
    axes.fill_between([start, right], 0, value, color=BOUND, alpha=0.09, linewidth=0, zorder=1)


def zero(axes: Axes) -> None:
    """Draw the line on which both systems need the same."""
    axes.axhline(0, color=QUIET, linewidth=0.8, zorder=1)


def from_zero(axes: Axes) -> None:
    """Start the y axis at 0, so that lengths are in proportion; call it last, because it ends autoscaling."""
    axes.set_ylim(0, max(axes.get_ylim()[1], 1e-9))


def ticks(axes: Axes, values: Sequence[Any]) -> None:
    """Set ticks at the values, as far as their labels have room."""
    kept: list[float] = []
    for value in map(float, values):
        if not kept or value - kept[-1] >= 0.09 * (values[-1] - values[0]):
            kept.append(value)
    axes.set_xticks(kept, [f"{value:g}" for value in kept])


def wide_scale(axes: Axes, which: str, low: float, high: float) -> None:
    """Make an axis, "x" or "y", logarithmic, labelled with plain round numbers."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axes.set(**{f"{which}scale": "log"})
    tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low < 1000 else (1,)
    axis.set_major_locator(FixedLocator([step * 10.0**ten for ten in tens for step in steps]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_locator(NullLocator())


def log_x(axes: Axes, values: Sequence[Any]) -> None:
    above = [float(value) for value in values if value > 0]
    if above:
        wide_scale(axes, "x", above[0], above[-1])
        axes.set_xlim(above[0] / 1.15, above[-1] * 1.15)


def legend(figure: Figure) -> None:
    """Draw one legend for all panels, below them, with each label once."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            found.setdefault(label, handle)
    if found:
        figure.legend(
            list(found.values()),
            list(found),
            loc="outside lower center",
            ncols=columns([*found], figure.get_figwidth()),
        )


def columns(labels: Sequence[str], width: float) -> int:
    """Return how many entries of a legend go side by side: all of them, or as many as make full rows."""
    inches = [0.6 + 0.075 * len(label.replace("$", "")) for label in labels]
    fitting = len(labels) if sum(inches) <= width else max(1, int(width / max(inches)))
    return math.ceil(len(labels) / math.ceil(len(labels) / fitting))
