"""The data that a report is made from."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from psvr.lab.run.provenance import Origin

if TYPE_CHECKING:  # so that a page can be made without loading Spark
    from .claims import Claim
    from .figures import Drawn


@dataclass(frozen=True)
class About:
    """Which code made the report, when, and on which machine."""

    psvr: str
    scale: str
    master: str
    made: str  # as in 2026-03-01 12:00 UTC
    cores: int
    python: str
    spark: str
    java: str
    code: str  # digest


@dataclass(frozen=True)
class StudyResult:
    """A study and its results."""

    name: str
    title: str
    figure: str  # of the paper
    question: str
    method: str
    paper: str
    scale: str
    planned: int  # trials
    done: int
    claims: "list[Claim]" = field(default_factory=list)
    figures: "list[Drawn]" = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what has to be known about the results
    changes: list[str] = field(default_factory=list)  # since trials were run
    rerun: str = ""  # a command
    meaning: str = ""  # what follows from all of it
    missing: str | None = None  # the part of psvr that the study waits for
    origin: Origin = field(default_factory=Origin)  # of its rows
