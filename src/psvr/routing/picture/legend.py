"""The legend: what the symbols mean, in rows below the picture."""

from collections.abc import Callable
from dataclasses import dataclass

from psvr.routing.cases.report import Report

from .circle import shortcuts_drawn
from .curves import Point, straight
from .drawing import BAND, FAINT, INK, PAPER, PUBLISHER, SUBSCRIBER, Drawing, text_width
from .intervals import shown_lanes
from .layout import Spots
from .parts import Arrow, Look, draw_arrows, draw_node

SIZE = 12
SIGN, GAP, ROW = 30, 22, 24  # widths of a symbol and of the space after an entry; height of a row


@dataclass(frozen=True)
class Entry:
    text: str
    draw: Callable[[Drawing, Point], None]  # centred on a point
    x: float = 0.0
    row: int = 0


def legend_of(report: Report) -> list[Entry]:
    publisher, wanted = report.case.publisher, report.case.subscribers
    links = report.case.graph.m >= report.case.graph.n
    shown = [
        (publisher not in wanted, "publisher", node_sign(Look(PUBLISHER, PAPER, PUBLISHER, 1.2))),
        (bool(set(wanted) - {publisher}), "subscriber", node_sign(Look(SUBSCRIBER, INK, INK, 1.6))),
        (publisher in wanted, "publisher that subscribes", node_sign(Look(PUBLISHER, PAPER, SUBSCRIBER, 3))),
        (report.case.graph.n > 1, "tree link", line_sign(INK, 2.4)),
        (
            links,
            "other link, shortcut" if shortcuts_drawn(report) else "other link (shortcuts are too many to draw)",
            line_sign(FAINT, 1.2),
        ),
        (bool(report.steps), "message with its hop", message_sign),
        (bool(shown_lanes(report)), "interval up to its end point", line_sign(BAND, 4.2)),
    ]
    return [Entry(text, draw) for wanted, text, draw in shown if wanted]


def arrange(entries: list[Entry], width: float) -> list[Entry]:
    """The entries placed in as few rows as possible, about equally long, each centred."""
    fewest = len(rows_of(entries, width))
    narrow = next(w for w in range(0, int(width), 10) if len(rows_of(entries, w)) <= fewest or w + 10 >= width)
    placed = []
    for i, row in enumerate(rows_of(entries, narrow)):
        x = (width - sum(map(room, row)) + GAP) / 2
        for entry in row:
            placed.append(Entry(entry.text, entry.draw, x, i))
            x += room(entry)
    return placed


def rows_of(entries: list[Entry], width: float) -> list[list[Entry]]:
    rows: list[list[Entry]] = [[]]
    for entry in entries:
        if rows[-1] and sum(map(room, rows[-1])) + room(entry) - GAP > width:
            rows.append([])
        rows[-1].append(entry)
    return rows


def room(entry: Entry) -> float:
    return SIGN + 8 + text_width(entry.text, SIZE) + GAP


def legend_height(entries: list[Entry]) -> float:
    return ROW * (entries[-1].row + 1)


def draw_legend(drawing: Drawing, entries: list[Entry]) -> None:
    for entry in entries:
        x, y = entry.x, ROW * (entry.row + 0.5)
        entry.draw(drawing, (x + SIGN / 2, y))
        drawing.words((x + SIGN + 8, y), entry.text, SIZE, anchor="start")


def node_sign(look: Look) -> Callable[[Drawing, Point], None]:
    return lambda drawing, at: draw_node(drawing, at, 8, look, "", 0)


def line_sign(colour: str, width: float) -> Callable[[Drawing, Point], None]:
    def draw(drawing: Drawing, at: Point) -> None:
        x, y = at
        drawing.shape("line", x1=x - SIGN / 2, y1=y, x2=x + SIGN / 2, y2=y, stroke=colour, stroke_width=width)

    return draw


def message_sign(drawing: Drawing, at: Point) -> None:
    x, y = at
    way = straight((x - SIGN / 2, y), (x + SIGN / 2, y))
    draw_arrows(drawing, [Arrow(way, [1], [(x - 4, y)])], Spots(), 2.4, 9, kind="sign")
