"""The look of each system, the same in every figure."""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matplotlib import colormaps
from matplotlib.colors import to_hex

from psvr.lab.kinds.names import without_profile

INK, QUIET, RULE, PAPER = "#1a1a1a", "#6b6b6b", "#e2e2e2", "#ffffff"
BOUND = "#d81b60"  # for what the paper says


@dataclass(frozen=True)
class Look:
    """How a system is labelled and drawn."""

    label: str
    colour: str
    marker: str = "o"
    letter: str = ""  # marks its mean
    size: float = 1.0  # those drawn first are larger, so that equal values are all visible
    hollow: bool = False  # dashed lines, empty marks and fields: what the paper describes, without anything of ours


# The colours of Okabe and Ito, which the colour-blind can tell apart; PSVR and Shen have the colours of the paper.
LOOKS = {
    "psvr/all": Look("PSVR (all)", "#d55e00", "o", "P", 1.7),
    "psvr/nontree": Look("PSVR (nontree)", "#e69f00", "s", "N", 1.4),
    "shen": Look("Shen", "#0090d0", "D", "S", 1.15),
    "td": Look("$T_D$", "#009e73", "^"),
    "ts": Look("$T_S$", "#cc79a7", "v"),
    "vr2015/all": Look("VR 2015 (all)", "#8564b5", "p"),
    "vr2015/nontree": Look("VR 2015 (nontree)", "#a58bc4", "h"),
    "vr2015-ring/all": Look("VR 2015, own SUBs (all)", "#4f2d86", "<"),
    "vr2015-ring/nontree": Look("VR 2015, own SUBs (nontree)", "#7a5aa8", ">"),
    "jaeger": Look("Jaeger", "#56657f", "P", "J", 0.8),
    "diffusion": Look("directed diffusion", "#b0406a", "X", "D"),
    "steiner": Look("Steiner tree (optimum)", INK, "*"),
    "ring": Look("whole ring", "#8c8c8c", "x"),
    "flood": Look("flooding", "#6d7a86", "+"),
}
SPARE = ("#3274b5", "#8a6d00", "#b0406a", "#3f8a55", "#7565a8")
MARKERS = "PXhHd<>"


def look(system: str) -> Look:
    """Return the look of a system; a custom one gets it from its name, so that it too is always the same.

    Under the profile `paper` a system looks like itself, but hollow.
    """
    plain = without_profile(system)
    if plain != system:
        seen = look(plain)
        paper = system.endswith("/paper")
        return replace(seen, label=f"{seen.label}, {system.rpartition('/')[2]}", hollow=paper, size=1.0)
    name = "psvr/all" if system == "psvr" else system
    sign = zlib.crc32(name.encode())
    return LOOKS.get(name) or Look(
        name.replace("$", r"\$"), SPARE[sign % len(SPARE)], MARKERS[sign % len(MARKERS)], name[:1].upper()
    )


def in_order(systems: Iterable[str]) -> list[str]:
    """Sort systems, known ones first, in one order for all legends."""
    known = list(LOOKS)

    def place(name: str) -> tuple[int, str]:
        plain = without_profile(name)
        return (known.index(plain) if plain in known else len(known), name)

    return sorted(systems, key=place)


def shades(values: Sequence[Any]) -> dict[Any, str]:
    """Return a colour for each of some ordered values; none so light or so dark that it is lost on a page."""
    scale = colormaps["viridis_r"]
    return {value: to_hex(scale(0.12 + 0.56 * i / max(1, len(values) - 1))) for i, value in enumerate(values)}
