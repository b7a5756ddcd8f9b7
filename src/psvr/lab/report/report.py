"""The report on all studies: `report.html` for people, `report.json` for programs, both from the same results."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psvr.atomic import replace
from psvr.lab import strict_json

from .findings import About, StudyResult
from .page import page

if TYPE_CHECKING:
    from .claims import Claim

PLAIN = (  # what is the same in the file as in a `StudyResult`
    "name",
    "title",
    "figure",
    "paper",
    "scale",
    "planned",
    "done",
    "notes",
    "changes",
    "rerun",
    "missing",
)
__all__ = ["About", "StudyResult", "report"]


def report(studies: Sequence[StudyResult], out: Path, about: About) -> None:
    """Write both files; a reader sees the old or the new version of each, never a part."""
    out.mkdir(parents=True, exist_ok=True)
    replace(out / "report.json", strict_json.dumps(summary(studies, out, about), indent=1) + "\n")
    replace(out / "report.html", page(studies, out, about))


def summary(studies: Sequence[StudyResult], out: Path, about: About) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "psvr": about.psvr,
        "scale": about.scale,
        "made": about.made,
        "master": about.master,
        "code": about.code,
        "machine": {"cores": about.cores, "python": about.python, "spark": about.spark, "java": about.java},
        "claims": [claim_values(claim) for study in studies for claim in study.claims],
        "studies": [study_values(study, out) for study in studies],
    }


def claim_values(claim: "Claim") -> dict[str, Any]:
    texts = {name: getattr(claim, name) for name in ("id", "study", "text", "paper")}
    numbers = {name: as_fraction(getattr(claim, name)) for name in ("value", "low", "high")}
    verdict = {name: getattr(claim, name) for name in ("unit", "verdict", "why", "role", "variant_of")}
    return {**texts, **numbers, **verdict}


def as_fraction(value: float | None) -> float | None:
    """Return a number as a fraction even if it is whole, so that a column of them has one type."""
    return None if value is None else float(value)


def study_values(study: StudyResult, out: Path) -> dict[str, Any]:
    plain = {name: getattr(study, name) for name in PLAIN}
    figures = [
        {
            "name": drawn.name,
            "caption": drawn.caption,
            "svg": os.path.relpath(drawn.svg, out),
            "png": os.path.relpath(drawn.png, out),
        }
        for drawn in study.figures
    ]
    files = {"trials": f"{study.name}/trials", "measures": f"{study.name}/measures.parquet"}
    return {**plain, "origin": asdict(study.origin), "figures": figures, **files}
