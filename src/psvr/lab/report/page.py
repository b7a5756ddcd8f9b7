"""The report as one self-contained page of HTML: it loads no scripts, fonts or pictures."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .findings import About, StudyResult
from .inline import inlined
from .wording import escaped, prose, quantity, words

if TYPE_CHECKING:
    from .claims import Claim
    from .figures import Drawn

SIGNS = {"holds": "✓", "differs": "≠", "undecided": "?", "no rows": "○", "missing": "…"}
MEANING = {
    "holds": "our results agree with the paper",
    "differs": "our results say otherwise",
    "undecided": "the intervals leave it open",
    "no rows": "not run yet",
    "missing": "to come later",
}
TITLE = "PSVR, measured against its paper"
OTHER_ROLES = {"ours": "What we add to it", "calibration": "What our settings were chosen by"}


def page(studies: Sequence[StudyResult], out: Path, about: About) -> str:
    css = Path(__file__).with_name("page.css").read_text("utf-8")
    ordered = sorted(studies, key=lambda study: study.missing is not None)
    body = [head(ordered, about), all_claims(ordered), *(section(study, out) for study in ordered), foot(about)]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            '<head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{TITLE}</title>",
            f"<style>\n{css}</style></head>",
            "<body><main>",
            *body,
            "</main></body></html>",
            "",
        ]
    )


def head(studies: Sequence[StudyResult], about: About) -> str:
    found = Counter(
        claim.verdict
        for study in studies
        for claim in study.claims
        if claim.role == "paper" and not claim.variant_of  # one verdict per statement of the paper
    )
    tiles = "".join(
        f'<li class="tile {kind(v)}"><b>{found[v]}</b><span>{sign(v)} {v}</span><small>{MEANING[v]}</small></li>'
        for v in SIGNS
        if found[v]
    )
    links = "".join(f'<li><a href="#{escaped(s.name)}">{escaped(s.name)}</a></li>' for s in studies)
    few = (
        '<p class="note">Runs at quick scale have few trials and wide intervals. '
        "<code>--scale paper</code> makes them narrower.</p>"
        if "quick" in about.scale.split(", ")
        else ""
    )
    return f"""<header>
<h1>{TITLE}</h1>
<p class="lead">What G. Siegemund and V. Turau say about their publish/subscribe protocol, and what we find when we run
it: claim by claim, figure by figure, with 95&nbsp;% confidence intervals.</p>
<p class="made">psvr {escaped(about.psvr)} · {escaped(about.scale)} scale · {escaped(about.made)}</p>
{few}
<ul class="tiles">{tiles}</ul>
<nav aria-label="studies"><ul>{links}</ul></nav>
</header>"""


def all_claims(studies: Sequence[StudyResult]) -> str:
    """Return one table: what the paper says, each statement with its variants below it, then what is ours."""
    rows = "".join("".join(map(row, statements(study.claims, "paper"))) or waiting(study) for study in studies)
    if not rows:
        said = '<p class="note">No claim has been checked yet.</p>'
        return f'<section id="all-claims"><h2>All claims</h2>{said}</section>'
    others = "".join(
        f'<tr class="part"><th colspan="4">{heading}</th></tr>{found}'
        for role, heading in OTHER_ROLES.items()
        if (found := "".join(row(claim) for study in studies for claim in statements(study.claims, role)))
    )
    return f"""<section id="all-claims"><h2>All claims</h2>
