"""The columns of rows: those that identify a trial, and the results of the kinds of trial that come with psvr."""

import pyarrow as pa

TRIAL = pa.schema(
    [
        ("trial", pa.string()),
        ("grid", pa.string()),
        ("kind", pa.string()),
        ("repetition", pa.int64()),
        ("seed", pa.int64()),
    ]
)
WHOLE = (
    "nodes",
    "links",
    "simulated_us",
    "published",
    "expected",
    "delivered",
    "duplicates",
    "messages",
    "hello_sent",
    "sub_sent",
    "pub_sent",
    "ack_sent",
    "hello_bytes",
    "sub_bytes",
    "pub_bytes",
    "hops_sum",
    "latency_us_sum",
    "latency_us_p50",
    "latency_us_p99",
    "stable_us",
    "max_table_bytes",
    "max_table_bytes_packed",
    "left_out",
    "overflow",
    "events",
    "node_load_max",
    "node_load_sum",
    "link_load_max",
    "link_load_sum",
    "links_used",
    "parent_changes",
    "ring_changes",
    "frames",
    "no_access",
    "no_ack",
    "queue_full",
    "energy_uj",
    "transmit_uj",
    "energy_uj_max",
)
LISTS = ("messages_by_channel", "hops", "recovery_us", "dropped", "expected_by_time", "delivered_by_time")
SIMULATED = pa.schema(
    [
        *((name, pa.int64()) for name in WHOLE),
        *((name, pa.list_(pa.int64())) for name in LISTS),
        ("fingerprint", pa.string()),
    ]
)


def columns(*names: str) -> pa.Schema:
    """Return the schema of these results, for a kind of trial that has only these."""
    return pa.schema([SIMULATED.field(name) for name in names])
