"""Pictures as parts of a page: several of them share its ids and its colours."""

import re
from pathlib import Path

import pytest

from psvr.lab.plots.looks import INK, PAPER
from psvr.lab.report.inline import inlined

SVG = f"""<?xml version="1.0" encoding="utf-8"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="300pt" height="200pt"
 version="1.1">
 <metadata>when and by whom</metadata>
 <style>*{{stroke-linejoin: round}}</style>
 <title>a title</title>
 <script>alert(1)</script>
 <defs><clipPath id="clip"><rect width="9" height="9"/></clipPath><path id="dot" d="M 0 0"/></defs>
 <g id="axes" clip-path="url(#clip)"><use xlink:href="#dot" style="fill: {INK}; stroke: {PAPER}"/>
 <use xlink:href="https://example.org/track.svg"/><image xlink:href="data:image/png;base64,AAAA"/></g>
</svg>"""


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    file = tmp_path / "figure.svg"
    file.write_text(SVG)
    return file


def test_ids_and_what_refers_to_them_get_the_prefix(picture: Path) -> None:
    page = inlined(picture, "one", "Messages over density")
    assert set(re.findall(r' id="([^"]*)"', page)) == {"one-clip", "one-dot", "one-axes"}
    assert 'clip-path="url(#one-clip)"' in page and 'href="#one-dot"' in page
    other = inlined(picture, "two", "x")
    assert not set(re.findall(r' id="([^"]*)"', page)) & set(re.findall(r' id="([^"]*)"', other))


def test_nothing_is_kept_that_runs_restyles_the_page_or_loads_from_elsewhere(picture: Path) -> None:
    page = inlined(picture, "one", "x")
    for text in ("metadata", "<style", "<script", "<title", "example.org", "xmlns", "ns0:"):
        assert text not in page
    assert "data:image/png;base64,AAAA" in page


def test_colours_are_those_of_the_page(picture: Path) -> None:
    page = inlined(picture, "one", "x")
    assert "fill: var(--ink); stroke: var(--card)" in page and INK not in page


def test_it_is_read_aloud_by_its_label_and_takes_the_width_that_it_was_drawn_for(picture: Path) -> None:
    start = inlined(picture, "one", 'Messages, "full"').split(">")[0]
    assert 'role="img"' in start and 'aria-label="Messages, &quot;full&quot;"' in start
    assert "--width: 300pt" in start and "height=" not in start
