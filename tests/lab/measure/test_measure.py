"""Measures against hand-made examples, and against formulas in plain Python."""

import math
import random
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from psvr.lab.columns import LISTS
from psvr.lab.measure.formulas import ESTIMATES, RESULTS
from psvr.lab.measure.measures import measure, parameters
from psvr.lab.measure.student import exact_quantile, student
from psvr.lab.spark.sessions import for_few_rows
from psvr.protocol.constants import REASONS
from tests.support.lab.naive_measures import naive, t95

FIRST = "trial string, grid string, kind string, repetition bigint, seed bigint"
NUMBER_COLUMNS = sorted(RESULTS - {*LISTS, "fingerprint"})
ALL = ", ".join(
    [
        FIRST,
        "n bigint",
        "p double",
        "system string",
        *[f"{name} bigint" for name in NUMBER_COLUMNS],
        *[f"{name} array<bigint>" for name in LISTS],
    ]
)


def rows_of(spark: SparkSession, schema: str, *rows: tuple[Any, ...]) -> DataFrame:
    """Rows of one cell: trial, system and these results."""
    full = f"{FIRST}, system string, {schema}"
    return spark.createDataFrame(
        [(f"t{trial}", "main", "settled", 0, 0, system, *results) for trial, system, *results in rows], full
    )


def psvr_and_td(spark: SparkSession, *trials: tuple[tuple[int, int], tuple[int, int]]) -> DataFrame:
    """Rows with messages and publications: of each trial those of PSVR, and those of T_D."""
    rows = [
        (number, system, *counts)
        for number, trial in enumerate(trials, 1)
        for system, counts in zip(("psvr/all", "td"), trial, strict=True)
    ]
    return rows_of(spark, "messages bigint, published bigint", *rows)


def found(measures: list[Row], name: str) -> list[Row]:
    return [row for row in measures if row["measure"] == name]


def only(measures: list[Row], name: str, **where: Any) -> Row:
    rows = [row for row in found(measures, name) if all(row[k] == v for k, v in where.items())]
    assert len(rows) == 1, rows
    return rows[0]


def test_gain_is_a_ratio_of_means_not_a_mean_of_ratios(spark: SparkSession) -> None:
    gain = only(measure(psvr_and_td(spark, ((10, 1), (10, 1)), ((30, 1), (20, 1)))).collect(), "gain")
    assert (gain["system"], gain["against"], gain["unit"], gain["trials"]) == ("psvr/all", "td", "%", 2)
    assert gain["value"] == pytest.approx(100 * 40 / 30 - 100)  # the mean of 0 % and 50 % would be 25 %
    assert (gain["least"], gain["p50"], gain["most"]) == pytest.approx((0, 25, 50))
    # Pulls on the ratio 4/3: (10 - 4/3 * 10) / 15 and (30 - 4/3 * 20) / 15, so ∓2/9; spread 2/9 * sqrt(2 / (1 * 2)).
    assert gain["high"] - gain["value"] == pytest.approx(100 * t95(1) * 2 / 9)
    assert gain["value"] - gain["low"] == pytest.approx(100 * t95(1) * 2 / 9)


def test_messages_are_per_publication(spark: SparkSession) -> None:
    measures = measure(psvr_and_td(spark, ((100, 10), (40, 5)), ((20, 10), (20, 5)))).collect()
    messages = {row["system"]: row["value"] for row in found(measures, "messages")}
    assert messages == {"psvr/all": 6.0, "td": 6.0}
    assert only(measures, "gain")["value"] == pytest.approx(0)
    assert only(measures, "gain")["most"] == pytest.approx(25)


def test_link_failures_are_those_of_one_reason(spark: SparkSession) -> None:
    dropped = [int(reason == "all tries on the link failed") for reason in REASONS]
    rows = rows_of(spark, "dropped array<bigint>, published bigint", (1, "shen", dropped, 10), (2, "shen", dropped, 30))
    assert only(measure(rows).collect(), "link_failures")["value"] == pytest.approx(1000 * 2 / 40)


def test_who_is_compared_with_whom(spark: SparkSession) -> None:
    systems = ("psvr/all", "psvr/nontree", "mine", "td", "ts", "steiner", "shen", "ring", "flood", "vr2015/all")
    rows = rows_of(spark, "messages bigint, published bigint", *[(1, system, 5, 1) for system in systems])
    pairs = {(row["system"], row["against"]) for row in found(measure(rows).collect(), "gain")}
    assert pairs == {(a, b) for a in ("psvr/all", "psvr/nontree", "mine") for b in systems if a != b}


