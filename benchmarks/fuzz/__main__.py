"""The same with other numbers."""

import argparse

from . import DATAGRAMS, RUNS, SECONDS, run

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="inputs for the readers, over all of them")
    parser.add_argument("--datagrams", type=int, default=DATAGRAMS, help="datagrams through the socket of each node")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of a flood")
    given = parser.parse_args()
    run(given.runs, given.datagrams, given.seconds)
