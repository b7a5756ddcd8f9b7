"""The report: page and JSON agree, nothing in it is taken for HTML that is not, and it needs nothing from elsewhere."""

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

from psvr.lab.report import figures
from psvr.lab.report.figures import draw_all
from psvr.lab.report.report import StudyResult, report
from psvr.lab.report.wording import prose, quantity, words
from psvr.lab.run.provenance import Origin
from psvr.lab.study import BUILT_IN
from tests.support.lab.measured import FRAMES
from tests.support.lab.reported import ABOUT, VERDICTS, claim, made, study


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[StudyResult], Path]:
    """All studies with all their figures, in few pixels, and one that waits."""
    out = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "DPI", 40)
        studies = [
            study(
                name=name,
                title=f"Title of {name}",
                claims=[claim("holds", id=f"c-{name}", study=name)],
                figures=draw_all(BUILT_IN / name, name, measures(), out / "figures"),
            )
            for name, measures in FRAMES.items()
        ]
    return [study(name="robots", title="Robots", missing="a robot", planned=0, done=0), *studies], out


def test_a_whole_report_stands_alone(whole: tuple[list[StudyResult], Path]) -> None:
    page, _, text = made(*whole)
    assert "svg" in page.tags and not page.tags & {"script", "link", "iframe", "object", "img"}
    assert "http:" not in text and "https:" not in text and "//" not in re.sub(r"/\*.*?\*/", "", text)
    assert "@import" not in text
    for link in page.links:
        assert link.startswith(("#", "data:")) or not re.match(r"[a-z]+:|/", link), link


def test_names_inside_the_pictures_do_not_clash(whole: tuple[list[StudyResult], Path]) -> None:
    page, _, text = made(*whole)
    assert len(page.ids) == len(set(page.ids)) > 100
    inner = {link[1:] for link in page.links if link.startswith("#")} | set(re.findall(r"url\(#([^)]+)\)", text))
    assert len(inner) > 20 and inner <= set(page.ids)


def test_links_to_files_lead_to_them(whole: tuple[list[StudyResult], Path]) -> None:
    page, values, _ = made(*whole)
    files = {link for link in page.links if link.startswith("figures/")}
    assert len(files) >= 40 and all((whole[1] / file).is_file() for file in files)
    assert files == {f[form] for s in values["studies"] for f in s["figures"] for form in ("svg", "png")}


def test_pictures_take_ink_and_paper_of_the_page(whole: tuple[list[StudyResult], Path]) -> None:
    _, _, text = made(*whole)
    pictures = "".join(re.findall(r"<svg.*?</svg>", text, re.S))
    assert "var(--ink)" in pictures and "#1a1a1a" not in pictures and "#ffffff" not in pictures
    assert "<style" not in pictures and "*{" not in pictures


def test_same_findings_same_bytes_but_for_the_date(whole: tuple[list[StudyResult], Path]) -> None:
    _, _, one = made(*whole)
    json_one = (whole[1] / "report.json").read_bytes()
    assert made(*whole)[2] == one and (whole[1] / "report.json").read_bytes() == json_one
    _, _, later = made(*whole, dataclasses.replace(ABOUT, made="2027-01-01 00:00 UTC"))
    assert later != one and later.replace("2027-01-01 00:00 UTC", ABOUT.made) == one


def test_shape_of_the_json(tmp_path: Path) -> None:
    _, values, _ = made(
        [
            study(
                claims=[claim("holds")],
                notes=["a note"],
                changes=["a change"],
                origin=Origin(code=("c0de",), seconds=90),
            )
        ],
        tmp_path,
    )
    assert {k: type(v) for k, v in values.items()} == {
        "psvr": str,
        "scale": str,
        "made": str,
        "master": str,
        "code": str,
        "machine": dict,
        "claims": list,
        "studies": list,
    }
    assert values["machine"] == {"cores": 2, "python": "3.11.2", "spark": "4.3.0", "java": "21.0.8"}
    assert values["claims"] == [
        {
            "id": "c-holds",
            "study": "gain",
            "text": "The overhead over T_D is small.",
            "paper": "< 8 %",
            "value": 7.1364,
            "low": 6.9112,
            "high": 7.3616,
            "unit": "%",
            "verdict": "holds",
            "why": "Because of `nontree`.",
            "role": "paper",
            "variant_of": "",
        }
    ]
    assert values["studies"] == [
        {
            "name": "gain",
            "title": "Gain",
            "figure": "Fig. 7",
            "paper": "Less than 8 %.",
            "scale": "paper",
            "planned": 40,
            "done": 40,
            "notes": ["a note"],
            "changes": ["a change"],
            "rerun": "psvr lab run gain --scale paper",
            "missing": None,
            "origin": {"psvr": [], "code": ["c0de"], "machine": [], "python": [], "seconds": 90.0},
            "figures": [],
            "trials": "gain/trials",
            "measures": "gain/measures.parquet",
        }
    ]


