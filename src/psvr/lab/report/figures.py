"""Draws the figures of a study: its `figure.py` makes them from the measures; here they become SVG and PNG.

The same measures give the same bytes, on machines with or without a display.
"""

import io
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from psvr.atomic import replace
from psvr.errors import BadInput
from psvr.lab.plots import INK, PAPER, QUIET, RULE

from .slim import rounded, with_pixels

Draw = Callable[[pd.DataFrame], dict[str, Figure]]
DPI = 160  # of a PNG, and of what is drawn as pixels in an SVG


@dataclass(frozen=True)
class Drawn:
    """A figure and its two files."""

    study: str
    name: str
    caption: str
    svg: Path
    png: Path


def style() -> dict[str, Any]:
    """Return the settings of matplotlib for all figures."""
    return {
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 9,
        "mathtext.fontset": "dejavusans",
        "svg.fonttype": "none",  # text stays text
        "svg.hashsalt": "psvr",  # makes the ids in the file the same every time
        "figure.facecolor": PAPER,
        "savefig.facecolor": PAPER,
        "axes.facecolor": PAPER,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": QUIET,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "axes.titlesize": 9.5,
        "axes.titlepad": 6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.8,
        "axes.grid": True,
        "grid.color": RULE,
        "grid.linewidth": 0.7,
        "axes.axisbelow": True,
        "xtick.labelsize": 8.5,
        "ytick.labelsize": 8.5,
        "lines.linewidth": 1.6,
        "lines.markersize": 4,
        "legend.frameon": False,
        "legend.fontsize": 9,
        "legend.handlelength": 2.2,
        "axes.unicode_minus": True,
        "figure.constrained_layout.h_pad": 0.06,
        "figure.constrained_layout.w_pad": 0.06,
    }


def draw_all(study_folder: Path, study_name: str, measures: pd.DataFrame, out: Path) -> list[Drawn]:
    """Draw all figures of a study into `out`; a study without `figure.py` has none."""
    file = study_folder / "figure.py"
    if not file.exists():
        return []
    if "matplotlib.pyplot" not in sys.modules:  # what has loaded it, such as a notebook, has chosen already
        matplotlib.use("Agg")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = style()  # matplotlib declares a type for every key
        matplotlib.rcParams.update(settings)
        figures = call_draw(file, study_name, measures)
        out.mkdir(parents=True, exist_ok=True)
        return [write(file, study_name, name, figure, out) for name, figure in figures.items()]


def call_draw(file: Path, study: str, measures: pd.DataFrame) -> dict[str, Figure]:
    try:
        names: dict[str, Any] = {"__name__": f"figure_of_{study}", "__file__": str(file)}
        exec(compile(file.read_text("utf-8-sig"), str(file), "exec"), names)
        draw: Draw | None = names.get("draw")
        figures = draw(measures.copy()) if callable(draw) else None
    except Exception as error:
        raise failure(file, error) from error
    if not isinstance(figures, dict) or not all(isinstance(f, Figure) for f in figures.values()):
        raise BadInput(f"{file}: must have a function draw(measures) that returns a dict of names and figures")
    for name in figures:
        if not isinstance(name, str) or not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
            raise BadInput(f"{file}: the name of a figure must be of letters, digits, - and _, not {name!r:.40}")
    return figures


def write(file: Path, study: str, name: str, figure: Figure, out: Path) -> Drawn:
    drawn = Drawn(study, name, str(figure.get_label()), out / f"{study}-{name}.svg", out / f"{study}-{name}.png")
    try:
        svg = rounded(rendered(with_pixels(figure), format="svg", dpi=DPI, metadata={"Date": None, "Creator": None}))
        png = rendered(figure, format="png", dpi=DPI, metadata={"Software": None})
    except Exception as error:
        raise failure(file, error) from error
    finally:
        close(figure)
    replace(drawn.svg, svg)
    replace(drawn.png, png)
    return drawn


def rendered(figure: Figure, **how: Any) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, **how)
    return content.getvalue()


def close(figure: Figure) -> None:
    """Close a figure: one made by pyplot lives until then."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)


def failure(file: Path, error: Exception) -> BadInput:
    """Return a message of one line that names the file, the line in it, and the error."""
    at = error.lineno if isinstance(error, SyntaxError) else line_in(file, error.__traceback__)
    text = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    return BadInput(f"{file}{f', line {at}' if at else ''}: {type(error).__name__}{f': {text}' if text else ''}")


def line_in(file: Path, trace: TracebackType | None) -> int | None:
    """Return the last line of this file that the error went through."""
    passed = [frame.lineno for frame in traceback.extract_tb(trace) if frame.filename == str(file)]
    return passed[-1] if passed else None
