"""Every measure as numbers of one trial: a numerator and a denominator, whose sums over trials are divided.

Formulas are texts of Spark SQL over the columns of rows.  A null in either number leaves the trial out.
"""

from dataclasses import dataclass, replace

from psvr.lab.columns import SIMULATED, TRIAL
from psvr.protocol.constants import LINK_FAILED

IDENTITY = (*TRIAL.names, "system")
QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
ESTIMATES = ("value", "low", "high", "trials", *QUANTILES, "least", "most")
OF_MEASURES = ("against", "measure", "bin", "unit", *ESTIMATES)  # names that no parameter may have
RESULTS = frozenset(SIMULATED.names)  # of all kinds of trial that come with psvr
BASELINES = ("td", "ts", "steiner", "shen", "ring", "flood", "vr2015")  # that PSVR and custom systems are compared with
SHORT_HOPS = 3  # a route of at most this many hops is short, in the paper

BYTES = "bytes per node and second"
PER_HOUR = "per node and hour"
NODE_TIME = "double(nodes) * simulated_us"
SUM_OF_LIST = "aggregate(filter({0}, x -> x IS NOT NULL), 0L, (sum, x) -> sum + x)"
SUM_OF_SHORT = SUM_OF_LIST.format(f"slice(hops, 1, {SHORT_HOPS + 1})")
SUM_OF_HOPS = SUM_OF_LIST.format("transform(hops, (x, h) -> x * h)")


RATIO, DIFFERENCE, GAIN = "ratio", "difference", "gain"


@dataclass(frozen=True)
class Formula:
    """factor * sum of numerators / sum of denominators; `needs` are the columns that it requires.

    With a form other than RATIO two systems are compared in the same trials: by the DIFFERENCE of their ratios, or by
    GAIN, which is how much larger the first ratio is.
    """

    measure: str
    unit: str
    factor: float
    numerator: str
    denominator: str
    needs: tuple[str, ...]
    form: str = RATIO


SINGLE = (
    Formula("delivery_ratio", "%", 100, "delivered", "expected", ("delivered", "expected")),
    Formula("duplicates", "%", 100, "duplicates", "delivered", ("duplicates", "delivered")),
    Formula("messages", "messages per publication", 1, "messages", "published", ("messages", "published")),
    Formula("hops", "hops", 1, "hops_sum", "delivered", ("hops_sum", "delivered")),
    Formula("short_routes", "%", 100, SUM_OF_SHORT, "delivered", ("hops", "delivered")),
    Formula("latency", "ms", 1e-3, "latency_us_sum", "delivered", ("latency_us_sum", "delivered")),
    Formula("stabilization", "s", 1e-6, "stable_us", "1", ("stable_us",)),
    Formula(
        "never_stable", "%", 100, "int(stable_us IS NULL)", "nvl2(simulated_us, 1, NULL)", ("stable_us", "simulated_us")
    ),
    Formula(
        "recovery",
        "s",
        1e-6,
        SUM_OF_LIST.format("recovery_us"),
        "size(filter(recovery_us, x -> x IS NOT NULL))",
        ("recovery_us",),
    ),
    Formula(
        "never_recovered", "%", 100, "size(filter(recovery_us, x -> x IS NULL))", "size(recovery_us)", ("recovery_us",)
    ),
    Formula(
        "control_bytes",
        BYTES,
        1e6,
        "hello_bytes + sub_bytes",
        NODE_TIME,
        ("hello_bytes", "sub_bytes", "nodes", "simulated_us"),
    ),
    Formula("hello_bytes", BYTES, 1e6, "hello_bytes", NODE_TIME, ("hello_bytes", "nodes", "simulated_us")),
    Formula("sub_bytes", BYTES, 1e6, "sub_bytes", NODE_TIME, ("sub_bytes", "nodes", "simulated_us")),
    Formula("pub_bytes", BYTES, 1e6, "pub_bytes", NODE_TIME, ("pub_bytes", "nodes", "simulated_us")),
    Formula("table_bytes", "bytes", 1, "max_table_bytes", "1", ("max_table_bytes",)),
    Formula("table_bytes_packed", "bytes", 1, "max_table_bytes_packed", "1", ("max_table_bytes_packed",)),
    Formula("node_load", "messages per node", 1, "node_load_sum", "nodes", ("node_load_sum", "nodes")),
    Formula("node_load_max", "messages", 1, "node_load_max", "1", ("node_load_max",)),
    Formula("link_load", "messages per link", 1, "link_load_sum", "links_used", ("link_load_sum", "links_used")),
    Formula("link_load_max", "messages", 1, "link_load_max", "1", ("link_load_max",)),
    Formula("degree", "neighbours", 2, "links", "nodes", ("links", "nodes")),
    Formula(
        "parent_changes", PER_HOUR, 3.6e9, "parent_changes", NODE_TIME, ("parent_changes", "nodes", "simulated_us")
    ),
    Formula("ring_changes", PER_HOUR, 3.6e9, "ring_changes", NODE_TIME, ("ring_changes", "nodes", "simulated_us")),
    Formula(
        "link_failures",
        "per 1000 publications",
        1000,
        f"get(dropped, {LINK_FAILED})",
        "published",
        ("dropped", "published"),
    ),
    Formula("no_access", "% of frames", 100, "no_access", "frames", ("no_access", "frames")),
    Formula("power", "mW per node", 1e3, "energy_uj", NODE_TIME, ("energy_uj", "nodes", "simulated_us")),
    Formula("transmit_power", "mW per node", 1e3, "transmit_uj", NODE_TIME, ("transmit_uj", "nodes", "simulated_us")),
    Formula("energy_per_delivery", "J", 1e-6, "energy_uj", "delivered", ("energy_uj", "delivered")),
)
ROUTES = Formula("routes", "%", 100, "hops", "delivered", ("hops", "delivered"))  # one for each number of hops
OVER_TIME = Formula(
    "delivery_over_time", "%", 100, "delivered_by_time", "expected_by_time", ("delivered_by_time", "expected_by_time")
)  # one for every ten minutes
SHARES = (
    "delivery_ratio",
    "delivery_over_time",
    "short_routes",
    "never_stable",
    "never_recovered",
    "routes",
)  # from 0 to 100 %


def pair(measure: str, form: str, single: str, unit: str, factor: float) -> Formula:
    """Return a formula that compares two systems by a single measure."""
    alone = next(formula for formula in SINGLE if formula.measure == single)
    return replace(alone, measure=measure, form=form, unit=unit, factor=factor)


PAIRS = (
    pair("gain", GAIN, "messages", "%", 100),
    pair("hops_difference", DIFFERENCE, "hops", "hops", 1),
    pair("delivery_difference", DIFFERENCE, "delivery_ratio", "points", 100),
    pair("short_routes_difference", DIFFERENCE, "short_routes", "points", 100),
)
SUBSCRIPTIONS = Formula("subscription_gain", "%", 100, "messages_by_channel", "1", ("messages_by_channel",), GAIN)
