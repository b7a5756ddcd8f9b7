"""The studies that come with psvr: they load at every scale, lose no cell, and their claims answer from real rows."""

import math
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession

from psvr.lab.report import claims
from psvr.lab.run.work import run_in_process
from psvr.lab.study import BUILT_IN, SCALES, Study, available, load
from psvr.lab.study.trials import cells, trials
from tests.support.lab.planned_rows import publications_to_others, scenario_of_cell
from tests.support.lab.together import measured

PAPER = ["gain", "throughput", "hops", "range", "testbed", "overhead", "tables"]  # what `make demo` runs
STUDIES = [*PAPER, "sensitivity", "stabilize", "churn", "predecessor"]
# As few trials as every claim can do with, and memory of the size that other tests have compiled.
TINY = {
    "gain": (
        "repetitions=3",
        "main.n=[50, 60]",
        "main.p=[0.3, 0.5]",
        "main.s=[1, 2, 5, 10, 15, 'all']",
        "limit.n=50",
        "limit.p=0.4",
        "publications=40",
        "optimum.n=20",
        "optimum.s=[1, 2]",
    ),
    "sensitivity": (
        "repetitions=3",
        "n=30",
        "p=0.3",
        "publications=40",
        "subscribers.s=[10, 20]",
        "optimum.s=2",
        "stack.n=100",
        "tree.n=100",
        "c_n=8",
    ),
    "hops": ("repetitions=2", "n=30", "degree=8", "full.c_n=8", "wireless.n=8", "wireless.degree=6"),
    "range": ("repetitions=2", "n=20", "degree=[6, 9]", "more.s='all'", "c_n=8", "wireless.n=10"),
    "throughput": (
        "repetitions=2",
        "n=20",
        "main.degree=8",
        "loss=[0.0, 0.2]",
        "c_n=8",
        "wireless.n=12",
        "wireless.s=5",
        "wireless.degree=8",
    ),
    "testbed": (
        "repetitions=2",
        "n=[10, 12]",
        "length=20",
        "width=4",
        "short.duration=960",
        "long.n=6",
        "long.duration=10800",
    ),
    "overhead": (
        "repetitions=2",
        "size.n=[12, 20]",
        "density.n=20",
        "density.degree=8",
        "subscribers.n=20",
        "subscribers.s=[1, 'all']",
        "churn.n=20",
        "line.n=[6, 12]",
        "c_n=8",
        "wireless.n=8",
        "wireless.degree=6",
        "wireless.s=2",
    ),
    "churn": (
        "repetitions=2",
        "n=12",
        "s=3",
        "applications.churn=[0.0, 60.0]",
        "related.churn=[0.0, 60.0]",
        "restarts=2.0",
        "lease=4.0",
        "write_back=[2, 3]",
        "loss=0.0",
    ),
    "stabilize": (
        "repetitions=1",
        "topology=['geometric', 'line']",
        "n=[5, 10]",
        "corrupted=1.0",
        "memory.memory=['bytes', 'foreign']",
    ),
    "predecessor": ("repetitions=3", "n=20", "joins.s=[0, 10]", "sets.channels=2"),
    "tables": ("repetitions=2", "settled.n=[20, 30]", "control.n=[12, 20]", "sets=2", "publishers=5"),
    "healing": (
        "repetitions=2",
        "topology=['ring', 'line']",
        "main.loss=[0.0, 0.1]",
        "kinds.memory='foreign'",
        "largest=12",
    ),
    "errata": ("repetitions=2", "n=[10, 20]", "s=[2, 5]"),
}


@pytest.fixture(scope="module")
def rows() -> dict[str, pd.DataFrame]:
    """The rows of every study at its smallest size."""
    found = {}
    for name, sets in TINY.items():
        [study] = load([name], "quick", [s.replace("'", '"') for s in sets])
        found[name] = run_in_process(study)
    return found


