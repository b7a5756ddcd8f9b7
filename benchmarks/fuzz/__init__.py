"""Hostile datagrams: against everything that reads them, through the socket of a real node, and as a flood.

    python -m benchmarks fuzz                                               ten million and a million; an hour
    python -m benchmarks fuzz --runs 100000 --datagrams 20000 --seconds 5   less of all; 0 leaves a part out

The first part is guided by coverage if atheris is installed (pip install atheris), else by mutations alone.
"""

import argparse

ON_REQUEST = True           # takes an hour
RUNS, DATAGRAMS, SECONDS = 10_000_000, 1_000_000, 20


def run(runs: int = RUNS, datagrams: int = DATAGRAMS, seconds: float = SECONDS) -> None:
    from . import flood, readers, through  # not before: what atheris is to follow must be imported by it
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
