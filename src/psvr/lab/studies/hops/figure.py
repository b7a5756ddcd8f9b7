"""Hop distances of delivery paths, PSVR against Shen: the full stack in the simulator, and settled routing."""

from collections.abc import Callable

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

GRIDS = {"full": "full stack, simulated", "settled": "settled network", "wireless": "full stack, wireless channel"}
MAX_DENSITIES = 3  # that are shown


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    routes, means = plots.choose(measures, "routes"), plots.choose(measures, "hops")
    wired, wireless = (
        [rows[(rows["grid"] == "wireless") == over_air] for rows in (routes, means)] for over_air in (False, True)
    )
    return {
        "histogram": largest(histograms, *wired),
        "mean": largest(averages, wired[1]),
        "wireless": largest(histograms, *wireless),
        "wireless-mean": largest(averages, wireless[1]),
    }


def largest(make: Callable[..., Figure], *measures: pd.DataFrame) -> Figure:
    """Return a figure of the largest networks."""
    sizes = plots.levels(measures[0], "n")
    return make(*(rows[rows["n"] == sizes[-1]] for rows in measures), sizes[-1]) if sizes else plots.nothing()


def histograms(routes: pd.DataFrame, means: pd.DataFrame, n: int) -> Figure:
    grids = [grid for grid in GRIDS if grid in plots.levels(routes, "grid")]
    degrees = plots.spread(plots.levels(routes, "degree"), MAX_DENSITIES)
    figure, axes = plots.panels(len(degrees), len(grids), height=2.1, sharex=True, sharey="row")
    for degree, across in zip(degrees, axes):
        for grid, panel in zip(grids, across):
            seen, mean = (rows[(rows["grid"] == grid) & (rows["degree"] == degree)] for rows in (routes, means))
            plots.bars(panel, seen, "bin")
            plots.mean_marks(panel, mean)
            panel.set_title(f"{GRIDS[grid]}, {degree:g} neighbours", pad=5 + 11 * max(1, len(mean) - 1))
        across[0].set_ylabel("deliveries (%)")
    for panel in axes[-1]:
        panel.set_xlabel("hops from publisher to subscriber")
    plots.legend(figure)
    return plots.caption(
        figure,
        "How many hops a publication travels to a single subscriber when every node "
        f"publishes ({plots.named('n', n)}). P and S mark the means of PSVR and of Shen, as in "
        "the paper, N that of PSVR with shortcuts `nontree`; thin bars are 95 % intervals.",
    )


def averages(means: pd.DataFrame, n: int) -> Figure:
    grids = [grid for grid in GRIDS if grid in plots.levels(means, "grid")]
    if not grids:
        return plots.nothing()
    figure, axes = plots.panels(1, len(grids), sharey=True)
    for grid, panel in zip(grids, axes[0]):
        plots.lines(panel, means[means["grid"] == grid], "degree")
        panel.set(title=GRIDS[grid], xlabel="neighbours per node (mean)")
        plots.ticks(panel, plots.levels(means, "degree"))
    plots.from_zero(axes[0, 0])
    axes[0, 0].set_ylabel("hops (mean)")
    plots.legend(figure)
    return plots.caption(
        figure, f"Mean hops per delivery over density ({plots.named('n', n)}). Bands are 95 % intervals."
    )