class Asking:
    """Asks the claims of studies about tables of rows; those of one test are measured together."""

    def __init__(self, spark: SparkSession, rows: dict[str, Any]) -> None:
        self.spark, self.rows = spark, rows
        self.as_run: dict[str, dict[str, claims.Claim]] = {}

    def frames(self, study: Study, tables: Sequence[Any]) -> list[DataFrame]:
        found = measured(self.spark, [study], {str(place): table for place, table in enumerate(tables)})
        return [self.spark.createDataFrame(found[str(place)]) for place in range(len(tables))]

    def all(self, name: str, *tables: Any) -> list[dict[str, claims.Claim]]:
        """Return all claims of a study, for each of these tables."""
        [study] = load([name])
        return [{c.id: c for c in claims.check(study.claims, f, name)} for f in self.frames(study, tables)]

    def one(self, name: str, *asked: tuple[str, Any]) -> list[str]:
        """Return for each of these claims its verdict about the table beside it."""
        [study] = load([name])
        listed = {claim["id"]: claim for claim in study.claims}
        frames = self.frames(study, [table for _, table in asked])
        return [claims.check([listed[id]], frame, name)[0].verdict for (id, _), frame in zip(asked, frames)]

    def unchanged(self, name: str) -> dict[str, claims.Claim]:
        """Return all claims of a study about its rows as they are."""
        if name not in self.as_run:
            [self.as_run[name]] = self.all(name, self.rows[name])
        return self.as_run[name]


@pytest.fixture(scope="module")
def asking(spark: SparkSession, rows: dict[str, Any]) -> Asking:
    return Asking(spark, rows)


def altered(table: Any, column: str, change: Any) -> Any:
    """The same rows with other numbers in one column; `change` has the row and gives the number."""
    rows = table.to_pylist()
    return type(table).from_pylist([{**row, column: change(row)} for row in rows], schema=table.schema)


def test_all_are_there() -> None:
    assert {*STUDIES, "errata", "healing", "paper"} == set(available())
    assert [s.name for s in load(["paper"])] == PAPER


@pytest.mark.parametrize("scale", SCALES)
def test_every_cell_has_trials_of_its_own(scale: str) -> None:
    """Also where two grids have the same parameters."""
    for study in load(STUDIES, scale, ["repetitions=1"]):
        found = cells(study)
        every = list(trials(found))
        assert Counter(trial["grid"] for trial in every) == Counter(cell.grid.name for cell in found)
        assert len({trial["trial"] for trial in every}) == len(every)


@pytest.mark.parametrize("scale", SCALES)
def test_every_simulated_trial_publishes_enough(scale: str) -> None:
    """As shipped: after the warmup, to others who have subscribed.  Where there is no traffic, trials publish."""
    for study in load(STUDIES, scale):
        for cell in cells(study):
            scenario = scenario_of_cell(study, cell)
            if scenario is not None and (scenario.traffic or cell.grid.kind == "simulated"):
                pairs = publications_to_others(scenario)
                assert pairs >= 200, f"{study.name}, grid {cell.grid.name}, {cell.parameters}: {pairs}"


def test_texts_are_complete() -> None:
    for study in load(STUDIES):
        assert all(len(text) > 100 for name, text in study.texts.items() if name != "What it means"), study.name
        assert study.title and study.claims
        assert study.figure or study.name in ("overhead", "tables", "churn", "stabilize", "predecessor")
        assert all(c["text"].endswith(".") and c["paper"] for c in study.claims)
    ids = [c["id"] for study in load(STUDIES) for c in study.claims]
    assert len(set(ids)) == len(ids)


def test_a_study_that_waits_for_a_part_has_no_trials(tmp_path: Path) -> None:
    folder = shutil.copytree(BUILT_IN / "testbed", tmp_path / "waiting")
    text = (folder / "study.toml").read_text("utf-8")
    (folder / "study.toml").write_text('needs = "a robot"\nfigure = ""\n' + text[text.index("[numbers]") :], "utf-8")
    [waiting] = load([str(folder)])
    assert waiting.needs == "a robot" and not waiting.grids
    assert {c.verdict for c in claims.missing(waiting.claims, "waiting")} == {claims.MISSING}


@pytest.mark.parametrize("name", TINY)
def test_every_claim_has_an_answer(asking: Asking, name: str) -> None:
    found = asking.unchanged(name)
    assert {c.verdict for c in found.values()} <= {claims.HOLDS, claims.DIFFERS, claims.UNDECIDED}
    for claim in found.values():
        assert claim.value is not None, claim.id
        assert claim.low is None or claim.high is None or claim.low <= claim.high, claim.id


