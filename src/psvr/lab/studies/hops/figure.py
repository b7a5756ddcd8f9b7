"""Hop distances of delivery paths, PSVR against Shen: the full stack in the simulator, and settled routing."""

from collections.abc import Callable

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots
from psvr.lab.kinds.names import without_profile

GRIDS = {"full": "full stack", "settled": "settled network", "wireless": "wireless channel"}
HOSTS = {"/paper": "paper's hosts", "/full": "our hosts", "": "our hosts"}  # those of a settled network do nothing
DENSITIES = 4  # that are shown
SHORT = 3  # hops of a short route, in the paper
RARE = 0.2  # percent: longer routes than that are too few to be seen


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
    """Draw a column per density, a row per grid and profile of hosts."""
    routes, means = (rows.assign(profile=[plots.profile_of(s) for s in rows["system"]]) for rows in (routes, means))
    kinds = [
        (grid, profile)
        for grid in GRIDS
        for profile in sorted(plots.levels(routes[routes["grid"] == grid], "profile"), reverse=True)
    ]
    degrees = plots.spread(plots.levels(routes, "degree"), DENSITIES)
    figure, axes = plots.panels(len(kinds), len(degrees), height=2.3, sharex=True, sharey="row")
    for (grid, profile), across in zip(kinds, axes):
        for degree, panel in zip(degrees, across):
            seen, mean = (
                rows[(rows["grid"] == grid) & (rows["profile"] == profile) & (rows["degree"] == degree)]
                for rows in (routes, means)
            )
            panel.axvspan(0.5, SHORT + 0.5, color=plots.BOUND, alpha=0.08, linewidth=0, label="short, in the paper")
            plots.histogram(panel, seen, "bin")
            plots.mean_marks(panel, mean)
            tell_short(panel, seen)
            panel.margins(y=0.2)  # room for the shares
            panel.set_title(plots.named("degree", degree), pad=5 + 11 * max(1, len(mean) - 1))
        hosts = "" if grid == "settled" else f"\n{HOSTS[profile]}"
        across[0].set_ylabel(f"{GRIDS[grid]}{hosts}\ndeliveries (%)")
    longest = max([SHORT, *routes.loc[routes["value"] >= RARE, "bin"]])
    axes[0, 0].set_xlim(0.5, longest + 0.5)
    for panel in axes[-1]:
        panel.set_xlabel("hops")
    plots.legend(figure)
    return plots.caption(
        figure,
        "How many hops a publication travels to a single subscriber when every node publishes "
        f"({plots.named('n', n)}), by density. P and S mark the means of PSVR and of Shen, as in the paper, N that of "
        f"PSVR with shortcuts `nontree`; in the shaded field are short routes of up to {SHORT} hops, with their "
        "share in percent. Thin lines are 95 % intervals; wide ones leave the picture at the top.",
    )


def tell_short(panel: plots.Axes, seen: pd.DataFrame) -> None:
    """Write the share of short routes of each system into the panel."""
    short = seen[seen["bin"].between(1, SHORT)].groupby("system")["value"].sum()
    for i, system in enumerate(plots.systems_of(seen)):
        looks = plots.look(without_profile(system))
        panel.text(
            0.97,
            0.93 - 0.12 * i,
            f"{looks.letter} {short.get(system, 0.0):.0f} % short",
            transform=panel.transAxes,
            ha="right",
            va="top",
            color=looks.colour,
            fontsize=8.5,
            bbox={"facecolor": plots.PAPER, "edgecolor": "none", "alpha": 0.8, "pad": 1.0},
            zorder=4,
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
