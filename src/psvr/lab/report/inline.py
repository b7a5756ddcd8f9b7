"""SVG files of matplotlib as parts of a page.

Several of them share one page, so their ids get a prefix; and their colours become those of the page, which may be
dark.
"""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from psvr.lab.plots.looks import INK, PAPER, QUIET, RULE

COLOURS = {INK: "var(--ink)", QUIET: "var(--quiet)", RULE: "var(--rule)", PAPER: "var(--card)"}
DROPPED = {"metadata", "style", "script", "title"}
INNER = re.compile(r"url\(#")


def inlined(file: Path, prefix: str, label: str) -> str:
    """Return the picture as an HTML element."""
    root = ElementTree.parse(file).getroot()
    width = root.get("width", "")
    for parent in root.iter():
        for child in [c for c in parent if plain(c.tag) in DROPPED]:
            parent.remove(child)
    for element in root.iter():
        element.tag = plain(element.tag)
        named = ((plain(name), value) for name, value in element.attrib.items())
        element.attrib = {name: rewritten(value, name, prefix) for name, value in named if kept(name, value)}
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib |= {"role": "img", "aria-label": label, "style": f"--width: {width}"}
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def plain(name: str) -> str:
    """Return a name without its namespace, which HTML does not have."""
    return name.rpartition("}")[2]


def kept(name: str, value: str) -> bool:
    return name != "href" or value.startswith(("#", "data:image/"))


def rewritten(value: str, name: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}-{value}"
    if name == "href" and value.startswith("#"):
        return f"#{prefix}-{value[1:]}"
    if name == "style":
        for colour, variable in COLOURS.items():
            value = value.replace(colour, variable)
    return INNER.sub(f"url(#{prefix}-", value)
