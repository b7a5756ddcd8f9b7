"""The sections of the page: what the paper shows and states comes in its order, what is ours apart from it."""

import re
import tomllib
from pathlib import Path
from typing import Any

from psvr.lab.report.claims import Claim
from psvr.lab.report.figures import Drawn
from psvr.lab.report.sections import PARTS, PLAN, Section, of_the_paper, sections
from psvr.lab.report.summary import first_sentence
from psvr.lab.study import available, load
from tests.lab.report.test_figures import NAMES
from tests.support.lab.reported import claim, made, study

ENTRIES: list[dict[str, Any]] = tomllib.loads(PLAN.read_text("utf-8"))["section"]


def named(id: str, verdict: str = "holds", **more: str) -> Claim:
    return claim(verdict, id=id, text=f"This is {id}.", **more)


def drawn(study: str, name: str) -> Drawn:
    return Drawn(study, name, "A picture.", Path("none.svg"), Path("none.png"))


def ids(found: list[Section]) -> list[str]:
    return [section.id for section in found]


def test_the_plan_names_what_exists() -> None:
    """A study that is not there yet may have a place already."""
    assert {entry["part"] for entry in ENTRIES} <= set(PARTS)
    claims = {c["id"] for name in available() for each in load([name]) for c in each.claims}
    assert {name for entry in ENTRIES for name in entry.get("claims", ())} <= claims
    pictures = {f"{name}-{picture}" for name, listed in NAMES.items() for picture in listed}
    assert {name for entry in ENTRIES for name in entry.get("pictures", ())} <= pictures
    assert len({entry["id"] for entry in ENTRIES}) == len(ENTRIES)


def test_every_study_that_comes_with_psvr_has_a_section() -> None:
    named_there = {name for entry in ENTRIES for name in entry["studies"]}
    assert {each.name for name in available() for each in load([name])} <= named_there


def test_sections_come_in_the_order_of_the_paper_whatever_the_order_of_studies() -> None:
    results = [
        study(name=n, claims=[named(f"{n}-a", study=n)]) for n in ("mine", "tables", "hops", "stabilize", "gain")
    ]
    found = sections(results)
    assert ids(found) == ["trees", "routes", "self-stabilization", "compromise", "study-of-mine"]
    assert [section.part for section in found] == ["figures", "figures", "statements", "statements", "others"]


def test_a_claim_or_picture_goes_where_the_plan_has_it() -> None:
    stabilize = study(
        name="stabilize",
        claims=[named("stabilize-legitimate"), named("stabilize-vr2015-receives-again")],
    )
    gain = study(figures=[drawn("gain", name) for name in ("messages", "new", "gain", "density")])
    trees, vr2015, stabilizing = sections([stabilize, gain])
    assert [s.claim.id for s in vr2015.statements] == ["stabilize-vr2015-receives-again"]
    assert [s.claim.id for s in stabilizing.statements] == ["stabilize-legitimate"]
    assert [picture.name for picture in trees.pictures] == ["density", "gain", "messages", "new"]


def test_what_is_ours_is_no_statement_of_the_paper() -> None:
    claims = [
        named("a-ours", "differs", role="ours"),
        named("b-one"),
        named("b-variant", "differs", variant_of="b-one"),
        named("x-calibration", role="calibration"),
    ]
    found = sections([study(claims=claims)])
    assert [(section.id, section.part) for section in found] == [
        ("trees", "figures"),
        ("ours-gain", "ours"),
        ("calibration-gain", "calibration"),
    ]
    assert [c.id for c in of_the_paper(found)] == ["b-one"]
    [one] = found[0].statements
    assert [c.id for c in one.variants] == ["b-variant"]


def test_a_variant_without_its_claim_stands_alone() -> None:
    [section] = sections([study(claims=[named("b-variant", variant_of="gone")])])
    assert [s.claim.id for s in section.statements] == ["b-variant"]


def test_the_summary_counts_statements_and_says_why_some_do_not_hold(tmp_path: Path) -> None:
    claims = [
        named("one"),
        named("two", "differs", why="Since `x` is so. And more."),
        named("two-variant", "undecided", variant_of="two"),
        named("three", "undecided"),
        named("mine", "differs", role="ours"),
    ]
    page, _, text = made([study(claims=claims, done=37, notes=["a trial has failed"])], tmp_path)
    top = text[text.index('id="summary"') :].partition("</section>")[0]
    assert "<b>1 of 3</b> statements of the paper hold" in top
    assert re.findall(r'href="#claim-([^"]+)"', top) == ["two", "three"]
    assert "Since <code>x</code> is so." in top and "And more" not in top
    assert "37 of 40 trials" in top and "a trial has failed" in top
    assert {"claim-one", "claim-two", "claim-two-variant", "claim-three", "claim-mine"} < set(page.ids)


def test_the_contents_lead_to_every_section_with_its_verdicts(tmp_path: Path) -> None:
    results = [
        study(claims=[named("one"), named("two", "differs")]),
        study(name="mine", title="Mine", claims=[named("m")]),
    ]
    page, _, text = made(results, tmp_path)
    contents = text[text.index("<nav") : text.index("</nav>")]
    places = re.findall(r'href="#([^"]+)"', contents)
    assert places == ["sec-trees", "sec-study-of-mine", "methods", "made"] and set(places) <= set(page.ids)
    assert 'aria-label="1 holds, 1 differs"' in contents


def test_variants_are_folded_away_unless_one_says_otherwise(tmp_path: Path) -> None:
    for verdict, unfolded in (("holds", False), ("differs", True)):
        _, _, text = made([study(claims=[named("a"), named("a-v", verdict, variant_of="a")])], tmp_path)
        assert ('<details class="variants" open>' in text) == unfolded


def test_the_main_picture_stands_on_top_the_others_below_the_verdicts(tmp_path: Path) -> None:
    files = []
    for name in ("gain", "density"):
        svg = tmp_path / f"{name}.svg"
        svg.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="9pt"><text>{name}</text></svg>')
        files.append(Drawn("gain", name, "A picture.", svg, svg))
    _, _, text = made([study(figures=files, claims=[named("one")])], tmp_path)
    section = text[text.index('id="sec-trees"') :]
    places = [section.index(part) for part in (">density</text>", "<blockquote", 'id="claim-one"', ">gain</text>")]
    assert places == sorted(places)


def test_first_sentences() -> None:
    assert first_sentence("At p = 0.3 it is so.\nAnd then not.") == "At p = 0.3 it is so."
    assert first_sentence("No end") == "No end" and first_sentence("") == ""