def test_numbers_that_json_does_not_have_are_null_and_whole_ones_stay_fractions(tmp_path: Path) -> None:
    odd = [claim("undecided", value=float("nan"), low=float("-inf"), high=None), claim("holds", value=3, low=0, high=8)]
    made([study(claims=odd)], tmp_path)
    one, two = json.loads((tmp_path / "report.json").read_text(), parse_constant=pytest.fail)["claims"]
    assert (one["value"], one["low"], one["high"]) == (None, None, None)
    assert [type(two[k]) for k in ("value", "low", "high")] == [float] * 3  # a column of doubles, for SQL


@pytest.mark.parametrize("chosen", [VERDICTS, VERDICTS[::-1], ("differs",), ()])
def test_verdicts_of_page_and_json_agree(chosen: tuple[str, ...], tmp_path: Path) -> None:
    _, values, text = made([study(claims=[claim(v) for v in chosen])], tmp_path)
    assert [c["verdict"] for c in values["claims"]] == list(chosen)
    assert re.findall(r'<article class="statement ([^"]+)"', text) == [v.replace(" ", "-") for v in chosen]
    for v in VERDICTS:
        assert (f'<li class="tile {v.replace(" ", "-")}"><b>1</b>' in text) == (v in chosen)


def test_the_reason_stands_next_to_the_verdict_where_ours_differ(tmp_path: Path) -> None:
    for verdict in VERDICTS:
        _, _, text = made([study(claims=[claim(verdict)])], tmp_path)
        beside = text[text.index('<div class="verdict">') :].partition("</div>")[0]
        assert ("Because of <code>nontree</code>." in beside) == (verdict in ("differs", "undecided"))


def test_paper_and_ours_stand_side_by_side(tmp_path: Path) -> None:
    page, _, text = made([study(claims=[claim("holds")])], tmp_path)
    assert text.count('<b>7.14</b>&nbsp;% <span class="interval">(6.91 to 7.36)</span>') == 1
    assert page.text.count("< 8 %") == 1 and "7.1364" not in text
    assert "psvr lab run gain --scale paper" in page.text and "In the paper: Comparison of TD and TS" in page.text


HOSTILE = "</p><script>alert('x')</script>\"'&<b onclick=x>`<i>`**<u>** <!-- ]]> [<a>](javascript:x)"


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    texts = dict.fromkeys(("title", "figure", "question", "method", "paper", "scale", "rerun"), HOSTILE)
    bad = claim("differs", id='"><x', text=HOSTILE, paper=HOSTILE, unit=HOSTILE, why=HOSTILE)
    told: dict[str, Any] = dict.fromkeys(("psvr", "scale", "master", "made", "python", "code"), HOSTILE)
    about = dataclasses.replace(ABOUT, **told)
    page, values, text = made(
        [study(**texts, notes=[HOSTILE], claims=[bad]), study(**texts, name="other", missing=HOSTILE)], tmp_path, about
    )
    plain, _, _ = made([study(claims=[claim("differs", text="`a`", why="**b**")]), study(missing="x")], tmp_path)
    assert page.tags <= plain.tags | {"em"} and "<!--" not in text and "javascript" not in " ".join(page.links)
    assert "alert('x')" in page.text and values["claims"][0]["text"] == HOSTILE


