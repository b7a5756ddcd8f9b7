"""How long networks take until they are legitimate again, by size, share of corrupted nodes, and loss."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from psvr.lab import plots

AFTER = "legitimate after (s)"
SIZE = "Time from arbitrary memory in all nodes until all invariants hold, over the number of nodes."
RELATED = "The same for other systems of the related work, until their own tables are right, too, beside PSVR."
BANDS = "Lines are means with 95 % intervals; the wide bands reach from the quickest to the slowest of all trials"


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    times = plots.choose(measures, "healed_s")
    if times.empty:
        return {"size": plots.nothing()}
    bounds = plots.choose(measures, "bound_s")
    paper, lossy, related = (times[times["grid"] == grid] for grid in ("paper", "loss", "related"))
    return {
        "size": over_size(paper, bounds[bounds["grid"] == "paper"], SIZE),
        "share": over_share(paper),
        "loss": over_loss(lossy, bounds[bounds["grid"] == "loss"]),
        "related": over_size(related, bounds[bounds["grid"] == "related"], RELATED),
    }


def over_size(times: pd.DataFrame, bounds: pd.DataFrame, text: str) -> Figure:
    """Draw a panel per topology, with all nodes corrupted, and the documented bound above; `text` explains that."""
    times, bounds = (rows[rows["corrupted"] == 1] for rows in (times, bounds))
    kinds = plots.levels(times, "topology")
    if not kinds:
        return plots.nothing()
    figure, axes = plots.panels(1, len(kinds), height=2.9, sharex=True, sharey=True)
    for kind, panel in zip(kinds, axes[0]):
        show(panel, times[times["topology"] == kind], "n")
        bound(panel, bounds[bounds["topology"] == kind], "n")
        panel.set(title=kind, xlabel="nodes")
    return finished(
        figure,
        axes[0],
        f"{text} {BANDS}; the dashed line is the bound, for trees as deep as those of these networks.",
    )


def over_share(times: pd.DataFrame) -> Figure:
    """Draw a panel per topology, for the largest networks."""
    sizes = plots.levels(times, "n")
    if not sizes:
        return plots.nothing()
    times = times[times["n"] == sizes[-1]].assign(percent=lambda rows: 100 * rows["corrupted"])
    kinds = plots.levels(times, "topology")
    figure, axes = plots.panels(1, len(kinds), height=2.5, sharex=True, sharey=True)
    for kind, panel in zip(kinds, axes[0]):
        show(panel, times[times["topology"] == kind], "percent")
        panel.set(title=kind, xlabel="corrupted nodes (%)")
    return finished(
        figure,
        axes[0],
        f"The same over the share of corrupted nodes ({plots.named('n', sizes[-1])}): from a few on it hardly matters "
        f"how many they are. {BANDS}.",
    )


def over_loss(times: pd.DataFrame, bounds: pd.DataFrame) -> Figure:
    """Draw a panel per size and topology, with all nodes corrupted."""
    times, bounds = (rows[rows["corrupted"] == 1].assign(percent=lambda r: 100 * r["loss"]) for rows in (times, bounds))
    sizes, kinds = plots.spread(plots.levels(times, "n"), 2), plots.levels(times, "topology")
    if not sizes:
        return plots.nothing()
    cells = [(kind, n) for kind in kinds for n in sizes]
    figure, axes = plots.panels(1, len(cells), height=2.5, sharex=True, sharey=True)
    for (kind, n), panel in zip(cells, axes[0]):
        of_cell = (rows[(rows["topology"] == kind) & (rows["n"] == n)] for rows in (times, bounds))
        show(panel, next(of_cell), "percent")
        bound(panel, next(of_cell), "percent")
        panel.set(title=f"{kind}, {n:g} nodes", xlabel="loss per link (%)")
    return finished(
        figure,
        axes[0],
        "The same over the share of frames that every link loses, with hosts that repeat what may be lost. "
        f"{BANDS}; the dashed line is the bound.",
    )


def show(panel: Axes, rows: pd.DataFrame, x: str) -> None:
    """Draw the mean of each system, and a band from the lowest to the highest of its trials."""
    for system in plots.systems_of(rows):
        ours = rows[rows["system"] == system].sort_values(x)
        colour = plots.look(system).colour
        panel.fill_between(ours[x], ours["least"], ours["most"], alpha=0.1, linewidth=0, color=colour)
    plots.lines(panel, rows, x)


def bound(panel: Axes, rows: pd.DataFrame, x: str) -> None:
    """Draw the mean of the bound, which is nearly the same for all systems."""
    mean = rows.groupby(x)["value"].mean()
    panel.plot(mean.index, mean, color=plots.BOUND, linestyle=(0, (5, 2.5)), linewidth=1.2, label="the bound")


def finished(figure: Figure, axes: Sequence[Axes], text: str) -> Figure:
    plots.from_zero(axes[0])
    axes[0].set_ylabel(AFTER)
    plots.legend(figure)
    return plots.caption(figure, text)
