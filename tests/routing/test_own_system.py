"""Systems from files: how they are loaded, compared and refused."""

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from psvr.errors import BadInput
from psvr.protocol.systems import CUSTOM, known
from psvr.routing.as_printed import MOST_MESSAGES, READINGS
from psvr.routing.custom import LOADED, load_systems, source_of
from psvr.routing.systems import SYSTEMS, route
from tests.support.routing.networks import Case, cases, drawn

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "systems"
FILE = """
from psvr.routing.systems import system

@system("{name}", positions={positions}, text="of a test")
def messages(settled, publication):
    {body}
"""


def written(folder: Path, body: str, name: str = "mine", positions: bool = False, file: str = "mine.py") -> Path:
    path = folder / file
    path.write_text(FILE.format(name=name, positions=positions, body=body), encoding="utf-8")
    return path


def file_of(name: str) -> Path:
    loaded = source_of(name)
    assert loaded
    return loaded.file


def refused(path: Path | str) -> str:
    """Why a file cannot be loaded, and that it left nothing behind."""
    before = dict(SYSTEMS), dict(CUSTOM), dict(LOADED), set(sys.modules)
    with pytest.raises(BadInput) as caught:
        load_systems([path])
    assert (SYSTEMS, CUSTOM, LOADED, set(sys.modules)) == before
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300
    return str(caught.value)


@settings(max_examples=150)
@given(cases())
def test_examples_reach_every_subscriber_once_and_cost_what_they_say(case: Case) -> None:
    assert load_systems([EXAMPLES / "backbone.py", EXAMPLES / "tree_steps.py"]) == ["backbone", "tree-steps"]
    settled, others = case.settled, set(case.subscribers) - {case.publisher}
    found = route(settled, "tree-steps", case.publisher, case.subscribers)
    assert found.count == route(settled, "shen", case.publisher, case.subscribers).count
    assert set(found.hops) == others
    reached = [settled.ring[goal] for _, goal, _ in found.messages]
    assert len(reached) == len(set(reached))
    found = route(settled, "backbone", case.publisher, case.subscribers)
    degree = {v: sum(v in (u, p) for u, p in enumerate(case.parent) if p >= 0) for v in range(case.n)}
    assert found.count == len({case.publisher, *(v for v in degree if degree[v] > 1)})
    assert set(found.hops) == others


@settings(max_examples=50)
@given(cases())
def test_the_pseudo_code_as_printed_can_be_loaded(case: Case) -> None:
    names = load_systems(EXAMPLES / "as_printed.py")
    assert names == list(READINGS)
    others = set(case.subscribers) - {case.publisher}
    counts = {name: route(case.settled, name, case.publisher, others).count for name in names}
    assert counts["corrected"] == route(case.settled, "psvr", case.publisher, others).count
    assert max(counts.values()) <= MOST_MESSAGES


def test_the_page_shows_the_example_as_it_is() -> None:
    page, text = (EXAMPLES.parent.parent / "docs" / "own-system.md").read_text(), ""
    for file in ("tree_steps.py", "backbone.py"):
        text += (EXAMPLES / file).read_text()
    shown = re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.M)
    parts = [part for block in shown for part in re.split(r"\n\n(?=    [@df])", block) if "def " in part]
    assert len(parts) == 5
    for part in parts:
        assert re.sub(r"^    ", "", part.strip("\n"), flags=re.M) in text, part


