"""A report as a picture: topology and ring side by side, as self-contained SVG text."""

from psvr.errors import BadInput
from psvr.routing.cases.report import Report

from .circle import Circle
from .drawing import QUIET, Drawing
from .legend import arrange, draw_legend, legend_height, legend_of
from .topology import Topology

MAX_NODES = 1000
MARGIN = 20
HEAD, FOOT = 62, 10  # the title and the headings of both halves; the room below the legend
MIN_WIDTH = 260  # the left half, for its heading


def picture(report: Report) -> str:
    n = report.case.graph.n
    if n > MAX_NODES:
        raise BadInput(f"--svg: draws at most {MAX_NODES:,} nodes, this network has {n:,}")
    topology, circle = Topology(report), Circle(report)
    high = 2 * circle.outside
    wide = min(max(topology.preferred_width, MIN_WIDTH), 1.25 * high)
    width = wide + high + 3 * MARGIN
    zoom = max(1.0, width / 1100)  # of text, so that it stays readable in a wide picture
    top = HEAD * zoom
    entries = arrange(legend_of(report), (width - 2 * MARGIN) / zoom)
    drawing = Drawing(width, top + high + MARGIN + (legend_height(entries) + FOOT) * zoom, title(report))
    draw_head(drawing, report, zoom, MARGIN + wide / 2, width - MARGIN - circle.outside)
    topology.fit(MARGIN, top, wide, high)
    topology.draw(drawing)
    circle.centre = width - MARGIN - circle.outside, top + circle.outside
    circle.draw(drawing)
    drawing.open("legend", transform=f"translate({MARGIN} {top + high + MARGIN:.2f}) scale({zoom:.4f})")
    draw_legend(drawing, entries)
    drawing.close()
    return drawing.text()


def title(report: Report) -> str:
    case = report.case
    named = f"{case.name}: " if case.name else ""
    wanted = [case.label(v) for v in case.subscribers]
    to = ", ".join(wanted) if len(wanted) <= 12 else f"{len(wanted)} subscribers"
    count = report.counts[report.system] or 0
    sent = "message" if count == len(report.steps) else "transmission"
    cost = f"{report.system}, {count} {sent}{'' if count == 1 else 's'}"
    return f"{named}{case.label(case.publisher)} publishes to {to or 'nobody'} ({cost})"


def draw_head(drawing: Drawing, report: Report, zoom: float, left: float, right: float) -> None:
    """Draw the title, and above each half what it shows."""
    drawing.words((drawing.width / 2, 20 * zoom), title(report), 15 * zoom, font_weight="bold")
    tree = f"network and spanning tree, root {report.case.label(report.case.root)}"
    ring = f"virtual ring, {f'shortcuts {report.shortcuts}' if report.on_ring else f'not used by {report.system}'}"
    drawing.words((left, 46 * zoom), tree, 12 * zoom, fill=QUIET)
    drawing.words((right, 46 * zoom), ring, 12 * zoom, fill=QUIET)
