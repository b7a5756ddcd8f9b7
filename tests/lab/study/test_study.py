"""Studies as folders: what is read, what is refused, and which trials they are."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from psvr.errors import BadInput
from psvr.lab.run.work import run_in_process
from psvr.lab.study import Study, available, load
from psvr.lab.study.trials import cells, row_schema, trials
from tests.support.lab.small_study import STUDY, TRIAL, small_study


def one(folder: Path, study: str = STUDY, scale: str = "paper", sets: tuple[str, ...] = ()) -> Study:
    [found] = load([str(small_study(folder, study))], scale, sets)
    return found


def trial_list(study: Study) -> list[dict[str, Any]]:
    return list(trials(cells(study)))


def refused(folder: Path, study: str, *sets: str) -> str:
    with pytest.raises(BadInput) as caught:
        cells(one(folder, study, "quick", sets))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_study_is_read_with_its_texts(tmp_path: Path) -> None:
    study = one(tmp_path)
    assert (study.name, study.title, study.figure) == ("small", "A study for tests", "Fig. 0")
    assert study.texts == {
        "Question": "Does it work?",
        "Method": "By looking.",
        "The paper": "Says nothing.",
        "What it means": "",
    }
    assert study.grids[0].parameters == {"n": (5, 10, 20), "s": (1, 8)} and study.grids[0].repetitions == 4


def test_every_combination_that_is_possible_is_repeated(tmp_path: Path) -> None:
    trials = trial_list(one(tmp_path))
    assert [(t["n"], t["s"], t["repetition"]) for t in trials] == [
        (n, s, r) for n, s in ((5, 1), (10, 1), (10, 8), (20, 1), (20, 8)) for r in range(4)
    ]
    assert len({t["trial"] for t in trials}) == len({t["seed"] for t in trials}) == 20
    assert all(0 <= t["seed"] < 2**63 for t in trials)


def test_ids_are_the_same_in_every_process_and_scale(tmp_path: Path) -> None:
    paper = trial_list(one(tmp_path / "a"))
    quick = trial_list(one(tmp_path / "b", scale="quick"))
    assert {t["trial"] for t in quick} < {t["trial"] for t in paper}
    assert paper[0]["trial"] == "b10ae8192d9624ae"


def test_an_id_depends_on_all_that_decides_a_trial_and_on_nothing_else(tmp_path: Path) -> None:
    first = trial_list(one(tmp_path / "a"))[0]["trial"]
    longer = STUDY.replace("repetitions = 4", "repetitions = 9").replace('"td"]', '"td", "shen"]')
    assert trial_list(one(tmp_path / "b", longer))[0]["trial"] == first
    for changed in (
        STUDY.replace("s = [1, 8]", "s = [2, 8]"),
        STUDY.replace("s = [1, 8]", "s = [1, 8]\nx = 3"),
        STUDY.replace("[grid.main.quick]", "scenario = {duration = 3}\n[grid.main.quick]"),
    ):
        assert trial_list(one(tmp_path / str(len(changed)), changed))[0]["trial"] != first


def test_whole_floats_and_whole_numbers_are_the_same_trial(tmp_path: Path) -> None:
    whole = one(tmp_path / "a", STUDY.replace("s = [1, 8]", "s = [1, 2]"))
    mixed = one(tmp_path / "b", STUDY.replace("s = [1, 8]", "s = [1, 2.0]"))
    assert [t["trial"] for t in trial_list(whole)] == [t["trial"] for t in trial_list(mixed)]
    assert {type(t["s"]) for t in trial_list(mixed)} == {float}
    types = [row_schema(study, cells(study)).field("s").type for study in (whole, mixed)]
    assert types == [pa.int64(), pa.float64()]


@pytest.mark.parametrize(
    "text, repetitions, sizes",
    [("repetitions=7", 7, {5, 10, 20}), ("n=[20, 30]", 2, {20, 30}), ("main.n=20", 2, {20}), ("n = 40", 2, {40})],
)
def test_parameters_are_set_from_outside(tmp_path: Path, text: str, repetitions: int, sizes: set[int]) -> None:
    trials = trial_list(one(tmp_path, scale="quick", sets=(text,)))
    assert max(t["repetition"] for t in trials) == repetitions - 1 and {t["n"] for t in trials} == sizes


def test_policies_of_hosts_are_parameters_like_any_other() -> None:
    (study,) = load(["throughput"], "quick", ['host.profile=["full", "paper"]', "wireless.host.rounds=1"])
    assert all(grid.parameters["host_profile"] == ("full", "paper") for grid in study.grids if grid.scenario)
    assert {grid.name for grid in study.grids if "host_rounds" in grid.parameters} == {"wireless"}
    trials = trial_list(study)
    assert {t["host_profile"] for t in trials} == {"full", "paper"}
    wireless = next(grid for grid in study.grids if grid.name == "wireless")
    assert wireless.scenario is not None
    assert wireless.scenario["host"] == {"profile": "$host_profile", "rounds": "$host_rounds"}


def test_a_profile_set_from_outside_takes_the_place_of_those_of_the_systems(tmp_path: Path) -> None:
    text = """
