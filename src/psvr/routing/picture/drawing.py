"""The SVG text: shapes, colours and labels.

Colours differ in lightness too, so that a grey print works as well: publisher dark, subscribers medium, others white.
"""

from xml.sax.saxutils import escape, quoteattr

from .curves import Curve, Point, unit

INK = "#1a1a1a"
QUIET = "#6b6b6b"  # for explanations: position numbers, intervals
FAINT = "#a8a8a8"  # links that are not in the tree
BAND = "#cfcfcf"
MESSAGE = "#0057a8"
PUBLISHER = "#262626"
SUBSCRIBER = "#f2b134"
PAPER = "#ffffff"
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
LETTER = 0.58  # mean width of a letter, relative to its height


class Drawing:
    """Collects shapes; later ones cover earlier ones."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height = width, height
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" height="{number(height)}"'
            f' viewBox="0 0 {number(width)} {number(height)}" font-family="{FONT}" fill="{INK}">',
            f"<title>{escape(title)}</title>",
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        ]

    def text(self) -> str:
        return "\n".join([*self.lines, "</svg>"]) + "\n"

    def open(self, kind: str, **attributes: object) -> None:
        """Open a group, whose class names what is in it."""
        self.lines.append(f"<g class={quoteattr(kind)}{spelled(attributes)}>")

    def close(self) -> None:
        self.lines.append("</g>")

    def shape(self, tag: str, **attributes: object) -> None:
        self.lines.append(f"<{tag}{spelled(attributes)}/>")

    def circle(self, centre: Point, r: float, **attributes: object) -> None:
        self.shape("circle", cx=centre[0], cy=centre[1], r=r, **attributes)

    def curve(self, curve: Curve, **attributes: object) -> None:
        a, c, d, b = (f"{number(x)} {number(y)}" for x, y in (curve.a, curve.c, curve.d, curve.b))
        self.shape("path", d=f"M{a}C{c} {d} {b}", **attributes)

    def words(self, at: Point, text: str, size: float, anchor: str = "middle", **attributes: object) -> None:
        """Add text, with its lower-case letters centred vertically on the point."""
        spot = spelled({"x": at[0], "y": at[1] + 0.35 * size, "font_size": size, "text_anchor": anchor, **attributes})
        self.lines.append(f"<text{spot}>{escape(text)}</text>")

    def arrow(self, curve: Curve, width: float, head: float, colour: str) -> None:
        """Add a line that ends in a filled head, whose tip is the end of the curve."""
        self.curve(curve.until(curve.before_end(0.7 * head)), fill="none", stroke=colour, stroke_width=width)
        dx, dy = unit(curve.at(curve.before_end(head)), curve.b)  # along the part of the line that the head covers
        x, y = curve.b
        half = 0.42 * head
        corners = [
            (x, y),
            (x - head * dx - half * dy, y - head * dy + half * dx),
            (x - 0.75 * head * dx, y - 0.75 * head * dy),
            (x - head * dx + half * dy, y - head * dy - half * dx),
        ]
        self.shape("polygon", points=" ".join(f"{number(px)},{number(py)}" for px, py in corners), fill=colour)


def number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def spelled(attributes: dict[str, object]) -> str:
    """Attributes in SVG syntax: stroke_width=2 becomes stroke-width="2"."""
    parts = []
    for name, value in attributes.items():
        text = number(value) if isinstance(value, int | float) else str(value)
        parts.append(f" {name.replace('_', '-')}={quoteattr(text)}")
    return "".join(parts)


def text_width(text: str, size: float) -> float:
    """An estimate of the width of a text, large enough for any of the fonts."""
    return LETTER * size * len(text)
