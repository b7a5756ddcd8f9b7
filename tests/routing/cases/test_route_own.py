"""`psvr route --system FILE`."""

from pathlib import Path

from tests.support.route_running import changed, psvr, refused, route

EXAMPLES = Path(__file__).parents[3] / "examples" / "systems"
TREE_STEPS, BACKBONE = str(EXAMPLES / "tree_steps.py"), str(EXAMPLES / "backbone.py")
AS_PRINTED = str(EXAMPLES / "as_printed.py")


def test_it_stands_beside_the_others_and_is_told() -> None:
    printed = psvr("route", "--example", "large", "--system", TREE_STEPS)
    assert (printed.status, printed.err) == (0, "")
    assert "route of tree-steps: 6 messages" in printed.out
    assert "  tree-steps         6" in printed.out and "  steiner            5" in printed.out


def test_several_files_and_the_last_one_is_told() -> None:
    found = psvr("route", "--example", "large", "--system", TREE_STEPS, "--system", BACKBONE, "--json").json
    assert found["system"] == "backbone" and list(found["counts"])[8:] == ["tree-steps", "backbone"]
    found = psvr("route", "--example", "large", "--system", BACKBONE, "--system", "shen", "--json").json
    assert found["system"] == "shen" and found["counts"]["backbone"] == 6


def test_its_picture(tmp_path: Path) -> None:
    for file in (TREE_STEPS, BACKBONE):
        assert psvr("route", "--example", "large", "--system", file, "--svg", str(tmp_path / "x.svg")).status == 0
        assert (tmp_path / "x.svg").read_text().startswith("<svg")


def test_what_never_ends_is_cut_off_and_says_so() -> None:
    """The paper's pseudo-code as printed, on the paper's own line."""
    found = psvr(
        "route", "--example", "line", "--shortcuts", "nontree", "--system", AS_PRINTED, "--system", "corrected"
    )
    assert (found.status, found.err) == (0, "") and "route of corrected: 4 messages" in found.out
    printed = " ".join(found.out.split())
    assert "printed-curpos 1,000 4 Algorithm 2 with isBetween(nextS, curPos, newEp); cut off at 1,000" in printed


def test_what_is_refused(tmp_path: Path) -> None:
    refused(psvr("route", "--example", "large", "--system", str(tmp_path / "none.py")), "none.py: No such file")
    refused(psvr("route", "--example", "large", "--system", "mine"), "--system: must be one of psvr, vr2015", " mine")
    (tmp_path / "broken.py").write_text("x =")
    refused(route(tmp_path, changed(), "--system", str(tmp_path / "broken.py")), "broken.py, line 1: invalid syntax")
    (tmp_path / "rules.py").write_text(
        "from psvr.protocol.systems import custom_rule\n@custom_rule('live', like='psvr')\n"
        "def forward(me, now, pub, out): pass\n"
    )
    refused(route(tmp_path, changed(), "--system", str(tmp_path / "rules.py")), "rules.py: no settled routing in it")
    (tmp_path / "wrong.py").write_text(
        "from psvr.routing.systems import system\n"
        "@system('wrong', positions=True, text='')\n"
        "def f(settled, publication): return [(1, 2, 99)]\n"
    )
    refused(
        route(tmp_path, changed(), "--system", str(tmp_path / "wrong.py")),
        "system wrong: message 0: end point: must be a position from 0 to 9, not 99",
    )
