"""`psvr node`: run a node in the foreground."""

import argparse
import asyncio
import os
from pathlib import Path
from typing import Any

from psvr.node.config import load, settings
from psvr.node.serving import serve
from psvr.node.settings import Choice, EtherPlace, HostPort, HostPorts, Number, Place, Switch, Whole

METAVARS = {Whole: "N", Number: "SECONDS", Place: "PATH", HostPort: "HOST:PORT", HostPorts: "HOST:PORT",
            EtherPlace: "HOST:PORT/NUMBER"}


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="settings in TOML; variables PSVR_… and flags are stronger")
    for name, (kind, text) in settings().items():
        flag, text = "--" + name.replace("_", "-"), text.replace("%", "%%")
        if isinstance(kind, Switch):
            parser.add_argument(flag, action="store_const", const=True, help=text)
        elif isinstance(kind, HostPorts):
            parser.add_argument(flag, metavar="HOST:PORT", action="append", help=f"{text}; may be given again")
        else:
            told = "{" + ",".join(kind.names) + "}" if isinstance(kind, Choice) else METAVARS.get(type(kind), "NAME")
            parser.add_argument(flag, metavar=told, help=text)


def run(options: argparse.Namespace) -> None:
    flags: dict[str, Any] = {name: getattr(options, name) for name in settings()}
    if flags["peers"] is not None:
        flags["peers"] = ",".join(flags["peers"])
    config = load(Path(options.config) if options.config else None, os.environ, flags)
    asyncio.run(serve(config, os.environ))
