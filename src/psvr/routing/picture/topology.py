"""The left half: the network, drawn as its spanning tree with all other links as gentle curves."""

import numpy as np

from psvr.routing.cases.report import Report

from .curves import Curve, Point, bent, straight
from .drawing import FAINT, INK, QUIET, Drawing, text_width
from .layout import BENDS, SAMPLES, Spots, clear_curve, tidy_tree
from .parts import MANY, Arrow, draw_arrows, draw_node, fitting, hop_size, look_of

MAX_COLUMN_WIDTH, LAYER_HEIGHT = 82, 108
SIDES, ENDS = 110, 60  # room around the tree, for bent links and for positions
MAX_NODE_RADIUS = 14
ROOMY = 48  # the column width that leaves room for positions beside the nodes
POSITIONS_SHOWN = 5
TOUCHING = 3
MAX_PAIRS = 300_000  # of a link and a node, for which the distance is checked


class Topology:
    """The tree fitted into a rectangle, and what is drawn on it."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.column, self.layer = tidy_tree(children_of(report), report.case.root)
        self.across, self.down = max(self.column) - min(self.column), max(self.layer)
        self.preferred_width = self.across * MAX_COLUMN_WIDTH + SIDES  # the width at which nothing needs to shrink
        self.curves: dict[tuple[int, int], Curve] = {}

    def fit(self, left: float, top: float, width: float, height: float) -> None:
        """Place everything inside a rectangle."""
        dx = min(MAX_COLUMN_WIDTH, (width - SIDES) / max(self.across, 1))
        graph = self.report.case.graph
        ends = ENDS + min(0.25 * height, max(graph.m - graph.n, 0))  # links within a layer bend out of it
        dy = min(max(LAYER_HEIGHT, height / 3), (height - ends) / max(self.down, 1))
        x0 = left + width / 2 - (max(self.column) + min(self.column)) / 2 * dx
        y0 = top + height / 2 - self.down / 2 * dy
        self.at: list[Point] = [(x0 + c * dx, y0 + d * dy) for c, d in zip(self.column, self.layer)]
        self.r = max(2.0, min(MAX_NODE_RADIUS, 0.36 * dx, 0.3 * dy))
        self.roomy = dx >= ROOMY and self.r == MAX_NODE_RADIUS and graph.m <= 2 * graph.n
        self.box = (left, top), (left + width, top + height)

    def draw(self, drawing: Drawing) -> None:
        drawing.open("topology")
        self.draw_links(drawing)
        spots = Spots()
        for at in self.at:
            spots.take(at, 2 * self.r, 2 * self.r)
        arrows = self.arrows()
        for curve in [*self.tree_curves(), *self.curves.values(), *(arrow.curve for arrow in arrows)]:
            spots.passes(curve)
        size = hop_size(len(arrows), 0.8 * self.r, self.box[1][0] - self.box[0][0])
        draw_arrows(drawing, arrows, spots, min(2.6, max(1.4, 0.22 * self.r)), size)
        self.draw_nodes(drawing, spots)
        drawing.close()

    def draw_links(self, drawing: Drawing) -> None:
        parent = self.report.case.parent
        links = self.report.case.graph.edges().tolist()
        others = [(u, v) for u, v in links if parent[u] != v and parent[v] != u]
        crowd = min(1.0, 12 / (1 + len(others) / 25))
        drawing.open(
            "links", fill="none", stroke=FAINT, stroke_width=0.5 + 0.7 * crowd, stroke_opacity=0.35 + 0.65 * crowd
        )
        self.curves = self.link_curves(others)
        for curve in self.curves.values():
            drawing.curve(curve)
        drawing.close()
        drawing.open("tree", stroke=INK, stroke_width=min(2.4, 0.2 * self.r))
        for curve in self.tree_curves():
            (ax, ay), (bx, by) = curve.a, curve.b
            drawing.shape("line", x1=ax, y1=ay, x2=bx, y2=by)
        drawing.close()

    def link_curves(self, links: list[tuple[int, int]]) -> dict[tuple[int, int], Curve]:
        """Curves for links that avoid the nodes; if there are too many to check each, all have the same bend."""
        if len(links) * len(self.at) > MAX_PAIRS:
            return {(u, v): bent(self.at[u], self.at[v], BENDS[0]) for u, v in links}
        points, room = np.array(self.at), 1.6 * self.r + 2
        return {
            (u, v): clear_curve(self.at[u], self.at[v], np.delete(points, [u, v], axis=0), room, self.box)
            for u, v in links
        }

    def tree_curves(self) -> list[Curve]:
        parent = self.report.case.parent.tolist()
        return [straight(self.at[p], self.at[v]) for v, p in enumerate(parent) if p >= 0]

    def arrows(self) -> list[Arrow]:
        """Arrows beside the links they use, on the right-hand side, so that both directions can be told apart."""
        hops: dict[tuple[int, int], list[int]] = {}
        for step in self.report.steps:
            hops.setdefault((step.sender, step.receiver), []).append(step.hop)
        arrows: list[Arrow] = []
        for u, v in hops:
            sides = (1, -1) if (v, u) not in hops and len(hops) <= MANY else (1,)
            arrows.append(Arrow(apart([self.beside(u, v, side) for side in sides], arrows), hops[u, v]))
        return arrows

    def beside(self, u: int, v: int, side: int) -> Curve:
        curve = self.way(u, v).shifted(side * 0.44 * self.r)
        return curve.between(self.at[u], self.r + 1, self.at[v], self.r + 2)

    def way(self, u: int, v: int) -> Curve:
        if (u, v) in self.curves:
            return self.curves[u, v]
        return self.curves[v, u].reversed() if (v, u) in self.curves else straight(self.at[u], self.at[v])

    def draw_nodes(self, drawing: Drawing, spots: Spots) -> None:
        for v, at in enumerate(self.at):
            text = self.report.case.label(v)
            drawing.open("node", data_node=v)
            draw_node(drawing, at, self.r, look_of(self.report, v), text, fitting(text, self.r, 13))
            drawing.close()
        if self.roomy:
            for v in range(len(self.at)):
                self.draw_positions(drawing, spots, v, 0.62 * self.r)

    def draw_positions(self, drawing: Drawing, spots: Spots, v: int, size: float) -> None:
        text = positions_text(self.report.settled.positions(v).tolist())
        if not text:
            return
        width, (x, y) = text_width(text, size), self.at[v]
        aside, up = self.r + width / 2 + 2, 0.75 * self.r
        places = [
            (x + aside, y - up),
            (x - aside, y - up),
            (x + aside, y + up),
            (x - aside, y + up),
            (x, y - self.r - size),
            (x, y + self.r + size),
        ]
        spot = spots.freest(places, width, size)
        drawing.words(spot, text, size, fill=QUIET, font_style="italic")


def apart(curves: list[Curve], arrows: list[Arrow]) -> Curve:
    """The first of the curves that touches no arrow, or else the first."""
    drawn = np.concatenate([np.empty((0, 2)), *(arrow.curve.samples(SAMPLES) for arrow in arrows)])
    for curve in curves:
        gaps = curve.samples(SAMPLES)[:, None] - drawn
        if np.hypot(gaps[..., 0], gaps[..., 1]).min(initial=np.inf) > TOUCHING:
            return curve
    return curves[0]


def children_of(report: Report) -> list[list[int]]:
    """The children of every node, in ring order, that is ascending."""
    children: list[list[int]] = [[] for _ in range(report.case.graph.n)]
    for v, p in enumerate(report.case.parent.tolist()):
        if p >= 0:
            children[p].append(v)
    return children


def positions_text(positions: list[int]) -> str:
    shown = ",".join(map(str, positions[:POSITIONS_SHOWN]))
    return shown if len(positions) <= POSITIONS_SHOWN else f"{shown},…"
