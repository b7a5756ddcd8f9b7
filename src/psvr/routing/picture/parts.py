"""What both halves of the picture share: nodes, messages with their hops, and sizes that depend on crowding."""

from collections.abc import Sequence
from dataclasses import dataclass

from psvr.routing.cases.report import Report

from .curves import Curve, Point
from .drawing import INK, MESSAGE, PAPER, PUBLISHER, SUBSCRIBER, Drawing, text_width
from .layout import Spots

READABLE = 5.5  # smaller letters are left out
HOPS_SHOWN = 3  # numbers on one arrow
FEW, MANY = 24, 80
MAX_HOP_SIZE = 10.5
ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)


@dataclass(frozen=True)
class Look:
    """The colours and the outline of a node."""

    fill: str
    letters: str
    frame: str
    thickness: float


def look_of(report: Report, node: int) -> Look:
    wants = node in report.case.subscribers
    if node == report.case.publisher:
        return Look(PUBLISHER, PAPER, SUBSCRIBER if wants else PUBLISHER, 3 if wants else 1.2)
    return Look(SUBSCRIBER, INK, INK, 1.6) if wants else Look(PAPER, INK, INK, 1)


def draw_node(drawing: Drawing, at: Point, r: float, look: Look, text: str, size: float) -> None:
    thickness = min(look.thickness, r / 3)
    drawing.circle(at, r, fill=look.fill, stroke=look.frame, stroke_width=thickness)
    if text and size >= READABLE:
        drawing.words(at, text, size, fill=look.letters)


def fitting(text: str, r: float, largest: float) -> float:
    """The size at which a text fits into a circle."""
    return min(largest, 1.75 * r / (0.62 * max(len(text), 1)), 1.3 * r)


def hops_text(hops: Sequence[int]) -> str:
    shown = ", ".join(map(str, sorted(hops)[:HOPS_SHOWN]))
    return shown if len(hops) <= HOPS_SHOWN else f"{shown}, …"


@dataclass
class Arrow:
    """All messages over the same link in the same direction."""

    curve: Curve
    hops: list[int]
    places: list[Point] | None = None  # for its label; by default, along the curve


def hop_size(arrows: int, crowded: float, width: float) -> float:
    """The size of hop numbers: always readable if they are few, even in a wide half; shrinking if they are many."""
    least = min(12.0, 8.5 * max(1, width / 600)) if arrows <= FEW else 7 if arrows <= MANY else 0
    return max(min(MAX_HOP_SIZE, crowded), least)


def draw_arrows(
    drawing: Drawing, arrows: Sequence[Arrow], spots: Spots, width: float, size: float, kind: str = "message"
) -> None:
    """Draw all lines first, then all numbers, so that no line crosses a number."""
    for arrow in arrows:
        drawing.open(kind, data_hops=" ".join(map(str, sorted(arrow.hops))))
        drawing.arrow(arrow.curve, width, 2.2 * width + 3, MESSAGE)
        drawing.close()
    if size < READABLE:
        return
    drawing.open("hops")
    for arrow in arrows:
        draw_label(drawing, arrow, spots, size)
    drawing.close()


def draw_label(drawing: Drawing, arrow: Arrow, spots: Spots, size: float) -> None:
    text = hops_text(arrow.hops)
    height = 1.35 * size
    width = max(height, text_width(text, size) + 0.7 * size)
    x, y = spots.freest(arrow.places or [arrow.curve.at(t) for t in ALONG], width, height)
    drawing.shape(
        "rect",
        x=x - width / 2,
        y=y - height / 2,
        width=width,
        height=height,
        rx=height / 2,
        fill=PAPER,
        stroke=MESSAGE,
        stroke_width=max(0.6, size / 12),
    )
    drawing.words((x, y), text, size, fill=MESSAGE, font_weight="bold")
