"""Texts and numbers as HTML: everything escaped, numbers as people write them."""

import html
import math
import re

MAX_DECIMALS = 4
INLINE = re.compile(r"`([^`]+)`|\*\*(.+?)\*\*|(?<![\w*])\*(?!\s)([^*]+?)\*(?!\w)|\[([^\]]+)\]\([^)\s]*\)")
INDEX = re.compile(r"\b([A-Z])_([A-Z])\b")
INTERVALS = (
    "Verdicts are computed from the rows: each claim is a query over the measures and a condition on its answer. "
    "Intervals are those of the mean over trials, at 95 %. Where a claim is about the extreme of many cells, "
    "their intervals are widened so that all of them hold together (Bonferroni), and the bounds are the extremes of "
    "their ends. Where a line is drawn through the values of several cells, its bounds follow from their intervals."
)
ELEMENTS = ("code", "strong", "em", "")


def escaped(text: object) -> str:
    return html.escape(str(text), quote=True)


def prose(text: str) -> str:
    """Convert the simple Markdown of a README: paragraphs, lists, `code`, emphasis; of links only the text is kept."""
    blocks = (block for block in re.split(r"\n\s*\n", text.strip()) if block.strip())
    return "\n".join(
        listed(block) if block.lstrip().startswith(("- ", "* ")) else f"<p>{words(block)}</p>" for block in blocks
    )


def listed(block: str) -> str:
    items = re.split(r"^\s*[-*] ", block.strip(), flags=re.MULTILINE)[1:]
    return "<ul>" + "".join(f"<li>{words(item)}</li>" for item in items) + "</ul>"


def words(text: str) -> str:
    """Convert one run of text, on one line."""
    done, at = [], 0
    text = " ".join(text.split())
    for found in INLINE.finditer(text):
        element, inner = next((e, g) for e, g in zip(ELEMENTS, found.groups()) if g is not None)
        done += [run(text[at : found.start()]), f"<{element}>{escaped(inner)}</{element}>" if element else run(inner)]
        at = found.end()
    return "".join([*done, run(text[at:])])


def run(text: str) -> str:
    """Convert plain words, in which T_D gets its index."""
    return INDEX.sub(r"\1<sub>\2</sub>", escaped(text))


def quantity(value: float | None, low: float | None, high: float | None, unit: str) -> str:
    """Return a value with its unit and interval, such as 7.14 % (6.91 to 7.37)."""
    if value is None or not math.isfinite(value):
        return "–"
    digits = decimals(value, low, high)
    text = f"<b>{number(value, digits)}</b>{'&nbsp;' + escaped(unit) if unit else ''}"
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return text
    return f'{text} <span class="interval">({number(low, digits)} to {number(high, digits)})</span>'


def decimals(value: float, low: float | None, high: float | None) -> int:
    """Return as many as the interval justifies: to one digit of a sixth of its width; without one, three digits."""
    half = (high - low) / 2 if low is not None and high is not None and math.isfinite(high - low) else 0.0
    size, digits = (half / 3, 1) if half > 0 else (abs(value), 3)
    if not size:
        return 0
    return min(MAX_DECIMALS, max(0, digits - 1 - math.floor(math.log10(size))))


def number(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    return ("0" + text[2:] if float(text.replace(",", "")) == 0 and text.startswith("-0") else text).replace("-", "−")


def plain(text: str) -> str:
    """Return the same without markup, for a terminal."""
    return html.unescape(re.sub("<[^>]*>", "", text)).replace("\u00a0", " ")
