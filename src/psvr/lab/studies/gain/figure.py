"""Messages of PSVR against a tree per publisher, T_D, and one tree for all, T_S, over the number of subscribers."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

RIVALS = ("td", "ts")
CLAIM, UP_TO, SUBSCRIBERS = 8.0, 100, 10  # below 8 % up to 100 nodes, from 10 subscribers on
CLAIMED = f"paper: below {CLAIM:g} % (shaded)"
TYPICAL = 0.1  # the p to show where one has to be chosen


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    gains = plots.choose(measures, "gain", grid="main", against=set(RIVALS))
    return {
        "density": by_density(gains),
        "gain": by_size(gains),
        "map": overview(measures),
        "messages": messages(measures),
    }


def by_size(gains: pd.DataFrame) -> Figure:
    """Draw a panel per rival and n."""
    sizes = plots.spread(plots.levels(gains, "n"), 4)
    if not sizes:
        return plots.nothing()
    p = plots.nearest(common(gains, sizes), TYPICAL)
    rows = gains[gains["p"] == p]
    figure, axes = plots.panels(len(RIVALS), len(sizes), sharex="col", sharey="row", height_ratios=(3, 2))
    for rival, across in zip(RIVALS, axes):
        for n, panel in zip(sizes, across):
            seen = rows[(rows["against"] == rival) & (rows["n"] == n)]
            plots.lines(panel, seen, "s")
            over_subscribers(panel, plots.levels(rows[rows["n"] == n], "s"))
            if rival == "td" and SUBSCRIBERS < n <= UP_TO:
                plots.bound(panel, CLAIM, CLAIMED, SUBSCRIBERS)
    label(axes, [plots.named("n", n) for n in sizes])
    plots.legend(figure)
    return plots.caption(
        figure,
        f"The same by number of nodes, for {plots.named('p', p)}.",
    )


def common(gains: pd.DataFrame, sizes: list[int]) -> list[float]:
    """Return the values of p that all of these sizes have; if there are none, those that any has."""
    shared = set.intersection(*(set(plots.levels(gains[gains["n"] == n], "p")) for n in sizes))
    return sorted(shared) or plots.levels(gains, "p")


def over_subscribers(panel: plots.Axes, counts: list[int]) -> None:
    plots.log_x(panel, counts)
    plots.zero(panel)


def label(axes: Any, columns: list[str]) -> None:
    """Label rows and columns of panels."""
    for panel, title in zip(axes[0], columns):
        panel.set_title(title)
    for panel in axes[-1]:
        panel.set_xlabel("subscribers s")
    for panel, rival in zip(axes[:, 0], RIVALS):
        panel.set_ylabel(f"more messages\nthan {plots.look(rival).label} (%)")


def by_density(gains: pd.DataFrame) -> Figure:
    """Draw a panel per rival and set of shortcuts, a line per p."""
    sizes, systems = plots.levels(gains, "n"), plots.systems_of(gains)
    if not sizes:
        return plots.nothing()
    n = plots.nearest(sizes, UP_TO)
    rows = gains[gains["n"] == n]
    colours = plots.shades(plots.levels(rows, "p"))
    figure, axes = plots.panels(len(RIVALS), len(systems), sharex="col", sharey="row", height_ratios=(3, 2))
    for rival, across in zip(RIVALS, axes):
        for system, panel in zip(systems, across):
            seen = rows[(rows["against"] == rival) & (rows["system"] == system)]
            plots.level_lines(panel, seen, "s", "p", colours)
            over_subscribers(panel, plots.levels(rows, "s"))
            if rival == "td" and SUBSCRIBERS < n <= UP_TO:
                plots.bound(panel, CLAIM, CLAIMED, SUBSCRIBERS)
    label(axes, [plots.look(system).label for system in systems])
    plots.legend(figure)
    return plots.caption(
        figure,
        f"How many more messages PSVR sends than a tree per publisher (T_D, above) and than one tree for all (T_S, "
        f"below), in random networks G(n, p) with {plots.named('n', n)}, by density p; one column per set of "
        "shortcuts. Below zero PSVR sends fewer. Bands are 95 % intervals of the mean.",
    )


def overview(measures: pd.DataFrame) -> Figure:
    """Draw the gain over T_D as a map of n and p, at the fewest subscribers that the paper mentions."""
    rows = plots.choose(measures, "gain", grid={"main", "limit"}, against="td")
    counts, systems = plots.levels(rows, "s"), plots.systems_of(rows)
    if not counts:
        return plots.nothing()
    s = plots.nearest(counts, SUBSCRIBERS)
    rows = rows[rows["s"] == s].sort_values(["trials", "grid"]).drop_duplicates(["system", "n", "p"], keep="last")
    figure, axes = plots.panels(1, len(systems), height=0.8 + 0.27 * len(plots.levels(rows, "p")), sharey="row")
    cells = rows.pivot(index="p", columns=["system", "n"], values="value").sort_index(axis="columns")
    for system, panel in zip(systems, axes[0]):
        plots.heat(panel, cells.get(system, cells.iloc[:0]), CLAIM, UP_TO)
        panel.set(title=plots.look(system).label, xlabel="nodes n")
    axes[0, 0].set_ylabel("density p")
    return plots.caption(
        figure,
        f"How many percent more messages than T_D at {plots.named('s', s)}; values above the "
        f"{CLAIM:g} % that the paper states for up to {UP_TO} nodes are framed.",
    )


def messages(measures: pd.DataFrame) -> Figure:
    """Draw what every system sends, and the optimum where it was computed."""
    rows = plots.choose(measures, "messages")
    grids = [g for g in ("main", "optimum") if g in plots.levels(rows, "grid")]
    if not grids:
        return plots.nothing()
    figure, axes = plots.panels(1, len(grids), height=3.4)
    for grid, panel in zip(grids, axes[0]):
        seen = rows[rows["grid"] == grid]
        n = plots.nearest(plots.levels(seen, "n"), UP_TO)
        seen = seen[seen["n"] == n]
        p = plots.nearest(plots.levels(seen, "p"), TYPICAL)
        seen = seen[seen["p"] == p]
        plots.lines(panel, seen, "s")
        plots.log_x(panel, plots.levels(seen, "s"))
        plots.wide_scale(panel, "y", max(seen["value"].min(), 0.1), max(seen["value"].max(), 1.0))
        title = "all systems" if grid == "main" else "few subscribers, with the optimum"
        panel.set(title=f"{title}: {plots.named('n', n)}, {plots.named('p', p)}", xlabel="subscribers s")
    axes[0, 0].set_ylabel("messages per publication")
    plots.legend(figure)
    return plots.caption(
        figure,
        "Messages per publication of every system, on logarithmic axes. The Steiner tree is "
        "the minimum that any system could send; it is computed for few subscribers only.",
    )
