"""The table of what the paper says: what it names exists, and every figure, algorithm and theorem has a row."""

import re
from pathlib import Path

import pytest

from psvr.lab.study import load
from psvr.lab.study.study import available

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "reproduction.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| the paper")]

# The labels of figures and algorithms in the paper's source, and its numbered statements.
IN_THE_PAPER = (
    "`stack_small`",
    "`subscribtionDist`",
    "`exmpSubRingFULL`",
    "`subscribeNew`",
    "`expPub`",
    "`exampleBackForth`",
    "`VRrouting_homePos`",
    "`examplePos`",
    "`publishAugment`",
    "`toFar`",
    "`unsub`",
    "`eval:AvsBvsC`",
    "`appendix:throughput`",
    "`appendix:histogram`",
    "`appendix:msg-avg-gain`",
    "`RW`",
    "Definition 1",
    "Definition 2",
    "Lemma 1",
    "Theorem 1",
)


@pytest.mark.parametrize("name", IN_THE_PAPER)
def test_it_has_a_row(name: str) -> None:
    assert any(name in row.split("|")[1] for row in ROWS)


def test_every_row_says_where_it_is_reproduced() -> None:
    assert len(ROWS) > 40
    assert [row for row in ROWS if len(row.split("|")) != 5 or not row.split("|")[2].strip()] == []


def test_claims_that_are_named_exist() -> None:
    known = {claim["id"] for name in available() for study in load([name]) for claim in study.claims}
    named = {
        name
        for row in ROWS
        for name in re.findall(r"`([a-z0-9-]+)`", row)
        if name.partition("-")[0] in available() and "-" in name
    }
    assert len(named) > 20 and named - known == set()


def test_claims_of_the_paper_are_all_in_the_table() -> None:
    of_paper = {
        claim["id"]
        for study in load(["paper", "churn", "stabilize", "predecessor"])
        for claim in study.claims
        if claim["role"] == "paper" and not claim["variant_of"]
    }
    missing = {name for name in of_paper if f"`{name}`" not in PAGE}
    assert missing == set()


def test_tests_that_are_named_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)
    assert len(named) > 15
    for file, function in named:
        text = (ROOT / file).read_text("utf-8")
        assert not function or f"def {function}(" in text, f"{file}::{function}"
