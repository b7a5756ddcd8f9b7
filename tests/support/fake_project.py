"""A tiny project with a list of planted bugs, for tests of the tool that plants them."""

from collections.abc import Mapping
from pathlib import Path

SOURCE = '''"""Sums."""


def plus(a, b):
    return a + b


def minus(a, b):
    if a == b:
        return 0
    return a - b


class Counter:
    def step(self):
        return 1
'''
TESTS = """from sums import minus, plus


def test_plus():
    assert plus(2, 3) == 5


def test_minus():
    assert minus(7, 3) == 4
"""
BUGS = {
    "sums-plus": {"before": "return a + b", "after": "return a - b"},
    "sums-equal": {"before": "return 0", "after": "return 7"},  # no test checks it
    "sums-name": {"before": '"""Sums."""', "after": "import nothing_of_that_name"},
    "sums-gone": {"before": "return a * b", "after": "return a"},
}
EXPECTED = {"sums-plus": "caught", "sums-equal": "SURVIVED", "sums-name": "broken", "sums-gone": "untried"}


def entry(id: str, **keys: object) -> str:
    whole = {"id": id, "file": "src/sums.py", "why": "sums are wrong", "tests": ["tests/test_sums.py"], **keys}
    return "[[mutant]]\n" + "".join(f"{key} = {value!r}\n" for key, value in whole.items())


def make(root: Path, bugs: Mapping[str, Mapping[str, object]] | None = None) -> Path:
    for file, text in {
        "src/sums.py": SOURCE,
        "tests/test_sums.py": TESTS,
        "pyproject.toml": "",
        "mutants/sums.toml": "\n".join(entry(id, **x) for id, x in (bugs or BUGS).items()),
    }.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    return root
