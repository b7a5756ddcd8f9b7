"""Delivery ratio of PSVR and Shen over density, at several rates of loss, and the difference between the two."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

WIRELESS = (
    "Publications that reach their subscribers over a wireless channel with fading and "
    "collisions, over density; below, the difference in percentage points, trial by trial. Bands "
    "are 95 % intervals."
)


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    ratios, over_air = (plots.choose(measures, "delivery_ratio", grid=grid) for grid in ("main", "wireless"))
    differences, apart = (
        plots.versus(measures, "delivery_difference", "shen", grid=grid) for grid in ("main", "wireless")
    )
    sizes = plots.levels(ratios, "n")
    if not sizes:
        return {"delivery": plots.nothing(), "wireless": plots.nothing()}
    return {
        "wireless": wireless(over_air, apart),
        **{
            f"delivery-{n:g}" if n != sizes[-1] else "delivery": delivery(
                ratios[ratios["n"] == n], differences[differences["n"] == n], n
            )
            for n in reversed(sizes)
        },
    }


def wireless(ratios: pd.DataFrame, differences: pd.DataFrame) -> Figure:
    """Draw a column per n over a wireless channel, where loss is not set but comes from the radio."""
    sizes = plots.levels(ratios, "n")
    if not sizes:
        return plots.nothing()
    titles = [f"{n:g} nodes, wireless channel" for n in sizes]
    figure, _ = over_density(ratios, differences, "n", sizes, titles, "nodes within range")
    plots.legend(figure)
    return plots.caption(figure, WIRELESS)


def delivery(ratios: pd.DataFrame, differences: pd.DataFrame, n: int) -> Figure:
    """Draw a column per loss, for networks of n nodes."""
    losses = plots.spread(plots.levels(ratios, "loss"), 5)
    if not losses:
        return plots.nothing()
    titles = [f"{100 * loss:g} % loss per link" if loss else "no loss" for loss in losses]
    figure, axes = over_density(ratios, differences, "loss", losses, titles, "neighbours per node")
    axes[0, 0].set_ylim(min(95.0, axes[0, 0].get_ylim()[0]), 100.4)
    limit = max(1.0, *map(abs, axes[1, 0].get_ylim()))  # a point or less must not look large
    axes[1, 0].set_ylim(-limit, limit)
    plots.legend(figure)
    return plots.caption(
        figure,
        f"Publications that reach their subscribers, over density ({plots.named('n', n)}); "
        "below, the difference in percentage points, trial by trial. Bands are 95 % intervals.",
    )


def over_density(
    ratios: pd.DataFrame, differences: pd.DataFrame, by: str, values: list[Any], titles: list[str], density: str
) -> tuple[Figure, Any]:
    """Return a figure and its panels: what is delivered, and below it by how much PSVR delivers more."""
    figure, axes = plots.panels(2, len(values), height=2.3, sharex=True, sharey="row", height_ratios=(3, 2))
    for value, title, above, below in zip(values, titles, *axes):
        plots.lines(above, ratios[ratios[by] == value], "degree")
        plots.lines(below, differences[differences[by] == value], "degree")
        plots.zero(below)
        plots.ticks(below, plots.levels(ratios, "degree"))
        above.set_title(title)
        below.set_xlabel(density)
    axes[0, 0].set_ylabel("delivered (%)")
    axes[1, 0].set_ylabel("more than Shen\n(points)")
    return figure, axes
