"""The results as a section of a document, between two marks."""

import datetime
import os
import platform
from collections.abc import Iterable
from pathlib import Path

from psvr.errors import BadInput

from .entries import Mutant
from .trying import CAUGHT, Result

BEGIN, END = "<!-- mutants: begin -->", "<!-- mutants: end -->"
SHOWN = 64  # characters of code in a table cell


def check(file: Path) -> str:
    """The text of the document, which must contain the marks."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--report: {file} cannot be read: {error.strerror}") from None
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise BadInput(f"--report: {file} must have the lines {BEGIN} and {END}, once each")
    return text


def write(file: Path, results: list[tuple[Mutant, Result]], took: str) -> None:
    text = check(file)
    head, rest = text.split(BEGIN)
    lines = [*summary(results, took), "", *counts(results), "", *table(results)]
    file.write_text(head + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1], encoding="utf-8")


def summary(results: list[tuple[Mutant, Result]], took: str) -> list[str]:
    caught = sum(result.outcome == CAUGHT for _, result in results)
    today = datetime.date.today().isoformat()
    return [f"{len(results)} planted, {caught} caught; {took}. {today}, {machine()}."]


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GB, Python {platform.python_version()}"


def counts(results: list[tuple[Mutant, Result]]) -> Iterable[str]:
    yield "| list | planted | caught |"
    yield "|---|---|---|"
    for area in dict.fromkeys(mutant.area for mutant, _ in results):
        outcomes = [result.outcome for mutant, result in results if mutant.area == area]
        yield f"| {area} | {len(outcomes)} | {outcomes.count(CAUGHT)} |"


def table(results: list[tuple[Mutant, Result]]) -> Iterable[str]:
    yield "| bug | what | why it matters | caught by | s |"
    yield "|---|---|---|---|---|"
    for mutant, result in results:
        by = f"`{result.by}`" if "::" in result.by else result.by
        by = by if result.outcome == CAUGHT else f"**{result.outcome}** {by}".strip()
        by = cell(by.replace("tests/", "", 1))
        yield f"| {mutant.id} | {change(mutant)} | {cell(mutant.why)} | {by} | {result.seconds:.1f} |"


def change(mutant: Mutant) -> str:
    """The code before and after, shortened by what both have in common if that is long."""
    before, after = (" ".join(text.split()) for text in (mutant.before, mutant.after))
    same = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
    start = max(0, same - SHOWN // 2) if max(len(before), len(after)) > SHOWN else 0
    return f"{code(before, start)} → {code(after, start)}"


def code(text: str, start: int) -> str:
    shown = text[start : start + SHOWN]
    if not shown:
        return "nothing"
    return cell(f"`{'…' if start else ''}{shown}{'…' if start + SHOWN < len(text) else ''}`")


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
