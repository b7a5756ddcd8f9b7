"""From rows to measures: what the trials of a cell (a grid with its parameters) say about a system.

Each step is a function from DataFrame to DataFrame:

    rows -> singles         one row per trial and system: for each formula the numbers that are summed up over trials
    rows -> pairs           the same per trial and two systems
         -> gathered        one row per cell, systems and measure, with the numbers of all trials in one list
    rows -> routes          the same for the histogram of hops, which has a measure for every number of hops
    rows -> over_time       and for what was delivered in each ten minutes
         -> estimate        the value, its interval and quantiles
         -> in_order
"""

from collections.abc import Callable, Collection, Sequence
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import DoubleType, LongType, NumericType, StringType, StructField, StructType

from .estimate import NUMBERS, estimate
from .formulas import (
    BASELINES,
    ESTIMATES,
    IDENTITY,
    OVER_TIME,
    PAIRS,
    RESULTS,
    ROUTES,
    SINGLE,
    SUBSCRIPTIONS,
    SUM_OF_HOPS,
    Formula,
)

SIDES = ("system", "against")
OF_CELL = (*SIDES, "measure", "bin", "unit", *ESTIMATES)  # the columns of measures after those of their cell
NO_MEASURE = (
    "array<struct<measure string, unit string, form string, factor double, bin bigint, gathered array<struct<"
    + ", ".join(f"{name} double" for name in NUMBERS)
    + ", units array<double>>>>>"
)


def parameters(rows: DataFrame, custom: Collection[str] = ()) -> list[str]:
    """Return the columns that say what was varied; `custom` are the results of a custom kind of trial."""
    return [name for name in rows.columns if name not in IDENTITY and name not in RESULTS and name not in custom]


def measure(rows: DataFrame, custom: Collection[str] = ()) -> DataFrame:
    """Return all measures that the columns allow, sorted, in one partition; numbers in `custom` give their means."""
    cell = ["grid", *parameters(rows, custom)]
    rows = rows.transform(with_hops_sum)
    alone, compared = [*possible(SINGLE, rows), *custom_formulas(rows, custom)], possible([*PAIRS, SUBSCRIPTIONS], rows)
    cells = [rows.transform(singles, cell, alone).transform(gathered, cell, alone)]
    if compared:
        cells.append(rows.transform(pairs, cell, compared).transform(gathered, cell, compared))
    if possible([ROUTES], rows):
        cells.append(rows.transform(routes, cell))
    if possible([OVER_TIME], rows):
        cells.append(rows.transform(over_time, cell))
    return reduce(DataFrame.unionByName, cells).transform(estimate).transform(in_order, cell)


def columns_of_measures(rows: pa.Schema, custom: Collection[str] = ()) -> StructType:
    """Return the columns that the measures of such rows have."""
    found = from_arrow_schema(rows)
    cell = ["grid", *(name for name in rows.names if name not in (*IDENTITY, *RESULTS, *custom))]
    texts = [StructField(name, StringType()) for name in (*SIDES, "measure", "unit")]
    numbers = [StructField(name, LongType() if name == "trials" else DoubleType()) for name in ESTIMATES]
    fields = {field.name: field for field in (*texts, StructField("bin", LongType()), *numbers)}
    return StructType([*(found[name] for name in cell), *(fields[name] for name in OF_CELL)])


def in_order(estimates: DataFrame, cell: Sequence[str]) -> DataFrame:
    return estimates.select(*cell, *OF_CELL).repartition(1).sortWithinPartitions(*cell, "measure", *SIDES, "bin")


def with_hops_sum(rows: DataFrame) -> DataFrame:
    """Derive the sum of hops from their histogram where only that is known."""
    if "hops" not in rows.columns:
        return rows
    known = [F.col("hops_sum")] if "hops_sum" in rows.columns else []
    return rows.withColumn("hops_sum", F.coalesce(*known, F.expr(SUM_OF_HOPS)))


def possible(formulas: Sequence[Formula], rows: DataFrame) -> list[Formula]:
    """Return the formulas whose columns exist."""
    return [formula for formula in formulas if set(formula.needs) <= set(rows.columns)]


def custom_formulas(rows: DataFrame, custom: Collection[str]) -> list[Formula]:
    """Return formulas for the mean over trials of every number that only this study knows."""
    numeric = [f.name for f in rows.schema.fields if isinstance(f.dataType, NumericType)]
    return [
        Formula(name, "", 1, f"`{name}`", "1", (name,)) for name in numeric if name in custom and name not in RESULTS
    ]


def numbers(values: Sequence[Column], units: Column | None = None) -> Column:
    """Return what one trial contributes to a measure; null if any part of it is unknown."""
    known = reduce(Column.__and__, [value.isNotNull() for value in values])
    four = [*values, *[F.lit(None)] * (len(NUMBERS) - len(values))]
    each = [value.cast("double").alias(name) for name, value in zip(NUMBERS, four)]
    parts = F.lit(None) if units is None else units
    return F.when(known, F.struct(*each, parts.cast("array<double>").alias("units")))


def ratio(formula: Formula) -> list[Column]:
    return [F.expr(formula.numerator), F.expr(formula.denominator)]


def column(formula: Formula) -> str:
    """Return the temporary column for its numbers; a parameter may already have the name of the measure."""
    return f"measure {formula.measure}"


