"""How `psvr pub`, `sub` and `status` find the node of this machine."""

import argparse
import os
from pathlib import Path

from psvr.node.config.config import load
from psvr.node.daemon.client import Client

WAIT = 3.0  # seconds for a node that is just starting


def add_socket(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--socket", metavar="PATH", help="socket of the node (default: that of a node started with the same settings)"
    )
    parser.add_argument("--config", metavar="FILE", help="the node's configuration, which says where its socket is")


def client_of(options: argparse.Namespace) -> Client:
    file = Path(options.config) if options.config else None
    return Client(load(file, os.environ, {"socket": options.socket}).socket, WAIT)
