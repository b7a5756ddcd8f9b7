"""`psvr lab run`."""

import argparse
import sys

from psvr.lab.driver import run_studies
from psvr.lab.run.runner import Stopped

from .lab_results import options_of, print_verdicts


def run(options: argparse.Namespace) -> int:
    """Run studies and make the report."""
    try:
        _, claims = run_studies(options.studies, options_of(options))
    except (Stopped, KeyboardInterrupt):
        print("\nstopped; what is finished is stored, and the same command goes on from there", file=sys.stderr)
        return 130
    print_verdicts(claims, options.out)
    return 0