def test_the_same_content_again_is_harmless(tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    path = written(tmp_path, "return []")
    copy = written(tmp_path / "copies", "return []", file="another.py")
    assert load_systems([path, path, copy]) == load_systems(str(path)) == ["mine"]
    copy.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_systems([copy]) == ["mine"]
    assert list(SYSTEMS)[8:] == ["mine"] and file_of("mine") == path.resolve()


def test_an_edited_file_takes_the_place_of_what_it_was(tmp_path: Path) -> None:
    settled = drawn(0, 5, 6, 0).settled
    assert load_systems([written(tmp_path, "return []"), written(tmp_path, "return []", "other", file="o.py")])
    assert route(settled, "mine", 1, [4]).count == 0
    assert load_systems([written(tmp_path, "return [(1, 4)]", "yours")]) == ["yours"]
    assert list(SYSTEMS)[8:] == ["other", "yours"] and route(settled, "yours", 1, [4]).count == 1


def test_another_file_with_a_name_that_exists(tmp_path: Path) -> None:
    path, other = written(tmp_path, "return []"), written(tmp_path, "return [(1, 4)]", file="other.py")
    load_systems([path])
    assert refused(other) == f"{other}: mine exists, from {path.resolve()}; give it another name"
    assert load_systems([other], replace=True) == ["mine"]
    assert file_of("mine") == other.resolve()
    assert route(drawn(0, 5, 6, 0).settled, "mine", 1, [4]).messages == [(1, 4)]


@pytest.mark.parametrize("name", ["psvr", "td"])
def test_names_of_built_in_systems(name: str, tmp_path: Path) -> None:
    assert re.search(rf"mine\.py, line 4: .*\"{name}\" exists", refused(written(tmp_path, "return []", name)))
    (tmp_path / "rules.py").write_text(
        "from psvr.protocol.systems import custom_rule\n"
        f"@custom_rule({name!r}, like='psvr')\ndef forward(me, now, pub, out): pass\n"
    )
    assert "name" in refused(tmp_path / "rules.py")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def (:", "broken.py, line 1: invalid syntax"),
        ("x = 1\nif x:\n  y = 2\n z = 3", "broken.py, line 4: unindent does not match"),
        ("x = 1\n\ny = x / 0", "broken.py, line 3: ZeroDivisionError: division by zero"),
        ("def f():\n    return {}['key']\nf()", "broken.py, line 2: KeyError: 'key'"),
        ("import no_such_module", "broken.py, line 1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("from psvr.routing.systems import system\nsystem('mine')(print)", "broken.py, line 2: TypeError: "),
        ("raise SystemExit(3)", "broken.py, line 1: SystemExit: 3"),
        ("raise ValueError('a\\n  b' * 200)", "broken.py, line 1: ValueError: a b"),
        ("x = '\0'", "broken.py"),
        ("", "broken.py: there is no system in it"),
        ("x = 1", "broken.py: there is no system in it"),
    ],
)
def test_files_with_an_error(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(text)
    assert said in refused(tmp_path / "broken.py")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("@custom_rule('x', like='td')\ndef forward(me, now, pub, out): pass", "like must be one of psvr, vr2015"),
        ("@custom_rule('x', like='psvr')\ndef onward(me, now, pub, out): pass", "called forward, detour, write_sub"),
        ("@custom_rule('x', like='psvr')\ndef forward(me, pub, out): pass", "must be forward(me, now, pub, out)"),
        ("@custom_rule('x', like='psvr')\ndef forward(me, now, pub, out): yield 1", "must mark a function"),
        ("@custom_rule('x', like='psvr')\nclass forward: pass", "must mark a function"),
        ("@custom_rule('x', like='flood')\ndef hear_sub(me, now, sub, out): pass", "hear_sub cannot be replaced"),
        (
            "@custom_rule('x', like='shen')\ndef clean(me, now): pass\n"
            "@custom_rule('x', like='psvr')\ndef clean(me, now): pass",
            "x is like shen",
        ),
        ("for i in range(2):\n    @custom_rule('x', like='shen')\n    def clean(me, now): pass", "x already has"),
        ("@custom_rule('a b', like='psvr')\ndef forward(me, now, pub, out): pass", "letters, digits"),
        ("@custom_rule(3, like='psvr')\ndef forward(me, now, pub, out): pass", "name"),
    ],
)
def test_rules_with_an_error(rule: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(f"from psvr.protocol.systems import custom_rule\n{rule}\n")
    assert said in refused(tmp_path / "rules.py")
    assert "x" not in known()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "nowhere.py")
    assert "directory" in refused(tmp_path)
    assert "not the name of a file" in refused("a\0b.py")
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'")
    assert "not UTF-8 text (byte 5)" in refused(tmp_path / "latin.py")


