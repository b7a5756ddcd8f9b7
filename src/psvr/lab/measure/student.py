"""Quantiles of Student's t distribution as columns of Spark, for the intervals of means of few values.

Up to `MAX_LISTED` degrees of freedom they come from the distribution itself, which for whole degrees is a finite sum;
beyond, from the expansion around the normal distribution, which is then exact to ten digits.
"""

import math
from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # so that studies can be read without loading Spark
    from pyspark.sql import Column

CONFIDENCE = 0.95
MAX_LISTED = 100


def central_probability(t: float, df: int) -> float:
    """Return the probability that a value lies between −t and t."""
    angle = math.atan(t / math.sqrt(df))
    cosine = math.cos(angle)
    term, total = (cosine, 0.0) if df % 2 else (1.0, 0.0)
    for k in range(2 + df % 2, df + 1, 2):
        total += term
        term *= cosine * cosine * (k - 1) / k
    return 2 / math.pi * (angle + math.sin(angle) * total) if df % 2 else math.sin(angle) * total


@cache
def exact_quantile(df: int, confidence: float = CONFIDENCE) -> float:
    """Return the t within which this share of all values lie, by bisection; rounded to be the same everywhere."""
    low, high = 0.0, 16.0
    while central_probability(high, df) < confidence:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if central_probability(middle, df) < confidence else (low, middle)
    return round(high, 12)


@cache
def expansion_terms(confidence: float = CONFIDENCE) -> tuple[float, ...]:
    """Return the expansion in 1/df (Fisher and Cornish): the normal quantile, then the coefficients of the powers."""
    z = round(NormalDist().inv_cdf((1 + confidence) / 2), 12)
    odd = [z**k for k in range(1, 10, 2)]
    rows = [(4, (1, 1)), (96, (3, 16, 5)), (384, (-15, 17, 19, 3)), (92160, (-945, -1920, 1482, 776, 79))]
    return z, *(sum(a * power for a, power in zip(row, odd)) / whole for whole, row in rows)


def expansion(df: Any, confidence: float = CONFIDENCE) -> Any:
    """Return the same for many degrees of freedom, which are a number or a column."""
    value: Any = 0.0
    for term in reversed(expansion_terms(confidence)):
        value = value / df + term
    return value


def quantile(df: int, confidence: float = CONFIDENCE) -> float:
    """Return the t within which this share of all values lie, for any degree of freedom."""
    return float(expansion(df, confidence)) if df > MAX_LISTED else exact_quantile(df, confidence)


def student(df: "Column") -> "Column":
    """Return the t within which `CONFIDENCE` of all values lie; null without a degree of freedom."""
    from pyspark.sql import functions as F

    listed = F.array(*[F.lit(exact_quantile(k)) for k in range(1, MAX_LISTED + 1)])
    return F.when(df > MAX_LISTED, expansion(df)).when(df >= 1, F.element_at(listed, df.cast("int")))
