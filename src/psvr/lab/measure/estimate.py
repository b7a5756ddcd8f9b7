"""From the numbers of all trials of a cell to a value, its confidence interval, and how trials differ.

A cell comes with the list `gathered`, the numbers of its trials in the order of their ids, and sums are made along it,
so that every sum of fractions has the same bits, however the rows were distributed.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from .formulas import DIFFERENCE, GAIN, QUANTILES, RATIO, SHARES
from .student import student

NUMBERS = ("numerator", "denominator", "other_numerator", "other_denominator")

TOTALS = "aggregate(gathered, named_struct({zero}), (sums, t) -> named_struct({plus}))".format(
    zero=", ".join(f"'all_{name}', 0D" for name in NUMBERS),
    plus=", ".join(f"'all_{name}', sums.all_{name} + t.{name}" for name in NUMBERS),
)
# The value of each form, from the ratio of one system or of two.
VALUE = {RATIO: "{first}", DIFFERENCE: "{first} - {other}", GAIN: "{first} / nullif({other}, 0) - 1"}
FIRST = "t.numerator / nullif(t.denominator, 0)"
OTHER = "t.other_numerator / nullif(t.other_denominator, 0)"
# By how much a trial pulls that value, to first order.
FIRST_PULL = "(t.numerator - first * t.denominator) / all_denominator"
OTHER_PULL = "(t.other_numerator - other * t.other_denominator) / all_other_denominator"
PULL = {
    RATIO: FIRST_PULL,
    DIFFERENCE: f"{FIRST_PULL} - {OTHER_PULL}",
    GAIN: f"({FIRST_PULL} - first / other * {OTHER_PULL}) / other",
}


def by_form(texts: dict[str, str], **parts: str) -> str:
    """Return an expression that depends on the form of a measure."""
    return "CASE form {} END".format(" ".join(f"WHEN '{f}' THEN {text.format(**parts)}" for f, text in texts.items()))


def with_value(cells: DataFrame) -> DataFrame:
    """Add the value: sums are divided, not quotients summed.  Where nothing can be divided there is no row."""
    totals = F.inline(F.array(F.expr(TOTALS)))  # a generator: otherwise sums are computed again wherever used
    return (
        cells.select("*", totals)
        .withColumn("first", F.expr("all_numerator / nullif(all_denominator, 0)"))
        .withColumn("other", F.expr("all_other_numerator / nullif(all_other_denominator, 0)"))
        .withColumn("value", F.expr(f"factor * ({by_form(VALUE, first='first', other='other')})"))
        .where("value IS NOT NULL")
    )


def with_interval(cells: DataFrame) -> DataFrame:
    """Add the interval by the delta method, from the variance of what each trial contributes."""
    pulls = by_form({form: f"transform(gathered, t -> {pull})" for form, pull in PULL.items()})
    squares = F.expr(f"aggregate({pulls}, 0D, (sum, pull) -> sum + pull * pull)")
    trials = F.size("gathered")
    variance = squares * trials / F.nullif(trials - 1, F.lit(0))
    return (
        cells.withColumn("margin", student(trials - 1) * F.col("factor") * F.sqrt(variance))
        .withColumn("low", F.col("value") - F.col("margin"))
        .withColumn("high", F.col("value") + F.col("margin"))
        .transform(clip_percentages)
        .withColumn("trials", trials.cast("long"))
    )


def clip_percentages(cells: DataFrame) -> DataFrame:
    """Clip the intervals of percentages: a share of all lies between 0 and 100 %."""
    share = F.col("measure").isin(*SHARES) & F.col("margin").isNotNull()
    return cells.withColumn("low", F.when(share, F.greatest("low", F.lit(0.0))).otherwise(F.col("low"))).withColumn(
        "high", F.when(share, F.least("high", F.lit(100.0))).otherwise(F.col("high"))
    )


def with_quantiles(cells: DataFrame) -> DataFrame:
    """Add quantiles over single trials, or over their units where they have any."""
    one = {form: text.format(first=FIRST, other=OTHER) for form, text in VALUE.items()}
    each = by_form(
        {
            RATIO: f"transform(gathered, t -> {one[RATIO]})",
            DIFFERENCE: f"transform(gathered, t -> {one[DIFFERENCE]})",
            GAIN: f"flatten(transform(gathered, t -> coalesce(t.units, array({one[GAIN]}))))",
        }
    )
    return cells.withColumn("each", F.expr(f"sort_array(filter({each}, x -> x IS NOT NULL))")).withColumns(
        {name: F.col("factor") * quantile(part) for name, part in {**QUANTILES, "least": 0.0, "most": 1.0}.items()}
    )


def quantile(part: float) -> Column:
    """Return a quantile of the sorted values, interpolated between the two nearest."""
    place = F.lit(part) * (F.size("each") - 1)
    below = F.floor(place)
    low, high = F.get("each", below.cast("int")), F.get("each", F.ceil(place).cast("int"))
    return low + (place - below) * (high - low)


def estimate(cells: DataFrame) -> DataFrame:
    """Return all estimates of gathered cells."""
    return cells.transform(with_value).transform(with_interval).transform(with_quantiles)