<table><thead><tr><th>What the paper says</th><th>Paper</th><th>Ours</th><th>Verdict</th></tr></thead>
<tbody>{rows}{others}</tbody></table></section>"""


def statements(claims: "Sequence[Claim]", role: str) -> "list[Claim]":
    """Return the claims of a role, each followed by its variants."""
    main = [claim for claim in claims if claim.role == role and not claim.variant_of]
    return [found for claim in main for found in (claim, *(c for c in claims if c.variant_of == claim.id))]


def row(claim: "Claim") -> str:
    of = ' class="variant"' if claim.variant_of else ""
    return (
        f"<tr{of}><td>{words(claim.text)} {link(claim.study)}</td>"
        f'<td data-label="paper">{escaped(claim.paper)}</td>'
        f'<td data-label="ours">{ours(claim)}</td><td>{badge(claim.verdict)}</td></tr>\n'
    )


def waiting(study: StudyResult) -> str:
    """Return a line for a study that cannot be run yet."""
    if study.missing is None:
        return ""
    return (
        f'<tr class="waits"><td>{words(study.title)} {link(study.name)}</td><td></td>'
        f"<td>comes with {escaped(study.missing)}</td><td>{badge('missing')}</td></tr>\n"
    )


def link(study: str) -> str:
    return f'<a class="from" href="#{escaped(study)}">{escaped(study)}</a>'


def ours(claim: "Claim") -> str:
    return quantity(claim.value, claim.low, claim.high, claim.unit)


def kind(verdict: str) -> str:
    """Return the class of a verdict in the style sheet."""
    return verdict.replace(" ", "-") if verdict in SIGNS else "undecided"


def sign(verdict: str) -> str:
    return f'<span aria-hidden="true">{SIGNS.get(verdict, "?")}</span>'


def badge(verdict: str) -> str:
    return f'<span class="badge {kind(verdict)}">{sign(verdict)} {escaped(verdict)}</span>'


def section(study: StudyResult, out: Path) -> str:
    figure = f'<p class="made">In the paper: {words(study.figure)}</p>' if study.figure else ""
    title = f"<h2>{words(study.title)} <small>{escaped(study.name)}</small></h2>{figure}"
    opening = f'<div class="question">{prose(study.question)}</div>' + quoted(study.paper)
    if study.missing is not None:
        waits = f'<p class="note">Not run: this study comes with {escaped(study.missing)}.</p>'
        inside = f"{title}{waits}{opening}{verdicts(study)}"
        return f'<section id="{escaped(study.name)}" class="card muted">{inside}</section>'
    pictures = "\n".join(picture(drawn, out) for drawn in study.figures)
    return f"""<section id="{escaped(study.name)}" class="card">{title}
{opening}{notes(study)}
{pictures}
{verdicts(study)}
{meaning(study)}
<h3>Method</h3>
{prose(study.method)}
{again(study)}
</section>"""


def quoted(text: str) -> str:
    return f'<div class="paper"><h3>The paper</h3>{prose(text)}</div>' if text else ""


def meaning(study: StudyResult) -> str:
    return f"<h3>What it means</h3>\n{prose(study.meaning)}" if study.meaning else ""


def notes(study: StudyResult) -> str:
    left = study.planned - study.done
    said = [f"{study.done:,} of {study.planned:,} trials are done; the numbers may still change."] if left > 0 else []
    return "".join(f'<p class="note">{escaped(note)}</p>' for note in [*said, *study.notes])


def picture(drawn: "Drawn", out: Path) -> str:
    svg = inlined(drawn.svg, f"{drawn.study}-{drawn.name}", drawn.caption or drawn.name)
    links = " ".join(
        f'<a href="{escaped(os.path.relpath(file, out))}">{file.suffix[1:].upper()}</a>'
        for file in (drawn.svg, drawn.png)
    )
    caption = f'{words(drawn.caption)} <span class="files">{links}</span>'
    return f'<figure><div class="plot">{svg}</div><figcaption>{caption}</figcaption></figure>'


def verdicts(study: StudyResult) -> str:
    if not study.claims:
        return ""
    ordered = [claim for role in ("paper", *OTHER_ROLES) for claim in statements(study.claims, role)]
    return '<h3>Verdict</h3><ul class="verdicts">' + "".join(map(verdict, ordered)) + "</ul>"


def verdict(claim: "Claim") -> str:
    why = f'<p class="why">{words(claim.why)}</p>' if claim.why and claim.verdict in ("differs", "undecided") else ""
    place = "variant " if claim.variant_of else ""
    role = f'<p class="role">{OTHER_ROLES[claim.role]}</p>' if claim.role in OTHER_ROLES else ""
    return (
        f'<li class="{place}{kind(claim.verdict)}" id="claim-{escaped(claim.id)}">{badge(claim.verdict)}{role}'
        f"<p>{words(claim.text)}</p><dl><dt>paper</dt><dd>{escaped(claim.paper)}</dd>"
        f"<dt>ours</dt><dd>{ours(claim)}</dd></dl>{why}</li>\n"
    )


def again(study: StudyResult) -> str:
    name = escaped(study.name)
    return f"""<h3>Run it again</h3>
<pre><code>{escaped(study.rerun)}</code></pre>
<p class="made">{study.done:,} of {study.planned:,} trials, {escaped(study.scale)} scale.
Data: <a href="{name}/trials/">rows of all trials</a>, <a href="{name}/measures.parquet">measures</a> (Parquet).</p>"""


def foot(about: About) -> str:
    made = {
        "psvr": about.psvr,
        "code": about.code,
        "scale": about.scale,
        "Spark at": about.master,
        "made": about.made,
        "cores": about.cores,
        "Python": about.python,
        "Spark": about.spark,
        "Java": about.java,
    }
    listed = "".join(f"<div><dt>{escaped(k)}</dt><dd>{escaped(v)}</dd></div>" for k, v in made.items())
    return (
        f'<footer><h2>How this was made</h2><dl class="about">{listed}</dl><p>Verdicts are computed from the rows: '
        "each claim is a query over the measures and a condition on its answer. Intervals are those of the mean "
        "over trials, at 95&nbsp;%. Where a claim is about the extreme of many cells, their intervals are widened so "
        "that all of them hold together (Bonferroni), and the bounds are the extremes of their ends. "
        'The same numbers are in <a href="report.json">report.json</a>.</p></footer>'
    )