@pytest.mark.parametrize(
    ("name", "positions", "said"),
    [
        ("two words", True, "letters, digits"),
        ("psvr/mine", True, "letters, digits"),
        ("", True, "letters, digits"),
        ("mine", 1, "positions True or False"),
    ],
)
def test_names_and_kinds_that_are_refused(name: str, positions: bool, said: str, tmp_path: Path) -> None:
    assert said in refused(written(tmp_path, "return []", name, positions))


# drawn(0, 5, 6, 0) has the links 3-4 1-4 1-2 0-2 0-4 2-4; publisher 1, subscribers 0 and 4
NONSENSE = [
    ("return None", "must return a list of messages, not null"),
    ("return ((1, 4),)", "must return a list of messages, not a list of 1"),
    ("return [(1, 4), (4, 0, 2)]", "message 1: must be a tuple (from, to), not a list of 3"),
    ("return [[1, 4]]", "message 0: must be a tuple (from, to), not [1, 4]"),
    ("return [(1, 5)]", "message 0: to: must be a node from 0 to 4, not 5"),
    ("return [(-1, 4)]", "message 0: from: must be a node from 0 to 4, not -1"),
    ("return [(1, 4.0)]", "message 0: to: must be a node from 0 to 4, not 4.0"),
    ("return [(1, 0)]", "message 0: nodes 1 and 0 are not linked"),
    ("return [(1, 1)]", "message 0: nodes 1 and 1 are not linked"),
    ("return [(4, 0)]", "message 0: node 4 sends a publication that it has not received"),
    ("return [(1, 4), (2, 0)]", "message 1: node 2 sends a publication that it has not received"),
    ("return 1 / 0", "mine.py, line 6: ZeroDivisionError: division by zero"),
    ("return settled.positions(9)", "line 6: node: must be a whole number from 0 to 4, not 9"),
]


@pytest.mark.parametrize(("body", "said"), NONSENSE)
def test_nonsense(body: str, said: str, tmp_path: Path) -> None:
    path = written(tmp_path, body)
    load_systems([path])
    with pytest.raises(BadInput) as caught:
        route(drawn(0, 5, 6, 0).settled, "mine", 1, [0, 4])
    assert str(caught.value).startswith("system mine") and said.removeprefix("mine.py") in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return [(0, 1)]", "must be a tuple (from, to, end point), not [0, 1]"),
        ("return [(0, 1, 8)]", "end point: must be a position from 0 to 7, not 8"),
        ("return [(0, 99, 0)]", "to: must be a position from 0 to 7, not 99"),
    ],
)
def test_nonsense_in_positions(body: str, said: str, tmp_path: Path) -> None:
    load_systems([written(tmp_path, body, positions=True)])
    with pytest.raises(BadInput, match=re.escape(f"system mine: message 0: {said}")):
        route(drawn(0, 5, 6, 0).settled, "mine", 1, [0, 4])


@pytest.mark.parametrize("count", ["-1", "None", "1 / 0", "2.5"])
def test_counts_that_are_none(count: str, tmp_path: Path) -> None:
    path = written(tmp_path, "return []")
    path.write_text(path.read_text().replace('"of a test"', f'"", count=lambda settled, messages: {count}'))
    load_systems([path])
    with pytest.raises(BadInput, match="system mine"):
        route(drawn(0, 5, 6, 0).settled, "mine", 1, [0, 4])


def test_numbers_of_numpy_are_whole_numbers(tmp_path: Path) -> None:
    load_systems([written(tmp_path, "return list(zip(settled.tree.neighbours(0)[:0], [0]))")])
    assert route(drawn(0, 5, 6, 0).settled, "mine", 1, [4]).messages == []
    load_systems([written(tmp_path, "return [(publication.publisher, publication.subscribers[-1])]")])
    found = route(drawn(0, 5, 6, 0).settled, "mine", 1, [4]).messages
    assert found == [(1, 4)] and type(found[0][1]) is int
