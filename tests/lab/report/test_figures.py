"""Figures: of every study, from any rows, the same bytes every time; and the messages for a bad figure.py."""

import functools
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import matplotlib
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from psvr.errors import BadInput
from psvr.lab import plots
from psvr.lab.report.figures import call_draw, draw_all, style
from psvr.lab.study import BUILT_IN, load
from tests.support.lab.measured import FRAMES, frame, ranges, row

NAMES = {
    "gain": ["density", "gain", "map", "messages"],
    "sensitivity": ["choices", "subscribers"],
    "hops": ["histogram", "mean", "wireless", "wireless-mean"],
    "range": ["boxes", "subscribers", "capped", "wireless", "related"],
    "throughput": ["wireless", "delivery"],
    "testbed": ["delivery", "hours"],
    "overhead": ["costs", "line", "wireless"],
    "tables": ["compromise"],
    "predecessor": ["subscribing", "sets", "leaving"],
    "healing": ["healing"],
    "errata": ["errata"],
}


def figures_of(study: str, measures: pd.DataFrame) -> dict[str, Figure]:
    """Drawn, not written: enough to see that nothing fails, and what is in them."""
    figures = call_draw(BUILT_IN / study / "figure.py", study, measures)
    for figure in figures.values():
        figure.draw_without_rendering()
    return figures


@functools.cache
def usual_figures(study: str) -> dict[str, Figure]:
    """Of all its measures; for tests that look at them and change nothing."""
    return figures_of(study, FRAMES[study]())


