"""The right half: the virtual ring as a circle, positions counter-clockwise from the top, messages across it."""

import math

from psvr.routing.cases.report import Report, Step

from .curves import Curve, Point, drawn_to, mixed
from .drawing import BAND, FAINT, INK, QUIET, Drawing
from .intervals import lane_count, shown_lanes
from .layout import Spots
from .parts import READABLE, Arrow, draw_arrows, draw_node, fitting, hop_size, look_of

NO_RING, MIN_RADIUS, MAX_RADIUS = 60, 150, 430  # radius
SPACING = 36  # between positions, while the circle may still grow
MAX_POSITION_RADIUS, MAX_NUMBER_SIZE = 12.5, 11.5
MAX_SHORTCUTS = 4000  # more would only make the circle black
LANE = 7


class Circle:
    """The ring around a centre, and what is drawn on it."""

    centre: Point = (0.0, 0.0)

    def __init__(self, report: Report) -> None:
        self.report = report
        self.ring: list[int] = report.settled.ring.tolist()
        self.radius = (
            min(MAX_RADIUS, max(MIN_RADIUS, SPACING * len(self.ring) / (2 * math.pi))) if self.ring else NO_RING
        )
        self.spacing = 2 * math.pi * self.radius / max(len(self.ring), 1)
        self.r = max(1.6, min(MAX_POSITION_RADIUS, 0.3 * self.spacing))
        self.numbered = fitting(str(len(self.ring)), self.r, MAX_NUMBER_SIZE) >= READABLE
        self.band_out = 3.2 * self.r + (6 if self.numbered else 18)
        self.lanes = shown_lanes(report)
        self.outside = self.radius + self.band_out + LANE * lane_count(self.lanes)  # half of the width it needs

    def angle(self, p: float) -> float:
        return 2 * math.pi * p / len(self.ring)

    def at(self, p: float, out: float = 0.0) -> Point:
        """The point of position p, or one further out."""
        radius = self.radius + out
        return self.centre[0] - radius * math.sin(self.angle(p)), self.centre[1] - radius * math.cos(self.angle(p))

    def step_curve(self, p: int) -> Curve:
        """From a position to the next one, along the circle."""
        a, b, turn = self.at(p), self.at(p + 1), self.angle(1)
        reach = 4 / 3 * math.tan(turn / 4) * self.radius
        s, t = self.angle(p), self.angle(p + 1)
        c = a[0] - reach * math.cos(s), a[1] + reach * math.sin(s)
        d = b[0] + reach * math.cos(t), b[1] - reach * math.sin(t)
        return Curve(a, c, d, b)

    def way(self, p: int, q: int) -> Curve:
        if q == (p + 1) % len(self.ring):
            return self.step_curve(p)
        a, b = self.at(p), self.at(q)
        depth = max(2.2 * self.r + 4, math.dist(a, b) / 4)  # enough to clear the positions in between
        return drawn_to(a, b, mixed(mixed(a, b, 0.5), self.centre, min(0.5, 2 * depth / self.radius)))

    def draw(self, drawing: Drawing) -> None:
        drawing.open("ring")
        if not self.ring:
            drawing.words(self.centre, "a single node has no ring", 12, fill=QUIET)
        else:
            self.draw_intervals(drawing)
            self.draw_shortcuts(drawing)
            self.draw_messages(drawing)
            self.draw_positions(drawing)
        drawing.close()

    def draw_shortcuts(self, drawing: Drawing) -> None:
        if shortcuts_drawn(self.report):
            pairs = shortcut_pairs(self.report)
            crowd = min(1.0, 12 / (1 + len(pairs) / 25))
            drawing.open(
                "shortcuts",
                fill="none",
                stroke=FAINT,
                stroke_width=0.4 + 0.6 * crowd,
                stroke_opacity=0.18 + 0.82 * crowd,
            )
            for p, q in pairs:
                drawing.curve(self.way(p, q))
            drawing.close()
        drawing.open("steps", fill="none", stroke=INK, stroke_width=min(1.6, 0.2 * self.r))
        for p in range(len(self.ring)):
            drawing.curve(self.step_curve(p))
        drawing.close()

    def draw_messages(self, drawing: Drawing) -> None:
        if not self.report.on_ring:
            return
        hops: dict[tuple[int, int], list[int]] = {}
        for step in self.report.steps:
            hops.setdefault((step.message[0], step.message[1]), []).append(step.hop)
        size = hop_size(len(hops), 0.85 * self.r, 2 * self.outside)
        arrows = [Arrow(self.arrow_curve(p, q), some, self.beside(p, q, size)) for (p, q), some in hops.items()]
        draw_arrows(drawing, arrows, self.spots(arrows), min(2.6, max(1.2, 0.24 * self.r)), size)

    def arrow_curve(self, p: int, q: int) -> Curve:
        return self.way(p, q).between(self.at(p), self.r + 1, self.at(q), self.r + 1.5)

    def beside(self, p: int, q: int, size: float) -> list[Point] | None:
        """Places for the number of a step, which is too short to carry it: outside, or inside."""
        if q != (p + 1) % len(self.ring):
            return None
        away = max(1.25 * self.r, size)
        return [self.at(p + 0.5, away), self.at(p + 0.5, -away)]

    def spots(self, arrows: list[Arrow]) -> Spots:
        """What numbers must avoid: positions, their names or the marks in their place, and other arrows."""
        spots = Spots()
        for p in range(len(self.ring)):
            spots.take(self.at(p), 2 * self.r, 2 * self.r)
            if self.numbered:
                spots.take(self.at(p, self.name_out()), 1.6 * self.r, 1.6 * self.r)
        for p in [] if self.numbered else self.marks():
            spots.take(self.at(p, self.mark_out()), 20, 10)
        for arrow in arrows:
            spots.passes(arrow.curve)
        return spots

    def name_out(self) -> float:
        return 2.05 * self.r

    def draw_positions(self, drawing: Drawing) -> None:
        for p, v in enumerate(self.ring):
            drawing.open("position", data_position=p, data_node=v)
            size = fitting(str(p), self.r, MAX_NUMBER_SIZE)
            draw_node(drawing, self.at(p), self.r, look_of(self.report, v), str(p), size)
            name = self.report.case.label(v)
            size = min(12.5, self.r, 2.2 * self.r / (0.58 * len(name)))
            if size >= READABLE:
                drawing.words(self.at(p, self.name_out()), name, size, font_style="italic")
            drawing.close()
        if not self.numbered:
            self.draw_marks(drawing)

    def marks(self) -> range:
        """About twenty positions with round numbers, which are marked outside if no number fits into a position."""
        every = round_number(len(self.ring) / 20)
        return range(0, len(self.ring) - every // 2, every)

    def mark_out(self) -> float:
        return 2 * self.r + 9

    def draw_marks(self, drawing: Drawing) -> None:
        drawing.open("marks", fill=QUIET)
        for p in self.marks():
            drawing.words(self.at(p, self.mark_out()), str(p), 9)
        drawing.close()

    def draw_intervals(self, drawing: Drawing) -> None:
        """A band over the positions [from, ep) of every interval that a node opens, inner ones further in."""
        drawing.open("intervals", fill="none", stroke=BAND, stroke_width=0.6 * LANE, stroke_linecap="round")
        for step, lane in self.lanes:
            self.draw_band(drawing, step, lane_count(self.lanes) - 1 - lane)
        drawing.close()

    def draw_band(self, drawing: Drawing, step: Step, out: int) -> None:
        first, _, ep = step.message
        length = (ep - first) % len(self.ring) or len(self.ring)
        radius = self.band_out + LANE * out
        lead = min(0.3, 1.1 * self.r / self.spacing)
        (ax, ay), (bx, by) = self.at(first - lead, radius), self.at(first + length - 1 + lead, radius)
        far = int(length - 1 + 2 * lead > len(self.ring) / 2)
        size = self.radius + radius
        drawing.shape(
            "path",
            d=f"M{ax:.2f} {ay:.2f}A{size:.2f} {size:.2f} 0 {far} 0 {bx:.2f} {by:.2f}",
            data_interval=f"{first} {ep}",
        )


def shortcuts_drawn(report: Report) -> bool:
    return len(shortcut_pairs(report)) <= MAX_SHORTCUTS


def shortcut_pairs(report: Report) -> list[tuple[int, int]]:
    """Positions p < q of neighbours that are not one step apart, in the shortcut set that is used."""
    settled, case = report.settled, report.case
    length = len(settled.ring)
    pairs = []
    for u, v in case.graph.edges().tolist():
        if report.shortcuts == "nontree" and (case.parent[u] == v or case.parent[v] == u):
            continue
        for p in settled.positions(u).tolist():
            for q in settled.positions(v).tolist():
                if (q - p) % length not in (1, length - 1):
                    pairs.append((min(p, q), max(p, q)))
    return pairs


def round_number(about: float) -> int:
    power = int(10 ** int(math.log10(max(about, 1))))
    return next(k * power for k in (1, 2, 5, 10) if k * power >= about or k == 10)