[grid.main]
kind = "simulated"
systems = ["psvr/all", "psvr/all/paper", "shen/paper"]
[grid.main.scenario]
topology = {kind = "ring", n = 8}
"""
    names = ("psvr/all", "psvr/all/paper", "shen/paper")
    assert one(tmp_path / "a", text).grids[0].systems == names
    (grid,) = one(tmp_path / "b", text, sets=("host.profile=paper",)).grids
    assert grid.systems == ("psvr/all", "shen") and grid.parameters == {"host_profile": ("paper",)}
    assert one(tmp_path / "c", text, sets=("host.rounds=1",)).grids[0].systems == names


@pytest.mark.parametrize(
    "text, error_line",
    [("host.custdy=5", "did you mean custody?"), ("host.profile=best", "full, paper"), ("host.rounds=-1", "rounds")],
)
def test_a_policy_that_is_none_is_refused_before_anything_runs(text: str, error_line: str) -> None:
    with pytest.raises(BadInput) as caught:
        trial_list(load(["throughput"], "quick", [text])[0])
    assert error_line in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change, error_line",
    [
        (("[grid.main]", "[grid.main"), "not TOML"),
        (("figure =", "figur ="), "did you mean figure?"),
        (("repetitions = 2", "repetition = 2"), "did you mean repetitions?"),
        (("repetitions = 4", "repetitions = 0"), "repetitions must be a whole number"),
        (('kind = "own"', 'kind = "owl"'), "kind must be one of settled, simulated, stabilizing, own"),
        (('systems = ["psvr/all", "td"]', 'systems = "td"'), "systems must be a list"),
        (("n = [5, 10, 20]", "n = []"), "n: must be a number"),
        (("n = [5, 10, 20]", "n = [[5], 3]"), "n: must be a number"),
        (("s = [1, 8]", "s = [90]"), "no combination"),
        (("s = [1, 8]", "s = [1]\nx = [1, 'a']"), "x: all values must be of one kind"),
        (("s = [1, 8]", "s = [1]\nmessages = 3"), "is the name of a result"),
        (("s = [1, 8]", "s = [1]\nmost = 3"), "most: is the name of a column of the measures"),
        (('paper = "> 0 %"', ""), "claim: paper must be given"),
        (('id = "more"', 'id = "more"\nvalue = 3'), "unknown key"),
        (('id = "more"', 'id = "more"\nrole = "mine"'), "claim more: role must be one of paper, ours, calibration"),
        (('id = "more"', 'id = "more"\nfit = "curve"'), "claim more: fit must be one of line, power, tenfold"),
        (('id = "more"', 'id = "more"\nfit = 2'), "claim: fit must be given, as a text"),
        (
            ('id = "more"', 'id = "more"\nfit = "line"\nextreme = "lowest"'),
            "claim more: extreme and fit cannot both be given",
        ),
        (('id = "more"', 'id = "more"\nvariant_of = "moer"'), 'variant_of: "moer" is no claim of this study'),
        (("[[claim]]", STUDY[STUDY.index("[[claim]]") :] + "\n[[claim]]"), "claim more: two claims have this id"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, change: tuple[str, str], error_line: str) -> None:
    assert change[0] in STUDY
    with pytest.raises(BadInput) as caught:
        study = one(tmp_path, STUDY.replace(*change))
        row_schema(study, cells(study))
    assert error_line in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text, error_line",
    [
        ("m=3", "no grid has it"),
        ("repetitons=3", "did you mean repetitions?"),
        ("other.n=3", "no grid has it"),
        ("n", "must be KEY=VALUE"),
        ("=3", "must be KEY=VALUE"),
        ("n=[3", "must be a value as in TOML"),
    ],
)
def test_what_is_set_wrongly_is_said(tmp_path: Path, text: str, error_line: str) -> None:
    assert error_line in refused(tmp_path, STUDY, text)


def test_unknown_studies_and_scales_are_named(tmp_path: Path) -> None:
    for names, scale, error_line in (
        (["gian"], "quick", "did you mean gain?"),
        ([str(tmp_path)], "quick", "study.toml"),
        (["gain"], "slow", "quick, paper, huge"),
    ):
        with pytest.raises(BadInput, match=error_line.replace("?", r"\?")):
            load(names, scale)


def test_own_kinds_that_are_wrong_are_said(tmp_path: Path) -> None:
    for i, (text, error_line) in enumerate(
        [
            (TRIAL.replace("def cost", "def costs"), "must have cost"),
            ("import nothing_like_this", "line 1"),
            ("def broken(:", "SyntaxError"),
        ]
    ):
        folder = small_study(tmp_path / str(i), trial=text)
        with pytest.raises(BadInput, match=error_line):
            cells(load([str(folder)])[0])
    bare = small_study(tmp_path / "bare")
    (bare / "trial.py").unlink()
    with pytest.raises(BadInput, match=r"trial\.py"):
        cells(load([str(bare)])[0])


def test_a_study_of_studies_is_all_of_them_once() -> None:
    names = [study.name for study in load(["paper", "gain"])]
    assert names[0] == "gain" and len(names) == len(set(names)) and set(names) <= set(available())


@pytest.mark.parametrize(
    "studies, error_line", [("3", "a list of names"), ("[3]", "a list of names"), ("'gain'", "a list")]
)
def test_names_of_studies_that_are_none(tmp_path: Path, studies: str, error_line: str) -> None:
    folder = small_study(tmp_path, f"studies = {studies}")
    with pytest.raises(BadInput, match=rf"^{folder}/study\.toml: studies: must be {error_line}"):
        load([str(folder)])


def test_studies_that_name_each_other_are_refused(tmp_path: Path) -> None:
    one, other = (small_study(tmp_path, f"studies = ['{tmp_path}/{name}']", name=file) for file, name in ("ab", "ba"))
    with pytest.raises(BadInput, match=rf"^{one}/study\.toml: studies: must not lead back to itself$"):
        load([str(one)])
    with pytest.raises(BadInput, match="lead back to itself"):
        load([str(small_study(tmp_path, f"studies = ['gain', '{other}']", name="third"))])


def test_plain_runs_give_one_row_per_trial_and_system(tmp_path: Path) -> None:
    study = one(tmp_path, scale="quick")
    rows = run_in_process(study)
    assert rows.num_rows == 2 * 10 and set(rows.column("system").to_pylist()) == {"psvr/all", "td"}
    assert rows.equals(run_in_process(study))


@pytest.mark.parametrize("name", ["claims", "trace", "figures", "measures", "gain_measures"])
def test_names_that_stand_for_something_else_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=rf"/{name}: the folder of a study needs another name; claims, trace, .* queries$"
    ):
        load([str(small_study(tmp_path, name=name))])


@pytest.mark.parametrize("number", ["inf", "nan", "[1, -inf]"])
def test_parameters_are_finite(number: str, tmp_path: Path) -> None:
    said = refused(tmp_path, STUDY.replace("s = [1, 8]", f"s = {number}"))
    assert said.endswith("grid.main: s: must have finite numbers only")


def test_claims_of_two_studies_have_different_ids(tmp_path: Path) -> None:
    small_study(tmp_path, STUDY)
    (tmp_path / "small").rename(tmp_path / "other")
    small_study(tmp_path, STUDY)
    with pytest.raises(BadInput, match="claim more: studies small and other both have it"):
        load([str(tmp_path / "small"), str(tmp_path / "other")])
