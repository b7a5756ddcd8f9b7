"""`psvr sub CHANNEL…`: print what is published on channels, one line per message."""

import argparse
import json
import os
import sys
from itertools import islice
from typing import Any

from psvr.errors import BadInput
from psvr.node.daemon.lines import data_of

from .local import add_socket, client_of
from .output import plain, show

SHOWN = ("channel", "data", "base64", "origin", "boot", "sequence", "hops")


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("channels", metavar="CHANNEL", nargs="+", help="name of a channel")
    parser.add_argument("--json", action="store_true", help="each message as an object, exactly as it was published")
    parser.add_argument("--count", metavar="N", help="exit after N messages")
    add_socket(parser)


def run(options: argparse.Namespace) -> None:
    count = count_of(options.count)
    several = len(set(options.channels)) > 1
    with client_of(options) as node:
        for message in islice(node.messages(options.channels), count):
            line = as_json(message) if options.json else as_text(message, several)
            show(f"{line}\n")
            sys.stdout.flush()


def count_of(text: str | None) -> int | None:
    if text is not None and (not text.isdecimal() or int(text[:18]) == 0):
        raise BadInput(f"--count: must be a whole number from 1, not {text[:40]!r}")
    return None if text is None else int(text[:18])


def as_json(message: dict[str, Any]) -> str:
    return json.dumps({key: message[key] for key in SHOWN if key in message})


def as_text(message: dict[str, Any], with_channel: bool) -> str:
    """A message as one line: whatever would break the line, or steer a terminal, is escaped."""
    text = plain(os.fsdecode(data_of(message)))
    return f"{plain(message['channel'])}\t{text}" if with_channel else text
