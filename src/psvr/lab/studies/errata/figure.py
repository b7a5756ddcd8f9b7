"""What goes wrong under each reading of the pseudo-code: a dot for each cell of the grid, and their mean."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from psvr.lab import plots

WRONGS = {"never_ends": "never end", "repeated": "reach a subscriber again", "missed": "miss a subscriber"}
FIRST = (
    "psvr",
    "corrected",
    "as-printed",
    "printed-own-channels",
    "printed-publications",
    "printed-curpos",
    "printed-everywhere",
    "printed-left-end",
    "printed-right-end",
)


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    rows = [plots.choose(measures, name, grid="main") for name in WRONGS]
    systems = in_order(set().union(*(plots.levels(r, "system") for r in rows)))
    if not systems:
        return {"errata": plots.nothing()}
    figure, axes = plots.panels(1, len(WRONGS), height=0.5 + 0.24 * len(systems), sharey=True)
    for panel, ours, words in zip(axes[0], rows, WRONGS.values()):
        show(panel, ours, systems)
        panel.set_title(words)
        panel.set_xlabel("of all publications (%)")
    axes[0][0].set_yticks(range(len(systems)), [plots.look(name).label for name in systems])
    axes[0][0].invert_yaxis()
    return {
        "errata": plots.caption(
            figure,
            "Publications that go wrong under each reading of the paper's pseudo-code and each set of shortcuts. A dot "
            "is a kind and size of network with a number of subscribers, a bar the mean of all of them.",
        )
    }


def in_order(systems: set[str]) -> list[str]:
    """Sort systems as the study lists them, and others after them."""
    place = {name: i for i, name in enumerate(FIRST)}
    return sorted(systems, key=lambda name: (place.get(name.partition("/")[0], len(place)), name))


def show(panel: Axes, rows: pd.DataFrame, systems: list[str]) -> None:
    for i, system in enumerate(systems):
        values = rows.loc[rows["system"] == system, "value"].sort_values().to_numpy(dtype=float)
        if values.size:
            colour = colour_of(system)
            panel.barh(i, values.mean(), height=0.7, color=colour, alpha=0.35, linewidth=0)
            panel.plot(values, np.full(values.size, i), "o", color=colour, markersize=3, alpha=0.6, linestyle="")
    panel.set_xlim(-3, 103)
    panel.grid(visible=False, axis="y")


def colour_of(system: str) -> str:
    """Return the colour of PSVR with the same set of shortcuts; a custom system has its own."""
    reading, _, shortcuts = system.partition("/")
    return plots.look(f"psvr/{shortcuts}" if reading in FIRST else system).colour