def test_pairs_are_made_only_where_both_were_run(spark: SparkSession) -> None:
    rows = rows_of(
        spark,
        "messages bigint, published bigint",
        (1, "psvr/all", 10, 1),
        (1, "td", 5, 1),
        (2, "psvr/all", 99, 1),
        (3, "td", 77, 1),
        (4, "psvr/all", None, 1),
        (4, "td", 3, 1),
    )
    measures = measure(rows).collect()
    gain = only(measures, "gain")
    assert (gain["value"], gain["trials"], gain["low"], gain["high"]) == (100.0, 1, None, None)
    assert only(measures, "messages", system="psvr/all")["trials"] == 2
    assert only(measures, "messages", system="td")["trials"] == 3


def test_trials_without_a_denominator(spark: SparkSession) -> None:
    """They add nothing; where no trial has one, there is no row."""
    schema = "expected bigint, delivered bigint, hops_sum bigint"
    rows = rows_of(
        spark, schema, (1, "psvr/all", 4, 3, 6), (2, "psvr/all", 0, 0, 0), (1, "shen", 4, 0, 0), (2, "shen", 0, 0, 0)
    )
    measures = measure(rows).collect()
    ratio = only(measures, "delivery_ratio", system="psvr/all")
    assert (ratio["value"], ratio["trials"], ratio["least"], ratio["most"]) == (75.0, 2, 75.0, 75.0)
    assert [row["system"] for row in found(measures, "hops")] == ["psvr/all"]
    assert found(measures, "hops_difference") == []
    assert only(measures, "delivery_difference")["value"] == 75.0


def test_histograms_of_different_length(spark: SparkSession) -> None:
    """A trial without long routes counts as having none, not as unknown."""
    rows = rows_of(
        spark,
        "hops array<bigint>, delivered bigint",
        (1, "shen", [0, 2, 2], 4),
        (2, "shen", [0, 0, 0, 2, 4], 6),
        (3, "shen", None, 9),
        (4, "shen", [], 0),
    )
    measures = measure(rows).collect()
    assert {row["bin"]: row["value"] for row in found(measures, "routes")} == pytest.approx(
        {0: 0, 1: 20, 2: 20, 3: 20, 4: 40}
    )
    assert {row["trials"] for row in found(measures, "routes")} == {3}
    assert only(measures, "short_routes")["value"] == 60
    assert only(measures, "hops")["value"] == pytest.approx((2 + 4 + 6 + 16) / 10)  # where no sum was given


def test_never_stable_is_asked_of_simulated_trials_only(spark: SparkSession) -> None:
    rows = rows_of(
        spark,
        "stable_us bigint, simulated_us bigint",
        (1, "psvr/all", 8_000_000, 9),
        (2, "psvr/all", None, 9),
        (3, "psvr/all", None, None),
    )
    measures = measure(rows).collect()
    assert only(measures, "never_stable")["value"] == 50
    assert (only(measures, "stabilization")["value"], only(measures, "stabilization")["trials"]) == (8.0, 1)


def test_faults_without_recovery_are_counted(spark: SparkSession) -> None:
    rows = rows_of(
        spark,
        "recovery_us array<bigint>",
        (1, "psvr/all", [2_000_000, None]),
        (2, "psvr/all", [4_000_000]),
        (3, "psvr/all", []),
        (4, "psvr/all", None),
    )
    measures = measure(rows).collect()
    assert only(measures, "recovery")["value"] == 3.0
    assert only(measures, "never_recovered")["value"] == pytest.approx(100 / 3)


def test_the_interval_of_a_share_ends_at_none_and_all(spark: SparkSession) -> None:
    rows = rows_of(
        spark,
        "expected bigint, delivered bigint, messages bigint, published bigint",
        (1, "psvr/all", 10, 10, 9, 1),
        (2, "psvr/all", 10, 9, 1, 1),
    )
    measures = measure(rows).collect()
    assert (only(measures, "delivery_ratio")["low"], only(measures, "delivery_ratio")["high"]) == (
        pytest.approx(95 - 5 * t95(1)),
        100.0,
    )
    assert only(measures, "messages")["low"] == pytest.approx(5 - 4 * t95(1))  # no share, and left as it is
    [alone] = measure(rows.where("trial = 't1'")).where("measure = 'delivery_ratio'").collect()
    assert (alone["low"], alone["high"]) == (None, None)