def test_claims_of_gain_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    """Far more messages of PSVR, then far fewer, and the answers turn."""

    def with_psvr(factor: float) -> Any:
        return altered(
            rows["gain"],
            "messages",
            lambda row: round(row["messages"] * (factor if row["system"].startswith("psvr") else 1)),
        )

    more, fewer = asking.all("gain", with_psvr(2.0), with_psvr(0.5))
    for claim in ("gain-td", "gain-td-nontree"):
        assert (more[claim].verdict, fewer[claim].verdict) == (claims.DIFFERS, claims.HOLDS)
    assert more["gain-all-subscribe"].verdict == claims.DIFFERS
    assert asking.unchanged("gain")["gain-all-subscribe"].verdict == claims.HOLDS


def test_claims_of_sensitivity_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    def with_psvr(factor: float) -> Any:
        """Every system but PSVR sends the same."""

        def sent(row: dict[str, Any]) -> int:
            return round(1000 * int(row["published"]) * (factor if row["system"].startswith("psvr") else 1))

        return altered(rows["sensitivity"], "messages", sent)

    more, fewer = asking.all("sensitivity", with_psvr(1.1), with_psvr(1.05))
    optimum = "sensitivity-optimum"  # is not about PSVR
    assert {c.verdict for name, c in more.items() if name != optimum} == {claims.DIFFERS}
    assert {c.verdict for c in fewer.values()} == {claims.HOLDS}
    assert more["sensitivity-alike"].value == pytest.approx(10) and fewer[optimum].value == 0


CHEAPER: dict[str, Callable[[dict[str, Any]], bool]] = {
    "sensitivity-alike": lambda row: row["td_ties"] == row["ties"],
    "sensitivity-ties": lambda row: row["td_ties"] == "first",
    "sensitivity-td-ties": lambda row: row["ties"] == "first" and row["grid"] == "ties",
    "sensitivity-hub": lambda row: row["root"] == "hub",
    "sensitivity-publisher": lambda row: row["publisher"] == "subscriber",
    "sensitivity-random-tree": lambda row: row["tree"] == "random",
    "sensitivity-depth": lambda row: row["tree"] == "depth",
    "sensitivity-stack": lambda row: row["tree"] == "stack",
}


@pytest.fixture(scope="module")
def cheap_choices(asking: Asking, rows: dict[str, Any]) -> dict[str, dict[str, claims.Claim]]:
    """All claims, for each choice with which PSVR is cheap, while it is expensive with any other."""

    def with_cheap(cheaper: Callable[[dict[str, Any]], bool]) -> Any:
        def sent(row: dict[str, Any]) -> int:
            psvr = 1.02 if cheaper(row) else 1.5
            return round(1000 * int(row["published"]) * (psvr if "psvr" in row["system"] else 1))

        return altered(rows["sensitivity"], "messages", sent)

    return dict(zip(CHEAPER, asking.all("sensitivity", *map(with_cheap, CHEAPER.values()))))


@pytest.mark.parametrize("claim", CHEAPER)
def test_claims_of_sensitivity_are_about_their_choice(
    cheap_choices: dict[str, dict[str, claims.Claim]], claim: str
) -> None:
    found = cheap_choices[claim]
    assert found[claim].verdict == claims.HOLDS and found[claim].value == pytest.approx(2)
    assert found["sensitivity-order"].verdict == claims.DIFFERS


def test_claims_of_tables_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    def with_psvr(size: Any, control: float, messages: float, largest: int) -> Any:
        """Tables of 10 bytes for one tree and 100 for T_D, 1,000 bytes and messages for all but PSVR."""

        def table(row: dict[str, Any]) -> float | None:
            if row["table"] is None:
                return None
            return float(size(row["n"]) if row["system"] == "psvr/all" else 100 if row["system"] == "td" else 10)

        def factor(row: dict[str, Any], psvr: float) -> float:
            return psvr if row["system"] == "psvr/all" else 1.0

        found = altered(rows["tables"], "table", table)
        for column, psvr in (("hello_bytes", control), ("sub_bytes", control), ("messages", messages)):
            found = altered(found, column, lambda row, psvr=psvr: round(1e6 * (row["nodes"] + 1) * factor(row, psvr)))
        return altered(found, "max_table_bytes_packed", lambda row: largest)

    good, bad = asking.all(
        "tables", with_psvr(lambda n: 9, 0.9, 0.9, 44), with_psvr(lambda n: 200 * n, 1e4, 1.1, 8 + 12 * 9)
    )
    of_td = "tables-paths-td"
    assert {c.verdict for name, c in good.items() if name not in (of_td, "tables-control-td")} == {claims.HOLDS}
    assert good[of_td].verdict == claims.DIFFERS and bad[of_td].verdict == claims.HOLDS
    not_growing = {"tables-control-growth", of_td}  # control traffic is larger at every size alike
    assert {c.verdict for name, c in bad.items() if name not in not_growing} == {claims.DIFFERS}
    assert good["tables-formula"].value == 18 and bad["tables-formula"].value == 54


