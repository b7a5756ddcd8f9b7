"""The studies that come with psvr: they load at every scale, lose no cell, and their claims answer from real rows."""

import math
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

from psvr.lab.kinds import kind
from psvr.lab.measure.measures import measure
from psvr.lab.report import claims
from psvr.lab.run.work import run_in_process
from psvr.lab.study import BUILT_IN, SCALES, available, load
from psvr.lab.study.trials import cells, trials
from tests.support.lab.planned_rows import publications_to_others, scenario_of_cell

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


def verdicts(spark: SparkSession, name: str, table: Any) -> dict[str, claims.Claim]:
    [study] = load([name])
    own = [column for grid in study.grids for column in kind(grid.kind, study.files).RESULTS.names]
    return {c.id: c for c in claims.check(study.claims, measure(spark.createDataFrame(table), own), name)}


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
def test_every_claim_has_an_answer(spark: SparkSession, rows: dict[str, Any], name: str) -> None:
    found = verdicts(spark, name, rows[name])
    assert {c.verdict for c in found.values()} <= {claims.HOLDS, claims.DIFFERS, claims.UNDECIDED}
    for claim in found.values():
        assert claim.value is not None, claim.id
        assert claim.low is None or claim.high is None or claim.low <= claim.high, claim.id


def test_claims_of_gain_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    """Far more messages of PSVR, then far fewer, and the answers turn."""

    def with_psvr(factor: float) -> dict[str, claims.Claim]:
        return verdicts(
            spark,
            "gain",
            altered(
                rows["gain"],
                "messages",
                lambda row: round(row["messages"] * (factor if row["system"].startswith("psvr") else 1)),
            ),
        )

    more, fewer = with_psvr(2.0), with_psvr(0.5)
    for claim in ("gain-td", "gain-td-nontree"):
        assert (more[claim].verdict, fewer[claim].verdict) == (claims.DIFFERS, claims.HOLDS)
    assert more["gain-all-subscribe"].verdict == claims.DIFFERS
    assert verdicts(spark, "gain", rows["gain"])["gain-all-subscribe"].verdict == claims.HOLDS


def test_claims_of_sensitivity_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    def with_psvr(factor: float) -> dict[str, claims.Claim]:
        """Every system but PSVR sends the same."""

        def sent(row: dict[str, Any]) -> int:
            return round(1000 * int(row["published"]) * (factor if row["system"].startswith("psvr") else 1))

        return verdicts(spark, "sensitivity", altered(rows["sensitivity"], "messages", sent))

    more, fewer = with_psvr(1.1), with_psvr(1.05)
    optimum = "sensitivity-optimum"  # is not about PSVR
    assert {c.verdict for name, c in more.items() if name != optimum} == {claims.DIFFERS}
    assert {c.verdict for c in fewer.values()} == {claims.HOLDS}
    assert more["sensitivity-alike"].value == pytest.approx(10) and fewer[optimum].value == 0


@pytest.mark.parametrize(
    ("claim", "cheaper"),
    [
        ("sensitivity-alike", lambda row: row["td_ties"] == row["ties"]),
        ("sensitivity-ties", lambda row: row["td_ties"] == "first"),
        ("sensitivity-td-ties", lambda row: row["ties"] == "first" and row["grid"] == "ties"),
        ("sensitivity-hub", lambda row: row["root"] == "hub"),
        ("sensitivity-publisher", lambda row: row["publisher"] == "subscriber"),
        ("sensitivity-random-tree", lambda row: row["tree"] == "random"),
        ("sensitivity-depth", lambda row: row["tree"] == "depth"),
        ("sensitivity-stack", lambda row: row["tree"] == "stack"),
    ],
)
def test_claims_of_sensitivity_are_about_their_choice(
    spark: SparkSession, rows: dict[str, Any], claim: str, cheaper: Any
) -> None:
    """PSVR is cheap with this choice, and expensive with any other."""

    def sent(row: dict[str, Any]) -> int:
        return round(1000 * int(row["published"]) * ((1.02 if cheaper(row) else 1.5) if "psvr" in row["system"] else 1))

    found = verdicts(spark, "sensitivity", altered(rows["sensitivity"], "messages", sent))
    assert found[claim].verdict == claims.HOLDS and found[claim].value == pytest.approx(2)
    assert found["sensitivity-order"].verdict == claims.DIFFERS


