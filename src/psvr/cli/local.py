"""How `psvr pub`, `sub` and `status` find the node of this machine."""

import argparse
import os
from pathlib import Path

from psvr.node.config.config import load
from psvr.node.config.kinds import FilePath
from psvr.node.daemon.client import Client

WAIT = 3.0  # seconds for a node that is just starting


def add_socket(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--socket", metavar="PATH", help="socket of the node (default: that of a node started with the same settings)"
    )
    parser.add_argument("--config", metavar="FILE", help="the node's configuration, which says where its socket is")


def client_of(options: argparse.Namespace) -> Client:
    """A connection to the node, which may be just starting."""
    return Client(load(config_file(options), os.environ, {"socket": options.socket}).socket, WAIT)


def config_file(options: argparse.Namespace) -> Path | None:
    """The file that --config names, if it is given; an empty name is an error, such as a variable that is not set."""
    return None if options.config is None else FilePath().read(options.config, "--config")
