"""Plain charts as SVG, for the documentation."""

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
OURS, OTHERS, QUIET, RULE = "#2563a8", "#a8a8a8", "#6b6b6b", "#e2e2e2"


def drawing(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="{FONT}" font-size="12" fill="#1a1a1a">',
            f"<title>{escape(title)}</title>",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            text(width / 2, 24, title, "middle", 'font-size="15" font-weight="bold"'),
            *parts,
            "</svg>",
            "",
        ]
    )


def text(x: float, y: float, words: str, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str = RULE) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def bars(title: str, rows: Sequence[tuple[str, float]], unit: str) -> str:
    """One bar per row on a logarithmic scale; the first row is ours."""
    left, right, top, step = 330, 800, 50, 30
    low = math.floor(math.log10(min(value for _, value in rows)))
    high = math.ceil(math.log10(max(value for _, value in rows)))
    bottom = top + step * len(rows)

    def x_of(value: float) -> float:
        return left + (right - left) * (math.log10(value) - low) / (high - low)

    parts = []
    for power in range(low, high + 1):
        x = x_of(10.0**power)
        parts += [line(x, top, x, bottom), text(x, bottom + 18, f"{10.0**power:g}", "middle", f'fill="{QUIET}"')]
    for i, (name, value) in enumerate(rows):
        y = top + step * i + 4
        parts += [
            f'<rect x="{left}" y="{y}" width="{x_of(value) - left:.1f}" height="{step - 8}" '
            f'fill="{OTHERS if i else OURS}"/>',
            text(left - 8, y + 15, name, "end"),
            text(x_of(value) + 6, y + 15, f"{value:.3g}"),
        ]
    parts.append(text((left + right) / 2, bottom + 38, unit, "middle", f'fill="{QUIET}"'))
    return drawing(right + 60, bottom + 52, title, parts)


def panel(left: float, name: str, points: Sequence[tuple[float, float]]) -> list[str]:
    """A curve over a logarithmic axis of sizes, with values from 0."""
    top, bottom, width = 74, 290, 320
    first, last = math.log10(points[0][0]), math.log10(points[-1][0])
    largest = max(value for _, value in points)
    tick = 10.0 ** math.floor(math.log10(largest))
    tick = next(tick * part for part in (0.2, 0.5, 1.0, 2.0) if largest / (tick * part) <= 6)
    high = tick * math.ceil(largest / tick + 0.2)

    def place(n: float, value: float) -> tuple[float, float]:
        return left + width * (math.log10(n) - first) / (last - first), bottom - (bottom - top) * value / high

    parts = [text(left + width / 2, 52, name, "middle", f'fill="{QUIET}"')]
    for i in range(round(high / tick) + 1):
        y = place(points[0][0], i * tick)[1]
        parts += [line(left, y, left + width, y), text(left - 8, y + 4, f"{i * tick:g}", "end", f'fill="{QUIET}"')]
    for n, value in points:
        x, y = place(n, value)
        parts += [
            text(x, bottom + 18, f"{n:,}", "middle", f'fill="{QUIET}"'),
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{OURS}"/>',
            text(x, y - 10, f"{value:.3g}", "middle"),
        ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
    return [
        *parts,
        f'<polyline points="{path}" fill="none" stroke="{OURS}" stroke-width="2"/>',
        text(left + width / 2, bottom + 38, "nodes", "middle", f'fill="{QUIET}"'),
    ]


def curves(title: str, panels: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> str:
    """Panels side by side: a name, and points of (size, value)."""
    parts = [part for i, (name, points) in enumerate(panels) for part in panel(60 + 400 * i, name, points)]
    return drawing(400 * len(panels) + 20, 340, title, parts)
