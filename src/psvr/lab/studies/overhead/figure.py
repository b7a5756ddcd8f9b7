"""The cost of the structure: control traffic, memory, time to settle; each over size, density, subscribers, churn."""

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

GRIDS = {
    "size": ("n", "nodes n"),
    "density": ("degree", "neighbours per node"),
    "subscribers": ("s", "subscribers"),
    "churn": ("churn", "subscription changes per minute"),
}
COSTS = {
    "control_bytes": "control traffic\n(bytes per node and s)",
    "table_bytes": "largest table of PSVR\n(bytes)",
    "stabilization": "time to settle\n(s)",
}
ON_AIR = {
    "control_bytes": "control traffic (bytes per node and s)",
    "parent_changes": "new parents per node and hour",
    "transmit_power": "sending (mW per node)",
    "energy_per_delivery": "all energy per delivery (J)",
}
LINE = {"stabilization": "from nothing until settled", "recovery": "after a node has joined"}
NEVER = {"stabilization": "never_stable", "recovery": "never_recovered"}
WITHOUT_TABLE = {"shen", "ring", "flood"}  # table_bytes are those of RS, which these do not use
CAPTION = (
    "What each node sends to maintain tree, ring and tables, how large the routing table of PSVR grows, and how "
    "long a network takes from nothing until it is settled. In each column one thing is varied. Bands are 95 % "
    "intervals. A × stands for an unknown time, because not all trials settled. Where subscriptions keep "
    "changing, a network is never at rest, and there is no such time."
)
ON_A_RADIO = (
    "Over a wireless channel: control traffic, changes of the tree, energy for sending "
    "and total energy per delivery. Receivers are always on; listening takes 56 mW of a CC2420, "
    "whatever the protocol does. Bands are 95 % intervals."
)


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    return {"costs": costs(measures), "line": on_a_line(measures), "wireless": wireless(measures)}


def wireless(measures: pd.DataFrame) -> Figure:
    """Draw what a radio uses, and how often the structure changes on it."""
    found = {name: plots.choose(measures, name, grid="wireless") for name in ON_AIR}
    if not any(plots.levels(rows, "n") for rows in found.values()):
        return plots.nothing()
    figure, axes = plots.panels(2, len(found) // 2, height=2.1, sharex=True)
    for (name, rows), panel in zip(found.items(), axes.flat):
        plots.lines(panel, rows, "n")
        plots.from_zero(panel)
        plots.ticks(panel, plots.levels(rows, "n"))
        panel.set_title(ON_AIR[name])
    for panel in axes[-1]:
        panel.set_xlabel("nodes n")
    plots.legend(figure)
    return plots.caption(figure, ON_A_RADIO)


def costs(measures: pd.DataFrame) -> Figure:
    grids = [
        grid
        for grid, (x, _) in GRIDS.items()
        if any(plots.levels(plots.choose(measures, cost, grid=grid), x) for cost in COSTS)
    ]
    if not grids:
        return plots.nothing()
    figure, axes = plots.panels(len(COSTS), len(grids), height=2.0, sharex="col", sharey="row")
    for (cost, name), across in zip(COSTS.items(), axes):
        for grid, panel in zip(grids, across):
            draw_cost(panel, measures, cost, grid)
        plots.from_zero(across[0])
        across[0].set_ylabel(name)
    for grid, top, bottom in zip(grids, axes[0], axes[-1]):
        rows = measures[measures["grid"] == grid]
        plots.ticks(bottom, plots.levels(rows, GRIDS[grid][0]))
        top.set_title(fixed(rows, GRIDS[grid][0]), fontsize=8)
        bottom.set_xlabel(GRIDS[grid][1])
    plots.legend(figure)
    return plots.caption(figure, CAPTION)


def draw_cost(panel: plots.Axes, measures: pd.DataFrame, cost: str, grid: str) -> None:
    rows, x = plots.choose(measures, cost, grid=grid), GRIDS[grid][0]
    if cost == "table_bytes":
        rows = rows[~rows["system"].isin(WITHOUT_TABLE)]
    if cost == "stabilization":
        if grid == "churn":
            panel.text(0.5, 0.5, "never at rest", ha="center", color=plots.QUIET, transform=panel.transAxes)
            return
        rows = without_unsettled(panel, rows, plots.choose(measures, "never_stable", grid=grid), x)
    plots.lines(panel, rows, x)


def on_a_line(measures: pd.DataFrame) -> Figure:
    """Draw the time to settle, and to settle again after a node has joined, where paths are longest."""
    times = {name: plots.choose(measures, name, grid="line") for name in ("stabilization", "recovery")}
    times = {name: rows for name, rows in times.items() if plots.levels(rows, "n")}
    if not times:
        return plots.nothing()
    figure, axes = plots.panels(1, len(times), sharex=True)
    for (name, rows), panel in zip(times.items(), axes[0]):
        rows = without_unsettled(panel, rows, plots.choose(measures, NEVER[name], grid="line"), "n")
        plots.lines(panel, rows, "n")
        plots.from_zero(panel)
        plots.ticks(panel, plots.levels(measures[measures["grid"] == "line"], "n"))
        panel.set(title=LINE[name], xlabel="nodes n, in a line", ylabel="time (s)")
    plots.legend(figure)
    return plots.caption(
        figure,
        "How long nodes in a line, the network with the longest paths, take to settle, and to "
        "settle again after one of them starts anew with nothing. Bands are 95 % intervals. A × "
        "stands for an unknown time, because not all trials settled.",
    )


def without_unsettled(panel: plots.Axes, times: pd.DataFrame, never: pd.DataFrame, x: str) -> pd.DataFrame:
    """Leave out times for which not all trials settled: their mean would be too low, so they are only marked."""
    never = never[never["value"] > 0]
    for system in plots.systems_of(never):
        at, seen = plots.levels(never[never["system"] == system], x), plots.look(system)
        panel.plot(
            at,
            [0.94] * len(at),
            "x",
            color=seen.colour,
            markersize=6 * seen.size,
            markeredgewidth=1.8 * seen.size,
            transform=panel.get_xaxis_transform(),
        )
        times = times[~((times["system"] == system) & times[x].isin(at))]
    return times


def fixed(rows: pd.DataFrame, x: str) -> str:
    """Return a title with what is not varied in a column."""
    values = {name: plots.levels(rows, name) for name, _ in GRIDS.values() if name != x}
    return ", ".join(plots.named(name, found[0]) for name, found in values.items() if len(found) == 1 and found[0])
