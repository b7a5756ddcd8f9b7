"""A network as a picture: where its nodes are, the links they keep, tree, root, subscribers, dead nodes."""

import math
from pathlib import Path

import numpy as np

from psvr.protocol import constants as k
from psvr.results.deliveries import SECOND

from .network import Network

SIZE, MARGIN = 720, 30
STYLE = (
    "line{stroke:#bbb;stroke-width:1}line.tree{stroke:#222;stroke-width:2.5}"
    "circle{fill:#fff;stroke:#222;stroke-width:1.5}circle.root{fill:#222}circle.subscriber{fill:#f0ad33}"
    "circle.dead{fill:none;stroke:#bbb;stroke-dasharray:3 2}text{font:10px sans-serif;text-anchor:middle}"
    "text.root{fill:#fff}text.title{font-size:14px;text-anchor:start}"
)


def spots(net: Network) -> list[tuple[float, float]]:
    """The points at which nodes are drawn: the places where they are now, or a circle if they have none."""
    places, field = net.plan.places, net.plan.field
    if places is None:
        turn = [2 * math.pi * v / net.plan.n for v in range(net.plan.n)]
        places = np.array([(math.sin(t), math.cos(t)) for t in turn])
    elif field is not None and field.movement is not None:
        places = field.movement.at(net.now / SECOND)
    low, span = places.min(axis=0), max(float((places.max(axis=0) - places.min(axis=0)).max()), 1e-9)
    scaled = MARGIN + (SIZE - 2 * MARGIN) * (places - low) / span
    return [(float(x), float(SIZE - y)) for x, y in scaled]


def lines(net: Network, at: list[tuple[float, float]]) -> list[str]:
    """SVG lines for the links that are kept, those of the tree on top."""
    index = {int(id): v for v, id in enumerate(net.world.ids)}
    drawn: dict[tuple[int, int], bool] = {}
    for v, me in enumerate(net.world.nodes):
        for link in me["link"]:
            u = index.get(int(link["id"]))
            if u is None or link["keeps_me"] != 1 or not net.world.stations["alive"][[u, v]].all():
                continue
            tree = int(me["parent"]) == int(link["id"]) or drawn.get((min(u, v), max(u, v)), False)
            drawn[min(u, v), max(u, v)] = tree
    return [
        f'<line class="{"tree" if tree else "link"}" x1="{at[u][0]:.1f}" y1="{at[u][1]:.1f}" '
        f'x2="{at[v][0]:.1f}" y2="{at[v][1]:.1f}"/>'
        for (u, v), tree in sorted(drawn.items(), key=lambda x: x[1])
    ]


def mark(net: Network, v: int) -> str:
    """The class of a node in the picture."""
    me = net.world.nodes[v]
    if not net.world.stations["alive"][v]:
        return "dead"
    if me["root"] == me["id"]:
        return "root"
    return "subscriber" if (me["wants"] != k.NO_CHANNEL).any() else "node"


def draw(net: Network, file: str | Path) -> None:
    """Write an SVG of the current network."""
    at, radius = spots(net), max(2.0, min(11.0, 90 / math.sqrt(net.plan.n)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE + 30}" font-family="sans-serif">',
        f"<style>{STYLE}</style>",
        *lines(net, at),
    ]
    for v, (x, y) in enumerate(at):
        kind = mark(net, v)
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>')
        if radius > 7:
            parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y + 3.5:.1f}">{int(net.world.ids[v])}</text>')
    parts.append(
        f'<text class="title" x="{MARGIN}" y="{SIZE + 18}">{net.plan.n} nodes after {net.now / SECOND:.1f} s; '
        "black: root, orange: subscribers, thick: tree</text></svg>"
    )
    Path(file).write_text("\n".join(parts), encoding="utf-8")
