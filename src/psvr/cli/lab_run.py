"""`psvr lab run` and `psvr lab replay`."""

import argparse
import sys
from pathlib import Path

from psvr.files import read_text
from psvr.lab import strict_json
from psvr.lab.driver import load_custom_systems, run_studies
from psvr.lab.replay import FAILURE, read_changes, replay, without_trial
from psvr.lab.run.runner import Stopped, TrialFailed
from psvr.lab.study import load

from .lab_results import options_of, print_verdicts
from .output import show

FAILED = 3  # the exit code if a trial fails


def run(options: argparse.Namespace) -> int:
    """Run studies and make the report."""
    try:
        outcome = run_studies(options.studies, options_of(options))
    except (Stopped, KeyboardInterrupt):
        print("\nstopped; what is finished is stored, and the same command goes on from there", file=sys.stderr)
        return 130
    except TrialFailed as failed:
        print(f"stopped, because {failed}; what is finished is stored", file=sys.stderr)
        return FAILED
    print_verdicts(outcome.claims, options.out)
    if outcome.failed:
        print(f"trials that could not be run: {outcome.failed:,}; the report says why", file=sys.stderr)
        return FAILED
    return 0


def replay_trial(options: argparse.Namespace) -> int:
    """Run one trial again in this process, and print a JSON object per system."""
    files = tuple((Path(file).name, read_text(Path(file), f"--system {file}")) for file in options.systems)
    [study] = load([options.study], options.scale, options.sets, load_custom_systems(options.systems))
    rows = replay(study, options.trial, read_changes(options.changes), files)
    for row in rows:
        show(strict_json.dumps(without_trial(row)) + "\n")
    return FAILED if any(row.get(FAILURE) is not None for row in rows) else 0