def test_subscription_gain_has_quantiles_over_channels(spark: SparkSession) -> None:
    rows = rows_of(
        spark,
        "messages_by_channel array<bigint>",
        (1, "psvr/all", [10, 20, 7]),
        (1, "shen", [20, 20, 0]),
        (2, "psvr/all", [30, 5, None]),
        (2, "shen", [20, 10, 5]),
    )
    gain = only(measure(rows).collect(), "subscription_gain")
    assert gain["value"] == pytest.approx(100 * 72 / 70 - 100) and gain["trials"] == 2
    assert (gain["least"], gain["p25"], gain["p50"], gain["p75"], gain["most"]) == pytest.approx(
        (-50, -50, -25, 12.5, 50)
    )


def test_custom_results_become_means(spark: SparkSession) -> None:
    rows = rows_of(
        spark,
        "q bigint, energy double, note string",
        (1, "psvr/all", 1, 2.0, "a"),
        (2, "psvr/all", 1, 5.0, "b"),
        (3, "psvr/all", 2, 9.0, "c"),
    )
    assert parameters(rows, custom=("energy", "note")) == ["q"]
    measures = measure(rows, custom=("energy", "note")).collect()
    assert [(row["q"], row["value"], row["trials"]) for row in found(measures, "energy")] == [(1, 3.5, 2), (2, 9.0, 1)]
    assert {row["measure"] for row in measures} == {"energy"}


def test_a_parameter_may_have_the_name_of_a_measure(spark: SparkSession) -> None:
    rows = rows_of(
        spark,
        "degree double, gain bigint, nodes bigint, links bigint, messages bigint, published bigint",
        (1, "psvr/all", 8.0, 3, 10, 45, 10, 1),
        (1, "td", 8.0, 3, 10, 45, 5, 1),
    )
    measures = measure(rows).collect()
    assert {(row["degree"], row["gain"]) for row in measures} == {(8.0, 3)}
    assert (only(measures, "degree", system="td")["value"], only(measures, "gain")["value"]) == (9.0, 100.0)


def test_rows_without_any_result(spark: SparkSession) -> None:
    measures = measure(rows_of(spark, "q bigint", (1, "psvr/all", 1), (1, "td", 1)))
    assert measures.collect() == []
    assert measures.columns == ["grid", "q", "system", "against", "measure", "bin", "unit", *ESTIMATES]


def drawn(seed: int, trials: int) -> list[dict[str, Any]]:
    """Rows of two grids, in which everything that can be missing sometimes is."""
    rng = random.Random(seed)
    rows = []
    for t in range(trials):
        cell = {"grid": "main", "n": rng.choice([20, 50]), "p": 0.3} if t % 4 else {"grid": "other", "n": 20, "p": None}
        for system in rng.sample(["psvr/all", "psvr/nontree", "shen", "vr2015/all", "mine"], rng.choice([2, 5])):
            row = {
                "trial": f"{t * 7919 % 1000:016x}",
                "kind": "simulated",
                "repetition": t,
                "seed": t,
                **cell,
                "system": system,
                **{name: rng.randrange(10 ** rng.randrange(1, 7)) for name in NUMBER_COLUMNS},
                **{name: [rng.randrange(40) for _ in range(rng.randrange(7))] for name in LISTS},
            }
            row["dropped"] = [rng.randrange(40) for _ in REASONS]
            row["messages_by_channel"] = [rng.choice([None, *range(9)]) for _ in range(3)]
            row["recovery_us"] = [rng.choice([None, 5, 10**7]) for _ in range(rng.randrange(3))]
            for name in rng.sample([*NUMBER_COLUMNS, *LISTS], rng.choice([0, 0, 5])):
                row[name] = None
            rows.append(row)
    return rows


def names_of(schema: str) -> list[str]:
    return [part.split()[0] for part in schema.split(", ")]


@pytest.fixture(scope="module")
def many(spark: SparkSession) -> tuple[list[dict[str, Any]], list[Row]]:
    rows = drawn(seed=3, trials=44)
    frame = spark.createDataFrame([tuple(row.get(name) for name in names_of(ALL)) for row in rows], ALL)
    return rows, measure(frame).collect()


