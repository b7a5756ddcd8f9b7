"""The sections of the report: what the paper shows and states, in its order, then what is ours, and the rest.

`paper.toml` says which pictures and claims belong to which statement of the paper; studies that it does not know, such
as those of users, have a section each.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .findings import StudyResult

if TYPE_CHECKING:
    from .claims import Claim
    from .figures import Drawn

PLAN = Path(__file__).with_name("paper.toml")
PARTS = {
    "figures": "The figures of the paper",
    "statements": "What the paper states without a figure",
    "others": "Other studies",
    "ours": "What we add",
    "calibration": "What our settings were chosen by",
}
NOT_THE_PAPER = ("ours", "calibration")  # roles of claims, each with a part of its own


@dataclass(frozen=True)
class Statement:
    """A claim with its variants."""

    claim: "Claim"
    variants: "tuple[Claim, ...]" = ()


@dataclass
class Section:
    """A figure or statement of the paper, with what we found."""

    id: str
    part: str
    title: str
    label: str = ""  # of the figure or section in the paper
    says: str = ""  # the paper, in its words
    pictures: "list[Drawn]" = field(default_factory=list)  # the first stands on top
    statements: list[Statement] = field(default_factory=list)
    studies: list[str] = field(default_factory=list)  # from which they are
    waits: str = ""  # for a part of psvr that does not exist yet

    def is_empty(self) -> bool:
        return not (self.pictures or self.statements or self.waits)


def sections(studies: Sequence[StudyResult]) -> list[Section]:
    """Return the sections that have anything in them, in the order of the parts."""
    plan = tomllib.loads(PLAN.read_text("utf-8"))["section"]
    found = {entry["id"]: started(entry) for entry in plan}
    homes = Homes(plan)
    for study in studies:
        add_pictures(study, homes, found)
        add_statements(study, homes, found)
    for entry in plan:
        listed = {name: place for place, name in enumerate(entry.get("pictures", ()))}
        found[entry["id"]].pictures.sort(key=lambda drawn: listed.get(f"{drawn.study}-{drawn.name}", len(listed)))
    filled = (section for section in found.values() if not section.is_empty())
    return sorted(filled, key=lambda section: list(PARTS).index(section.part))


def started(entry: Mapping[str, Any]) -> Section:
    return Section(entry["id"], entry["part"], entry["title"], entry.get("label", ""), entry.get("says", ""))


class Homes:
    """The ids of the sections to which pictures, claims and studies belong."""

    def __init__(self, plan: Sequence[Mapping[str, Any]]) -> None:
        self.pictures = {name: entry["id"] for entry in plan for name in entry.get("pictures", ())}
        self.claims = {name: entry["id"] for entry in plan for name in entry.get("claims", ())}
        self.studies = {name: entry["id"] for entry in reversed(plan) for name in entry.get("studies", ())}


def section_of(study: StudyResult, homes: Homes, found: dict[str, Section]) -> Section:
    """Return the section of a study; one that the paper does not have gets its own."""
    home = homes.studies.get(study.name, f"study-of-{study.name}")
    return found.setdefault(home, Section(home, "others", study.title, study.figure, study.paper))


def add_pictures(study: StudyResult, homes: Homes, found: dict[str, Section]) -> None:
    usual = section_of(study, homes, found)
    usual.waits = usual.waits or study.missing or ""
    for drawn in study.figures:
        home = homes.pictures.get(f"{drawn.study}-{drawn.name}")
        section = usual if home is None else found[home]
        section.pictures.append(drawn)
        remember_study(section, study)


def add_statements(study: StudyResult, homes: Homes, found: dict[str, Section]) -> None:
    """Put each claim with its variants where it belongs; what is not said by the paper goes apart."""
    usual = section_of(study, homes, found)
    for statement in statements(study.claims):
        claim = statement.claim
        home = homes.claims.get(claim.id)
        section = usual if home is None else found[home]
        if claim.role in NOT_THE_PAPER and section.part != claim.role:
            apart = f"{claim.role}-{study.name}"
            section = found.setdefault(apart, Section(apart, claim.role, study.title))
        section.statements.append(statement)
        remember_study(section, study)


def remember_study(section: Section, study: StudyResult) -> None:
    if study.name not in section.studies:
        section.studies.append(study.name)


def statements(claims: "Sequence[Claim]") -> list[Statement]:
    """Return claims with their variants; a variant without its claim stands alone."""
    ids = {claim.id for claim in claims}
    return [
        Statement(claim, tuple(c for c in claims if c.variant_of == claim.id))
        for claim in claims
        if claim.variant_of not in ids
    ]


def of_the_paper(found: Sequence[Section]) -> "list[Claim]":
    """Return one claim for each statement of the paper."""
    return [s.claim for section in found for s in section.statements if s.claim.role not in NOT_THE_PAPER]