def test_claims_of_tables_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    def with_psvr(size: Any, control: float, messages: float, largest: int) -> dict[str, claims.Claim]:
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
        found = altered(found, "max_table_bytes_packed", lambda row: largest)
        return verdicts(spark, "tables", found)

    good = with_psvr(lambda n: 9, 0.9, 0.9, 44)
    bad = with_psvr(lambda n: 200 * n, 1e4, 1.1, 8 + 12 * 9)
    of_td = "tables-paths-td"
    assert {c.verdict for name, c in good.items() if name not in (of_td, "tables-control-td")} == {claims.HOLDS}
    assert good[of_td].verdict == claims.DIFFERS and bad[of_td].verdict == claims.HOLDS
    not_growing = {"tables-control-growth", of_td}  # control traffic is larger at every size alike
    assert {c.verdict for name, c in bad.items() if name not in not_growing} == {claims.DIFFERS}
    assert good["tables-formula"].value == 18 and bad["tables-formula"].value == 54


def test_claims_of_hops_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    def with_psvr(far: int) -> dict[str, claims.Claim]:
        """Every delivery of PSVR after so many hops, and of Shen after three and four."""

        def hops(row: dict[str, Any]) -> list[int]:
            taken = [3, 4] if row["system"].startswith("shen") else [far]
            return [row["delivered"] // len(taken) if h in taken else 0 for h in range(10)]

        table = altered(altered(rows["hops"], "hops", hops), "delivered", lambda row: row["delivered"] // 2 * 2)
        return verdicts(
            spark,
            "hops",
            altered(table, "hops_sum", lambda row: sum(h * number for h, number in enumerate(row["hops"]))),
        )

    assert {c.verdict for c in with_psvr(1).values()} == {claims.HOLDS}
    assert {c.verdict for c in with_psvr(9).values()} == {claims.DIFFERS}


def test_claims_of_range_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    def saving(share: Any) -> dict[str, claims.Claim]:
        """PSVR sends this share of what Shen does: 1,000 on every channel, a little more in the second trial."""

        def by_channel(row: dict[str, Any]) -> list[int]:
            part = share(row) if row["system"].startswith("psvr") else 1.0
            return [round((1000 + 10 * row["repetition"]) * part)] * 8

        table = altered(rows["range"], "messages_by_channel", by_channel)
        return verdicts(spark, "range", altered(table, "messages", lambda row: sum(row["messages_by_channel"])))

    def few(row: dict[str, Any]) -> bool:
        return bool(row["s"] != row["n"])

    good = saving(lambda row: 1 - 0.05 * row["degree"] if few(row) else 1.0)
    bad = saving(lambda row: 0.2 * row["degree"] if few(row) else 0.02 * row["degree"])
    assert {c.verdict for c in good.values()} == {claims.HOLDS}
    assert {c.verdict for c in bad.values()} == {claims.DIFFERS}


def test_claims_of_throughput_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    def delivering(psvr: float, shen: float) -> dict[str, claims.Claim]:
        return verdicts(
            spark,
            "throughput",
            altered(
                rows["throughput"],
                "delivered",
                lambda row: round(row["expected"] * (psvr if row["system"].startswith("psvr") else shen)),
            ),
        )

    same, worse, better = delivering(1, 1), delivering(0.8, 1), delivering(1, 0.8)
    for found in (same, worse, better):  # in all of them what PSVR delivers does not depend on its hosts
        assert found.pop("throughput-hosts-help").verdict == claims.DIFFERS
    assert {c.verdict for c in same.values()} == {claims.HOLDS}
    assert {c.verdict for c in worse.values()} == {claims.DIFFERS}
    assert better.pop("throughput-all").verdict == claims.HOLDS
    assert {c.verdict for c in better.values()} == {claims.DIFFERS}


def test_what_hosts_add_follows_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    def delivered(row: dict[str, Any]) -> int:
        return round(float(row["expected"]) * (0.7 if row["system"].endswith("/paper") else 0.9))

    found = verdicts(spark, "throughput", altered(rows["throughput"], "delivered", delivered))
    assert found["throughput-hosts-help"].verdict == claims.HOLDS
    assert found["throughput-hosts-help"].value == pytest.approx(20, abs=0.5)


def test_claims_of_churn_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    found = verdicts(spark, "churn", rows["churn"])
    assert found["churn-delivery"].verdict == found["churn-unsubscription"].verdict == claims.HOLDS

    def with_one(column: str, value: float) -> dict[str, claims.Claim]:
        """One trial of PSVR with another value."""
        first = next(r["trial"] for r in rows["churn"].to_pylist() if r["grid"] == "applications")

        def change(row: dict[str, Any]) -> Any:
            return value if row["trial"] == first and row["system"] == "psvr/all/paper" else row[column]

        return verdicts(spark, "churn", altered(rows["churn"], column, change))

    def of_jaeger(column: str, value: float) -> dict[str, claims.Claim]:
        """Every trial of Jaeger's brokers with another value."""
        return verdicts(
            spark,
            "churn",
            altered(rows["churn"], column, lambda row: value if row["system"] == "jaeger/paper" else row[column]),
        )

    assert found["churn-jaeger"].verdict == found["churn-related-delivery"].verdict == claims.HOLDS
    assert of_jaeger("stale_share", 1.01)["churn-jaeger"].verdict == claims.DIFFERS
    assert of_jaeger("stayed_missed_percent", 0.5)["churn-related-delivery"].verdict == claims.DIFFERS

    def cheaper(row: dict[str, Any]) -> int:
        return (100 if row["system"] == "diffusion/paper" else 1000) + int(row["repetition"])

    for column, name in (("sub_bytes", "churn-diffusion"), ("messages", "churn-diffusion-messages")):
        assert verdicts(spark, "churn", altered(rows["churn"], column, cheaper))[name].verdict == claims.DIFFERS
    assert with_one("stayed_missed_percent", 0.5)["churn-delivery"].verdict == claims.DIFFERS
    assert with_one("stale_share", 1.01)["churn-unsubscription"].verdict == claims.DIFFERS

    def subs(row: dict[str, Any]) -> int:
        return 1000 * (3 if row["churn"] == 60 else 1) + int(row["repetition"])

    def missed(row: dict[str, Any]) -> float:
        return (1.0 if row["system"] == "psvr/all" else 5.0) + 0.01 * float(row["repetition"])

    assert verdicts(spark, "churn", altered(rows["churn"], "sub_bytes", subs))["churn-subs"].verdict == claims.DIFFERS
    table = altered(rows["churn"], "stayed_missed_percent", missed)
    assert verdicts(spark, "churn", table)["churn-nodes"].verdict == claims.HOLDS


def test_claims_of_predecessor_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    """What one system has is given to both, so that nothing is saved any more; or one trial has another value."""

    def with_values(column: str, grid: str, system: str, value: Any) -> dict[str, claims.Claim]:
        def change(row: dict[str, Any]) -> Any:
            return value if (row["grid"], row["system"]) == (grid, f"{system}/all/paper") else row[column]

        return verdicts(spark, "predecessor", altered(rows["predecessor"], column, change))

    found = verdicts(spark, "predecessor", rows["predecessor"])
    held = ("tree", "range", "several-times", "once", "all-subscribers", "not-longer")
    assert {found[f"predecessor-{name}"].verdict for name in held} == {claims.HOLDS}
    for column, grid, system, value, name in (
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
    ):
        assert with_values(column, grid, system, value)[f"predecessor-{name}"].verdict == claims.DIFFERS, name
    assert with_values("missed_percent", "leaves", "vr2015-ring", 0.0)["predecessor-skips"].verdict == claims.HOLDS


def test_claims_of_stabilize_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    assert verdicts(spark, "stabilize", rows["stabilize"])["stabilize-theorem-1"].verdict == claims.HOLDS

    def with_one(column: str, value: Any) -> dict[str, claims.Claim]:
        """The same, but for the first trial of every system and grid."""
        changed = altered(rows["stabilize"], column, lambda row: value if row["n"] == 5 else row[column])
        return verdicts(spark, "stabilize", changed)

    for column in ("missed", "received_again"):
        found = with_one(column, 1)
        assert found["stabilize-theorem-1"].verdict == claims.DIFFERS
        assert found["stabilize-handed-over-once"].verdict == claims.HOLDS
    assert with_one("withheld", 1)["stabilize-handed-over-once"].verdict == claims.DIFFERS
    assert with_one("interlaced", 2)["stabilize-lemma-1"].verdict == claims.DIFFERS
    for column, value in (("share_of_bound", 1.1), ("not_healed", 1)):
        found = with_one(column, value)
        assert found["stabilize-legitimate"].verdict == found["stabilize-lossy"].verdict == claims.DIFFERS
        assert found["stabilize-jaeger"].verdict == found["stabilize-diffusion"].verdict == claims.DIFFERS
    for column in ("missed", "received_again"):
        assert with_one(column, 1)["stabilize-related-deliver"].verdict == claims.DIFFERS


def test_claims_of_testbed_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    def delivering(mean: float, per_node: float, busy: float, later: float, hosts: float) -> dict[str, claims.Claim]:
        """So much on average, less by so much for each node, in busy phases, after them, and more with our hosts."""

        def delivered(row: dict[str, Any]) -> int:
            share = mean - per_node * (float(row["n"]) - 10) + 0.001 * float(row["repetition"])
            return round(float(row["expected"]) * (share + (0 if row["system"].endswith("/paper") else hosts)))

        def by_time(row: dict[str, Any]) -> list[int]:
            return [round(1000 * (busy if 10 <= b <= 14 else later if b > 15 else mean)) for b in range(18)]

        table = altered(altered(rows["testbed"], "expected", lambda row: 10_000), "delivered", delivered)
        table = altered(table, "expected_by_time", lambda row: [1000] * 18)
        return verdicts(spark, "testbed", altered(table, "delivered_by_time", by_time))

    good, bad = delivering(0.86, 0.02, 0.6, 0.85, 0.1), delivering(0.95, -0.02, 0.96, 0.7, -0.1)
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


def test_claims_of_overhead_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    def taking(seconds: Any) -> dict[str, claims.Claim]:
        def micros(row: dict[str, Any]) -> int:
            return int(round(1e6 * seconds(row["n"])) + row["repetition"])

        table = altered(rows["overhead"], "recovery_us", lambda row: [micros(row)])
        return verdicts(spark, "overhead", altered(table, "stable_us", micros))

    assert {c.verdict for c in taking(lambda n: n**0.5).values()} == {claims.HOLDS}
    assert {c.verdict for c in taking(lambda n: n**2).values()} == {claims.DIFFERS}
    lost = altered(rows["overhead"], "recovery_us", lambda row: [round(1e6 * row["n"] ** 0.5), None])
    found = verdicts(spark, "overhead", lost)["overhead-addition"]
    assert found.verdict == claims.UNDECIDED and found.high == float("inf")


def test_claims_of_errata_follow_the_rows(spark: SparkSession, rows: dict[str, Any]) -> None:
    """As the page says: with any slip publications go wrong, with none of them none does; and the other way round."""
    found = verdicts(spark, "errata", rows["errata"])
    right = {"errata-each", "errata-corrected", "errata-same"}
    wrong = {"errata-once", "errata-publications-once", "errata-publications-end"}
    assert {c.id for c in found.values() if c.verdict == claims.HOLDS} == right
    assert {c.id for c in found.values() if c.verdict == claims.DIFFERS} == wrong

    def slipping(row: dict[str, Any]) -> bool:
        return "printed" in row["system"]

    table = rows["errata"]
    for column in ("never_ends", "not_once", "unlike_psvr"):
        table = altered(table, column, lambda row: 0.0 if slipping(row) else 10.0)
    turned = verdicts(spark, "errata", table)
    assert {c.id for c in turned.values() if c.verdict == claims.HOLDS} == wrong
    assert {c.id for c in turned.values() if c.verdict == claims.DIFFERS} == right


def test_one_harmless_slip_would_be_noticed(spark: SparkSession, rows: dict[str, Any]) -> None:
    table = altered(rows["errata"], "not_once", lambda row: 0.0 if "everywhere" in row["system"] else row["not_once"])
    assert verdicts(spark, "errata", table)["errata-each"].verdict == claims.DIFFERS
