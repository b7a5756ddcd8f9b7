"""What is missed while subscriptions and nodes change, how long tables are stale, and what SUBs cost."""

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

PANELS = (
    ("stayed_missed_percent", "missed (%)"),
    ("stale_s", "stale after leaving (s)"),
    ("sub_bytes", "SUBs (bytes per node and s)"),
    ("hops", "hops per delivery"),
)


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    return {
        "applications": over(
            measures,
            "applications",
            "churn",
            "changes of subscriptions per minute",
            "While applications subscribe and leave: what those missed who had subscribed for a lease, how long tables "
            "are wrong after a subscriber has left, bytes of SUBs, and the length of routes",
        ),
        "nodes": over(
            measures,
            "nodes",
            "restarts",
            "nodes that start anew per minute",
            "The same while nodes leave and join with empty memory, with the paper's hosts and with ours",
        ),
        "related": over(
            measures,
            "related",
            "churn",
            "changes of subscriptions per minute",
            "The same as in the first figure for other systems of the related work, where three nodes publish",
        ),
        "timers": timers(measures),
    }


def over(measures: pd.DataFrame, grid: str, x: str, label: str, text: str) -> Figure:
    """Draw a panel per measure, for the largest networks."""
    sizes = plots.levels(plots.choose(measures, "hops", grid=grid), "n")
    if not sizes:
        return plots.nothing()
    figure, axes = plots.panels(2, 2, height=2.3, sharex=True)
    for (measure, title), panel in zip(PANELS, axes.flat):
        plots.lines(panel, plots.choose(measures, measure, grid=grid, n=sizes[-1]), x)
        panel.set_title(title)
        plots.from_zero(panel)
    for panel in axes[-1]:
        panel.set_xlabel(label)
    plots.legend(figure)
    return plots.caption(figure, f"{text} ({plots.named('n', sizes[-1])}). Bands are 95 % intervals.")


def timers(measures: pd.DataFrame) -> Figure:
    """Draw, over T_w/back and for each lease, how long tables are stale and what is missed."""
    stale, missed = (
        plots.choose(measures, name, grid="timers", cleans=10) for name in ("stale_s", "stayed_missed_percent")
    )
    losses = plots.levels(stale, "loss")
    if not losses:
        return plots.nothing()
    colours = plots.shades(plots.levels(stale, "lease"))
    figure, axes = plots.panels(2, len(losses), height=2.2, sharex=True, sharey="row")
    for loss, above, below in zip(losses, *axes):
        plots.level_lines(above, stale[stale["loss"] == loss], "write_back", "lease", colours)
        plots.level_lines(below, missed[missed["loss"] == loss], "write_back", "lease", colours)
        above.set_title(f"{100 * loss:g} % loss per link" if loss else "no loss")
        below.set_xlabel("T_w/back in leases")
    axes[0, 0].set_ylabel("stale (s)")
    axes[1, 0].set_ylabel("missed (%)")
    plots.from_zero(axes[0, 0])
    plots.from_zero(axes[1, 0])
    plots.legend(figure)
    return plots.caption(
        figure,
        "PSVR as the paper describes it, for several leases δ_S: the longer T_w/back, the longer tables are stale "
        "after an unsubscription; too short, and lost SUBs make entries expire that are right.",
    )