def singles(rows: DataFrame, cell: Sequence[str], formulas: Sequence[Formula]) -> DataFrame:
    """Return what trials say about one system."""
    return rows.select(
        *cell,
        "trial",
        "system",
        F.lit(None).cast("string").alias("against"),
        *[numbers(ratio(formula)).alias(column(formula)) for formula in formulas],
    )


def pairs(rows: DataFrame, cell: Sequence[str], formulas: Sequence[Formula]) -> DataFrame:
    """Return what trials say about two systems that were both run in them: a is PSVR or custom, b is any other."""
    sides = F.struct(
        "system",
        *[
            F.struct(*[value.alias(part) for value, part in zip(ratio(f), ("up", "down"))]).alias(f.measure)
            for f in formulas
        ],
    )
    others = ", ".join(f"'{name}'" for name in BASELINES)
    both = (
        rows.groupBy(*cell, "trial")
        .agg(F.collect_list(sides).alias("sides"))
        .select("*", F.explode("sides").alias("a"))
        .where(f"split_part(a.system, '/', 1) NOT IN ({others})")
        .select("*", F.explode("sides").alias("b"))
        .where("a.system != b.system")
    )
    return both.select(
        *cell,
        "trial",
        F.col("a.system").alias("system"),
        F.col("b.system").alias("against"),
        *[both_sides(formula).alias(column(formula)) for formula in formulas],
    )


def both_sides(formula: Formula) -> Column:
    up_a, down_a, up_b, down_b = [F.col(f"{side}.{formula.measure}.{part}") for side in "ab" for part in ("up", "down")]
    if formula is SUBSCRIPTIONS:
        return by_channel(up_a, up_b)
    return numbers([up_a, down_a, up_b, down_b])


def by_channel(a: Column, b: Column) -> Column:
    """Return the numbers with every channel as a unit; the value is that of all channels together."""
    both = F.filter(F.arrays_zip(a.alias("a"), b.alias("b")), lambda x: x["a"].isNotNull() & x["b"].isNotNull())

    def total(side: str) -> Column:
        return F.aggregate(both, F.lit(0).cast("long"), lambda sum, x: sum + x[side])

    return numbers(
        [total("a"), F.lit(1), total("b"), F.lit(1)],
        units=F.transform(both, lambda x: x["a"] / F.nullif(x["b"], F.lit(0)) - 1),
    )


def about(formula: Formula) -> list[Column]:
    """Return the properties of a formula as columns."""
    return [
        F.lit(formula.measure).alias("measure"),
        F.lit(formula.unit).alias("unit"),
        F.lit(formula.form).alias("form"),
        F.lit(float(formula.factor)).alias("factor"),
    ]


def gathered(trials: DataFrame, cell: Sequence[str], formulas: Sequence[Formula]) -> DataFrame:
    """Return one row per cell, systems and measure, with the numbers of its trials in the order of their ids."""
    listed = F.sort_array(F.collect_list(F.struct("trial", *[f"`{column(formula)}`" for formula in formulas])))
    each = [
        F.struct(
            *about(f),
            F.lit(None).cast("long").alias("bin"),
            F.expr(f"filter(listed.`{column(f)}`, t -> t IS NOT NULL)").alias("gathered"),
        )
        for f in formulas
    ]
    return (
        trials.groupBy(*cell, *SIDES)
        .agg(listed.alias("listed"))
        .select(*cell, *SIDES, F.inline(F.array(*each) if each else F.lit(None).cast(NO_MEASURE)))
    )


def routes(rows: DataFrame, cell: Sequence[str]) -> DataFrame:
    """Return gathered histograms of hops; a trial whose histogram ends early has 0 in the remaining bins."""
    return rows.transform(
        binned, cell, ROUTES, lambda t, bin: [F.coalesce(F.get(t["hops"], bin), F.lit(0)), t["delivered"]]
    )


def over_time(rows: DataFrame, cell: Sequence[str]) -> DataFrame:
    """Return how much was delivered of the publications of each time bin; one in which none was expected has no row."""
    return rows.transform(binned, cell, OVER_TIME, lambda t, bin: [F.get(t[name], bin) for name in OVER_TIME.needs])


def binned(
    rows: DataFrame, cell: Sequence[str], formula: Formula, of: Callable[[Column, Column], list[Column]]
) -> DataFrame:
    """Return the gathered numbers of every bin of a list; `of` gives what a trial contributes to a bin."""
    listed = F.sort_array(F.collect_list(F.struct("trial", *formula.needs)))
    longest = F.array_max(F.transform("listed", lambda t: F.size(t[formula.needs[0]])))
    trials = F.filter(
        F.transform("listed", lambda t: numbers(of(t, F.col("bin").cast("int")))), lambda t: t.isNotNull()
    )
    return (
        rows.where(" AND ".join(f"{name} IS NOT NULL" for name in formula.needs))
        .groupBy(*cell, "system")
        .agg(listed.alias("listed"))
        .withColumn("longest", longest)
        .withColumn("bin", F.explode(F.filter(F.sequence(F.lit(0), F.col("longest")), lambda h: h < F.col("longest"))))
        .select(
            *cell,
            "system",
            F.lit(None).cast("string").alias("against"),
            *about(formula),
            F.col("bin").cast("long").alias("bin"),
            trials.alias("gathered"),
        )
    )
