"""How far a mean of few values may be off: quantiles of Student's t distribution, as Spark needs them.

Up to `LISTED` degrees of freedom they come from the distribution itself, which for whole degrees is a finite sum;
beyond, from the expansion around the normal distribution, which is then exact to ten digits.
"""

import math
from functools import cache
from statistics import NormalDist

from pyspark.sql import Column
from pyspark.sql import functions as F

CONFIDENCE = 0.95
LISTED = 100


def inside(t: float, df: int) -> float:
    """The chance that a value lies between −t and t."""
    angle = math.atan(t / math.sqrt(df))
    cosine = math.cos(angle)
    term, total = (cosine, 0.0) if df % 2 else (1.0, 0.0)
    for k in range(2 + df % 2, df + 1, 2):
        total += term
        term *= cosine * cosine * (k - 1) / k
    return 2 / math.pi * (angle + math.sin(angle) * total) if df % 2 else math.sin(angle) * total


@cache
def exact(df: int) -> float:
    """The t within which `CONFIDENCE` of all values lie, by halving; rounded, so that it is the same everywhere."""
    low, high = 0.0, 16.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle, df) < CONFIDENCE else (low, middle)
    return round(high, 12)


@cache
def terms() -> tuple[float, ...]:
    """The expansion in 1/df (Fisher and Cornish): the normal quantile, then what its powers are multiplied by."""
    z = round(NormalDist().inv_cdf((1 + CONFIDENCE) / 2), 12)
    odd = [z ** k for k in range(1, 10, 2)]
    rows = [(4, (1, 1)), (96, (3, 16, 5)), (384, (-15, 17, 19, 3)), (92160, (-945, -1920, 1482, 776, 79))]
    return z, *(sum(a * power for a, power in zip(row, odd)) / whole for whole, row in rows)


def expanded(df: Column) -> Column:
    """The same for many degrees of freedom."""
    value = F.lit(0.0)
    for term in reversed(terms()):
        value = value / df + F.lit(term)
    return value


def student(df: Column) -> Column:
    """The t within which `CONFIDENCE` of all values lie; null without a degree of freedom."""
    listed = F.array(*[F.lit(exact(k)) for k in range(1, LISTED + 1)])
    return F.when(df > LISTED, expanded(df)).when(df >= 1, F.element_at(listed, df.cast("int")))
