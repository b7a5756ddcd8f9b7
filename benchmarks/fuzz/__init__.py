"""Hostile datagrams: against all code that reads them, through the socket of a real node, and as a flood.

    python -m benchmarks fuzz                                               ten million and a million; an hour
    python -m benchmarks fuzz --runs 100000 --datagrams 20000 --seconds 5   less of each; 0 skips a part

The first part is guided by coverage if atheris is installed (pip install atheris); otherwise it uses mutations only.
"""

import argparse

ON_REQUEST = True  # takes an hour
RUNS, DATAGRAMS, SECONDS = 10_000_000, 1_000_000, 20


def run(runs: int = RUNS, datagrams: int = DATAGRAMS, seconds: float = SECONDS) -> None:
    from . import flood, readers, through  # not earlier: atheris must import what it is to instrument

    if runs:
        print(readers.report(runs), flush=True)
    if datagrams:
        print(through.report(datagrams), flush=True)
    if seconds:
        print(flood.report(seconds), flush=True)


def with_options(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks fuzz")
    parser.add_argument("--runs", type=int, default=RUNS, help="inputs for the readers, over all of them")
    parser.add_argument("--datagrams", type=int, default=DATAGRAMS, help="datagrams through the socket of each node")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each flood")
    run(**vars(parser.parse_args(arguments)))
