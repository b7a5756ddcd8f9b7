"""The report as one self-contained page of HTML: it loads no scripts, fonts or pictures."""

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from psvr.lab.run.progress import format_duration

from .findings import About, StudyResult
from .inline import inlined
from .sections import PARTS, Section, sections
from .summary import contents, notes, summary
from .verdicts import badge, statement
from .wording import INTERVALS, escaped, prose, words

if TYPE_CHECKING:
    from .figures import Drawn

TITLE = "PSVR, measured against its paper"
ABOUT_PARTS = {
    "ours": "What follows is not in the paper: what our hosts add to it, and what its numbers depend on.",
    "calibration": "Settings that the paper leaves open were chosen so that these come out as they do. They are no "
    "evidence for or against it.",
}


def page(studies: Sequence[StudyResult], out: Path, about: About) -> str:
    css = Path(__file__).with_name("page.css").read_text("utf-8")
    found = sections(studies)
    body = [
        head(about),
        summary(found, studies),
        contents(found, studies),
        *(part(name, list(inside), out) for name, inside in groupby(found, key=lambda section: section.part)),
        methods(studies),
        foot(about),
    ]
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


def head(about: About) -> str:
    few = (
        '<p class="note">Runs at quick scale have few trials and wide intervals. '
        "<code>--scale paper</code> makes them narrower.</p>"
        if "quick" in about.scale.split(", ")
        else ""
    )
    return f"""<header>
<h1>{TITLE}</h1>
<p class="lead">What G. Siegemund and V. Turau say about their publish/subscribe protocol, and what we find when we run
it: figure by figure, statement by statement, with 95&nbsp;% confidence intervals.</p>
<p class="made">psvr {escaped(about.psvr)} · {escaped(about.scale)} scale · {escaped(about.made)}</p>
{few}
</header>"""


def part(name: str, inside: Sequence[Section], out: Path) -> str:
    intro = f"<p>{ABOUT_PARTS[name]}</p>" if name in ABOUT_PARTS else ""
    shown = "\n".join(section(one, out) for one in inside)
    return f'<div class="part" id="part-{name}"><h2>{PARTS[name]}</h2>{intro}\n{shown}</div>'


def section(found: Section, out: Path) -> str:
    """Return a section: the main picture, what the paper says, verdicts with reasons, and the other pictures."""
    label = f'<p class="label">In the paper: {words(found.label)}</p>' if found.label else ""
    pictures = [picture(drawn, out) for drawn in found.pictures]
    waits = (
        f'<p class="note">Not run: this comes with {escaped(found.waits)}. {badge("missing")}</p>'
        if found.waits
        else ""
    )
    quote = f'<blockquote class="paper">{prose(found.says)}</blockquote>' if found.says else ""
    said = f'<div class="statements">{"".join(map(statement, found.statements))}</div>' if found.statements else ""
    sources = ", ".join(f'<a href="#study-{escaped(name)}">{escaped(name)}</a>' for name in found.studies)
    measured = f'<p class="made">How it was measured: {sources}</p>' if sources else ""
    return f"""<section id="sec-{escaped(found.id)}" class="card{" muted" if found.waits else ""}">
{label}<h3>{words(found.title)}</h3>
{waits}{"".join(pictures[:1])}
{quote}{said}
{"".join(pictures[1:])}
{measured}</section>"""


def picture(drawn: "Drawn", out: Path) -> str:
    svg = inlined(drawn.svg, f"svg-{drawn.study}-{drawn.name}", drawn.caption or drawn.name)
    links = " ".join(
        f'<a href="{escaped(os.path.relpath(file, out))}">{file.suffix[1:].upper()}</a>'
        for file in (drawn.svg, drawn.png)
    )
    caption = f'{words(drawn.caption)} <span class="files">{links}</span>'
    return f'<figure><div class="plot">{svg}</div><figcaption>{caption}</figcaption></figure>\n'


def methods(studies: Sequence[StudyResult]) -> str:
    if not studies:
        return ""
    listed = "\n".join(map(method, studies))
    return f'<div class="part" id="methods"><h2>How it was measured</h2>\n{listed}</div>'


def method(study: StudyResult) -> str:
    """Return what a study asks and does, folded away, and the command that runs it again."""
    name = escaped(study.name)
    said = f"<h4>The paper</h4>{prose(study.paper)}" if study.paper else ""
    said += f"<h4>What it means</h4>{prose(study.meaning)}" if study.meaning else ""
    return f"""<details class="card study"><summary><code>{name}</code> {words(study.title)}</summary>
{"".join(f'<p class="note">{escaped(note)}</p>' for note in notes(study))}
<h4 id="study-{name}">Question</h4>{prose(study.question)}
<h4>Method</h4>{prose(study.method)}
{said}
{again(study)}</details>"""


def again(study: StudyResult) -> str:
    if study.missing is not None:
        return f'<p class="note">This study comes with {escaped(study.missing)}.</p>'
    name = escaped(study.name)
    return f"""<h4>Run it again</h4>
<pre><code>{escaped(study.rerun)}</code></pre>
<p class="made">{study.done:,} of {study.planned:,} trials, {escaped(study.scale)} scale{escaped(effort(study))}.
Data: <a href="{name}/trials/">rows of all trials</a>, <a href="{name}/measures.parquet">measures</a> (Parquet).</p>"""


def effort(study: StudyResult) -> str:
    """Return how long the trials took, and where, as far as their rows tell."""
    machines, seconds = study.origin.machine, study.origin.seconds
    took = "" if seconds is None else f", in {format_duration(seconds)}"
    return f"{took} on {' and '.join(machines)}" if machines else took


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
        f'<footer id="made"><h2>How this page was made</h2><dl class="about">{listed}</dl><p>{escaped(INTERVALS)} '
        'The same numbers are in <a href="report.json">report.json</a>.</p></footer>'
    )
