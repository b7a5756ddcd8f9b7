"""The overhead over T_D for everything that the paper leaves open, one dot per choice, with the paper's 8 %."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from psvr.lab import plots

CLAIM = 8.0
NODES, SUBSCRIBERS = 100, 10
REACH = 32.0  # percent; what lies beyond is named at the edge
PANELS = 2
ROW = 0.205  # inches
TIES = {
    "first": "first found",
    "least": "least id",
    "random": "random",
    "children": "few parents",
    "neighbours": "most neighbours",
}
ROOTS = {"centre": "centre", "least": "least id", "outermost": "far out", "hub": "most neighbours"}
ORDERS = {"id": "ascending id", "random": "random", "largest": "largest first", "smallest": "smallest first"}
PUBLISHERS = {"other": "does not subscribe", "subscriber": "is one of the ten"}
TREES = {"breadth": "breadth first", "random": "any tree", "depth": "depth first", "stack": "that of the stack"}
ALIKE = {
    ("first", "first"): "first found, both",
    ("random", "same"): "random, both",
    ("random", "first"): "random, PSVR alone",
}


def of(words: dict[str, str], row: Any, column: str) -> str:
    value = row.get(column)
    return words.get(value, str(value)) if isinstance(value, str) else next(iter(words.values()))


def with_ties(name: str, row: Any) -> str:
    return name if row.get("ties", "first") == "first" else f"{name}; ties {of(TIES, row, 'ties')}"


GROUPS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "ties": ("Ties: PSVR / $T_D$", lambda row: f"{of(TIES, row, 'ties')} / {of(TIES, row, 'td_ties')}"),
    "root": ("Root", lambda row: with_ties(of(ROOTS, row, "root"), row)),
    "order": ("Children on the ring", lambda row: with_ties(of(ORDERS, row, "children"), row)),
    "publisher": ("Publisher", lambda row: with_ties(of(PUBLISHERS, row, "publisher"), row)),
    "tree": ("Tree / ties of $T_D$", lambda row: f"{of(TREES, row, 'tree')} / {of(TIES, row, 'td_ties')}"),
    "stack": ("Tree / ties of $T_D$", lambda row: f"{of(TREES, row, 'tree')} / {of(TIES, row, 'td_ties')}"),
    "together": (
        "Root; ties: PSVR / $T_D$",
        lambda row: f"{of(ROOTS, row, 'root')}; {of(TIES, row, 'ties')} / {of(TIES, row, 'td_ties')}",
    ),
}
WORDS = {
    "ties": list(TIES),
    "td_ties": list(TIES),
    "root": list(ROOTS),
    "children": list(ORDERS),
    "publisher": list(PUBLISHERS),
    "tree": list(TREES),
}


def draw(measures: pd.DataFrame) -> dict[str, Figure]:
    return {"choices": choices(measures), "subscribers": subscribers(measures)}


def choices(measures: pd.DataFrame) -> Figure:
    """Draw a row per choice and a panel per density."""
    rows = plots.choose(measures, "gain", against="td", grid=set(GROUPS))
    if not plots.levels(rows, "n") or not plots.levels(rows, "p") or not plots.levels(rows, "s"):
        return plots.nothing()
    n = plots.nearest(plots.levels(rows, "n"), NODES)
    rows = rows[(rows["n"] == n) & (rows["s"] == plots.nearest(plots.levels(rows, "s"), SUBSCRIBERS))]
    densities, systems = plots.spread(plots.levels(rows, "p"), PANELS), plots.systems_of(rows)
    ordered = sorted(
        (row for _, row in rows.iterrows()), key=lambda row: (*rank(row), systems.index(row["system"]), row["p"])
    )
    lines = places(ordered)
    figure, axes = plots.panels(1, len(densities), height=ROW * (len(lines) + 2), sharey=True)
    for p, panel in zip(densities, axes[0]):
        for row in ordered:
            if row["p"] == p:
                dot(panel, row, lines[key(row)], systems)
        panel.axvspan(-REACH, CLAIM, color=plots.BOUND, alpha=0.07, linewidth=0, zorder=0)
        claimed = f"paper: below {CLAIM:g} %"
        panel.axvline(CLAIM, color=plots.BOUND, linestyle=(0, (5, 2.5)), linewidth=1.2, label=claimed)
        panel.axvline(0, color=plots.QUIET, linewidth=0.8)
        panel.set(xlim=(-REACH / 2, REACH * 1.12), title=plots.named("p", p), xlabel="more messages than $T_D$ (%)")
        panel.tick_params(axis="y", length=0)
        panel.grid(visible=False, axis="y")
    label(axes[0, 0], lines)
    plots.legend(figure)
    return plots.caption(
        figure,
        "How many more messages PSVR sends than a tree per publisher (T_D), for everything that the paper leaves "
        f"open: {plots.named('n', n)}, ten subscribers. What is not named is as usual: a breadth-first tree from "
        "the centre, ties as first found in both, children in ascending id, a publisher that does not subscribe. "
        "Bars are 95 % intervals of the mean; values beyond the edge are written there.",
    )


def key(row: Any) -> tuple[str, str]:
    """Return the heading and the label of a row."""
    heading, name = GROUPS[row["grid"]]
    return heading, name(row)


def rank(row: Any) -> tuple[int, ...]:
    """Return the place of a choice among all others: by grid, and in it by the order of words."""
    words = [
        WORDS[c].index(row[c]) if row.get(c) in WORDS[c] else -1 for c in ("tree", "root", "children", "publisher")
    ]
    ties = [WORDS[c].index(row[c]) if row.get(c) in WORDS[c] else -1 for c in ("ties", "td_ties")]
    return list(GROUPS).index(row["grid"]), *words, *ties


def places(ordered: Sequence[Any]) -> dict[tuple[str, str], int]:
    """Return the line of every heading, with an empty name, and of every choice below it."""
    found: dict[tuple[str, str], int] = {}
    for row in ordered:
        heading, name = key(row)
        for line in ((heading, ""), (heading, name)):
            found.setdefault(line, len(found))
    return found


def dot(panel: plots.Axes, row: Any, line: int, systems: Sequence[str]) -> None:
    """Draw a mean with its interval, or write it at the edge."""
    seen, value = plots.look(row["system"]), float(row["value"])
    place = systems.index(row["system"])
    at = line + 0.28 * ((place + 0.5) / len(systems) - 0.5) * 2
    inside = value <= REACH
    panel.hlines(at, min(row["low"], REACH), min(row["high"], REACH), color=seen.colour, linewidth=1.6, alpha=0.6)
    panel.plot(
        [min(value, REACH)],
        [at],
        seen.marker if inside else ">",
        color=seen.colour,
        label=seen.label if inside else None,
        markersize=4.5,
        linestyle="none",
    )
    if not inside and place == 0:
        panel.annotate(
            f"{value:.0f}", (REACH, line), xytext=(5, 0), textcoords="offset points", va="center", fontsize=7
        )


def label(panel: plots.Axes, lines: dict[tuple[str, str], int]) -> None:
    """Name the lines, headings in bold, from top to bottom."""
    panel.set_ylim(len(lines) - 0.4, -0.8)
    panel.set_yticks(list(lines.values()), [name or heading for heading, name in lines], fontsize=7.5)
    for text, (_, name) in zip(panel.get_yticklabels(), lines):
        text.set_fontweight("normal" if name else "bold")


def subscribers(measures: pd.DataFrame) -> Figure:
    """Draw the overhead over the number of subscribers: a panel per density and system, a line per rule."""
    rows = plots.choose(measures, "gain", against="td", grid="subscribers")
    densities = plots.spread(plots.levels(rows, "p"), PANELS)
    if not densities or not plots.levels(rows, "s") or not plots.levels(rows, "n"):
        return plots.nothing()
    n, systems = plots.nearest(plots.levels(rows, "n"), NODES), plots.systems_of(rows)
    rows = rows[rows["n"] == n]
    figure, axes = plots.panels(len(densities), len(systems), height=2.3, sharex=True, sharey=True)
    for p, across in zip(densities, axes):
        for system, panel in zip(systems, across):
            plots.log_x(panel, plots.levels(rows, "s"))
            over_subscribers(panel, rows[(rows["p"] == p) & (rows["system"] == system)])
        across[0].set_ylabel(f"{plots.named('p', p)}: more\nmessages than $T_D$ (%)")
    for system, top, bottom in zip(systems, axes[0], axes[-1]):
        top.set_title(plots.look(system).label)
        bottom.set_xlabel("subscribers s")
    plots.legend(figure)
    return plots.caption(
        figure,
        f"The same over the number of subscribers, {plots.named('n', n)}, for three rules for ties; one column per set "
        "of shortcuts. Bands are 95 % intervals of the mean.",
    )


def over_subscribers(panel: plots.Axes, rows: pd.DataFrame) -> None:
    colours = plots.shades(list(ALIKE.values()))
    for (ties, td_ties), name in ALIKE.items():
        mine = rows[(rows["ties"] == ties) & (rows["td_ties"] == (ties if td_ties == "same" else td_ties))]
        plots.line(panel, mine, "s", name, colours[name])
    plots.zero(panel)
    plots.bound(panel, CLAIM, f"paper: below {CLAIM:g} % (shaded)", SUBSCRIBERS)
