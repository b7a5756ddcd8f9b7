"""The lists of planted bugs fit the sources and the tests as they are."""

from collections import Counter
from pathlib import Path

import pytest

from mutants.entries import Mutant, planted, read_all

ROOT = Path(__file__).parent.parent.parent
MUTANTS = read_all(ROOT / "mutants")
MINIMUM = {"protocol": 150}  # bugs in the lists of each area; protocol-links and the like are one area
PROTOCOL = ROOT / "src" / "psvr" / "protocol"
RULES = {PROTOCOL / "invariants.py", PROTOCOL / "wire" / "messages.py"}
RULES |= {file for file in PROTOCOL.rglob("*.py") if "\n@rule\n" in file.read_text()}


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


def test_every_module_with_rules_has_some() -> None:
    number = Counter(ROOT / mutant.file for mutant in MUTANTS)
    assert len(RULES) > 20 and {file.name: number[file] for file in RULES if number[file] < 3} == {}
