"""`psvr pub CHANNEL [DATA]`: publish through the node of this machine."""

import argparse
import os
import sys
from collections.abc import Iterator
from typing import Any

from psvr.errors import BadInput
from psvr.node.core.naming import MAX_PAYLOAD_BYTES
from psvr.node.daemon.lines import MAX_LINE, unpacked, with_data

from .local import add_socket, client_of

KEYS = ("channel", "data", "base64")


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "channel", metavar="CHANNEL", nargs="?", help="name of the channel; with --json, for lines that name none"
    )
    parser.add_argument("data", metavar="DATA", nargs="?", help="what to publish (default: lines of standard input)")
    parser.add_argument(
        "--json",
        action="store_true",
        help='standard input has lines such as {"channel": "a", "data": "b"}, or "base64" for "data"',
    )
    add_socket(parser)


def run(options: argparse.Namespace) -> None:
    if options.channel is None and not options.json:
        raise BadInput("CHANNEL: must be given, or --json with lines that name it")
    if options.data is not None and options.json:
        raise BadInput("DATA: must not be given with --json, which reads standard input")
    with client_of(options) as node:
        if options.data is not None:
            node.publish(iter([{"channel": options.channel, **with_data(os.fsencode(options.data))}]))
        elif options.json:
            node.publish(json_lines(options.channel), "line")
        else:
            node.publish(plain_lines(options.channel), "line")


def plain_lines(channel: str) -> Iterator[dict[str, Any]]:
    for _, line in lines(MAX_PAYLOAD_BYTES, "to be published"):
        yield {"channel": channel, **with_data(line)}


def json_lines(channel: str | None) -> Iterator[dict[str, Any]]:
    for number, line in lines(MAX_LINE - 100, "as JSON"):
        try:
            fields = unpacked(line)
        except BadInput as error:
            raise BadInput(f"line {number}: {error}") from None
        if channel is not None:
            fields.setdefault("channel", channel)
        yield {key: fields[key] for key in KEYS if key in fields}


def lines(limit: int, what: str) -> Iterator[tuple[int, bytes]]:
    """The lines of standard input, each as soon as it arrives, numbered from 1."""
    number = 0
    if sys.stdin is None:
        raise BadInput("standard input: is closed; give DATA")
    while line := sys.stdin.buffer.readline(limit + 2):
        number += 1
        line = line.removesuffix(b"\n")
        if len(line) > limit:
            raise BadInput(f"line {number}: is too long {what}: must be at most {limit:,} bytes")
        yield number, line