class Written:
    """The files of the figures of each study, of all its measures; for several tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.of = functools.cache(lambda study: draw_all(BUILT_IN / study, study, FRAMES[study](), folder / "figures"))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("written"))


def xs(line: Line2D) -> list[float]:
    points: Any = line.get_xdata()
    return list(points)


def ys(line: Line2D) -> list[float]:
    points: Any = line.get_ydata()
    return list(points)


def words_in(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_text()]


@pytest.mark.parametrize("study", FRAMES)
def test_what_is_drawn_here_has_the_grids_of_the_study(study: str) -> None:
    assert set(FRAMES[study]()["grid"]) <= {grid.name for grid in load([study])[0].grids}


@pytest.mark.parametrize("study", FRAMES)
def test_both_files_of_every_figure(study: str, written: Written) -> None:
    drawn = written.of(study)
    assert [d.name for d in drawn] == NAMES[study]
    for d in drawn:
        assert d.svg == written.folder / "figures" / f"{study}-{d.name}.svg" and d.png == d.svg.with_suffix(".png")
        assert d.png.read_bytes().startswith(b"\x89PNG") and d.caption.endswith(".")
        texts = [e.text for e in ElementTree.parse(d.svg).iter("{http://www.w3.org/2000/svg}text")]
        assert len(texts) > 10 and "no rows yet" not in texts


@pytest.mark.parametrize("study", FRAMES)
def test_nothing_is_cut_off(study: str) -> None:
    looked_at = 0
    for name, figure in usual_figures(study).items():
        for panel in figure.axes:
            if panel.has_data() and panel.get_yscale() == "linear" and len(panel.dataLim.get_points()):
                low, high = sorted(panel.dataLim.intervaly)
                least, most = sorted(panel.get_ylim())
                slack = 1e-6 * (1 + abs(high))
                assert least - slack <= low and high <= most + slack, (name, low, high)
                looked_at += 1
    assert looked_at > 0


@pytest.mark.parametrize("study", FRAMES)
def test_same_measures_same_bytes_in_any_order(study: str, written: Written, tmp_path: Path) -> None:
    shuffled = FRAMES[study]().sample(frac=1, random_state=3).reset_index(drop=True)
    again = draw_all(BUILT_IN / study, study, shuffled, tmp_path)
    for a, b in zip(written.of(study), again, strict=True):
        assert a.svg.read_bytes() == b.svg.read_bytes() and a.png.read_bytes() == b.png.read_bytes()


@pytest.mark.parametrize("study", FRAMES)
@pytest.mark.parametrize(
    "measures",
    [pd.DataFrame(), FRAMES["gain"]().iloc[:0], frame([row("other", 1.0, n=3)])],
    ids=["nothing", "columns only", "another measure"],
)
def test_no_rows_yet(study: str, measures: pd.DataFrame) -> None:
    figures = figures_of(study, measures)
    assert set(figures) == set(NAMES[study])
    for figure in figures.values():
        assert words_in(figure) == ["no rows yet"]


@pytest.mark.parametrize("study", FRAMES)
@pytest.mark.parametrize("seed", range(4))
def test_whatever_rows_are_missing(study: str, seed: int) -> None:
    """Cells, systems, whole grids, intervals: what is there is drawn."""
    measures, chance = FRAMES[study](), random.Random(seed)
    for column in ("system", "grid", "n", "measure"):
        present = plots.levels(measures, column)
        if len(present) > 1 and chance.random() < 0.4:
            measures = measures[measures[column] != chance.choice(present)]
    measures = measures.sample(frac=chance.choice([0.02, 0.2, 0.8]), random_state=seed).copy()
    measures.loc[measures.sample(frac=0.5, random_state=seed).index, ["low", "high", "p05", "p25"]] = None
    figures_of(study, measures)


@pytest.mark.parametrize("study", FRAMES)
def test_one_row_of_each_measure(study: str) -> None:
    figures_of(study, FRAMES[study]().drop_duplicates("measure"))


@pytest.mark.parametrize("study", FRAMES)
def test_a_custom_system_joins(study: str) -> None:
    measures = FRAMES[study]()
    own = measures[measures["system"] == "psvr/all"].assign(system="own$one")
    before, after = usual_figures(study), figures_of(study, pd.concat([measures, own]))
    for name in before:
        assert (r"own\$one" in words_in(after[name])) and (r"own\$one" not in words_in(before[name])), name


def test_a_system_looks_the_same_everywhere() -> None:
    looks = [plots.look(name) for name in plots.LOOKS]
    assert len({x.colour for x in looks}) == len({x.marker for x in looks}) == len(looks)
    assert plots.look("psvr") == plots.look("psvr/all") and plots.look("mine") == plots.look("mine")
    assert plots.in_order(["zebra", "shen", "psvr/all", "ant"]) == ["psvr/all", "shen", "ant", "zebra"]


def test_savings_are_gains_of_the_other_sign() -> None:
    cell: dict[str, Any] = {"grid": "main", "n": 50, "degree": 8.0, "s": 1, "system": "psvr/all", "against": "shen"}
    [axes] = figures_of("range", frame([row("subscription_gain", -20.0, 1.0, 10.0, **cell)]))["boxes"].axes
    [mean] = [line for line in axes.lines if line.get_marker() == "o"]
    [box] = axes.patches
    assert ys(mean) == [20.0] and isinstance(box, Rectangle)
    assert (box.get_y(), box.get_y() + box.get_height()) == pytest.approx((12.0, 27.0))  # gains from -27 to -12
    assert "messages saved against Shen" in axes.get_ylabel() and "fewer" in axes.get_ylabel()


def test_the_bound_stands_only_where_the_paper_states_it() -> None:
    figure = figures_of("gain", FRAMES["gain"]())["gain"]
    for i, axes in enumerate(figure.axes):
        lines = [line for line in axes.lines if str(line.get_label()).startswith("paper")]
        assert len(lines) == (i < 3)  # T_D and n = 20, 50, 100; not n = 200, not T_S
        assert all(xs(line)[0] == 10 and set(ys(line)) == {8.0} for line in lines)


def test_what_is_above_the_bound_is_framed() -> None:
    one = {"grid": "main", "p": 0.1, "s": 10, "system": "psvr/all", "against": "td"}
    cells: list[dict[str, Any]] = [{**one, "n": n} for n in (50, 100, 200)]
    figure = figures_of("gain", frame([row("gain", v, **c) for v, c in zip((7.9, 8.1, 30.0), cells)]))["map"]
    [axes] = figure.axes
    assert [(p.get_x(), p.get_width()) for p in axes.patches if isinstance(p, Rectangle)] == [(1.05, 0.9)]
    assert len(axes.patches) == 1


def costs_in(measures: pd.DataFrame, row_of_panels: int, column: int) -> dict[str, list[float]]:
    """The x of all points in a panel of `overhead`, by the label of their line, or x for the crosses."""
    axes = figures_of("overhead", measures)["costs"].axes[4 * row_of_panels + column]
    found: dict[str, list[float]] = {}
    for line in axes.lines:
        found.setdefault("x" if line.get_marker() == "x" else str(line.get_label()), []).extend(xs(line))
    return found


def test_a_time_that_not_all_trials_have_is_marked_and_not_averaged() -> None:
    measures = FRAMES["overhead"]()
    known, all_of_them = [20, 50, 100], [20, 50, 100, 200]
    assert costs_in(measures, 2, 0) == {"x": [200, 200], "PSVR (all)": known, "Shen": known}
    settled = measures[measures["measure"] != "never_stable"]
    assert costs_in(settled, 2, 0) == {"PSVR (all)": all_of_them, "Shen": all_of_them}


def test_a_recovery_that_not_all_trials_had_is_marked() -> None:
    _, after = figures_of("overhead", FRAMES["overhead"]())["line"].axes
    found = {line.get_marker() if line.get_marker() == "x" else line.get_label(): xs(line) for line in after.lines}
    assert found == {"x": [200], "PSVR (all)": [10, 20, 50, 100, 200], "Shen": [10, 20, 50, 100]}


def test_there_is_no_time_to_settle_while_subscriptions_change() -> None:
    measures = FRAMES["overhead"]()
    assert costs_in(measures, 2, 3) == {} and len(costs_in(measures, 0, 3)) == 2


def test_tables_are_shown_of_those_that_have_them() -> None:
    for column in range(4):
        assert list(costs_in(FRAMES["overhead"](), 1, column)) == ["PSVR (all)"]


def test_means_carry_the_letters_of_the_paper() -> None:
    words = words_in(figures_of("hops", FRAMES["hops"]())["histogram"])
    assert "P 5.8" in words and "S 7.9" in words


def test_all_panels_reach_the_longest_route_that_can_be_seen() -> None:
    """Panels share the axis: the last one drawn, here the densest, has the shortest routes."""
    measures = FRAMES["hops"]()
    routes = measures["measure"] == "routes"
    measures = measures[~routes | (measures["degree"] * measures["bin"] < 90)]
    long = row("routes", 0.1, grid="full", n=50, degree=6.0, system="shen", bin=40)  # too rare to be seen
    *_, last = figures_of("hops", pd.concat([measures, frame([long])]))["histogram"].axes
    assert last.get_xlim() == (0.5, 14.5)  # 16 neighbours have at most 5 hops here, 6 neighbours 14


def test_wide_intervals_do_not_flatten_a_histogram() -> None:
    cell: dict[str, Any] = {"grid": "wireless", "n": 50, "degree": 12.0, "system": "shen"}
    rows = [row("routes", 20.0, half=70.0, bin=hops, **cell) for hops in range(1, 6)]
    [panel] = figures_of("hops", frame(rows))["wireless"].axes
    assert 20 < panel.get_ylim()[1] < 30


def test_short_routes_are_marked_and_counted() -> None:
    cell: dict[str, Any] = {"grid": "wireless", "n": 50, "degree": 12.0}
    shares = {"psvr/all/paper": (10, 20, 30, 40), "shen/paper": (5, 5, 5, 85), "shen": (0, 0, 1, 99)}
    rows = [
        row("routes", share, system=system, bin=hops, **cell)
        for system, all_of_them in shares.items()
        for hops, share in enumerate(all_of_them, 1)
    ]
    above, below = figures_of("hops", frame(rows))["wireless"].axes
    said = [[text.get_text() for text in panel.texts] for panel in (above, below)]
    assert said == [["P 60 % short", "S 15 % short"], ["S 1 % short"]]  # hosts of the paper, then ours
    assert above.patches[0].get_extents().transformed(above.transData.inverted()).intervalx == pytest.approx([0.5, 3.5])


BAD = {
    "draw = (": "line 1: SyntaxError",
    "import nowhere_at_all": "line 1: ModuleNotFoundError: No module named 'nowhere_at_all'",
    "def draw(m):\n    return m['nothing']": "line 2: KeyError: 'nothing'",
    "def draw(m):\n    raise ValueError('two\\nlines')": "line 2: ValueError: two lines",
    "": "draw(measures)",
    "draw = 3": "draw(measures)",
    "def draw(m): return [1]": "draw(measures)",
    "def draw(m): return {'a': 1}": "draw(measures)",
    "from psvr.lab import plots\ndef draw(m): return {'../a': plots.nothing()}": "name of a figure",
    "from psvr.lab import plots\ndef draw(m): return {3: plots.nothing()}": "name of a figure",
    "from psvr.lab import plots\n"
    "def draw(m):\n    f = plots.nothing()\n    f.text(0, 0, '$x_{$')\n    return {'a': f}": "ValueError: x_{",
}


@pytest.mark.parametrize("code", BAD)
def test_bad_figure_files(code: str, tmp_path: Path) -> None:
    (tmp_path / "figure.py").write_text(code)
    with pytest.raises(BadInput) as caught:
        draw_all(tmp_path, "mine", pd.DataFrame(), tmp_path / "out")
    text = str(caught.value)
    assert text.startswith(str(tmp_path / "figure.py")) and BAD[code] in text and "\n" not in text


def test_a_study_without_figures(tmp_path: Path) -> None:
    assert draw_all(tmp_path, "mine", pd.DataFrame(), tmp_path / "out") == []


def test_a_figure_file_cannot_spoil_the_measures(tmp_path: Path) -> None:
    (tmp_path / "figure.py").write_text("def draw(m):\n    m['value'] = 0\n    return {}")
    measures = ranges()
    draw_all(tmp_path, "mine", measures, tmp_path / "out")
    assert (measures["value"] != 0).any()


PYPLOT = """
import matplotlib.pyplot as plt
def draw(measures):
    figure, axes = plt.subplots()
    axes.plot([1, 2], [3, 4])
    return {"mine": figure}
