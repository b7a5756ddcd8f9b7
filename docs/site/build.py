"""Build the site: every page of the documentation and an API reference, with one search for both.

    python -m docs.site.build [FOLDER]          # writes FOLDER/index.html; site/index.html by default

pdoc generates the reference from docstrings.  Each page of the documentation is passed to it as one more module, whose
members are the sections of the page, so that pages look like the rest and the search finds them section by section.
Reading the site needs no network.
"""

import importlib
import os
import pkgutil
import re
import shutil
import sys
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import pdoc.doc
import pdoc.render
from pdoc.render_helpers import relative_link, to_html

import psvr

from .docstrings import to_markdown
from .notebooks import as_markdown

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
START, CONTENTS = ROOT / "README.md", ROOT / "docs" / "README.md"

FRONT_DOORS = ["psvr", "psvr.sim", "psvr.routing", "psvr.graphs", "psvr.trace", "psvr.lab"]
INSIDE = ["psvr.protocol", "psvr.sim.scenario"]  # including everything below them
MODULES = ["psvr.sim.network", "psvr.routing.systems", "psvr.routing.settled", "psvr.lab.plots", "psvr.lab.study"]


class Section(pdoc.doc.Variable):
    """A section of a page, as an entry of the search index."""

    kind = "section"

    def __init__(self, page: "Page", title: str, anchor: str, text: str) -> None:
        super().__init__(page.modulename, anchor, docstring=text, taken_from=(page.modulename, anchor))
        self.fullname = f"{page.title}: {title}"


class Page(pdoc.doc.Module):
    """A page of the documentation, at the same place in the site as in the project; README.md is the start page."""

    kind = "page"

    def __init__(self, file: Path) -> None:
        place = "index" if file == START else file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        super().__init__(types.ModuleType(place))
        text = as_markdown(file) if file.suffix == ".ipynb" else file.read_text(encoding="utf-8")
        self.file, self.is_notebook = file, file.suffix == ".ipynb"
        rendered = to_html(text)
        self.html, self.toc = str(rendered), getattr(rendered, "toc_html", None)
        intro, *rest = parts(text)
        self.title = self.fullname = self.name = intro.partition("\n")[0].removeprefix("# ")
        self.docstring = searchable(intro)
        titles = [part.partition("\n")[0].lstrip("# ") for part in rest]
        anchors = re.findall(r'<h[2-6] id="(.*?)"', self.html)
        self.own_members = [
            Section(self, title, anchor, searchable(part))
            for title, anchor, part in zip(titles, anchors, rest, strict=True)
        ]
        self.members = {}


def parts(text: str) -> list[str]:
    """Split a text before each of its headings except the first."""
    cut, code = [""], False
    for line in text.splitlines(keepends=True):
        code ^= line.startswith("```")
        if re.match("##+ ", line) and not code:
            cut.append("")
        cut[-1] += line
    return cut


def searchable(text: str) -> str:
    """A text without its heading, pictures and links: relative ones would break on the page that shows the result."""
    text = re.sub(r"\A#+ [^\n]*\n|^<div class=\"output\">.*?</div>$", "", text, flags=re.S | re.M)
    return re.sub(r"(!?)\[([^]]*)\]\([^)\s]*\)", lambda m: "" if m[1] else m[2], text)


def pages() -> list[Page]:
    """The start page, the table of contents, and everything else in its order; notebooks become pages, too."""
    links = re.findall(r"\]\(([^)#]+\.(?:md|ipynb))\)", CONTENTS.read_text(encoding="utf-8"))
    listed = [(CONTENTS.parent / link).resolve() for link in links]
    return [Page(file) for file in dict.fromkeys([START, CONTENTS, *listed, *sorted(CONTENTS.parent.rglob("*.md"))])]


