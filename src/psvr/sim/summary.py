"""The summary of a run, as figures and as text."""

from typing import Any

import numpy as np

from psvr.protocol.constants import REASONS
from psvr.results.deliveries import SECOND, count, stability
from psvr.results.figures import PACKED, PAPER, TRANSMISSIONS, latency, window
from psvr.results.words import outcome_lines, shortage_lines
from psvr.sim.radio.energy import energy
from psvr.sim.radio.quality import quality

from .missing import missed_by
from .network import Network


def summarize(net: Network) -> dict[str, Any]:
    """All figures of a run, as printed by `psvr sim --json`."""
    world, tally = net.world, net.world.tally[0]
    publications, deliveries = world.publications[: tally["published"]], world.deliveries[: tally["delivered"]]
    d = count(net.history, publications, deliveries, round(net.scenario.warmup * SECOND), window(net.plan.n))
    stable_at, recoveries = stability(net.history)
    events = int(tally["hello_sent"] + tally["sub_sent"] + tally["pub_sent"] + tally["ack_sent"] + tally["receptions"])
    return {
        "published": d.published,
        "expected": d.expected,
        "delivered": d.delivered,
        "missed": d.expected - d.delivered,
        "missed_by": missed_by(world, d),
        "duplicates": d.duplicates,
        "delivery_ratio": d.delivered / d.expected if d.expected else None,
        "messages": d.messages,
        "transmissions": {name: int(tally[f"{name}_sent"]) for name in TRANSMISSIONS},
        "bytes": {name: int(tally[f"{name}_bytes"]) for name in TRANSMISSIONS[:3]},
        "hops": {str(hops): number for hops, number in d.hops.items()},
        "latency": latency(d.latencies),
        "stable_at": stable_at,
        "recoveries": recoveries,
        "max_table_bytes": net.max_table_bytes,
        "max_table_bytes_packed": net.max_table_bytes_packed,
        "node_bytes": world.nodes.itemsize,
        "entry_bytes": net.machine.entry_bytes,
        "entry_bytes_packed": PACKED,
        "overflow": int(tally["no_room"]),
        "left_out": left_out(net),
        "parent_changes": int(tally["parent_changes"]),
        "ring_changes": int(tally["ring_changes"]),
        "dropped": dropped(net),
        "channel": channel(net),
        "links": links(net),
        "energy": energy_used(net, d.delivered),
        "simulated_s": net.now / SECOND,
        "events": events,
        "wall_s": round(net.machine.wall, 6),
        "events_per_s": round(events / net.machine.wall) if net.machine.wall > 0 else 0,
        "fingerprint": fingerprint(net),
    }


summary = summarize  # its name until 0.2


def dropped(net: Network) -> dict[str, int]:
    """The number of PUBs that went no further, by reason."""
    return {reason: int(count) for reason, count in zip(REASONS, net.world.drops) if count}


def channel(net: Network) -> dict[str, int] | None:
    """Counts of frames on a wireless channel: sent, never found it clear, not acknowledged, dropped at a full queue."""
    if net.plan.field is None:
        return None
    return {name: int(net.world.air.setting[name][0]) for name in ("frames", "no_access", "no_ack", "queue_full")}


def links(net: Network) -> dict[str, Any] | None:
    """The quality of the links that are kept, on a wireless channel without mobility."""
    if net.plan.field is None or net.scenario.mobility.model != "none":
        return None
    return quality(net.world.air, net.world.nodes, net.world.ids, net.world.stations["hellos"])


def energy_used(net: Network, delivered: int) -> dict[str, Any] | None:
    """The energy used in joules, on a wireless channel."""
    field = net.plan.field
    if field is None:
        return None
    return energy(net.world.air, field.device, field.channel.power, net.plan.n, net.now, delivered)


def left_out(net: Network) -> list[int]:
    """Living nodes whose root is not the least id of their component because they were turned away there."""
    part = net.history.epochs[-1].part
    alive = part >= 0
    joined = alive & (net.world.nodes["root"] == net.world.ids[np.maximum(part, 0)])
    if not (net.world.nodes["turned_away"][joined] > 0).any():
        return []  # nobody was turned away: they have just not settled yet
    return [int(id) for id in net.world.ids[alive & ~joined]]


def fingerprint(net: Network) -> str:
    """Sixteen digits that depend on every event of the run."""
    tally = net.world.tally[0]
    return f"{int(tally['print_a']):08x}{int(tally['print_b']):08x}"


def in_words(s: dict[str, Any], title: str) -> str:
    """The figures of `summarize` as text, under a title."""
    return "\n".join(
        [
            *outcome_lines(s, title),
            f"  routing table    at most {s['max_table_bytes']:,} bytes in memory, "
            f"{s['max_table_bytes_packed']:,} packed as on a mote",
            f"  memory           {s['node_bytes']:,} bytes per node; {s['entry_bytes']} per entry of the table, "
            f"{s['entry_bytes_packed']} packed; the paper: {PAPER}",
            f"  events           {s['events']:,} in {s['wall_s']:.2f} s: {s['events_per_s']:,} per second",
            f"  fingerprint      {s['fingerprint']}",
            *wireless_lines(s),
            *shortage_lines(s),
        ]
    )


def wireless_lines(s: dict[str, Any]) -> list[str]:
    """Lines that apply only to a wireless channel."""
    if s["channel"] is None:
        return []
    c, e, hours = s["channel"], s["energy"], s["simulated_s"] / 3600 or 1.0  # a run may be stopped before it begins
    each = "" if e["per_delivery"] is None else f", {e['per_delivery']:.3g} J per delivery"
    return [
        f"  channel          {c['frames']:,} frames; {c['no_access']:,} times never clear, {c['no_ack']:,} times not "
        f"acknowledged, {c['queue_full']:,} dropped at a full queue",
        f"  changes          {s['parent_changes'] / hours:,.0f} of a parent and {s['ring_changes'] / hours:,.0f} of a "
        "node's ring, per hour",
        *link_lines(s["links"]),
        f"  energy           {e['node_mean']:.3g} J per node ({e['transmit']:.3g} sending, {e['receive']:.3g} "
        f"receiving, {e['listen']:.3g} listening), at most {e['node_max']:.3g}{each}",
    ]


def link_lines(found: dict[str, Any] | None) -> list[str]:
    """A line about the quality of links, if there are any whose quality is known."""
    if found is None or not found["kept"]:
        return []
    return [
        f"  links            {found['kept']:,} kept; {found['measured']:.1%} of HELLOs came through on them, "
        f"{found['claimed']:.1%} claimed"
    ]
