"""What a trace shows, read row by row in plain Python: slow, and as directly as it can be said."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
KEY = ("origin", "boot", "sequence")


def runs(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["run"]].append(row)
    return found


def key(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in KEY)


def named(key: tuple[Any, ...]) -> Row:
    return dict(zip(KEY, key))


def least(values: Any) -> Any:
    return min((value for value in values if value is not None), default=None)


def publications(rows: Sequence[Row]) -> list[Row]:
    found = []
    for run, mine in runs(rows).items():
        about = defaultdict(list)
        for row in mine:
            if row["sequence"] is not None:
                about[key(row)].append(row)
        for publication, them in about.items():
            events = Counter(row["event"] for row in them)
            if events["published"]:
                found.append(
                    {
                        "run": run,
                        **named(publication),
                        "clock": least(row["clock"] for row in them),
                        "channel": least(row["channel"] for row in them),
                        "time": least(row["time"] for row in them if row["event"] == "published"),
                        "messages": events["sent"],
                        "receptions": events["received"],
                        "deliveries": events["delivered"],
                        "drops": events["dropped"],
                    }
                )
    return found


def early(row: Row) -> tuple[int, int]:
    return row["time"], -1 if row["hops"] is None else row["hops"]


def deliveries(rows: Sequence[Row]) -> list[Row]:
    found = []
    for run, mine in runs(rows).items():
        copies: Counter[Any] = Counter()
        for row in sorted((row for row in mine if row["event"] == "delivered"), key=early):
            copies[key(row), row["node"]] += 1
            published = least(
                other["time"] for other in mine if other["event"] == "published" and key(other) == key(row)
            )
            unknown = None in key(row) or published is None
            found.append(
                {
                    "run": run,
                    **named(key(row)),
                    **{name: row[name] for name in ("channel", "node", "time", "hops")},
                    "latency_us": None if unknown else row["time"] - published,
                    "copy": copies[key(row), row["node"]],
                }
            )
    return found


def subscriptions(rows: Sequence[Row]) -> list[Row]:
    found = []
    for run, mine in runs(rows).items():
        for row in mine:
            if row["event"] == "subscribed":
                ends = [
                    other["time"]
                    for other in mine
                    if other["event"] == "unsubscribed"
                    and (other["node"], other["channel"]) == (row["node"], row["channel"])
                    and other["time"] >= row["time"]
                ]
                found.append(
                    {
                        "run": run,
                        "node": row["node"],
                        "channel": row["channel"],
                        "begin": row["time"],
                        "end": least(ends),
                    }
                )
    return found


def expected(rows: Sequence[Row], window: int) -> list[Row]:
    pairs = set()
    begun = subscriptions(rows)
    for row in rows:
        if row["event"] == "published" and row["channel"] is not None and row["origin"] is not None:
            for each in begun:
                stays = each["end"] is None or each["end"] > row["time"] + window
                same = (each["run"], each["channel"]) == (row["run"], row["channel"])
                if same and each["begin"] < row["time"] and stays and each["node"] != row["origin"]:
                    pairs.add((row["run"], key(row), each["node"]))
    return [{"run": run, **named(publication), "node": node} for run, publication, node in pairs]


def delivery(rows: Sequence[Row], warmup: int, window: int) -> list[Row]:
    return [delivery_of(run, mine, warmup, window) for run, mine in runs(rows).items()]


def delivery_of(run: str, rows: Sequence[Row], warmup: int, window: int) -> Row:
    counted = [row for row in publications(rows) if row["time"] >= warmup]
    known = any(row["event"] == "subscribed" for row in rows)
    names = {key(row) for row in counted if None not in key(row)}
    wanted = {(key(row), row["node"]) for row in expected(rows, window) if key(row) in names}
    got = [row for row in deliveries(rows) if key(row) in names]
    first = {(key(row), row["node"]): row for row in got if row["copy"] == 1}
    good = [row for pair, row in first.items() if (pair in wanted if known else row["node"] != row["origin"])]
    hops = Counter(row["hops"] for row in good if row["hops"] is not None)
    latencies = sorted(row["latency_us"] for row in good)
    return {
        "run": run,
        "clock": least(row["clock"] for row in rows),
        "published": len(counted),
        "messages": sum(row["messages"] for row in counted),
        "expected": len(wanted) if known else None,
        "delivered": len(good),
        "duplicates": len(got) - len(first),
        "hops": [hops[number] for number in range(max(hops, default=-1) + 1)],
        "hops_sum": sum(number * times for number, times in hops.items()),
        "latency_us_sum": sum(latencies),
        "latency_us_p50": percentile(latencies, 0.5),
        "latency_us_p99": percentile(latencies, 0.99),
        "faults": sum(row["event"] == "fault" for row in rows),
    }


def percentile(values: Sequence[int], share: float) -> float | None:
    if not values:
        return None
    place = (len(values) - 1) * share
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] * (1 - (place - low)) + values[high] * (place - low)


def node_load(rows: Sequence[Row]) -> list[Row]:
    found: dict[Any, Counter[str]] = defaultdict(Counter)
    for row in rows:
        load, control = found[row["run"], row["node"]], row["sequence"] is None
        if row["event"] in ("published", "delivered", "dropped"):
            load[row["event"]] += 1
        if row["event"] in ("sent", "received"):
            load["control_" * control + row["event"]] += 1
    columns = ("published", "delivered", "sent", "received", "dropped", "control_sent", "control_received")
    return [{"run": run, "node": node, **{name: load[name] for name in columns}} for (run, node), load in found.items()]


def link_load(rows: Sequence[Row]) -> list[Row]:
    links = Counter(
        (row["run"], row["node"], row["peer"]) for row in rows if row["event"] == "sent" and row["sequence"] is not None
    )
    return [{"run": run, "node": node, "peer": peer, "messages": n} for (run, node, peer), n in links.items()]


def changes(rows: Sequence[Row]) -> list[Row]:
    series: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        if row["event"] in ("parent changed", "ring changed", "table changed"):
            parent = row["event"] == "parent changed"
            series[row["run"], row["node"], row["event"]].append(
                {
                    **{name: row[name] for name in ("run", "clock", "time", "node")},
                    "what": row["event"].split()[0],
                    "value": row["peer"] if parent else number(row["detail"]),
                    "root": number(row["detail"]) if parent else None,
                }
            )
    found = []
    for mine in series.values():
        mine.sort(key=lambda row: (row["time"], row["value"] is not None, row["value"] or 0))
        for place, row in enumerate(mine):
            row["before"] = mine[place - 1]["value"] if place else None
            row["lasted_us"] = mine[place + 1]["time"] - row["time"] if place + 1 < len(mine) else None
        found.extend(mine)
    return found


def number(text: str | None) -> int | None:
    try:
        found = int(text or "")
    except ValueError:
        return None
    return found if -(1 << 63) <= found < 1 << 63 else None
