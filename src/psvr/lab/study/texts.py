"""Texts of a study with numbers in them that are computed: `{name}` stands for a number of the study or of a claim."""

import math
import re
from collections.abc import Collection, Mapping
from typing import Any

from psvr.errors import BadInput, did_you_mean

PLACE = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*)\}")
DIGITS = 3  # of a number that is not whole
UNKNOWN = "–"


def check(text: str, known: Collection[str], where: str) -> None:
    """Refuse a text with a place for something that will not be known."""
    for name in PLACE.findall(text):
        if name not in known:
            raise BadInput(
                f"{where}: {{{name}}}: unknown{did_you_mean(name, known)}; there are {', '.join(known) or 'none'}"
            )


def filled(text: str, values: Mapping[str, Any]) -> str:
    """Return the text with its numbers."""
    return PLACE.sub(lambda found: written(values.get(found[1])), text)


def written(value: Any) -> str:
    """Return a value as people write it: a number with three digits at least, a text as it is."""
    if value is None or isinstance(value, bool | str):
        return UNKNOWN if value is None else str(value)
    number = float(value)
    if not math.isfinite(number):
        return UNKNOWN
    if number.is_integer():
        return f"{number:,.0f}".replace("-", "−")
    decimals = max(0, DIGITS - 1 - math.floor(math.log10(abs(number))))
    text = f"{number:,.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")