def test_claims_of_hops_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    def with_psvr(far: int) -> Any:
        """Every delivery of PSVR after so many hops, and of Shen after three and four."""

        def hops(row: dict[str, Any]) -> list[int]:
            taken = [3, 4] if row["system"].startswith("shen") else [far]
            return [row["delivered"] // len(taken) if h in taken else 0 for h in range(10)]

        table = altered(altered(rows["hops"], "hops", hops), "delivered", lambda row: row["delivered"] // 2 * 2)
        return altered(table, "hops_sum", lambda row: sum(h * number for h, number in enumerate(row["hops"])))

    near, far = asking.all("hops", with_psvr(1), with_psvr(9))
    assert {c.verdict for c in near.values()} == {claims.HOLDS}
    assert {c.verdict for c in far.values()} == {claims.DIFFERS}


def test_claims_of_range_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    def saving(share: Any) -> Any:
        """PSVR sends this share of what Shen does: 1,000 on every channel, a little more in the second trial."""

        def by_channel(row: dict[str, Any]) -> list[int]:
            part = share(row) if row["system"].startswith("psvr") else 1.0
            return [round((1000 + 10 * row["repetition"]) * part)] * 8

        table = altered(rows["range"], "messages_by_channel", by_channel)
        return altered(table, "messages", lambda row: sum(row["messages_by_channel"]))

    def few(row: dict[str, Any]) -> bool:
        return bool(row["s"] != row["n"])

    good, bad = asking.all(
        "range",
        saving(lambda row: 1 - 0.05 * row["degree"] if few(row) else 1.0),
        saving(lambda row: 0.2 * row["degree"] if few(row) else 0.02 * row["degree"]),
    )
    assert {c.verdict for c in good.values()} == {claims.HOLDS}
    assert {c.verdict for c in bad.values()} == {claims.DIFFERS}


def test_claims_of_throughput_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    def delivering(psvr: float, shen: float) -> Any:
        return altered(
            rows["throughput"],
            "delivered",
            lambda row: round(row["expected"] * (psvr if row["system"].startswith("psvr") else shen)),
        )

    same, worse, better = asking.all("throughput", delivering(1, 1), delivering(0.8, 1), delivering(1, 0.8))
    for found in (same, worse, better):  # in all of them what PSVR delivers does not depend on its hosts
        assert found.pop("throughput-hosts-help").verdict == claims.DIFFERS
    assert {c.verdict for c in same.values()} == {claims.HOLDS}
    assert {c.verdict for c in worse.values()} == {claims.DIFFERS}
    assert better.pop("throughput-all").verdict == claims.HOLDS
    assert {c.verdict for c in better.values()} == {claims.DIFFERS}


def test_what_hosts_add_follows_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    def delivered(row: dict[str, Any]) -> int:
        return round(float(row["expected"]) * (0.7 if row["system"].endswith("/paper") else 0.9))

    [found] = asking.all("throughput", altered(rows["throughput"], "delivered", delivered))
    assert found["throughput-hosts-help"].verdict == claims.HOLDS
    assert found["throughput-hosts-help"].value == pytest.approx(20, abs=0.5)


def test_claims_of_churn_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    table = rows["churn"]
    first = next(r["trial"] for r in table.to_pylist() if r["grid"] == "applications")

    def with_one(column: str, value: float) -> Any:
        """One trial of PSVR with another value."""

        def change(row: dict[str, Any]) -> Any:
            return value if row["trial"] == first and row["system"] == "psvr/all/paper" else row[column]

        return altered(table, column, change)

    def of_jaeger(column: str, value: float) -> Any:
        """Every trial of Jaeger's brokers with another value."""
        return altered(table, column, lambda row: value if row["system"] == "jaeger/paper" else row[column])

    def cheaper(row: dict[str, Any]) -> int:
        return (100 if row["system"] == "diffusion/paper" else 1000) + int(row["repetition"])

    def subs(row: dict[str, Any]) -> int:
        return 1000 * (3 if row["churn"] == 60 else 1) + int(row["repetition"])

    def missed(row: dict[str, Any]) -> float:
        return (1.0 if row["system"] == "psvr/all" else 5.0) + 0.01 * float(row["repetition"])

    found = asking.unchanged("churn")
    for name in ("delivery", "unsubscription", "jaeger", "related-delivery"):
        assert found[f"churn-{name}"].verdict == claims.HOLDS, name
    asked = (
        ("churn-nodes", altered(table, "stayed_missed_percent", missed)),
        ("churn-jaeger", of_jaeger("stale_share", 1.01)),
        ("churn-related-delivery", of_jaeger("stayed_missed_percent", 0.5)),
        ("churn-diffusion", altered(table, "sub_bytes", cheaper)),
        ("churn-diffusion-messages", altered(table, "messages", cheaper)),
        ("churn-delivery", with_one("stayed_missed_percent", 0.5)),
        ("churn-unsubscription", with_one("stale_share", 1.01)),
        ("churn-subs", altered(table, "sub_bytes", subs)),
    )
    assert asking.one("churn", *asked) == [claims.HOLDS] + [claims.DIFFERS] * 7


def test_claims_of_predecessor_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    """What one system has is given to both, so that nothing is saved any more; or one trial has another value."""

    def with_values(column: str, grid: str, system: str, value: Any) -> Any:
        def change(row: dict[str, Any]) -> Any:
            return value if (row["grid"], row["system"]) == (grid, f"{system}/all/paper") else row[column]

        return altered(rows["predecessor"], column, change)

    found = asking.unchanged("predecessor")
    for name in ("tree", "range", "several-times", "once", "all-subscribers", "not-longer"):
        assert found[f"predecessor-{name}"].verdict == claims.HOLDS, name
    changes: tuple[tuple[str, str, str, Any, str], ...] = (
        ("missed_percent", "leaves", "vr2015-ring", 0.0, "skips"),
        ("subs", "joins", "psvr", 38, "tree"),
        ("learnt_ms", "joins", "psvr", 1e4, "faster"),
        ("factor", "sets", "psvr", 1.5, "channels"),
        ("range_wrong", "joins", "psvr", 1, "range"),
        ("range_wrong", "joins", "vr2015-ring", 1, "range"),
        ("heard", "joins", "vr2015-ring", 1.0, "several-times"),
        ("heard_most", "joins", "psvr", 2, "once"),
        ("reached_percent", "joins", "psvr", 100.0, "all-subscribers"),
        ("longer_percent", "leaves", "vr2015-ring", 0.0, "longer"),
        ("longer_percent", "leaves", "psvr", 3.0, "not-longer"),
        ("missed_percent", "leaves", "vr2015-ring", 0.5, "skips"),
    )
    verdicts = asking.one("predecessor", *((f"predecessor-{c[-1]}", with_values(*c[:-1])) for c in changes))
    wanted = [claims.HOLDS] + [claims.DIFFERS] * (len(changes) - 1)
    assert list(zip(changes, verdicts)) == list(zip(changes, wanted))


def test_claims_of_stabilize_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    assert asking.unchanged("stabilize")["stabilize-theorem-1"].verdict == claims.HOLDS
    one_with = {
        "missed": 1,
        "received_again": 1,
        "withheld": 1,
        "interlaced": 2,
        "share_of_bound": 1.1,
        "not_healed": 1,
    }

    def with_one(column: str) -> Any:
        """The same, but for the first trial of every system and grid."""
        return altered(rows["stabilize"], column, lambda row: one_with[column] if row["n"] == 5 else row[column])

    found = dict(zip(one_with, asking.all("stabilize", *map(with_one, one_with))))
    for column in ("missed", "received_again"):
        assert found[column]["stabilize-theorem-1"].verdict == claims.DIFFERS
        assert found[column]["stabilize-handed-over-once"].verdict == claims.HOLDS
        assert found[column]["stabilize-related-deliver"].verdict == claims.DIFFERS
    assert found["withheld"]["stabilize-handed-over-once"].verdict == claims.DIFFERS
    assert found["interlaced"]["stabilize-lemma-1"].verdict == claims.DIFFERS
    for column in ("share_of_bound", "not_healed"):
        for name in ("legitimate", "lossy", "jaeger", "diffusion"):
            assert found[column][f"stabilize-{name}"].verdict == claims.DIFFERS, (column, name)


def test_claims_of_testbed_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    def delivering(mean: float, per_node: float, busy: float, later: float, hosts: float) -> Any:
        """So much on average, less by so much for each node, in busy phases, after them, and more with our hosts."""

        def delivered(row: dict[str, Any]) -> int:
            share = mean - per_node * (float(row["n"]) - 10) + 0.001 * float(row["repetition"])
            return round(float(row["expected"]) * (share + (0 if row["system"].endswith("/paper") else hosts)))

        def by_time(row: dict[str, Any]) -> list[int]:
            return [round(1000 * (busy if 10 <= b <= 14 else later if b > 15 else mean)) for b in range(18)]

        table = altered(altered(rows["testbed"], "expected", lambda row: 10_000), "delivered", delivered)
        table = altered(table, "expected_by_time", lambda row: [1000] * 18)
        return altered(table, "delivered_by_time", by_time)

    good, bad = asking.all("testbed", delivering(0.86, 0.02, 0.6, 0.85, 0.1), delivering(0.95, -0.02, 0.96, 0.7, -0.1))
    apart = "testbed-shen"  # is about Shen, who delivers as much here
    assert {name for name, claim in good.items() if claim.verdict != claims.HOLDS} == set()
    assert {name for name, claim in bad.items() if claim.verdict != claims.DIFFERS} == {apart}
    assert good["testbed-delivery"].value == pytest.approx(82.1, abs=0.1)
    assert good["testbed-nodes"].value == pytest.approx(-4 / math.log2(1.2), abs=0.1)
    assert good["testbed-falls"].value == pytest.approx(-26, abs=0.5)
    assert good["testbed-recovers"].value == pytest.approx(-1, abs=0.1)
    assert bad["testbed-falls"].value == pytest.approx(6, abs=0.1)
    assert bad["testbed-recovers"].value == pytest.approx(-25, abs=0.1)
    assert (good["testbed-full"].value or 0) > 0 > (bad["testbed-full"].value or 0)


def test_claims_of_overhead_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    def taking(seconds: Any) -> Any:
        def micros(row: dict[str, Any]) -> int:
            return int(round(1e6 * seconds(row["n"])) + row["repetition"])

        table = altered(rows["overhead"], "recovery_us", lambda row: [micros(row)])
        return altered(table, "stable_us", micros)

    lost = altered(rows["overhead"], "recovery_us", lambda row: [round(1e6 * row["n"] ** 0.5), None])
    root, square, some_lost = asking.all("overhead", taking(lambda n: n**0.5), taking(lambda n: n**2), lost)
    assert {c.verdict for c in root.values()} == {claims.HOLDS}
    assert {c.verdict for c in square.values()} == {claims.DIFFERS}
    found = some_lost["overhead-addition"]
    assert found.verdict == claims.UNDECIDED and found.high == float("inf")


def test_claims_of_errata_follow_the_rows(asking: Asking, rows: dict[str, Any]) -> None:
    """As the page says: with any slip publications go wrong, with none of them none does; and the other way round."""
    found = asking.unchanged("errata")
    right = {"errata-each", "errata-corrected", "errata-same"}
    wrong = {"errata-once", "errata-publications-once", "errata-publications-end"}
    assert {c.id for c in found.values() if c.verdict == claims.HOLDS} == right
    assert {c.id for c in found.values() if c.verdict == claims.DIFFERS} == wrong

    def slipping(row: dict[str, Any]) -> bool:
        return "printed" in row["system"]

    table = rows["errata"]
    for column in ("never_ends", "not_once", "unlike_psvr"):
        table = altered(table, column, lambda row: 0.0 if slipping(row) else 10.0)
    [turned] = asking.all("errata", table)
    assert {c.id for c in turned.values() if c.verdict == claims.HOLDS} == wrong
    assert {c.id for c in turned.values() if c.verdict == claims.DIFFERS} == right


def test_one_harmless_slip_would_be_noticed(asking: Asking, rows: dict[str, Any]) -> None:
    table = altered(rows["errata"], "not_once", lambda row: 0.0 if "everywhere" in row["system"] else row["not_once"])
    assert asking.one("errata", ("errata-each", table)) == [claims.DIFFERS]
