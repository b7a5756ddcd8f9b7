"""Messages that PSVR saves against Shen, per subscription, over density.

The measure is the paper's gain, 100 B / A - 100, which is below zero where PSVR sends fewer; the paper speaks of the
"gain in saved messages" and draws it upwards, and so do we: the figures show the negated measure.
"""

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

BY_SUBSCRIBERS = {"main", "more"}  # one subscriber, and several
SAVED = "messages saved against Shen (%)"
TURNED = {
    "value": "value",
    "low": "high",
    "high": "low",
    "p05": "p95",
    "p25": "p75",
    "p50": "p50",
    "p75": "p25",
    "p95": "p05",
}


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    each, capped, wireless = (
        saved(plots.versus(measures, "subscription_gain", "shen", grid=grid))
        for grid in (BY_SUBSCRIBERS, "capped", "wireless")
    )
    together = saved(plots.versus(measures, "gain", "shen", grid=BY_SUBSCRIBERS))
    return {
        "boxes": boxes(each),
        "subscribers": over_subscribers(together),
        "capped": few_links(capped),
        "wireless": few_links(wireless, "over a wireless channel"),
        "related": related(*(plots.choose(measures, name, grid="related") for name in ("messages", "sub_bytes"))),
    }


def saved(gains: pd.DataFrame) -> pd.DataFrame:
    """Return gains as savings: with the opposite sign, so that low and high change places."""
    return gains.assign(**{to: -gains[source] for to, source in TURNED.items()}) if len(gains) else gains


def boxes(rows: pd.DataFrame) -> Figure:
    """Draw a panel per number of subscribers, a box per density and system."""
    sizes = plots.levels(rows, "n")
    counts = plots.spread(plots.levels(rows[rows["n"] == sizes[-1]], "s"), 4) if sizes else []
    if not counts:
        return plots.nothing()
    rows = rows[rows["n"] == sizes[-1]]
    figure, axes = plots.panels(1, len(counts), height=3.2, sharey=True)
    for s, panel in zip(counts, axes[0]):
        plots.boxes(panel, rows[rows["s"] == s], "degree")
        plots.zero(panel)
        panel.set(title=f"{s:g} subscriber{'' if s == 1 else 's'} per channel", xlabel="neighbours per node")
    axes[0, 0].set_ylabel(f"{SAVED}\nPSVR sends fewer →")
    plots.legend(figure)
    return plots.caption(
        figure,
        "How many messages PSVR saves per subscription: 100 - 100 B / A, with B the messages "
        "of PSVR and A those of Shen; above zero PSVR sends fewer. The density grows with the range "
        f"of the radio ({plots.named('n', sizes[-1])}). Boxes hold the middle half of all "
        "subscriptions, whiskers nine in ten; the line is the median, the dot the mean.",
    )


def over_subscribers(rows: pd.DataFrame) -> Figure:
    sizes = plots.levels(rows, "n")
    if not sizes or len(plots.levels(rows, "s")) < 2:
        return plots.nothing()
    rows = rows[rows["n"] == sizes[-1]]
    systems = plots.systems_of(rows)
    colours = plots.shades(plots.levels(rows, "degree"))
    figure, axes = plots.panels(1, len(systems), sharey=True, height=2.8)
    for system, panel in zip(systems, axes[0]):
        seen = rows[rows["system"] == system]
        plots.level_lines(panel, seen, "s", "degree", colours)
        plots.log_x(panel, plots.levels(seen, "s"))
        plots.zero(panel)
        panel.set(title=plots.look(system).label, xlabel="subscribers per channel")
    axes[0, 0].set_ylabel(SAVED)
    plots.legend(figure)
    return plots.caption(
        figure,
        f"The saving vanishes as more nodes subscribe ({plots.named('n', sizes[-1])}); where "
        "all do, PSVR and Shen send the same messages. Bands are 95 % intervals.",
    )


def few_links(rows: pd.DataFrame, where: str = "") -> Figure:
    """Draw nodes with more neighbours than they keep links to: a panel per number of links."""
    limits = plots.spread(plots.levels(rows, "c_n"), 4)
    if not limits:
        return plots.nothing()
    figure, axes = plots.panels(1, len(limits), height=2.6, sharey=True)
    for limit, panel in zip(limits, axes[0]):
        plots.boxes(panel, rows[rows["c_n"] == limit], "degree")
        plots.zero(panel)
        panel.set(title=f"at most {limit:g} links per node", xlabel="neighbours per node")
    axes[0, 0].set_ylabel(SAVED)
    plots.legend(figure)
    sizes = ", ".join(f"{n:g}" for n in plots.levels(rows, "n"))
    return plots.caption(
        figure,
        f"The same for one subscriber per channel{where and ' ' + where}, where nodes keep "
        f"fewer links than they have neighbours (n = {sizes}), so that not all of the density can "
        "become shortcuts.",
    )


def related(sent: pd.DataFrame, kept: pd.DataFrame) -> Figure:
    """Draw what publications and subscriptions cost under the systems of the related work, over density."""
    sizes, numbers = plots.levels(sent, "n"), plots.spread(plots.levels(sent, "publishers"), 2)
    if not sizes or not numbers:
        return plots.nothing()
    sent, kept = sent[sent["n"] == sizes[-1]], kept[kept["n"] == sizes[-1]]
    figure, axes = plots.panels(1, len(numbers) + 1, height=2.8)
    for number, panel in zip(numbers, axes[0]):
        plots.lines(panel, sent[sent["publishers"] == number], "degree")
        panel.set(title=f"{number:g} publisher{'' if number == 1 else 's'}", ylabel="messages per publication")
    plots.lines(axes[0, -1], kept[kept["publishers"] == numbers[0]], "degree")
    axes[0, -1].set(title="for subscriptions", ylabel="SUB bytes per node and second")
    for panel in axes[0]:
        panel.set(xlabel="neighbours per node")
        plots.from_zero(panel)
    plots.legend(figure)
    return plots.caption(
        figure,
        "What publications and subscriptions cost under the systems of the paper's related work "
        f"({plots.named('n', sizes[-1])}, one channel). Directed diffusion floods publications now and "
        "then, to explore the network, and interests all the time.",
    )
