"""Results of studies made up for tests of the report, and its page as a strict browser reads it."""

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from psvr.lab.report.claims import Claim
from psvr.lab.report.report import About, StudyResult, report

ABOUT = About("0.3.0", "paper", "local[2]", "2026-03-01 12:00 UTC", 2, "3.11.2", "4.3.0", "21.0.8", "0123456789abcdef")
EMPTY = {"meta", "br", "hr", "img", "input", "link"}
VERDICTS = ("holds", "differs", "undecided", "no rows", "missing")


def claim(verdict: str, **changes: Any) -> Claim:
    values = {
        "id": f"c-{verdict.replace(' ', '-')}",
        "study": "gain",
        "text": "The overhead over T_D is small.",
        "paper": "< 8 %",
        "unit": "%",
        "value": 7.1364,
        "low": 6.9112,
        "high": 7.3616,
        "verdict": verdict,
        "why": "Because of `nontree`.",
        "sql": "SELECT 1",
    }
    return Claim(**{**values, **changes})


def study(**changes: Any) -> StudyResult:
    values = {
        "name": "gain",
        "title": "Gain",
        "figure": "Fig. 7",
        "question": "How much?",
        "method": "By counting.",
        "paper": "Less than 8 %.",
        "scale": "paper",
        "planned": 40,
        "done": 40,
        "rerun": "psvr lab run gain --scale paper",
    }
    return StudyResult(**{**values, **changes})


class Page(HTMLParser):
    """A page as a strict browser reads it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.badges = re.findall(r'class="badge [^"]+"><span[^>]*>[^<]*</span> ([^<]+)</span>', text)
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert len(found) == len(attrs), f"{tag} has an attribute twice"
        if tag not in EMPTY:
            self.open.append(tag)
        self.tags.add(tag)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found[name] or "" for name in ("href", "src", "xlink:href") if name in found]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.text += data


def made(studies: Sequence[StudyResult], out: Path, about: About = ABOUT) -> tuple[Page, dict[str, Any], str]:
    report(studies, out, about)
    text = (out / "report.html").read_text("utf-8")
    return Page(text), json.loads((out / "report.json").read_text("utf-8")), text
