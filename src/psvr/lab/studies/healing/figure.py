"""How long networks take to heal, by topology and loss, as shares of the bound."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from psvr.lab import plots

SPAN = ["value", "low", "high", "least", "most"]


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    times, shares = (in_percent(plots.choose(measures, name, grid="main")) for name in ("healed_s", "share_of_bound"))
    if times.empty or shares.empty:
        return {"healing": plots.nothing()}
    shares[SPAN] *= 100
    kinds = plots.levels(times, "topology")
    figure, axes = plots.panels(2, len(kinds), height=2.3, sharex=True, sharey="row", height_ratios=(3, 2))
    for rows, across, name in ((times, axes[0], "healed after (s)"), (shares, axes[1], "of the bound (%)")):
        for kind, panel in zip(kinds, across):
            show(panel, rows[rows["topology"] == kind])
        plots.from_zero(across[0])
        across[0].set_ylabel(name)
    for kind, above, below in zip(kinds, *axes):
        above.set_title(kind)
        below.set_xlabel("loss per link (%)")
    plots.legend(figure)
    return {
        "healing": plots.caption(
            figure,
            "Time from arbitrary memory in all nodes until all invariants hold, for "
            f"networks of 2 to {max(plots.levels(times, 'largest'), default=0):g} nodes; below, "
            "as a share of the bound. Lines are means with "
            "95 % intervals; the wide bands reach from the lowest to the highest of all trials.",
        )
    }


def in_percent(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(loss=100 * rows["loss"]) if "loss" in rows else rows.iloc[:0]


def show(panel: Axes, rows: pd.DataFrame) -> None:
    """Draw the mean of each system, and a band from the lowest to the highest of its trials."""
    for system in plots.systems_of(rows):
        ours = rows[rows["system"] == system].sort_values("loss")
        panel.fill_between(
            ours["loss"], ours["least"], ours["most"], alpha=0.12, linewidth=0, color=plots.look(system).colour
        )
    plots.lines(panel, rows, "loss")