"""


def test_pyplot_draws_for_files_whatever_the_environment_says_and_is_closed(tmp_path: Path) -> None:
    (tmp_path / "figure.py").write_text(PYPLOT)
    code = f"""
import pandas as pd
from pathlib import Path
from psvr.lab.report.figures import draw_all
print(draw_all(Path({str(tmp_path)!r}), "mine", pd.DataFrame(), Path({str(tmp_path)!r}))[0].png.stat().st_size > 1000)
import matplotlib.pyplot as plt
print(plt.get_backend().lower(), plt.get_fignums())
"""
    environment = {k: v for k, v in os.environ.items() if k != "DISPLAY"} | {"MPLBACKEND": "svg"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.split() == ["True", "agg", "[]"], done.stderr


def test_settings_of_the_caller_are_left_alone(tmp_path: Path) -> None:
    mine: Any = {"font.size": 17.0, "axes.titleweight": "bold"}  # our style sets the one, not the other
    with matplotlib.rc_context(mine):
        draw_all(BUILT_IN / "range", "range", ranges(), tmp_path / "a")
        assert {name: matplotlib.rcParams[name] for name in mine} == mine
    draw_all(BUILT_IN / "range", "range", ranges(), tmp_path / "b")
    assert (tmp_path / "a/range-boxes.png").read_bytes() == (tmp_path / "b/range-boxes.png").read_bytes()
    assert style()["svg.fonttype"] == "none"


def test_rows_are_chosen_by_their_columns() -> None:
    measures = frame(
        [
            row("gain", 1.0, n=5, system="a"),
            row("gain", 2.0, n=6, system="b"),
            row("hops", 3.0, n=5),
            row("gain", float("nan"), n=5),
        ]
    )
    assert list(plots.choose(measures, "gain")["value"]) == [1.0, 2.0]
    assert list(plots.choose(measures, "gain", n=5)["value"]) == [1.0]
    assert list(plots.choose(measures, "gain", system={"b", "c"})["value"]) == [2.0]
    assert plots.choose(measures, "gain", degree=8).empty
    assert plots.levels(measures, "n") == [5, 6] and plots.levels(measures, "degree") == []


def test_few_of_many() -> None:
    assert plots.spread([1, 2, 3], 4) == [1, 2, 3]
    assert plots.spread(list(range(10)), 4) == [0, 3, 6, 9]
    assert plots.nearest([0.05, 0.1, 0.2], 0.12) == 0.1 and plots.nearest([0, 2], 1) == 0


def test_profiles_look_alike_but_hollow() -> None:
    ours, paper = plots.look("psvr/all"), plots.look("psvr/all/paper")
    assert (paper.colour, paper.marker, paper.letter) == (ours.colour, ours.marker, ours.letter)
    assert paper.hollow and not ours.hollow and paper.label == "PSVR (all), paper"
    assert not plots.look("shen/full").hollow and plots.look("shen/full").label == "Shen, full"
    assert plots.in_order(["shen/paper", "psvr/all/paper", "shen", "psvr/all"]) == [
        "psvr/all",
        "psvr/all/paper",
        "shen",
        "shen/paper",
    ]


def test_systems_are_compared_under_the_same_profile() -> None:
    pairs = [
        (system, against)
        for system in ("psvr/all", "psvr/all/paper")
        for against in ("shen", "shen/paper", "psvr/all", "psvr/all/paper")
        if system != against
    ]
    measures = pd.DataFrame(
        [
            {"grid": "main", "system": a, "against": b, "measure": "gain", "value": 1.0, "low": 0.0, "high": 2.0}
            for a, b in pairs
        ]
    )
    found = plots.versus(measures, "gain", "shen")
    assert sorted(zip(found["system"], found["against"])) == [("psvr/all", "shen"), ("psvr/all/paper", "shen/paper")]
    assert plots.versus(measures, "hops", "shen").empty
