"""The lists of planted bugs fit the sources and the tests as they are."""

from collections import Counter
from pathlib import Path

import pytest

from mutants.entries import Mutant, planted, read_all

ROOT = Path(__file__).parent.parent.parent
MUTANTS = read_all(ROOT / "mutants")
MINIMUM = {"protocol": 150}  # bugs in the lists of each area; protocol-links and the like are one area
RULES = (
    "links",
    "tree",
    "ring",
    "positions",
    "psvr",
    "table",
    "numbers",
    "node",
    "invariants",
    "pubsub/publication",
    "pubsub/subscription",
    "pubsub/shen",
    "pubsub/around",
    "pubsub/custom",
    "wire/messages",
    "wire/lengths",
    "host/body",
    "host/events",
    "host/handed",
    "host/holding",
    "host/scanning",
    "host/forwarding",
    "host/slots",
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=[m.id for m in MUTANTS])
def test_a_bug_can_be_planted_and_its_tests_exist(mutant: Mutant) -> None:
    assert planted(mutant, (ROOT / mutant.file).read_text())
    for test in mutant.tests:
        file, _, name = test.partition("::")
        text = (ROOT / file).read_text()
        assert not name or f"def {name.partition('[')[0].rpartition('::')[2]}(" in text
    assert len(mutant.why) > 10


def test_there_are_enough_of_every_area() -> None:
    number = Counter(mutant.area.partition("-")[0] for mutant in MUTANTS)
    assert all(number[area] >= least for area, least in MINIMUM.items()) and len(MUTANTS) >= 80


def test_every_rule_has_some() -> None:
    number = Counter(mutant.file for mutant in MUTANTS)
    for name in RULES:
        assert number[f"src/psvr/protocol/{name}.py"] >= 3, name
