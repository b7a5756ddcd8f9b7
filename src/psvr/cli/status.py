"""`psvr status`: what the node of this machine knows and has done."""

import argparse
import json
from collections.abc import Iterator
from typing import Any

from .local import add_socket, client_of
from .output import plain, show

HEADS = ("neighbour", "quality", "heard", "hears me", "round trip", "silent", "")


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="all of it, as one object")
    add_socket(parser)


def run(options: argparse.Namespace) -> None:
    with client_of(options) as node:
        status = node.status()
    show((json.dumps(status) if options.json else "\n".join(in_words(status))) + "\n")


def in_words(status: dict[str, Any]) -> Iterator[str]:
    tables, outbox = status["tables"], status["outbox"]
    yield f"node {status['id']}, boot {status['boot']}"
    yield f"tree: {tree(status['tree'])}"
    yield f"ring: {ring(status['ring'])}"
    yield f"tables: {tables['channels']:,} channels, lease {tables['lease']:g} s"
    yield f"subscriptions: {', '.join(map(plain, status['subscriptions'])) or 'none'}"
    yield (
        f"outbox: {outbox['waiting']:,} wait for the network, {outbox['kept']:,} kept in case they must be "
        f"repeated, {outbox['stuck']:,} held until there is a way"
    )
    yield "counters: " + ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in status["counters"].items())
    yield "transmissions: " + ", ".join(
        f"{kind} {n:,} of {status['bytes'].get(kind, 0):,} bytes" for kind, n in status["transmissions"].items()
    )
    for reason, count in status["dropped"].items():
        yield f"dropped {count:,}: {reason}"
    for reason, count in status["losing"].items():
        yield f"dropped soon, unless sent again, {count:,}: {reason}"
    yield from neighbours(status["neighbours"])


def tree(tree: dict[str, Any]) -> str:
    where = f"parent {tree['parent']}, {tree['distance']} hops from the root {tree['root']}"
    if tree["parent"] is None:
        where = "this node is the root"
    nodes = "node" if tree["nodes"] == 1 else "nodes"
    children = ", ".join(map(str, tree["children"])) or "none"
    return f"{where}; children: {children}; {tree['nodes']:,} {nodes} from here down"


def ring(ring: dict[str, Any]) -> str:
    if ring["id"] is None:
        return "none as yet"
    return f"{ring['length']:,} positions, here {', '.join(map(str, ring['positions']))}"


def neighbours(links: list[dict[str, Any]]) -> Iterator[str]:
    """A table of neighbours: shares in percent, times in milliseconds or seconds."""
    if not links:
        yield "neighbours: none"
        return
    rows = [HEADS, *(cells(link) for link in sorted(links, key=lambda link: int(link["id"])))]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
    for row in rows:
        numbers = [cell.rjust(width) for cell, width in zip(row[:-1], widths)]
        yield "  ".join([*numbers, row[-1]]).rstrip()


def cells(link: dict[str, Any]) -> tuple[str, ...]:
    trip = link["round_trip"]
    remarks = ([] if link["two_way"] else ["one way"]) + (["in the tree"] if link["tree"] else [])
    return (
        str(link["id"]),
        *(f"{link[share]:.0%}" for share in ("quality", "heard", "hears_me")),
        "" if not trip else f"{1000 * trip:.1f} ms",
        f"{link['silent']:.1f} s",
        ", ".join(remarks),
    )
