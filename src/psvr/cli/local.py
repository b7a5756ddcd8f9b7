"""How `psvr pub`, `sub` and `status` find the node of this machine."""

import argparse
import os
from pathlib import Path

from psvr.node.client import Client
from psvr.node.config import load

WAIT = 3.0              # seconds for a node that is just being started


def add_socket(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--socket", metavar="PATH", help="socket of the node (default: where a node that was "
                                                         "started likewise has it)")
    parser.add_argument("--config", metavar="FILE", help="the node's configuration, which says where its socket is")


def client_of(options: argparse.Namespace) -> Client:
    file = Path(options.config) if options.config else None
    return Client(load(file, os.environ, {"socket": options.socket}).socket, WAIT)
