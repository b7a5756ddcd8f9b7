"""A report as text: the ring, the route, who gets the publication when, and what every system needs."""

import textwrap
from collections.abc import Iterable, Sequence

from psvr.routing.systems import SYSTEMS

from .report import Comparison, Report, Step

WIDTH = 100
RING_SHOWN = 100  # positions
ROWS_SHOWN = 50
NODES_SHOWN = 30


def as_text(report: Report, comparison: Comparison) -> str:
    parts = [heading(report), ring_text(report), route_text(report), received_text(report), systems_text(report)]
    if report.case.expected:
        parts.append(comparison_text(comparison))
    return "\n\n".join(parts) + "\n"


def heading(report: Report) -> str:
    case, graph = report.case, report.case.graph
    named = f"{case.name}: " if case.name else ""
    own = report.settled.positions(case.publisher).tolist()
    at = f", at position{'s' * (len(own) > 1)} {listed(map(str, own))}" if own else ""
    return "\n".join(
        [
            *folded(
                f"{named}{count(graph.n, 'node')}, {count(graph.m, 'link')}, root {case.label(case.root)}, ring of"
                f" {count(len(report.settled.ring), 'position')}, shortcuts {report.shortcuts}"
            ),
            *folded(f"publisher    {case.label(case.publisher)}{at}", 13),
            *folded(f"subscribers  {listed(map(case.label, case.subscribers)) or 'none'}", 13),
        ]
    )


def ring_text(report: Report) -> str:
    """Position and node, in columns read from left to right."""
    case, ring = report.case, report.settled.ring
    if not len(ring):
        return "ring: none, a single node has no neighbour"
    cells = [f"{p}:{case.label(v)}" for p, v in enumerate(ring[:RING_SHOWN].tolist())]
    width = max(map(len, cells)) + 2
    fit = (WIDTH - 2) // width
    columns = next(k for k in (20, 10, 5, 2, 1) if k <= max(fit, 1))
    rows = [cells[i : i + columns] for i in range(0, len(cells), columns)]
    lines = ["  " + "".join(cell.ljust(width) for cell in row).rstrip() for row in rows]
    lines += more(len(ring), RING_SHOWN, "positions")
    return "\n".join(["ring, position:node, counter-clockwise", *map(cut, lines)])


def route_text(report: Report) -> str:
    text = f"route of {report.system}: {count(report.counts[report.system] or 0, transmissions(report))}"
    if not report.steps:
        return text
    rows = [step_row(report, step) for step in report.steps[:ROWS_SHOWN]]
    head = ("hop", "from", "to", "end point") if report.on_ring else ("hop", "from", "to")
    return "\n".join([text, *table(head, rows), *more(len(report.steps), ROWS_SHOWN, "messages")])


def transmissions(report: Report) -> str:
    """The word for what is counted: in a flood every node transmits, whoever hears it first."""
    return "message" if report.counts[report.system] == len(report.steps) else "transmission"


def step_row(report: Report, step: Step) -> tuple[str, ...]:
    label = report.case.label
    if not report.on_ring:
        return str(step.hop), label(step.sender), label(step.receiver)
    sent, reached, ep = step.message
    return str(step.hop), f"{sent}:{label(step.sender)}", f"{reached}:{label(step.receiver)}", str(ep)


def received_text(report: Report) -> str:
    by_hop: dict[int, list[str]] = {}
    for v, hops in sorted(report.hops.items()):
        by_hop.setdefault(hops, []).append(report.case.label(v))
    if report.case.publisher in report.case.subscribers:
        by_hop[0] = [f"{report.case.label(report.case.publisher)} itself, locally"]
    if not by_hop:
        return "received by nobody: there is no subscriber"
    rows = [folded(f"  hop {hop:<5} {listed(nodes)}", 12) for hop, nodes in sorted(by_hop.items())]
    lines = [line for row in rows[:ROWS_SHOWN] for line in row]
    lines += more(len(rows), ROWS_SHOWN, "hops")
    return "\n".join([f"received by {count(len(report.hops), 'subscriber')}", *lines])


def systems_text(report: Report) -> str:
    rows = [
        (name, number(messages), number(report.longest.get(name)), SYSTEMS[name].text)
        for name, messages in report.counts.items()
    ]
    return "\n".join(["every system", *table(("system", "messages", "last hop", ""), rows, right=(1, 2))])


def comparison_text(comparison: Comparison) -> str:
    lines = []
    if comparison.agreed:
        lines.append(f"as expected: {', '.join(comparison.agreed)}")
    if comparison.wrong:
        lines.append(f"NOT as expected: {', '.join(line.partition(':')[0] for line in comparison.wrong)}")
    if comparison.skipped:
        lines.append(f"not compared, since expected of psvr with other settings: {', '.join(comparison.skipped)}")
    return "\n".join(lines)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = (0,)) -> list[str]:
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    padded = [
        [cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths))]
        for row in [head, *rows]
    ]
    last = 2 + sum(widths[:-1]) + 2 * len(widths[:-1])  # where the last column starts
    return [line for row in padded for line in folded("  " + "  ".join(row).rstrip(), last)]


def listed(names: Iterable[str]) -> str:
    every = list(names)
    text = ", ".join(every[:NODES_SHOWN])
    return text if len(every) <= NODES_SHOWN else f"{text}, … {len(every) - NODES_SHOWN:,} more"


def more(total: int, shown: int, what: str) -> list[str]:
    return [f"  … {total - shown:,} more {what}"] if total > shown else []


def folded(text: str, indent: int = 2) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=" " * indent)


def cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def count(some: int, what: str) -> str:
    return f"{some:,} {what}{'' if some == 1 else 's'}"
