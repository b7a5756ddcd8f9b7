"""The steps from trials to rows.  Each is a function from DataFrame to DataFrame, chained by `.transform`:

plan(spark, trials).transform(remaining(done)).transform(cut(1.0)).transform(simulate(work))
"""

from collections.abc import Callable

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from .work import Work, tasks_to_rows

Step = Callable[[DataFrame], DataFrame]


def plan(spark: SparkSession, trials: pa.Table) -> DataFrame:
    """Return all trials, one row each."""
    return spark.createDataFrame(trials)


def remaining(done: DataFrame) -> Step:
    """Return trials with the systems under which they were not run yet; `done` has columns trial and system."""

    def step(trials: DataFrame) -> DataFrame:
        others = [c for c in trials.columns if c != "systems"]
        missing = (
            trials.select("trial", F.posexplode("systems").alias("place", "system"))
            .join(done.select("trial", "system").distinct(), ["trial", "system"], "left_anti")
            .groupBy("trial")
            .agg(F.array_sort(F.collect_list(F.struct("place", "system"))).alias("missing"))
        )
        return (
            trials.join(missing, "trial")
            .select(*others, F.col("missing.system").alias("systems"))
            .select(*trials.columns)
        )

    return step


def total_cost() -> Column:
    """Return the seconds that a trial takes under all of its systems."""
    return F.col("cost") * F.size("systems")


def cut(seconds: float) -> Step:
    """Return tasks of about this many seconds, the costly ones first: each row has the cost and the trials of a task.

    The last task to run is then short, so that no core waits long for another.
    """

    def step(trials: DataFrame) -> DataFrame:
        order = Window.orderBy(F.desc(total_cost()), F.col("trial"))
        before = F.sum(total_cost()).over(order.rowsBetween(Window.unboundedPreceding, -1))
        task = F.floor(F.coalesce(before, F.lit(0.0)) / seconds)
        return (
            trials.withColumn("task", task)
            .withColumn("place", F.row_number().over(order))
            .groupBy("task")
            .agg(
                F.sum(total_cost()).alias("seconds"),
                F.array_sort(F.collect_list(F.struct("place", *trials.columns))).alias("trials"),
            )
            .orderBy("task")
        )

    return step


def simulate(work: Work) -> Step:
    """Run the trials of every task: one row per trial and system."""

    def step(tasks: DataFrame) -> DataFrame:
        return tasks.select("trials").mapInArrow(tasks_to_rows(work), from_arrow_schema(work.answer))

    return step