def names() -> Iterator[str]:
    """The modules in the reference: the public packages, modules they export, and some worth reading."""
    yield from FRONT_DOORS
    for name in FRONT_DOORS:
        yield from (each.__name__ for each in exported(name).values() if isinstance(each, types.ModuleType))
    yield from MODULES
    for name in INSIDE:
        yield name
        yield from (found.name for found in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."))


def exported(name: str) -> dict[str, Any]:
    """Everything a package exports, by name, loaded and stored where pdoc looks for it.

    Lazy exports are resolved by the package itself: importing a submodule with the same name as an exported function
    sets that attribute to the submodule.
    """
    package, found = importlib.import_module(name), {}
    ask = vars(package).get("__getattr__", package.__getattribute__)
    for each in getattr(package, "__all__", []):
        try:
            found[each] = ask(each)
        except AttributeError:
            found[each] = getattr(package, each)
    vars(package).update(found)
    return found


def reference() -> list[pdoc.doc.Module]:
    """Public packages come first; objects re-exported from other projects are left out."""
    order = [*FRONT_DOORS, *sorted(set(names()) - set(FRONT_DOORS))]
    modules = [pdoc.doc.Module(importlib.import_module(name)) for name in order]
    for module in modules:
        ours = {name: doc for name, doc in module.members.items() if is_ours(doc)}
        module.members = ours
        for doc in everything_in(ours.values()):
            simplify(doc)
    return modules


def is_ours(doc: pdoc.doc.Doc[Any]) -> bool:
    return isinstance(doc, pdoc.doc.Variable) or doc.taken_from[0].split(".")[0] == "psvr"


def everything_in(docs: Iterable[pdoc.doc.Doc[Any]]) -> Iterator[pdoc.doc.Doc[Any]]:
    for doc in docs:
        yield doc
        if isinstance(doc, pdoc.doc.Class):
            yield from everything_in(doc.members.values())


def simplify(doc: pdoc.doc.Doc[Any]) -> None:
    """Reduce `Annotated` to the type itself; a string among the annotations becomes the description."""
    if isinstance(doc, pdoc.doc.Variable) and get_origin(doc.annotation) is Annotated:
        doc.annotation, *notes = get_args(doc.annotation)
        doc.docstring = doc.docstring or " ".join(note for note in notes if isinstance(note, str))
    elif isinstance(doc, pdoc.doc.Function):
        signature = doc.signature
        plain = [
            p.replace(annotation=get_args(p.annotation)[0]) if get_origin(p.annotation) is Annotated else p
            for p in signature.parameters.values()
        ]
        doc.signature = signature.replace(parameters=plain)


def only_once(modules: Iterable[pdoc.doc.Module]) -> None:
    """Index whatever several modules offer under the first of them only."""
    seen: set[tuple[str, str]] = set()
    for module in modules:
        named = {doc.taken_from for doc in module.own_members if not isinstance(doc, pdoc.doc.Variable)}
        module.own_members = [doc for doc in module.own_members if doc.taken_from not in seen]
        seen |= named


def address(doc: pdoc.doc.Module) -> str:
    return doc.modulename.replace(".", "/") + ".html"


class Links:
    """Points links at pages and modules of the site, copies pictures, and unlinks everything else."""

    def __init__(self, docs: Iterable[pdoc.doc.Module], out: Path) -> None:
        self.places = {doc.file if isinstance(doc, Page) else doc.source_file: address(doc) for doc in docs}
        self.out = out

    def redirect(self, page: Page) -> None:
        page.html = re.sub(
            r'<a href="([^"]*)">(.*?)</a>', lambda m: self.anchor(page, m[1], m[2]), page.html, flags=re.S
        )
        page.html = re.sub(r'<img src="([^"]*)"', lambda m: f'<img src="{self.picture(page, m[1])}"', page.html)

    def anchor(self, page: Page, link: str, text: str) -> str:
        name, _, anchor = link.partition("#")
        file = (page.file.parent / name).resolve()
        if "://" in link or not name:  # external, or on the same page
            return f'<a href="{link}">{text}</a>'
        if file not in self.places:
            return text
        return f'<a href="{from_page(page, self.places[file])}{"#" * bool(anchor)}{anchor}">{text}</a>'

    def picture(self, page: Page, link: str) -> str:
        if link.startswith("data:"):
            return link
        file = (page.file.parent / link).resolve()
        copy = self.out / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        return from_page(page, file.relative_to(ROOT).as_posix())


def from_page(page: Page, place: str) -> str:
    return os.path.relpath(place, Path(address(page)).parent).replace(os.sep, "/")


def build(out: Path) -> None:
    """Build the site from scratch; the folder may hold nothing but an earlier site."""
    if out.exists() and any(out.iterdir()) and not (out / "search.js").exists():
        raise SystemExit(f"{out}: must be empty, missing, or an earlier site")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    texts, modules = pages(), reference()
    links = Links([*texts, *modules], out)
    for page in texts:
        links.redirect(page)
    pdoc.render.configure(docformat="markdown", template_directory=HERE, footer_text=f"psvr {psvr.__version__}")
    pdoc.render.env.filters["to_markdown"] = to_markdown
    pdoc.render.env.globals.update(pages=texts, modules=modules, front_doors=FRONT_DOORS, link_to=link_to)
    # The keys of pages contain a space, so pdoc never mistakes a word in a text for the name of a page.
    everything = {f"page {page.modulename}": page for page in texts} | {module.modulename: module for module in modules}
    for doc in everything.values():
        write(out / address(doc), pdoc.render.html_module(doc, everything))
    only_once(modules)
    write(out / "search.js", pdoc.render.search_index(everything) + (HERE / "ranking.js").read_text())


def link_to(here: pdoc.doc.Module, there: Any) -> str:
    """The relative link from one page to another."""
    return relative_link(here.modulename, there.modulename) or "#"


def write(file: Path, text: str) -> None:
    """Write a file without the path of this checkout, which may appear in the values of constants."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.replace(f"{ROOT}/", ""), encoding="utf-8")


if __name__ == "__main__":
    build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "site"))
