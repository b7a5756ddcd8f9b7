"""The site contains every page and every exported name, has no broken links, and loads nothing from the network."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs.site.build import FRONT_DOORS, ROOT, build
from docs.site.docstrings import to_markdown

EXPORTED = """
import inspect, json
from docs.site.build import FRONT_DOORS, exported

def told(value):
    if inspect.ismodule(value):
        return "module", value.__name__
    documented = inspect.isclass(value) or inspect.isroutine(value)
    return "documented" if documented else "value", inspect.getdoc(value) or "" if documented else ""

doors = {package: {name: told(value) for name, value in exported(package).items()} for package in FRONT_DOORS}
print(json.dumps(doors))
"""
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}


class Parsed(HTMLParser):
    """The words, ids, links and resources of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.words: list[str] = []
        self.open = 0
        self.nested = False
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.ids |= {found["id"]} if "id" in found else set()
        if tag == "a":
            self.open += 1
            self.nested |= self.open > 1
            self.links += [found["href"]] if "href" in found else []
        if tag in LOADED and LOADED[tag] in found:
            self.loaded.append(found[LOADED[tag]])

    def handle_endtag(self, tag: str) -> None:
        self.open -= tag == "a"

    def handle_data(self, data: str) -> None:
        self.words += data.split()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    python("-m", "docs.site.build", str(folder))
    return folder


@pytest.fixture(scope="module")
def doors() -> dict[str, dict[str, tuple[str, str]]]:
    """What each public package exports: by name, a kind and a docstring, or the name of a module."""
    return json.loads(python("-c", EXPORTED))  # type: ignore[no-any-return]


def python(*arguments: str) -> str:
    """Run Python in a process of its own: loading all exports would leave traces in this one."""
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def parsed(site: Path) -> dict[Path, Parsed]:
    return {file: Parsed(file.read_text()) for file in site.rglob("*.html")}


def words(text: str) -> list[str]:
    """The words of a text, whatever its markup."""
    return re.findall(r"\w+", re.sub(r"[`*]", "", text))


def test_every_page_is_complete(site: Path, parsed: dict[Path, Parsed]) -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        start = page == ROOT / "README.md"
        shown = parsed[site / ("index.html" if start else page.relative_to(ROOT).with_suffix(".html"))].words
        title, *lines = re.sub(r"```.*?```", "", page.read_text(), flags=re.S).splitlines()
        plain = [line for line in lines if re.fullmatch(r"[A-Z][^][|*_<>&`\\]*", line)]
        for line in [title.removeprefix("# "), *plain]:
            assert " ".join(line.split()) in " ".join(shown)


@pytest.mark.parametrize("package", FRONT_DOORS)
def test_every_exported_name_has_an_entry_with_its_docstring(
    site: Path, parsed: dict[Path, Parsed], doors: dict[str, dict[str, tuple[str, str]]], package: str
) -> None:
    page = parsed[site / f"{package.replace('.', '/')}.html"]
    text = " ".join(words(" ".join(page.words)))
    for name, (kind, docstring) in doors[package].items():
        if kind == "module":
            assert site / f"{docstring.replace('.', '/')}.html" in parsed
            continue
        assert name in page.ids, f"{package}.{name}"
        if kind == "documented":
            first = to_markdown(docstring).split("\n\n")[0]
            assert first and " ".join(words(first)) in text, f"{package}.{name}"


def test_the_rules_of_the_protocol_are_included(parsed: dict[Path, Parsed], site: Path) -> None:
    assert "best_offer" in parsed[site / "psvr/protocol/tree.html"].ids
    assert not [file for file in parsed if {"compiled", "checked", "kernels"} & {*file.parts, file.stem}]


def test_links_and_pictures_resolve(site: Path, parsed: dict[Path, Parsed]) -> None:
    wrong = []
    for file, page in parsed.items():
        assert not page.nested, f"{file.relative_to(site)}: nested links"
        for link in [*page.links, *page.loaded]:
            target = urlsplit(link)
            if target.scheme:
                continue
            goal = (file.parent / unquote(target.path)).resolve() if target.path else file
            anchors = parsed[goal].ids if goal in parsed else set()
            if not goal.is_file() or (target.fragment and unquote(target.fragment) not in anchors):
                wrong.append(f"{file.relative_to(site)}: {link}")
    assert not wrong, wrong


def test_nothing_is_loaded_from_the_network(site: Path, parsed: dict[Path, Parsed]) -> None:
    for page in parsed.values():
        assert {urlsplit(link).scheme for link in page.loaded} <= {"", "data"}
    for file in [*parsed, site / "search.js"]:
        text = file.read_text()
        assert not re.search(r"""url\(\s*["']?(https?:)?//|@import|\bfetch\(|XMLHttpRequest|import\(""", text)
        assert str(ROOT) not in text, f"{file.name} contains the path of this checkout"


def test_the_search_covers_both_pages_and_docstrings(site: Path, doors: dict[str, dict[str, tuple[str, str]]]) -> None:
    def said_in(folder: str, pattern: str) -> set[str]:
        return {word for file in (ROOT / folder).rglob(pattern) for word in re.findall("[a-z]{8,}", file.read_text())}

    found = set(re.findall("[a-z]{8,}", (site / "search.js").read_text()))
    pages, source = said_in("docs", "*.md"), said_in("src", "*.py")
    documented = [docstring for door in doors.values() for kind, docstring in door.values() if kind == "documented"]
    docstrings = set(re.findall("[a-z]{8,}", " ".join(documented)))
    assert len((pages - source) & found) > 0.9 * len(pages - source) > 0  # the others belong to pictures or links
    assert set() != docstrings - pages <= found


def test_a_folder_with_other_files_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("not part of a site")
    with pytest.raises(SystemExit, match="must be empty"):
        build(tmp_path)
    assert (tmp_path / "mine.txt").exists()


def test_code_in_docstrings_is_shown_as_code() -> None:
    assert to_markdown("What.\n\nnet = f(1)\nnet.run()\n\nMore, of it.") == (
        "What.\n\n```python\nnet = f(1)\nnet.run()\n```\n\nMore, of it."
    )
    assert to_markdown("Words") == "Words" and to_markdown("a, b") == "a, b"
