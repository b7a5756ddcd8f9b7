"""What a subscription costs around the ring and over the tree, by nodes and by channels, and routes after one left."""

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

PANELS = (
    ("subs", "SUBs when a node subscribes"),
    ("learnt_ms", "until the last table is right (ms)"),
    ("heard", "times that a node gets it"),
)
WHEN = tuple(enumerate(("before", "peak", "rest")))
TITLES = ("before", "at most since", "in the end")


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    return {"subscribing": subscribing(measures), "sets": sets(measures), "leaving": leaving(measures)}


def subscribing(measures: pd.DataFrame) -> Figure:
    """Draw a column per measure over the number of nodes, the first subscriber above, one among others below."""
    known = plots.levels(plots.choose(measures, "subs", grid="joins", topology="geometric"), "s")
    if not known:
        return plots.nothing()
    figure, axes = plots.panels(2, len(PANELS), height=2.2, sharex=True)
    for s, row in zip((known[0], known[-1]), axes):
        for (measure, title), panel in zip(PANELS, row):
            rows = plots.choose(measures, measure, grid="joins", topology="geometric", s=s)
            plots.lines(panel, rows, "n")
            plots.log_x(panel, plots.levels(rows, "n"))
            plots.from_zero(panel)
            panel.set_title(title)
            panel.set_xlabel("nodes n")
        row[0].set_ylabel("the first" if s == 0 else f"{s} others subscribe")
    plots.legend(figure)
    return plots.caption(
        figure,
        "A node subscribes: SUBs of all nodes, the time until every table is right, and how often each node gets the "
        "SUB, around the ring (VR:2015) and over the tree (PSVR). Bands are 95 % intervals.",
    )


def sets(measures: pd.DataFrame) -> Figure:
    """Draw SUBs over the number of channels, for equal and for different sets of channels."""
    rows = plots.choose(measures, "subs", grid="sets", topology="geometric")
    shares = plots.levels(rows, "shared")
    if not shares:
        return plots.nothing()
    figure, axes = plots.panels(1, len(shares), height=2.6, sharey=True)
    for share, panel in zip(shares, axes[0]):
        plots.lines(panel, rows[rows["shared"] == share], "channels")
        plots.log_x(panel, plots.levels(rows, "channels"))
        plots.wide_scale(panel, "y", float(rows["value"].min()), float(rows["value"].max()))
        panel.set_title("all want all channels" if share == 1 else f"each wants {100 * share:g} % of them")
        panel.set_xlabel("channels that the node subscribes to")
    axes[0, 0].set_ylabel("SUBs when a node subscribes")
    plots.legend(figure)
    return plots.caption(figure, "One SUB for each channel (VR:2015), and one for as many as a frame can name (PSVR).")


def leaving(measures: pd.DataFrame) -> Figure:
    """Draw messages per publication before a subscriber has left, at most since, and in the end."""
    found = [plots.choose(measures, name, grid="leaves", topology="geometric").assign(when=i) for i, name in WHEN]
    rows = pd.concat(found)
    if rows.empty:
        return plots.nothing()
    n = plots.nearest(plots.levels(rows, "n"), 50)
    rows = rows[rows["n"] == n]
    sizes = plots.levels(rows, "s")
    figure, axes = plots.panels(1, len(sizes), height=2.6, sharey=True)
    for s, panel in zip(sizes, axes[0]):
        plots.bars(panel, rows[rows["s"] == s], "when")
        panel.set_xticks(range(len(TITLES)), TITLES)
        panel.set_title(f"one of {s} subscribers leaves")
    axes[0, 0].set_ylabel("messages per publication")
    plots.legend(figure)
    return plots.caption(
        figure,
        f"Entries that name the subscriber that has left become stale ({plots.named('n', n)}): VR:2015 removes them "
        "and follows the plain ring until the next SUB, PSVR puts the spare in their place. Lines are 95 % intervals.",
    )
