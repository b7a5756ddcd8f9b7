"""Delivery on a shared radio channel: over the number of nodes, and in the course of ten hours."""

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

READINGS = {"network": "a publication of all nodes every 20 s", "node": "a publication of each node every 20 s"}
BUSY = ((6000, 9000), (16000, 19000), (26000, 32000))  # seconds, of the long runs, in which others are busy
DISTURBED = (
    "Publications that reach their subscribers while others disturb the channel. Boxes "
    "hold the middle half of all runs, whiskers nine in ten; the line is the median, the dot the "
    "mean."
)


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    return {
        "delivery": average(plots.choose(measures, "delivery_ratio", grid="short")),
        "hours": hours(plots.choose(measures, "delivery_over_time", grid="long")),
    }


def average(rows: pd.DataFrame) -> Figure:
    readings = [reading for reading in READINGS if reading in plots.levels(rows, "reading")]
    if not readings or not plots.levels(rows, "n"):
        return plots.nothing()
    figure, axes = plots.panels(1, len(readings), height=3.0, sharey=True)
    for reading, panel in zip(readings, axes[0]):
        plots.boxes(panel, rows[rows["reading"] == reading], "n")
        panel.axhspan(80, 90, color=plots.BOUND, alpha=0.09, linewidth=0, zorder=0, label="the paper's average")
        panel.set(title=READINGS[reading], xlabel="nodes")
    axes[0, 0].set(ylabel="delivered (%)", ylim=(min(70.0, axes[0, 0].get_ylim()[0]), 100.5))
    plots.legend(figure)
    return plots.caption(figure, DISTURBED)


def hours(rows: pd.DataFrame) -> Figure:
    sizes = plots.levels(rows, "n")
    if not sizes:
        return plots.nothing()
    figure, axes = plots.panels(len(sizes), 1, height=1.6, sharex=True, sharey=True)
    rows = rows.assign(hour=rows["bin"] / 6 + 1 / 12)
    last = float(rows["hour"].max()) + 1 / 12
    for n, panel in zip(sizes, axes[:, 0]):
        plots.lines(panel, rows[rows["n"] == n], "hour")
        for begin, end in BUSY:
            if begin / 3600 < last:
                panel.axvspan(begin / 3600, min(end / 3600, last), color=plots.RULE, alpha=0.7, linewidth=0, zorder=0)
        panel.set_title(f"{n:g} nodes")
        panel.set_ylabel("delivered (%)")
    axes[-1, 0].set_xlabel("hours")
    plots.legend(figure)
    return plots.caption(
        figure,
        "Share of the publications of every ten minutes that was delivered, over "
        f"{rows['trials'].max():g} runs each, with 95 % intervals. In the grey phases others are busy on the channel.",
    )