def test_a_missing_study_is_listed_as_such(tmp_path: Path) -> None:
    waits = study(name="robots", title="On real radios", missing="the wireless channel", planned=0, done=0)
    page, values, text = made([waits, study(claims=[claim("holds")])], tmp_path)
    assert page.text.count("comes with the wireless channel") == 2 and page.badges.count("missing") == 1
    assert "On real radios" in page.text and "muted" in text
    assert [s["missing"] for s in values["studies"]] == ["the wireless channel", None]
    assert len(values["claims"]) == 1


def test_a_claim_without_rows(tmp_path: Path) -> None:
    page, values, _ = made([study(claims=[claim("no rows", value=None, low=None, high=None)], done=0)], tmp_path)
    assert page.badges == ["no rows"] * 2 and values["claims"][0]["value"] is None and "–" in page.text


def test_no_study_at_all(tmp_path: Path) -> None:
    page, values, _ = made([], tmp_path)
    assert "No claim has been checked yet." in page.text and values["claims"] == values["studies"] == []


def test_unfinished_work_and_notes_are_said(tmp_path: Path) -> None:
    page, _, _ = made([study(done=37, notes=["3 trials come from other code"])], tmp_path)
    assert (
        "37 of 40 trials are done; the numbers may still change." in page.text
        and "3 trials come from other code" in page.text
    )
    assert "may still change" not in made([study()], tmp_path)[0].text


def test_time_and_machine_are_said_as_far_as_they_are_known(tmp_path: Path) -> None:
    known = Origin(machine=("2 cores, EPYC, 24 GiB",), seconds=754.0)
    page, _, _ = made([study(origin=known), study(name="hops")], tmp_path)
    assert "40 of 40 trials, paper scale, in 13 min on 2 cores, EPYC, 24 GiB." in page.text
    assert "40 of 40 trials, paper scale." in page.text


def test_quick_scale_is_said(tmp_path: Path) -> None:
    quick, _, _ = made([study()], tmp_path, dataclasses.replace(ABOUT, scale="quick"))
    assert "--scale paper makes them narrower" in quick.text
    assert "narrower" not in made([study()], tmp_path)[0].text


def test_an_old_report_stays_until_the_new_one_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, before = made([study()], tmp_path)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        report([study(title="New")], tmp_path, ABOUT)
    assert (tmp_path / "report.html").read_text() == before
    assert json.loads((tmp_path / "report.json").read_text())["studies"][0]["title"] == "Gain"


@pytest.mark.parametrize(
    "value, low, high, unit, shown",
    [
        (7.1364, 6.9112, 7.3616, "%", "7.14 % (6.91 to 7.36)"),
        (-48.3, -49.0, -47.6, "%", "−48.3 % (−49.0 to −47.6)"),
        (1234.5, 1100.0, 1369.0, "bytes", "1,234 bytes (1,100 to 1,369)"),
        (0.0, 0.0, 0.0, "%", "0 % (0 to 0)"),
        (-0.0004, -0.4, 0.4, "", "0.0 (−0.4 to 0.4)"),
        (1e-7, None, None, "s", "0.0000 s"),
        (12.3456, None, 13.0, "", "12.3"),
        (2.0, 1.0, float("inf"), "", "2.00"),
        (float("nan"), 1.0, 2.0, "%", "–"),
        (None, None, None, "%", "–"),
    ],
)
def test_numbers_for_people(value: float | None, low: float | None, high: float | None, unit: str, shown: str) -> None:
    assert re.sub(r"<[^>]+>", "", quantity(value, low, high, unit)).replace("&nbsp;", " ") == shown


def test_prose() -> None:
    assert prose("One\ntwo.\n\n- a\n  b\n- `c`\n\n*em* **st**") == (
        "<p>One two.</p>\n<ul><li>a b</li><li><code>c</code></li></ul>\n<p><em>em</em> <strong>st</strong></p>"
    )
    assert prose("") == "" and words("2 * 3 * 4, a*b*c, s_n") == "2 * 3 * 4, a*b*c, s_n"
    assert words("T_D, `T_D` and [a page](docs/x.md)") == "T<sub>D</sub>, <code>T_D</code> and a page"
