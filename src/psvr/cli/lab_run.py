"""`psvr lab run`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from psvr.files import read_text
from psvr.lab.folder import asked, locked
from psvr.lab.pipeline import Prepared, again, prepare
from psvr.lab.pipeline import run as run_study
from psvr.lab.progress import Progress, spoken
from psvr.lab.run import Stopped
from psvr.lab.study import load

from .lab_results import make_report, session_of


def run(options: argparse.Namespace) -> int:
    """Everything that can be refused is refused before Spark starts."""
    files = read_systems(options.systems)
    names = load_own(options.systems)
    studies = load(options.studies, options.scale, options.sets, names)
    with locked(options.out):
        prepared = [prepare(study, asked(study, options.sets, files, names), options.out) for study in studies]
        announce(prepared, options.quiet)
        with session_of(options) as spark:
            if options.again:
                again(prepared)
            try:
                for it in prepared:
                    run_study(spark, it, Progress(it.study.name, options.quiet))
            except (Stopped, KeyboardInterrupt):
                print("\nstopped; what is finished is stored, and the same command goes on from there", file=sys.stderr)
                return 130
            make_report(spark, options)
    return 0


def announce(prepared: Sequence[Prepared], quiet: bool) -> None:
    if quiet:
        return
    trials = sum(len(it.trials) for it in prepared)
    seconds = sum(sum(c * len(s) for c, s in zip(it.trials.column("cost").to_pylist(),
                                                 it.trials.column("systems").to_pylist())) for it in prepared)
    studies = "one study" if len(prepared) == 1 else f"{len(prepared)} studies"
    print(f"{studies}, {trials:,} trials, about {spoken(seconds)} of computing on one core; "
          "the first run compiles the rules, for a minute or two", file=sys.stderr, flush=True)


def read_systems(files: Sequence[str]) -> list[tuple[str, str]]:
    return [(Path(file).name, read_text(Path(file), f"--system {file}")) for file in files]


def load_own(files: Sequence[str]) -> list[str]:
    if not files:
        return []
    from psvr.routing.own import load_systems
    return load_systems(files)