def test_fast_is_naive(many: tuple[list[dict[str, Any]], list[Row]]) -> None:
    rows, fast = many
    slow = naive(rows, ["n", "p"])
    keys = [tuple(row[name] for name in ("grid", "n", "p", "system", "against", "measure", "bin")) for row in fast]
    assert len(keys) == len(set(keys)) and set(keys) == set(slow)
    assert len({key[5] for key in keys}) == 35
    for key, row in zip(keys, fast):
        for name in ESTIMATES:
            one, other = row[name], slow[key][name]
            assert (one is None and other is None) or one == pytest.approx(other, rel=1e-9, abs=1e-9), (key, name)


def test_bits_do_not_depend_on_how_rows_are_spread(
    spark: SparkSession, many: tuple[list[dict[str, Any]], list[Row]]
) -> None:
    rows, before = many
    mixed = random.Random(5).sample(rows, len(rows))
    frame = spark.createDataFrame([tuple(row.get(name) for name in names_of(ALL)) for row in mixed], ALL)
    again = measure(frame.repartition(7)).collect()
    assert again == before  # value by value, bit by bit, in the same order
    assert measure(frame).rdd.getNumPartitions() == 1


def test_pairs_agree_with_singles(many: tuple[list[dict[str, Any]], list[Row]], spark: SparkSession) -> None:
    """Where both systems were run in all trials."""
    rng = random.Random(1)
    rows = rows_of(
        spark,
        "messages bigint, published bigint, hops_sum bigint, delivered bigint",
        *[(t, s, *(rng.randrange(1, 99) for _ in range(4))) for t in range(9) for s in ("psvr/all", "shen")],
    )
    measures = measure(rows).collect()
    value = {(row["measure"], row["system"]): row["value"] for row in measures}
    a, b = value["messages", "psvr/all"], value["messages", "shen"]
    assert value["gain", "psvr/all"] == pytest.approx(100 * a / b - 100)
    assert value["hops_difference", "psvr/all"] == pytest.approx(value["hops", "psvr/all"] - value["hops", "shen"])


def test_intervals_cover_the_truth(spark: SparkSession) -> None:
    """In 95 % of 3,000 cells of 12 trials each, within what chance allows: 4 standard errors are 1.6 points."""
    rng = np.random.default_rng(7)
    cells, trials = 3000, 12
    published = rng.integers(50, 150, (cells, trials))
    b = published * rng.gamma(40, 1 / 40, (cells, trials)) * 8
    a = b * 1.25 * rng.gamma(60, 1 / 60, (cells, trials))
    data = [
        (f"{t}", "main", "settled", 0, 0, c, system, round(1000 * m[c, t]), int(published[c, t]))
        for c in range(cells)
        for t in range(trials)
        for system, m in (("psvr/all", a), ("td", b))
    ]
    schema = f"{FIRST}, c bigint, system string, messages bigint, published bigint"
    measures = measure(spark.createDataFrame(data, schema)).where("measure = 'gain' OR system = 'td'")
    truth = "CASE measure WHEN 'gain' THEN 25 ELSE 8000 END"
    covered = {
        row["measure"]: row["share"]
        for row in measures.groupBy("measure")
        .agg(F.expr(f"avg(int(low <= {truth} AND {truth} <= high))").alias("share"))
        .collect()
    }
    assert set(covered) == {"gain", "messages"}
    for share in covered.values():
        assert abs(share - 0.95) < 0.016, covered


def test_student_for_every_degree_of_freedom(spark: SparkSession) -> None:
    assert exact_quantile(1) == pytest.approx(math.tan(0.475 * math.pi), abs=1e-11)
    assert exact_quantile(2) == pytest.approx(0.95 * math.sqrt(2 / (1 - 0.95**2)), abs=1e-11)
    assert exact_quantile(30) == pytest.approx(2.042272456301, abs=1e-11)  # as in printed tables, with more digits
    degrees = [*range(-1, 400), 500, 1000, 5000]
    frame = spark.createDataFrame([(df,) for df in degrees], "df int").select("df", student(F.col("df")))
    for df, t in frame.collect():
        assert t is None if df < 1 else abs(t - t95(df)) < 1e-9, df


def test_measures_of_few_rows_have_the_same_bits(spark: SparkSession) -> None:
    """Queries over few rows are not compiled, but come to the same."""
    rng = random.Random(3)
    trials = [((rng.randrange(50, 90), 7), (rng.randrange(40, 60), rng.randrange(3, 9))) for _ in range(9)]
    usual = measure(psvr_and_td(spark, *trials)).collect()
    with for_few_rows(spark) as few:
        plain = measure(psvr_and_td(few, *trials)).collect()
    assert SparkSession.getActiveSession() is spark
    assert usual == plain and len(usual) == 3
