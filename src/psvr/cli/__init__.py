"""The command line: `psvr COMMAND`.  Every command is a module of this package with `add` and `run`."""

import argparse
import importlib
import os
import sys
from typing import NoReturn

from psvr import __version__
from psvr.errors import BadInput

COMMANDS = {
    "route": "route one publication through a settled network, under every system",
    "sim": "simulate a network: a scenario of nodes, traffic and faults",
    "node": "run a node: publish and subscribe among machines, without a server",
    "pub": "publish through the node of this machine",
    "sub": "print what is published, through the node of this machine",
    "status": "what the node of this machine knows and has done",
    "swarm": "run a scenario with real node processes on this machine",
    "lab": "run studies on Spark: the paper's evaluation, and your own",
    "keygen": "make a network key for live nodes, or go over to a new one",
}
NEEDS = {               # a missing module → the extra that brings it
    "numpy": "sim", "numba": "sim", "llvmlite": "sim", "pyarrow": "sim", "networkx": "graphs",
    "pyspark": "lab", "py4j": "lab", "pandas": "lab", "matplotlib": "lab",
    "cryptography": "node"}
SEVERAL = {"swarm": "sim,node"}                 # a command that needs more than one


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, not the whole usage."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser(wanted: str | None) -> Parser:
    """Of all commands only the one that is asked for is imported."""
    top = Parser(prog="psvr", description="Publish/subscribe for networks without infrastructure.")
    top.add_argument("--version", action="version", version=f"psvr {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name, text in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=text)
        if name == wanted:
            importlib.import_module(f"psvr.cli.{name}").add(sub)
    return top


def main(arguments: list[str] | None = None) -> int:
    if sys.stderr is None:              # closed from the start: nobody wants to hear complaints
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stdout is None:
        return complain("standard output is closed; send it to a file or /dev/null")
    arguments = sys.argv[1:] if arguments is None else arguments
    wanted = next((a for a in arguments if not a.startswith("-")), None)
    try:
        options = parser(wanted).parse_args(arguments)
        status = importlib.import_module(f"psvr.cli.{options.command}").run(options)
        sys.stdout.flush()
        return int(status or 0)
    except BadInput as error:
        return complain(str(error))
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in NEEDS:
            raise
        extras = SEVERAL.get(wanted or "", NEEDS[module])
        return complain(f"this command needs {module}: pip install 'psvr[{extras}]'")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        return complain(f"cannot write the result: {error.strerror}")
    except MemoryError:
        return complain("out of memory; ask for less, or for a larger machine")
    except KeyboardInterrupt:
        return 130


def complain(text: str) -> int:
    print(f"psvr: {' '.join(text.split())}", file=sys.stderr)
    return 2
