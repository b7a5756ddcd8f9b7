"""A run in figures, and in words."""

from typing import Any

import numpy as np

from psvr.protocol.constants import REASONS

from .missing import missed_by
from .network import PACKED, Network
from .radio.energy import energy
from .radio.quality import quality
from .results import SECOND, count, stability

WINDOW = 25 * SECOND            # a publication has this long to arrive, twenty of them for a ring …
WINDOW_STEP = 20_000            # … and 20 ms more per position of the largest ring
LATE = "not right again before the next one, or the end"
PAPER = 8                       # bytes of an entry in the paper: two positions of 2, a time stamp of 4


def window(n: int) -> int:
    """How long a publication may be on its way among so many nodes, in µs."""
    return WINDOW + 2 * n * WINDOW_STEP


def summary(net: Network) -> dict[str, Any]:
    """All figures of a run, as `psvr sim --json` prints them."""
    tally, world = net.world.tally[0], net.world
    publications, deliveries = world.publications[:tally["published"]], world.deliveries[:tally["delivered"]]
    d = count(net.history, publications, deliveries, round(net.scenario.warmup * SECOND), window(net.plan.n))
    stable_at, recoveries = stability(net.history)
    events = int(tally["hello_sent"] + tally["sub_sent"] + tally["pub_sent"] + tally["ack_sent"] + tally["receptions"])
    return {
        "published": d.published, "expected": d.expected, "delivered": d.delivered,
        "missed": d.expected - d.delivered, "missed_by": missed_by(world, d), "duplicates": d.duplicates,
        "delivery_ratio": d.delivered / d.expected if d.expected else None,
        "messages": d.messages,
        "transmissions": {name: int(tally[f"{name}_sent"]) for name in ("hello", "sub", "pub", "ack")},
        "bytes": {name: int(tally[f"{name}_bytes"]) for name in ("hello", "sub", "pub")},
        "hops": {str(hops): number for hops, number in d.hops.items()},
        "latency": latency(d.latencies),
        "stable_at": stable_at, "recoveries": recoveries,
        "max_table_bytes": net.max_table_bytes, "max_table_bytes_packed": net.max_table_bytes_packed,
        "node_bytes": world.nodes.itemsize, "entry_bytes": net.machine.entry_bytes, "entry_bytes_packed": PACKED,
        "overflow": int(tally["no_room"]), "left_out": left_out(net),
        "parent_changes": int(tally["parent_changes"]), "ring_changes": int(tally["ring_changes"]),
        "dropped": dropped(net), "channel": channel(net), "links": links(net), "energy": used(net, d.delivered),
        "simulated_s": net.now / SECOND, "events": events, "wall_s": round(net.machine.wall, 6),
        "events_per_s": round(events / net.machine.wall) if net.machine.wall > 0 else 0,
        "fingerprint": fingerprint(net),
    }


def dropped(net: Network) -> dict[str, int]:
    """PUBs that went no further, by reason."""
    return {reason: int(many) for reason, many in zip(REASONS, net.world.drops) if many}


def channel(net: Network) -> dict[str, int] | None:
    """What became of frames on a wireless channel: sent, not sent because it was never clear or too many waited."""
    if net.plan.field is None:
        return None
    return {name: int(net.world.air.setting[name][0]) for name in ("frames", "no_access", "no_ack", "queue_full")}


def links(net: Network) -> dict[str, Any] | None:
    """How good the kept links are, on a wireless channel between nodes that stand still."""
    if net.plan.field is None or net.scenario.mobility.model != "none":
        return None
    return quality(net.world.air, net.world.nodes, net.world.ids, net.world.stations["hellos"])


def used(net: Network, delivered: int) -> dict[str, Any] | None:
    """Joules, on a wireless channel."""
    field = net.plan.field
    if field is None:
        return None
    return energy(net.world.air, field.device, field.channel.power, net.plan.n, net.now, delivered)


def latency(seconds: Any) -> dict[str, float | None]:
    if len(seconds) == 0:
        return {"mean": None, "p50": None, "p99": None}
    return {"mean": float(seconds.mean()), "p50": float(np.percentile(seconds, 50)),
            "p99": float(np.percentile(seconds, 99))}


def left_out(net: Network) -> list[int]:
    """Living nodes that follow another root than the least id of their component, where that had no place for them."""
    part = net.history.epochs[-1].part
    alive = part >= 0
    joined = alive & (net.world.nodes["root"] == net.world.ids[np.maximum(part, 0)])
    if not (net.world.nodes["turned_away"][joined] > 0).any():
        return []                       # nobody was turned away: they are only not settled yet
    return [int(id) for id in net.world.ids[alive & ~joined]]


def fingerprint(net: Network) -> str:
    """16 digits that depend on every event of the run."""
    tally = net.world.tally[0]
    return f"{int(tally['print_a']):08x}{int(tally['print_b']):08x}"


