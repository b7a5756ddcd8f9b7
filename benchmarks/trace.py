"""How fast a trace is written to disk, and how fast it is read."""

import itertools
import tempfile
from pathlib import Path

import numpy as np

from psvr.trace import EVENTS, ROW, Writer, read

from .timing import best_of, one_core, table

ROWS, BLOCK = 2_000_000, 4096  # a host passes on rows some thousand at a time
CHANNELS = [f"channel {i}" for i in range(20)]
REASONS = [f"reason {i}" for i in range(11)]


def events(nodes: int, details: bool) -> np.ndarray:
    """Publications on their way through a network: hops sent and received, some delivered, a few dropped."""
    rng = np.random.default_rng(1)
    rows = np.full(ROWS, -1, ROW)
    kind = rng.choice(["published", "sent", "received", "delivered", "dropped"], ROWS, p=[0.02, 0.45, 0.43, 0.08, 0.02])
    for i, name in enumerate(EVENTS):
        rows["event"][kind == name] = i
    rows["time"] = np.cumsum(rng.integers(0, 400, ROWS))
    for field, limit in {
        "node": nodes,
        "peer": nodes,
        "from_": 2 * nodes,
        "to": 2 * nodes,
        "ep": 2 * nodes,
        "hops": 40,
        "bytes": 60,
    }.items():
        rows[field] = rng.integers(0, limit, ROWS)
    message = np.arange(ROWS) // 40 + rng.integers(0, 10, ROWS)  # some ten are on their way at a time
    rows["boot"], rows["sequence"] = 1, message // 50
    rows["origin"], rows["channel"] = message * 7919 % nodes, message % len(CHANNELS)
    rows["reason"] = np.where(kind == "dropped", rng.integers(1, len(REASONS), ROWS), -1)
    if details:
        rows["detail"] = rng.integers(0, 1 << 40, ROWS)
    return rows


def measure(rows: np.ndarray) -> tuple[float, float, float]:
    """Rows per second written and read, and bytes per row."""
    with tempfile.TemporaryDirectory() as place:
        numbers = itertools.count()

        def write() -> None:
            with Writer(f"{place}/{next(numbers)}", "run", channels=CHANNELS, reasons=REASONS) as writer:
                for begin in range(0, ROWS, BLOCK):
                    writer.write(rows[begin : begin + BLOCK])

        written, loaded = best_of(write, 3), best_of(lambda: read(f"{place}/0"), 3)
        size = sum(file.stat().st_size for file in Path(place, "0").iterdir())
    return ROWS / written, ROWS / loaded, size / ROWS


def run() -> None:
    one_core()
    lines = []
    for nodes, details in (1_000, False), (100_000, False), (1_000, True):
        written, loaded, size = measure(events(nodes, details))
        name = f"{nodes:,} nodes" + (", another detail in every row" if details else "")
        lines.append([name, f"{written:,.0f}", f"{loaded:,.0f}", f"{size:.1f}"])
    print(f"Trace of {ROWS:,} rows, one core (target: 1,000,000 rows/s written)\n")
    print(table(["events of a network of", "rows/s written", "rows/s read", "bytes per row"], lines) + "\n", flush=True)
