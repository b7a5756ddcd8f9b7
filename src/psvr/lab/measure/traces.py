"""What traces show: publications, deliveries, load and changes of all their runs, simulated or real.

Each is a function from DataFrame to DataFrame, so that it can be applied to any part of a trace:

    read_trace(spark, "traces").where("time >= 60000000").transform(link_load)
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from psvr.lab.spark.paths import spark_path
from psvr.lab.traces.index import index
from psvr.lab.traces.lines import blocks
from psvr.lab.traces.reading import named
from psvr.results.figures import WINDOW
from psvr.trace import COLUMNS
from psvr.trace.line_files import PLAIN

CHECK_PAGES = "parquet.page.verify-checksum.enabled"
TYPES = {"int64": "bigint", "int32": "int", "string": "string"}
SCHEMA = ", ".join(f"`{name}` {TYPES[kind]}" for name, kind in COLUMNS.items())
PUBLICATION = ("run", "origin", "boot", "sequence")  # identifies a publication
PAIR = [*PUBLICATION, "node"]
COUNTED = {"messages": "sent", "receptions": "received", "deliveries": "delivered", "drops": "dropped"}
UNKNOWN = -(1 << 40)  # in the place of hops that are not known, before all others
DELIVERY = (
    "run",
    "clock",
    "published",
    "messages",
    "expected",
    "delivered",
    "duplicates",
    "hops",
    "hops_sum",
    "latency_us_sum",
    "latency_us_p50",
    "latency_us_p99",
    "faults",
)


def read_trace(spark: SparkSession, folder: str | Path, leave_out: bool = False) -> DataFrame:
    """Return the rows of all runs of a folder.  Every file is read once first, in tasks, so that damage is found here.

    With `leave_out` damaged files are not part of it: `psvr.lab.traces.index` says which they are.
    """
    found = index(spark, folder, deep=True, leave_out=leave_out)
    parts = [file.file for file in found.files if not file.is_lines]
    lines = [file.file for file in found.files if file.is_lines]
    frames = []
    if parts or not lines:
        whole = spark.read.schema(SCHEMA).option(CHECK_PAGES, "true")
        frames.append(whole.parquet(*map(spark_path, parts)) if parts else spark.createDataFrame([], SCHEMA))
    if lines:
        frames.append(spark.range(0, len(lines), 1, len(lines)).mapInArrow(rows_of_lines(lines), SCHEMA))
    return frames[0] if len(frames) == 1 else frames[0].unionByName(frames[1])


def rows_of_lines(names: Sequence[str]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Read files of JSON lines in tasks, block by block."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for place in batch.column("id").to_pylist():
                with named(names[place]):
                    for _, table in blocks(Path(names[place])):
                        yield from table.cast(PLAIN).to_batches()

    return run


def about_publications(trace: DataFrame) -> DataFrame:
    """Return the rows about PUBs; those about HELLO and SUB have no sequence number."""
    return trace.where("sequence IS NOT NULL")


def count_of(event: str) -> Column:
    return F.count_if(F.col("event") == event)


def publications(trace: DataFrame) -> DataFrame:
    """One row per publication: when, where, and what became of it; `messages` are PUBs handed to the medium.

    Texts are keys of the first aggregation, which leaves a few rows of each publication: as minima of all rows they
    would have Spark sort all of these.
    """
    return (
        trace.transform(about_publications)
        .groupBy(*PUBLICATION, "clock", "channel")
        .agg(
            F.min(F.when(F.col("event") == "published", F.col("time"))).alias("time"),
            *[count_of(event).alias(name) for name, event in COUNTED.items()],
        )
        .groupBy(*PUBLICATION)
        .agg(
            *[F.min(name).alias(name) for name in ("clock", "channel", "time")],
            *[F.sum(name).alias(name) for name in COUNTED],
        )
        .where("time IS NOT NULL")
    )


def deliveries(trace: DataFrame) -> DataFrame:
    """One row per publication handed to an application; `copy` is 1, and more if it had the publication already."""
    pair = Window.partitionBy(*PUBLICATION, "node").orderBy("time", "hops")
    published = trace.where("event = 'published'").groupBy(*PUBLICATION).agg(F.min("time").alias("published"))
    return (
        trace.where("event = 'delivered'")
        .withColumn("copy", F.row_number().over(pair))
        .join(published, list(PUBLICATION), "left")
        .select(
            *PUBLICATION,
            "channel",
            "node",
            "time",
            "hops",
            (F.col("time") - F.col("published")).alias("latency_us"),
            "copy",
        )
    )


def subscriptions(trace: DataFrame) -> DataFrame:
    """One row per subscription with its begin and end; one that lasts has no end."""
    rest = (
        Window.partitionBy("run", "node", "channel").orderBy("time", "event").rowsBetween(1, Window.unboundedFollowing)
    )
    end = F.min(F.when(F.col("event") == "unsubscribed", F.col("time"))).over(rest)
    return (
        trace.where("event IN ('subscribed', 'unsubscribed')")
        .withColumn("end", end)
        .where("event = 'subscribed'")
        .select("run", "node", "channel", F.col("time").alias("begin"), "end")
    )


def expected(trace: DataFrame, window_us: int = WINDOW) -> DataFrame:
    """Who should get what: nodes other than the publisher that subscribed before, and stay subscribed for the window.

    A trace does not say whether a node is alive and connected.
    """
    published = trace.where("event = 'published'").select(*PUBLICATION, "channel", F.col("time").alias("published"))
    return (
        published.join(trace.transform(subscriptions), ["run", "channel"])
        .where(F.expr(f"begin < published AND (end IS NULL OR end > published + {int(window_us)})"))
        .where("node != origin")
        .select(*PUBLICATION, "node")
        .distinct()
    )


def delivery(trace: DataFrame, warmup_us: int = 0, window_us: int = WINDOW) -> DataFrame:
    """How well each run delivered, in the columns of rows of trials; publications before the warmup do not count.

    `expected` is null where the trace has no subscriptions; whatever reached another node then counts as delivered.
    """
    counted = trace.transform(counted_publications).where(F.col("published") >= warmup_us)
    sent = counted.groupBy("run").agg(F.count("*").alias("published"), F.sum("messages").alias("messages"))
    runs = trace.transform(facts)
    wanted = trace.transform(expected, window_us).withColumn("wanted", F.lit(True))
    pairs = (
        trace.transform(first_copies)
        .join(wanted, PAIR, "full")
        .join(counted, list(PUBLICATION))
        .join(F.broadcast(runs.select("run", "known")), "run")
        .withColumn("latency_us", F.col("time") - F.col("published"))
    )
    zero = {
        name: F.coalesce(name, F.lit(0))
        for name in ("published", "messages", "delivered", "duplicates", "hops_sum", "latency_us_sum")
    }
    return (
        runs.join(sent, "run", "left")
        .join(pairs.transform(delivery_counts), "run", "left")
        .join(pairs.transform(histogram), "run", "left")
        .withColumns(zero)
        .withColumn("expected", F.when(F.col("known"), F.coalesce("expected", F.lit(0))))
        .withColumn("hops", F.coalesce("hops", F.array().cast("array<bigint>")))
        .select(*DELIVERY)
    )


def counted_publications(trace: DataFrame) -> DataFrame:
    """One row per publication: when it was published, and how often it was sent."""
    return (
        trace.transform(about_publications)
        .where("event IN ('published', 'sent')")
        .groupBy(*PUBLICATION)
        .agg(
            F.min(F.when(F.col("event") == "published", F.col("time"))).alias("published"),
            count_of("sent").alias("messages"),
        )
    )


def facts(trace: DataFrame) -> DataFrame:
    """One row per run: its clock, whether subscriptions are known, and the number of faults."""
    return (
        trace.groupBy("run", "clock")
        .agg(F.bool_or(F.col("event") == "subscribed").alias("known"), count_of("fault").alias("faults"))
        .groupBy("run")
        .agg(F.min("clock").alias("clock"), F.bool_or("known").alias("known"), F.sum("faults").alias("faults"))
    )


def first_copies(trace: DataFrame) -> DataFrame:
    """One row per publication and node that got it: the first copy, and the number of copies.

    Of copies at the same time, the one with the fewest hops is the first, and one whose hops are not known before it.
    """
    return (
        trace.where("event = 'delivered'")
        .repartition(*PUBLICATION)
        .groupBy(*PAIR, "time")
        .agg(F.count("*").alias("copies"), F.min(F.coalesce("hops", F.lit(UNKNOWN))).alias("hops"))
        .groupBy(*PAIR)
        .agg(F.sum("copies").alias("copies"), F.min_by("hops", "time").alias("hops"), F.min("time").alias("time"))
        .withColumn("hops", F.nullif("hops", F.lit(UNKNOWN)))
    )


def counts_as_delivered() -> Column:
    """The publication arrived, and was expected as far as that is known."""
    return F.expr("copies IS NOT NULL AND CASE WHEN known THEN wanted IS NOT NULL ELSE node != origin END")


def delivery_counts(pairs: DataFrame) -> DataFrame:
    latency = F.when(counts_as_delivered(), F.col("latency_us"))
    return pairs.groupBy("run").agg(
        F.count("wanted").alias("expected"),
        F.count_if(counts_as_delivered()).alias("delivered"),
        F.sum(F.col("copies") - 1).alias("duplicates"),
        F.sum(F.when(counts_as_delivered(), F.col("hops"))).alias("hops_sum"),
        F.sum(latency).alias("latency_us_sum"),
        F.percentile(latency, 0.5).alias("latency_us_p50"),
        F.percentile(latency, 0.99).alias("latency_us_p99"),
    )


def histogram(pairs: DataFrame) -> DataFrame:
    """Per run the list of how many deliveries took 0, 1, 2, … hops."""
    numbers = F.map_from_entries(F.collect_list(F.struct("hops", "number")))
    return (
        pairs.where(counts_as_delivered() & (F.col("hops") >= 0))
        .groupBy("run", "hops")
        .agg(F.count("*").alias("number"))
        .groupBy("run")
        .agg(F.max("hops").alias("most"), numbers.alias("numbers"))
        .select("run", F.expr("transform(sequence(0, most), h -> coalesce(numbers[h], 0L))").alias("hops"))
    )


def node_load(trace: DataFrame) -> DataFrame:
    """One row per run and node: what it sent and received; `control` is HELLO and SUB, if the trace has them."""
    pub, control = F.col("sequence").isNotNull(), F.col("sequence").isNull()
    sent, received = F.col("event") == "sent", F.col("event") == "received"
    return trace.groupBy("run", "node").agg(
        count_of("published").alias("published"),
        count_of("delivered").alias("delivered"),
        F.count_if(sent & pub).alias("sent"),
        F.count_if(received & pub).alias("received"),
        count_of("dropped").alias("dropped"),
        F.count_if(sent & control).alias("control_sent"),
        F.count_if(received & control).alias("control_received"),
    )


def link_load(trace: DataFrame) -> DataFrame:
    """One row per run, sender and receiver: PUBs sent; a broadcast has no `peer`."""
    return (
        trace.transform(about_publications)
        .where("event = 'sent'")
        .groupBy("run", "node", "peer")
        .agg(F.count("*").alias("messages"))
    )


def changes(trace: DataFrame) -> DataFrame:
    """One row per change of a node's parent, ring or table: its new value and the one before, and how long it lasted.

    The value is the new parent, or a number that stands for the ring or the table.
    """
    value = F.when(F.col("event") == "parent changed", F.col("peer")).otherwise(F.expr("try_cast(detail AS BIGINT)"))
    root = F.when(F.col("event") == "parent changed", F.expr("try_cast(detail AS BIGINT)"))
    order = Window.partitionBy("run", "node", "what").orderBy("time", "value")
    return (
        trace.where("event IN ('parent changed', 'ring changed', 'table changed')")
        .select(
            "run",
            "clock",
            "time",
            "node",
            F.split_part("event", F.lit(" "), F.lit(1)).alias("what"),
            value.alias("value"),
            root.alias("root"),
        )
        .withColumn("before", F.lag("value").over(order))
        .withColumn("lasted_us", F.lead("time").over(order) - F.col("time"))
    )
