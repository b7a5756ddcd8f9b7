"""The command line: `psvr COMMAND`.  Every command is a module of this package with functions `add` and `run`."""

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
    "status": "show what the node of this machine knows and has done",
    "swarm": "run a scenario with real node processes on this machine",
    "lab": "run studies on Spark: the paper's evaluation, and your own",
    "keygen": "make a network key for live nodes, or change to a new one",
}
NEEDS = {  # the extra that provides a module
    "numpy": "sim",
    "numba": "sim",
    "llvmlite": "sim",
    "pyarrow": "sim",
    "networkx": "graphs",
    "pyspark": "lab",
    "py4j": "lab",
    "pandas": "lab",
    "matplotlib": "lab",
    "cryptography": "node",
}
SEVERAL = {"swarm": "sim,node"}  # commands that need more than one extra


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Print one line, not the whole usage."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser(wanted: str | None) -> Parser:
    """The parser of all commands; only the module of the wanted one is imported."""
    top = Parser(prog="psvr", description="Publish/subscribe for networks without infrastructure.")
    top.add_argument("--version", action="version", version=f"psvr {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name, text in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=text)
        if name == wanted:
            importlib.import_module(f"psvr.cli.{name}").add(sub)
    return top


def main(arguments: list[str] | None = None) -> int:
    if sys.stderr is None:  # closed from the start: nobody wants error messages
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stdout is None:
        return print_error("standard output is closed; send it to a file or /dev/null")
    arguments = sys.argv[1:] if arguments is None else arguments
    wanted = next((a for a in arguments if not a.startswith("-")), None)
    try:
        options = parser(wanted).parse_args(arguments)
        status = importlib.import_module(f"psvr.cli.{options.command}").run(options)
        sys.stdout.flush()
        return int(status or 0)
    except BadInput as error:
        return print_error(str(error))
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in NEEDS:
            raise
        extras = SEVERAL.get(wanted or "", NEEDS[module])
        return print_error(f"this command needs {module}: pip install 'psvr[{extras}]'")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        return print_error(f"cannot write the result: {error.strerror}")
    except MemoryError:
        return print_error("out of memory; ask for less, or for a larger machine")
    except KeyboardInterrupt:
        return 130


def print_error(text: str) -> int:
    print(f"psvr: {' '.join(text.split())}", file=sys.stderr)
    return 2
