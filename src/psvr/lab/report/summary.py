"""The top of the report: how many statements of the paper hold, which do not and why, and what the page contains."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from .findings import StudyResult
from .sections import PARTS, Section, of_the_paper
from .verdicts import MEANING, UNSETTLED, badge, counts, kind, ours, sign, tally
from .wording import escaped, words

if TYPE_CHECKING:
    from .claims import Claim

NOTHING = '<p class="note">No claim has been checked yet.</p>'


def summary(found: Sequence[Section], studies: Sequence[StudyResult]) -> str:
    """Return the verdicts in short."""
    claims = of_the_paper(found)
    said = "".join(make(claims) for make in (headline, bar, exceptions)) if claims else NOTHING
    return f'<section id="summary"><h2>In short</h2>{said}{unfinished(studies)}</section>'


def headline(claims: "Sequence[Claim]") -> str:
    holding = counts(claims).get("holds", 0)
    return (
        f'<p class="headline"><b>{holding} of {len(claims)}</b> statements of the paper '
        f"{'holds' if holding == 1 else 'hold'}.</p>"
    )


def bar(claims: "Sequence[Claim]") -> str:
    """Return the verdicts as one bar, with a legend that has their numbers."""
    found = counts(claims)
    parts = "".join(f'<i class="{kind(verdict)}" style="flex:{number}"></i>' for verdict, number in found.items())
    legend = "".join(
        f'<li class="tile {kind(verdict)}">{tile(verdict, number)}</li>' for verdict, number in found.items()
    )
    return f'<div class="bar" aria-hidden="true">{parts}</div><ul class="tiles">{legend}</ul>'


def tile(verdict: str, number: int) -> str:
    return f"<b>{number}</b> {sign(verdict)} {verdict} <small>{MEANING[verdict]}</small>"


def exceptions(claims: "Sequence[Claim]") -> str:
    """Return which statements do not hold, or not yet, each with the first sentence of its reason."""
    listed = "".join(exception(c) for verdict in UNSETTLED for c in claims if c.verdict == verdict)
    return f'<h3>What does not hold, or not for sure</h3><ul class="exceptions">{listed}</ul>' if listed else ""


def exception(claim: "Claim") -> str:
    why = (
        f' <span class="why">{words(first_sentence(claim.why))}</span>'
        if claim.why and claim.verdict != "no rows"
        else ""
    )
    return (
        f'<li class="{kind(claim.verdict)}">{badge(claim.verdict)}<div><a href="#claim-{escaped(claim.id)}">'
        f'{words(claim.text)}</a> <span class="values">Paper: {escaped(claim.paper)}. Here: {ours(claim)}.</span>{why}'
        "</div></li>\n"
    )


def first_sentence(text: str) -> str:
    """Return the text up to the first full stop that ends a sentence."""
    flat = " ".join(text.split())
    end = flat.find(". ")
    return flat if end < 0 else flat[: end + 1]


def unfinished(studies: Sequence[StudyResult]) -> str:
    """Return what has to be known about studies before their numbers are believed."""
    said = [(study, note) for study in studies for note in notes(study)]
    return "".join(
        f'<p class="note"><a href="#study-{escaped(study.name)}">{escaped(study.name)}</a>: {escaped(note)}</p>'
        for study, note in said
    )


def notes(study: StudyResult) -> list[str]:
    left = study.planned - study.done
    some = [f"{study.done:,} of {study.planned:,} trials are done; the numbers may still change."] if left > 0 else []
    return [*some, *study.changes, *study.notes]


def contents(found: Sequence[Section], studies: Sequence[StudyResult]) -> str:
    """Return links to all sections, each with the verdicts in it."""
    parts = "".join(
        f"<li>{PARTS[part]}<ol>{''.join(map(entry, inside))}</ol></li>"
        for part, inside in groupby(found, key=lambda section: section.part)
    )
    methods = '<li><a href="#methods">How it was measured</a></li>' if studies else ""
    return (
        f'<nav aria-label="contents"><h2>Contents</h2><ul>{parts}{methods}'
        '<li><a href="#made">How this page was made</a></li></ul></nav>'
    )


def entry(section: Section) -> str:
    marks = tally([found.claim for found in section.statements])
    return f'<li><a href="#sec-{escaped(section.id)}">{words(section.title)}</a> {marks}</li>'
