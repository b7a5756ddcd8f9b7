"""`psvr node`: run a node in the foreground."""

import argparse
import asyncio
import os
from typing import Any

from psvr.errors import BadInput
from psvr.fields.kinds import Choice, Number, Switch, Whole
from psvr.node.config.config import load, settings
from psvr.node.config.kinds import EtherAddress, FilePath, HostPort, HostPorts
from psvr.node.daemon.serving import serve

from .local import config_file

METAVARS = {
    Whole: "N",
    Number: "SECONDS",
    FilePath: "PATH",
    HostPort: "HOST:PORT",
    HostPorts: "HOST:PORT",
    EtherAddress: "HOST:PORT/NUMBER",
}


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="settings in TOML; variables PSVR_… and flags override them")
    for name, (kind, text) in settings().items():
        flag, text = "--" + name.replace("_", "-"), text.replace("%", "%%")
        if isinstance(kind, Switch):
            parser.add_argument(flag, action="store_const", const=True, help=text)
        elif isinstance(kind, HostPorts):
            parser.add_argument(flag, metavar="HOST:PORT", action="append", help=f"{text}; may be repeated")
        else:
            choices = "{" + ",".join(map(str, kind.names)) + "}" if isinstance(kind, Choice) else ""
            metavar = choices or METAVARS.get(type(kind), "NAME")
            parser.add_argument(flag, metavar=metavar, help=text)


def run(options: argparse.Namespace) -> None:
    flags: dict[str, Any] = {name: getattr(options, name) for name in settings()}
    if flags["peers"] is not None:
        if not all(map(str.strip, flags["peers"])):
            raise BadInput("--peers: must be HOST:PORT, not empty; leave it out where there are none")
        flags["peers"] = ",".join(flags["peers"])
    config = load(config_file(options), os.environ, flags)
    asyncio.run(serve(config, os.environ))
