"""How long networks take to heal, by topology and loss, as shares of the bound."""

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

SPAN = ("least", "value", "most")


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    times, shares = (plots.choose(measures, name, grid="main") for name in ("healed_s", "share_of_bound"))
    if times.empty or shares.empty:
        return {"healing": plots.nothing()}
    kinds = plots.levels(times, "topology")
    figure, axes = plots.panels(2, len(kinds), height=2.3, sharex=True, sharey="row", height_ratios=(3, 2))
    for kind, above, below in zip(kinds, *axes):
        for panel, rows, factor in ((above, times, 1), (below, shares, 100)):
            mine = rows[rows["topology"] == kind].sort_values("loss")
            least, value, most = (factor * mine[name] for name in SPAN)
            panel.fill_between(100 * mine["loss"], least, most, alpha=0.15, linewidth=0, label="least to most")
            panel.plot(100 * mine["loss"], value, marker="o", markersize=3, label="mean")
            plots.from_zero(panel)
        above.set_title(kind)
        below.set_xlabel("loss per link (%)")
    axes[0, 0].set_ylabel("right again after (s)")
    axes[1, 0].set_ylabel("of the bound (%)")
    plots.legend(figure)
    return {"healing": plots.caption(figure, "Time from arbitrary memory in all nodes until all invariants hold, mean "
                                     "and range over trials, for networks of 2 to 100 nodes; below, as a share of the "
                                     "bound.")}