def in_words(s: dict[str, Any], title: str) -> str:
    """The same for people."""
    return "\n".join([
        *what_came_of_it(s, title),
        f"  routing table    at most {s['max_table_bytes']:,} bytes in memory, "
        f"{s['max_table_bytes_packed']:,} packed as on a mote",
        f"  memory           {s['node_bytes']:,} bytes per node; {s['entry_bytes']} per entry of the table, "
        f"{s['entry_bytes_packed']} packed; the paper: {PAPER}",
        f"  events           {s['events']:,} in {s['wall_s']:.2f} s: {s['events_per_s']:,} per second",
        f"  fingerprint      {s['fingerprint']}",
        *on_the_air(s), *what_was_short(s)])


def what_came_of_it(s: dict[str, Any], title: str) -> list[str]:
    """Lines on publications and healing, of a simulated network or a real one."""
    ratio = "no publication was expected anywhere" if s["delivery_ratio"] is None else (
        f"{100 * s['delivery_ratio']:.2f} % ({s['delivered']:,} of {s['expected']:,}; {s['missed']:,} missed, "
        f"{s['duplicates']:,} handed over twice)")
    return [
        title, "",
        f"  stable           {seconds(s['stable_at'], 'at ', 'never')}",
        *(f"  fault {i + 1:<10} {seconds(r, 'right again after ', LATE)}" for i, r in enumerate(s["recoveries"])),
        f"  published        {s['published']:,}",
        f"  delivered        {ratio}",
        *(f"  missed           {number:,}: {reason}" for reason, number in (s["missed_by"] or {}).items()),
        f"  messages         {s['messages']:,}"
        + (f", {s['messages'] / s['published']:.2f} per publication" if s["published"] else ""),
        *histogram(s["hops"]),
        f"  latency          {times(s['latency'])}",
        "  transmissions    " + ", ".join(f"{number:,} {name.upper()}" for name, number in s["transmissions"].items()),
    ]


def what_was_short(s: dict[str, Any]) -> list[str]:
    lines = []
    if s["left_out"]:
        lines.append(f"  left out         {len(s['left_out'])} nodes for whom no link was free: {some(s['left_out'])}")
    if s["overflow"]:
        lines.append(f"  overflow         {s['overflow']:,} SUBs found a table full: raise protocol.channels")
    return lines


def on_the_air(s: dict[str, Any]) -> list[str]:
    """Lines that only a wireless channel has."""
    if s["channel"] is None:
        return []
    c, e, hours = s["channel"], s["energy"], s["simulated_s"] / 3600
    each = "" if e["per_delivery"] is None else f", {e['per_delivery']:.3g} J per delivery"
    return [
        f"  channel          {c['frames']:,} frames; {c['no_access']:,} times never clear, {c['no_ack']:,} times not "
        f"acknowledged, {c['queue_full']:,} frames too many",
        f"  changes          {s['parent_changes'] / hours:,.0f} of a parent and {s['ring_changes'] / hours:,.0f} of a "
        "node's ring, per hour",
        *of_links(s["links"]),
        f"  energy           {e['node_mean']:.3g} J per node ({e['transmit']:.3g} sending, {e['receive']:.3g} "
        f"receiving, {e['listen']:.3g} listening), at most {e['node_max']:.3g}{each}",
    ]


def of_links(found: dict[str, Any] | None) -> list[str]:
    if found is None or not found["kept"]:
        return []
    return [f"  links            {found['kept']:,} kept; {found['measured']:.1%} of HELLOs came through on them, "
            f"{found['claimed']:.1%} claimed"]


def seconds(value: float | None, before: str, otherwise: str) -> str:
    return otherwise if value is None else f"{before}{value:.1f} s"


def times(values: dict[str, float | None]) -> str:
    if values["mean"] is None:
        return "none"
    return ", ".join(f"{name} {1000 * value:.1f} ms" for name, value in values.items() if value is not None)


def histogram(hops: dict[str, int], most: int = 12) -> list[str]:
    """Hops as bars, the long tail in one line."""
    if not hops:
        return []
    numbers = {int(h): number for h, number in hops.items()}
    rest = sum(number for h, number in numbers.items() if h > most)
    shown = [(str(h), numbers.get(h, 0)) for h in range(1, min(max(numbers), most) + 1)]
    shown += [("more", rest)] if rest else []
    widest = max(number for _, number in shown) or 1
    return [f"  {'hops' if i == 0 else '':<14} {h:>4} {'█' * round(40 * number / widest)} {number:,}"
            for i, (h, number) in enumerate(shown)]


def some(ids: list[int], most: int = 20) -> str:
    return ", ".join(map(str, ids[:most])) + (", …" if len(ids) > most else "")
