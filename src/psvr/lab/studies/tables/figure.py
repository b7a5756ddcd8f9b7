"""Tables, control traffic and messages side by side, over the number of nodes."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

C_N = 8
PAPER, OURS = (2 + 4) * C_N, 8 + 12 * C_N  # bytes of a node that has C_N positions
FEW, SEVERAL = 1, 10
CAPTION = (
    "Is PSVR a compromise? Above: what a node has to remember for a channel with ten subscribers, the mean of all "
    "nodes and, broken, the node that has most, next to what the paper counts for C_N = 8; and what nodes send to "
    "maintain it. For T_D that is the least that it could be, computed and not simulated. Below: messages per "
    "publication, with one subscriber and with ten. Bands are 95 % intervals. Shen and T_S are the same tree here."
)


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    return {"compromise": compromise(measures)}


def compromise(measures: pd.DataFrame) -> Figure:
    tables, control, messages = (
        plots.choose(measures, "table", grid="settled", s=SEVERAL),
        plots.choose(measures, "control_bytes", grid="control"),
        plots.choose(measures, "messages", grid="settled"),
    )
    if not any(plots.levels(rows, "n") for rows in (tables, control, messages)):
        return plots.nothing()
    figure, axes = plots.panels(2, 2, height=2.7)
    (memory, traffic), below = axes
    draw_tables(memory, tables, plots.choose(measures, "table_most", grid="settled", s=SEVERAL))
    draw_control(traffic, control, measures)
    for s, panel in zip((FEW, SEVERAL), below):
        rows = messages[messages["s"] == s]
        plots.lines(panel, rows, "n")
        plots.log_x(panel, plots.levels(rows, "n"))
        plots.from_zero(panel)
        subscribers = "subscriber" if s == 1 else "subscribers"
        panel.set(title=f"messages per publication, {s} {subscribers}", xlabel="nodes n")
    plots.legend(figure)
    return plots.caption(figure, CAPTION)


def draw_tables(panel: plots.Axes, mean: pd.DataFrame, most: pd.DataFrame) -> None:
    plots.lines(panel, mean, "n")
    for system in plots.systems_of(most):
        rows = most[most["system"] == system].sort_values("n")
        panel.plot(rows["n"], rows["value"], color=plots.look(system).colour, linestyle=(0, (2, 2)), linewidth=1)
    for value, text in ((PAPER, "paper: (2 + 4) $C_N$"), (OURS, "ours, for $C_N$ positions")):
        panel.axhline(
            value, color=plots.BOUND, linestyle="-." if value == OURS else (0, (5, 2.5)), linewidth=1, label=text
        )
    plots.log_x(panel, plots.levels(mean, "n"))
    wide(panel, pd.concat((mean, most)))
    panel.set(title="table of a channel, 10 subscribers (bytes)", xlabel="nodes n")


def draw_control(panel: plots.Axes, control: pd.DataFrame, measures: pd.DataFrame) -> None:
    plots.lines(panel, control, "n")
    least = least_of_td(measures)
    panel.plot(
        least.index,
        least.to_numpy(),
        color=plots.look("td").colour,
        marker=plots.look("td").marker,
        markersize=4,
        linestyle=(0, (2, 2)),
        label="$T_D$, at least",
    )
    plots.log_x(panel, plots.levels(control, "n"))
    wide(panel, control)
    panel.set(title="control traffic (bytes per node and s)", xlabel="nodes n")


def least_of_td(measures: pd.DataFrame) -> "pd.Series[float]":
    """Return HELLOs of one tree with those of all others added, by the number of nodes."""
    hello = plots.choose(measures, "hello_bytes", grid="control", system="shen").set_index("n")["value"]
    more = (
        plots.choose(measures, "hello_more", grid="settled", system="td").drop_duplicates("n").set_index("n")["value"]
    )
    return (hello + more).dropna().sort_index()


def wide(panel: plots.Axes, rows: pd.DataFrame) -> None:
    """Make the y axis logarithmic, if there is anything on it."""
    if (rows["value"] > 0).any():
        shown = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in panel.get_lines()])
        plots.wide_scale(panel, "y", shown[shown > 0].min(), shown.max())
