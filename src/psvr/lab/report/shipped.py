"""Results to ship: one page of Markdown with pictures beside it, the same bytes from the same results every time.

The page ends with a comment that lists its pictures with digests of their content.  From that the next page knows which
files psvr wrote, and removes those that it does not show any more; what anybody has changed since stays.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from psvr.atomic import replace
from psvr.errors import BadInput
from psvr.lab.run.progress import format_duration

from .findings import StudyResult
from .sections import PARTS, Section, Statement, of_the_paper, sections
from .verdicts import EXPLAINED, SIGNS, UNSETTLED, counts
from .wording import INDEX, INTERVALS, plain, quantity

if TYPE_CHECKING:
    from .claims import Claim
    from .figures import Drawn

PAGE = "README.md"
WRITTEN = "<!-- Pictures that psvr has written, with digests:"
WRITTEN_LINE = re.compile(r"([A-Za-z0-9_-]+\.svg) ([0-9a-f]{32})")


def ship(studies: Sequence[StudyResult], to: Path) -> Path:
    """Write page and pictures into a folder, and return the page."""
    try:
        to.mkdir(parents=True, exist_ok=True)
        pictures = {drawn.svg.name: drawn.svg.read_bytes() for study in studies for drawn in study.figures}
        for name, content in pictures.items():
            replace(to / name, content)
        remove_others(to, pictures)
        replace(to / PAGE, f"{text(studies)}\n{written(pictures)}")
    except OSError as error:
        raise BadInput(f"{error.filename or to}: {error.strerror or error}") from None
    return to / PAGE


def written(pictures: Mapping[str, bytes]) -> str:
    """Return the comment that lists the pictures of a page."""
    return "\n".join([WRITTEN, *(f"{name} {digest(content)}" for name, content in sorted(pictures.items())), "-->\n"])


def written_before(page: Path) -> dict[str, str]:
    """Return the pictures that the last page lists, with their digests; none if that is no page of ours."""
    if not page.is_file():
        return {}
    _, ours, listed = page.read_text("utf-8", errors="replace").rpartition(WRITTEN)
    lines = listed.splitlines() if ours else []
    return {found[1]: found[2] for line in lines if (found := WRITTEN_LINE.fullmatch(line))}


def remove_others(folder: Path, pictures: Mapping[str, bytes]) -> None:
    """Remove pictures of the last page that are not among these, unless somebody has changed them."""
    for name, before in written_before(folder / PAGE).items():
        file = folder / name
        if name not in pictures and file.is_file() and digest(file.read_bytes()) == before:
            file.unlink()


def digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def text(studies: Sequence[StudyResult]) -> str:
    """Return the page."""
    found = sections(studies)
    scales = ", ".join(sorted({study.scale for study in studies}))
    blocks = [f"# Results at {scales} scale", short(found), INTERVALS]
    for part, inside in groupby(found, key=lambda section: section.part):
        blocks.append(f"## {PARTS[part]}")
        blocks += [block for section in inside for block in section_blocks(section)]
    blocks += ["## How it was run", runs(studies), *map(remarks, studies)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def short(found: Sequence[Section]) -> str:
    """Return how many statements hold, and which do not."""
    claims = of_the_paper(found)
    numbers = counts(claims)
    said = ", ".join(f"{number} {SIGNS[verdict]} {verdict}" for verdict, number in numbers.items())
    head = f"**{numbers.get('holds', 0)} of {len(claims)} statements of the paper hold** ({said})."
    rows = [row(claim) for verdict in UNSETTLED for claim in claims if claim.verdict == verdict]
    return f"{head}\n\n### What does not hold, or not for sure\n\n{table(rows)}" if rows else head


def section_blocks(section: Section) -> Iterable[str]:
    """Yield title, main picture, the paper's words, verdicts, and the other pictures."""
    yield f"### {safe(section.title)}"
    if section.label:
        yield f"In the paper: {safe(section.label)}."
    yield from map(picture, section.pictures[:1])
    if section.says:
        yield f"> {safe(section.says)}"
    if section.statements:
        yield table([line for statement in section.statements for line in rows_of(statement)])
    yield from map(picture, section.pictures[1:])


def rows_of(found: Statement) -> Iterable[str]:
    yield row(found.claim)
    yield from (row(claim, "↳ ") for claim in found.variants)


def table(rows: Sequence[str]) -> str:
    return "\n".join(["| verdict | statement | paper | here |", "|---|---|---|---|", *rows])


def row(claim: "Claim", mark: str = "") -> str:
    """Return a line of a table: a claim, its numbers, and next to the verdict the reason."""
    why = f"<br>*{safe(claim.why).replace('*', '')}*" if claim.why and claim.verdict in EXPLAINED else ""
    here = plain(quantity(claim.value, claim.low, claim.high, claim.unit))
    return " | ".join(
        [
            f"| {SIGNS.get(claim.verdict, '?')}&nbsp;{safe(claim.verdict)}",
            f"{mark}{safe(claim.text)}{why}",
            safe(claim.paper),
            f"{safe(here)} |",
        ]
    )


def picture(drawn: "Drawn") -> str:
    return f"![{safe(drawn.study)}: {safe(drawn.name)}]({drawn.svg.name})\n\n*{safe(drawn.caption).replace('*', '')}*"


def runs(studies: Sequence[StudyResult]) -> str:
    """Return a table of the studies: command, trials, time, machine and code."""
    heads = ["study", "command", "trials", "time", "machine", "psvr", "code"]
    return "\n".join([f"| {' | '.join(heads)} |", "|---|---|---:|---:|---|---|---|", *map(run, studies)])


def run(study: StudyResult) -> str:
    o = study.origin
    trials = f"{study.done:,}" if study.done == study.planned else f"{study.done:,} of {study.planned:,}"
    time = "unknown" if o.seconds is None else format_duration(o.seconds)
    cells = [study.name, f"`{study.rerun}`", trials, time, *map("; ".join, (o.machine, o.psvr, o.code))]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def remarks(study: StudyResult) -> str:
    return "\n".join(f"- {safe(study.name)}: {safe(note)}" for note in study.notes)


def safe(text: str) -> str:
    """Return a text on one line, in which nothing is taken for HTML or for the end of a cell; code stays code."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()).replace("|", r"\|"))
    return "".join(part if part.startswith("`") else plain_words(part) for part in parts)


def plain_words(text: str) -> str:
    """Return words without code in them, in which T_D gets its index."""
    return INDEX.sub(r"\1<sub>\2</sub>", text.replace("<", "&lt;")).replace("_", r"\_")
