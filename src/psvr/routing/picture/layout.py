"""Layout: a tidy tree, and labels that do not overlap."""

from collections.abc import Sequence

import numpy as np

from .curves import Curve, Point, Points, bent

BENDS = (0.1, -0.1, 0.17, -0.17, 0.26, -0.26, 0.36, -0.36)  # fractions of a link's length, gentlest first
SAMPLES = 25


def tidy_tree(children: Sequence[Sequence[int]], root: int) -> tuple[list[float], list[int]]:
    """The column and layer of every node: siblings side by side, subtrees as close as a distance of 1 allows."""
    order, layer = [root], [0] * len(children)
    for v in order:
        for child in children[v]:
            layer[child] = layer[v] + 1
            order.append(child)
    aside = [0.0] * len(children)  # from the parent's column
    outline: dict[int, tuple[list[float], list[float]]] = {}
    for v in reversed(order):
        outline[v] = side_by_side(children[v], aside, [outline.pop(child) for child in children[v]])
    column = [0.0] * len(children)
    for v in order:
        for child in children[v]:
            column[child] = column[v] + aside[child]
    return column, layer


def side_by_side(
    children: Sequence[int], aside: list[float], outlines: list[tuple[list[float], list[float]]]
) -> tuple[list[float], list[float]]:
    """Place the subtrees of a node; returns the left and right outline of its own, layer by layer."""
    left: list[float] = []
    right: list[float] = []
    for child, (its_left, its_right) in zip(children, outlines):
        shift = max((x - y for x, y in zip(right, its_left)), default=-1.0) + 1
        aside[child] = shift
        left += [x + shift for x in its_left[len(left) :]]
        right[: len(its_right)] = [x + shift for x in its_right]
    middle = (aside[children[0]] + aside[children[-1]]) / 2 if children else 0.0
    for child in children:
        aside[child] -= middle
    return [0.0, *(x - middle for x in left)], [0.0, *(x - middle for x in right)]


def clear_curve(a: Point, b: Point, others: Points, room: float, box: tuple[Point, Point]) -> Curve:
    """A curve from a to b with the gentlest bend that avoids the other nodes and stays in the box."""
    (left, top), (right, bottom) = box
    best, least = bent(a, b, BENDS[0]), np.inf
    for bend in BENDS:
        curve = bent(a, b, bend)
        points = curve.samples(SAMPLES)
        x, y = points[:, 0], points[:, 1]
        away = np.hypot(x[:, None] - others[:, 0], y[:, None] - others[:, 1]).min(axis=0, initial=room)
        outside = np.count_nonzero((x < left) | (x > right) | (y < top) | (y > bottom))
        cost = float(np.sum(1 - np.minimum(away, room) / room)) * 10 + outside + abs(bend)
        if cost < least:
            best, least = curve, cost
    return best


class Spots:
    """Rectangles that are taken, and points that lines pass through; finds the least covered of some places."""

    def __init__(self) -> None:
        self.taken: list[tuple[float, float, float, float]] = []
        self.passed: list[Points] = []

    def take(self, centre: Point, width: float, height: float) -> None:
        self.taken.append((*centre, width / 2, height / 2))

    def passes(self, curve: Curve) -> None:
        self.passed.append(curve.samples(SAMPLES))

    def freest(self, places: Sequence[Point], width: float, height: float) -> Point:
        """The least covered of the places, the first of equals; it counts as taken from then on."""
        taken = np.array(self.taken).reshape(-1, 4)
        passed = np.concatenate([np.empty((0, 2)), *self.passed])
        costs = []
        for x, y in places:
            over = np.minimum(taken[:, 2] + width / 2 - np.abs(taken[:, 0] - x), width).clip(0) * np.minimum(
                taken[:, 3] + height / 2 - np.abs(taken[:, 1] - y), height
            ).clip(0)
            on = (np.abs(passed[:, 0] - x) < width / 2) & (np.abs(passed[:, 1] - y) < height / 2)
            costs.append(20 * float(over.sum()) / (width * height) + np.count_nonzero(on))
        chosen = places[int(np.argmin(costs))]
        self.take(chosen, width, height)
        return chosen
