"""Measures drawn as lines with bands, histograms, boxes and maps."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from psvr.lab.kinds.names import without_profile

from .looks import BOUND, INK, PAPER, look
from .panels import named
from .rows import levels, systems_of

ON_COLOUR = "#000000"  # for text on a coloured field, which a dark page does not change


def line(
    axes: Axes,
    rows: pd.DataFrame,
    x: str,
    label: str,
    colour: str,
    marker: str = "o",
    size: float = 1,
    hollow: bool = False,
) -> None:
    """Draw values over a parameter, with the 95 % interval as a band, or as a bar if there is a single value."""
    rows = rows.dropna(subset=[x]).sort_values(x)
    if rows.empty:
        return
    at, value, low, high = (rows[c].to_numpy(dtype=float) for c in (x, "value", "low", "high"))
    axes.plot(
        at,
        value,
        color=colour,
        marker=marker,
        label=label,
        linewidth=1.5 * size,
        markersize=4 * size,
        linestyle=(0, (4, 1.5)) if hollow else "-",
        markerfacecolor=PAPER if hollow else colour,
    )
    if len(at) == 1:
        axes.vlines(at, low, high, color=colour, linewidth=2.5, alpha=0.4)
    else:
        axes.fill_between(at, low, high, color=colour, alpha=0.09 if hollow else 0.18, linewidth=0)


def lines(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    """Draw a line per system, in the look of the system."""
    for system in systems_of(rows):
        seen, ours = look(system), rows[rows["system"] == system]
        line(axes, ours, x, seen.label, seen.colour, seen.marker, seen.size, seen.hollow)


def level_lines(axes: Axes, rows: pd.DataFrame, x: str, by: str, colours: Mapping[Any, str]) -> None:
    """Draw a line per value of another parameter."""
    for value, colour in colours.items():
        line(axes, rows[rows[by] == value], x, named(by, value), colour)


def bars(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    """Draw bars side by side, one per system, each with its interval."""
    systems = systems_of(rows)
    width = 0.84 / max(1, len(systems))
    for i, system in enumerate(systems):
        seen, ours = look(without_profile(system)), rows[rows["system"] == system].sort_values(x)
        at = ours[x].to_numpy(dtype=float) + (i - (len(systems) - 1) / 2) * width
        axes.bar(
            at,
            ours["value"],
            width,
            color=PAPER if seen.hollow else seen.colour,
            edgecolor=seen.colour,
            linewidth=0.8,
            label=seen.label,
        )
        axes.vlines(at, ours["low"].clip(lower=0), ours["high"], color=INK, linewidth=0.7, zorder=3)
    axes.grid(visible=False, axis="x")


def histogram(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    """Draw shares over whole numbers: the first system as a field, the others as outlines, with their intervals.

    The axis fits the shares: intervals of few trials, which may be several times as large, leave it above.
    """
    systems = systems_of(rows)
    for i, system in enumerate(systems):
        seen, ours = look(without_profile(system)), rows[rows["system"] == system].sort_values(x)
        at = ours[x].to_numpy(dtype=float)
        if not len(at):
            continue
        edges = np.arange(at[0] - 0.5, at[-1] + 1)
        shares = ours.set_index(x)["value"].reindex(np.arange(at[0], at[-1] + 1), fill_value=0.0).to_numpy(dtype=float)
        if i == 0:
            axes.stairs(shares, edges, fill=True, color=seen.colour, alpha=0.42, zorder=1.5)
        axes.stairs(shares, edges, color=seen.colour, linewidth=1.4, label=seen.label, zorder=2)
        beside = at + 0.22 * (i - (len(systems) - 1) / 2)
        ends = zip(beside, ours["low"].clip(lower=0), ours["high"])
        spans = [[(place, low), (place, high)] for place, low, high in ends]
        axes.add_collection(
            LineCollection(spans, colors=seen.colour, linewidths=0.7, alpha=0.5, zorder=3), autolim=False
        )
    axes.grid(visible=False, axis="x")
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))  # fits all panels that share the axis


def mean_marks(axes: Axes, means: pd.DataFrame) -> None:
    """Mark the mean of each system above the panel, with its letter: the least left of its line, the others right."""
    ordered = means.sort_values("value").drop_duplicates("system")
    for i, (system, mean) in enumerate(zip(ordered["system"], ordered["value"])):
        seen = look(without_profile(system))
        axes.axvline(mean, color=seen.colour, linewidth=1.4, linestyle=(0, (2, 1)))
        axes.annotate(
            f"{seen.letter} {mean:.1f}",
            (mean, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3 if i else -3, 2 + 11 * max(0, i - 1)),
            textcoords="offset points",
            ha="left" if i else "right",
            va="bottom",
            color=seen.colour,
            fontweight="bold",
        )


def boxes(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    """Draw boxplots from quantiles, side by side, one per system: p05, p25, p50, p75, p95, and the mean."""
    systems, at = systems_of(rows), levels(rows, x)
    width = 0.7 / max(1, len(systems))
    for i, system in enumerate(systems):
        complete = rows[rows["system"] == system].dropna(subset=[x, "p05", "p25", "p50", "p75", "p95"])
        for _, ours in complete.sort_values(x).iterrows():
            box(axes, ours, at.index(ours[x]) + (i - (len(systems) - 1) / 2) * width, 0.43 * width, system)
    axes.set_xticks(range(len(at)), [f"{value:g}" for value in at])
    axes.grid(visible=False, axis="x")


def box(axes: Axes, row: pd.Series, place: float, half: float, system: str) -> None:
    seen = look(system)
    red, green, blue = (0.45 + 0.55 * part for part in to_rgb(seen.colour))
    axes.vlines(place, row["p05"], row["p95"], color=seen.colour, linewidth=1.3)
    axes.bar(
        place,
        row["p75"] - row["p25"],
        2 * half,
        row["p25"],
        color=PAPER if seen.hollow else (red, green, blue),
        edgecolor=seen.colour,
        label=seen.label,
    )
    axes.hlines(row["p50"], place - half, place + half, color=seen.colour, linewidth=2.2)
    axes.plot(place, row["value"], "o", color=PAPER, markeredgecolor=INK, markersize=4.5)


def heat(axes: Axes, table: pd.DataFrame, limit: float, until: float) -> None:
    """Draw a table as a map, blue below the limit and red above, framed where it is above in a column up to `until`."""
    values = table.to_numpy(dtype=float)
    reach = max(3 * abs(limit), 1.0)
    axes.pcolormesh(values, cmap="RdYlBu_r", vmin=limit - reach, vmax=limit + reach, edgecolor=PAPER, linewidth=1.5)
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            above = value > limit and table.columns[j] <= until
            axes.text(
                j + 0.5,
                i + 0.5,
                f"{value:.1f}".replace("-", "−"),
                ha="center",
                va="center",
                color=ON_COLOUR,
                fontweight="bold" if above else "normal",
            )
            if above:
                axes.add_patch(Rectangle((j + 0.05, i + 0.06), 0.9, 0.88, fill=False, edgecolor=BOUND, linewidth=1.6))
    axes.set_xticks(np.arange(table.shape[1]) + 0.5, [f"{value:g}" for value in table.columns])
    axes.set_yticks(np.arange(table.shape[0]) + 0.5, [f"{value:g}" for value in table.index])
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
