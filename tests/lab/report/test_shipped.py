"""The page of results to ship: complete, the same every time, made from any folders of results, without Spark."""

import dataclasses
import re
from pathlib import Path

import pytest

from psvr.cli import main
from psvr.errors import BadInput
from psvr.lab.report.figures import draw_all
from psvr.lab.report.recalled import recall
from psvr.lab.report.report import report
from psvr.lab.report.shipped import safe, ship
from psvr.lab.run.provenance import Origin
from psvr.lab.study import BUILT_IN
from tests.support.lab.measured import FRAMES
from tests.support.lab.reported import ABOUT, claim, study

ORIGIN = Origin(("0.3.0",), ("c0de",), ("2 cores, EPYC, 24 GiB",), ("3.11.2",), 754.0)


def finished(folder: Path, name: str = "gain", *verdicts: str) -> Path:
    """A folder with the report on a study, its figures among it."""
    claims = [claim(v, id=f"{name}-{i}", study=name) for i, v in enumerate(verdicts or ("holds", "differs"))]
    drawn = draw_all(BUILT_IN / name, name, FRAMES[name](), folder / "figures")
    rerun = f"psvr lab run {name} --scale paper"
    one = study(name=name, claims=claims, figures=drawn, origin=ORIGIN, rerun=rerun, changes=["other code"])
    report([one], folder, ABOUT)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished(tmp_path_factory.mktemp("gain"))


def test_what_is_read_back_is_what_was_reported(folder: Path) -> None:
    [found] = recall([folder])
    assert found.origin == ORIGIN and (found.done, found.rerun) == (40, "psvr lab run gain --scale paper")
    assert [dataclasses.replace(c, sql="SELECT 1") for c in found.claims] == [
        claim(v, id=f"gain-{i}") for i, v in enumerate(("holds", "differs"))
    ]
    assert len(found.figures) == 4 and all(drawn.svg.is_file() and drawn.png.is_file() for drawn in found.figures)


def test_the_page_has_everything(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "results", str(folder), "--to", str(tmp_path / "docs" / "results")]) == 0
    page = tmp_path / "docs" / "results" / "README.md"
    assert capsys.readouterr().out == f"{page}\n"
    text = page.read_text("utf-8")
    assert text.startswith("# Results at paper scale\n") and "**1 of 2 statements of the paper hold**" in text
    for part in ("7.14 % (6.91 to 7.36)", "&lt; 8 %", "*Because of `nontree`.*", "`psvr lab run gain --scale paper`"):
        assert part in text
    assert "| gain | `psvr lab run gain --scale paper` | 40 | 13 min | 2 cores, EPYC, 24 GiB | 0.3.0 | c0de |" in text
    assert "> For n ≤ 100 and s ≥ 10 the overhead" in text and "other code" not in text
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", text)
    assert pictures == [f"gain-{name}.svg" for name in ("density", "gain", "map", "messages")]
    assert {file.name for file in page.parent.iterdir()} == {"README.md", *pictures}


def test_the_same_results_give_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    pages = [ship(recall([folder]), tmp_path / name).parent for name in ("a", "b")]
    finished(folder)  # made again, from the same measures
    pages.append(ship(recall([folder]), tmp_path / "a").parent)
    one, two, three = ({file.name: file.read_bytes() for file in page.iterdir()} for page in pages)
    assert one == two == three


def test_pictures_of_the_last_page_are_removed_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    other, to = finished(tmp_path / "other", "tables"), tmp_path / "to"
    ship(recall([folder, other]), to)
    before = {file.name: file.read_bytes() for file in to.iterdir()}
    theirs = {"mine.svg": before["gain-map.svg"], "gain-notes.svg": b"<svg/>", "notes.md": b"hello"}
    for name, content in theirs.items():
        (to / name).write_bytes(content)
    (to / "gain-gain.svg").write_bytes(before["gain-gain.svg"] + b"<!-- with an arrow of mine -->")
    page = ship(recall([other]), to).read_text("utf-8")
    left = {file.name for file in to.iterdir()}
    tables = {name for name in before if name.startswith("tables-")}
    assert left == {"README.md", *tables, *theirs, "gain-gain.svg"} and tables
    assert "gain-" not in page.partition("## How it was run")[0]
    assert all((to / name).read_bytes() == content for name, content in theirs.items())


@pytest.mark.parametrize("page", [None, "# Mine\n\n![map](gain-map.svg)\n", "\xff", "![map](../gain-map.svg)"])
def test_without_a_page_of_ours_nothing_is_removed(page: str | None, folder: Path, tmp_path: Path) -> None:
    to = tmp_path / "to"
    to.mkdir()
    drawn = (folder / "figures" / "gain-map.svg").read_bytes()
    for file in (to / "gain-map.svg", tmp_path / "gain-map.svg"):
        file.write_bytes(drawn)
    if page is not None:
        (to / "README.md").write_text(page, "latin-1")
    ship([study()], to)
    assert {file.name for file in to.iterdir()} == {"README.md", "gain-map.svg"} and (
        tmp_path / "gain-map.svg"
    ).exists()


def test_only_files_of_its_own_folder_are_removed(folder: Path, tmp_path: Path) -> None:
    """Whatever the list of a page says."""
    to, outside = tmp_path / "to", tmp_path / "outside.svg"
    page = ship(recall([folder]), to)
    outside.write_bytes((to / "gain-map.svg").read_bytes())
    text = page.read_text("utf-8")
    assert "\ngain-map.svg " in text
    page.write_text(text.replace("\ngain-map.svg ", "\n../outside.svg "), "utf-8")
    ship([study()], to)
    assert outside.exists() and (to / "gain-map.svg").exists() and not (to / "gain-gain.svg").exists()


def test_folders_come_together_but_not_with_the_same_study(folder: Path, tmp_path: Path) -> None:
    other = finished(tmp_path / "other", "tables")
    assert [found.name for found in recall([other, folder])] == ["tables", "gain"]
    text = ship(recall([other, folder]), tmp_path / "to").read_text("utf-8")
    assert text.index("gain-density.svg") < text.index("tables-compromise.svg") and "of 4 statements" in text
    with pytest.raises(BadInput, match=r"^study gain: is in .* and in .*; give one of them$"):
        recall([folder, other, folder])


@pytest.mark.parametrize("text", [None, "{", "[]", '{"claims": [], "studies": [{}]}', '{"studies": 5, "claims": []}'])
def test_a_folder_without_results_is_refused_in_one_line(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "report.json").write_text(text)
    assert main(["lab", "results", str(tmp_path), "--to", str(tmp_path / "to")]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and "psvr lab report" in said and not (tmp_path / "to").exists()


def test_a_place_that_cannot_be_written_is_said_in_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"file/to: Not a directory$"):
        ship(recall([folder]), tmp_path / "file" / "to")


def test_unfinished_work_is_said(tmp_path: Path) -> None:
    text = ship([study(done=37, notes=["a trial has failed"])], tmp_path).read_text("utf-8")
    assert "| 37 of 40 | unknown |" in text and "- gain: a trial has failed" in text


def test_texts_stay_in_their_cells() -> None:
    assert safe("a | b\n<script> `x_y|z` T_D s_n") == r"a \| b &lt;script> `x_y\|z` T<sub>D</sub> s\_n"
