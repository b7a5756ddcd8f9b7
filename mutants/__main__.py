"""Plant bugs, one at a time, and see whether the tests notice; exit code 0 only if all are caught."""

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from psvr.errors import BadInput

from . import report
from .entries import CannotPlant, Mutant, chosen, read_all
from .results import Results, set_name
from .trying import BROKEN, CAUGHT, SURVIVED, Bench, Result, imported_from

ROOT = Path(__file__).resolve().parent.parent
Tests = tuple[str, ...]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser("python -m mutants", description=__doc__)
    made.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="bugs whose id, or whose list, is like this (tree-*, protocol-links); may be repeated",
    )
    made.add_argument("--jobs", type=int, default=2, metavar="N", help="how many at a time (default: 2)")
    made.add_argument("--list", action="store_true", help="name the bugs and what is known of them, and end")
    made.add_argument("--fresh", action="store_true", help="forget the results of earlier runs")
    made.add_argument("--report", type=Path, metavar="FILE", help="rewrite the table in this document")
    made.add_argument(
        "--root",
        type=Path,
        default=ROOT,
        metavar="FOLDER",
        help="the project: its lists are in FOLDER/mutants (default: the one of this tool)",
    )
    return made


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run(options)
    except BadInput as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mutants: interrupted; what is done is kept for the next run", file=sys.stderr)
        return 130


def run(options: argparse.Namespace) -> int:
    if options.jobs < 1:
        raise BadInput(f"--jobs: must be 1 or more, not {options.jobs}")
    root = options.root.resolve()
    every = read_all(root / "mutants")
    mutants = chosen(every, options.only)
    if options.report:
        if len(mutants) < len(every):
            raise BadInput("--report: must be of all mutants; leave --only out")
        report.check(options.report)
    results = Results(root, options.fresh)
    found = {m: kept for m in mutants for kept in [results.get(m.id, m.tests, m)] if kept}
    if options.list:
        show_list(mutants, found)
        return 0
    return try_all(mutants, found, results, options)


def show_list(mutants: list[Mutant], known: dict[Mutant, Result]) -> None:
    for m in mutants:
        say(f"{known[m].outcome if m in known else 'not tried':10} {m.area:24} {m.id:36} {m.why}")


def try_all(mutants: list[Mutant], found: dict[Mutant, Result], results: Results, options: argparse.Namespace) -> int:
    began, new = time.monotonic(), [m for m in mutants if m not in found]
    say(f"{len(mutants)} planted bugs; {len(found)} known from before, {len(new)} to try, {options.jobs} at a time")
    if new:
        with Bench(results.root, options.jobs) as bench:
            for m, result in trials(bench, new, results):
                found[m] = result
    took = f"{time.monotonic() - began:.0f} s, {options.jobs} at a time"
    if options.report:
        if len(new) < len(mutants):
            took = f"{sum(result.seconds for result in found.values()):.0f} s of tests, over several runs"
        report.write(options.report, [(m, found[m]) for m in mutants], took)
    return conclude([(m, found[m]) for m in mutants], took)


def trials(bench: Bench, mutants: list[Mutant], results: Results) -> Iterator[tuple[Mutant, Result]]:
    """Try all of these; yield each with its result, which is also stored."""
    check_imports(bench, mutants)
    fit = []
    for m in mutants:
        try:
            bench.changed(m)
            fit.append(m)
        except CannotPlant as error:
            say(f"{BROKEN}: {m.id}: {error}")
            yield m, Result(BROKEN, str(error), 0.0)
    seconds = unplanted(bench, list(dict.fromkeys(m.tests for m in fit)), results)
    say("now with bugs")
    tried = bench.each(fit, lambda m: bench.trial(m, seconds[m.tests]), lambda m: m.id)
    for i, (m, result) in enumerate(tried, 1):
        results.put(m.id, result, m.tests, m)
        say(f"[{i}/{len(fit)}] {result.outcome:8} {result.seconds:6.1f} s  {m.id}  {result.by}")
        yield m, result


def check_imports(bench: Bench, mutants: list[Mutant]) -> None:
    """Check that tests import the copy: bugs in a copy that is not imported would all survive."""
    for package in sorted({Path(Path(m.file).parts[1]).stem for m in mutants if m.file.startswith("src/")}):
        place = imported_from(bench.base, package)
        if not place.startswith(str(bench.base)):
            raise BadInput(f"{package} is imported from {place or 'nowhere'}, not from the copy of src with the bugs")


def unplanted(bench: Bench, sets: list[Tests], results: Results) -> dict[Tests, float]:
    """Return the seconds that each set of tests takes without any bug; they must pass."""
    kept = {tests: results.get(set_name(tests), tests) for tests in sets}
    seconds = {tests: result.seconds for tests, result in kept.items() if result}
    new = [tests for tests in sets if tests not in seconds]
    if new:
        say(f"first {len(new)} sets of tests without any bug")
    for i, (tests, result) in enumerate(bench.each(new, bench.unplanted, " ".join), 1):
        if result.outcome != SURVIVED:
            raise BadInput(f"without any bug, these must pass: {' '.join(tests)}; {result.by}")
        say(f"[{i}/{len(new)}] pass {result.seconds:6.1f} s  {' '.join(tests)}")
        seconds[tests] = result.seconds
        results.put(set_name(tests), result, tests)
    if new:
        bench.keep_kernels()
    return seconds


def conclude(found: list[tuple[Mutant, Result]], took: str) -> int:
    """Print again what was not caught, and the totals; return the exit code."""
    for m, result in found:
        if result.outcome != CAUGHT:
            say(f"{result.outcome}: {m.id} ({m.area}.toml, {m.file}): {result.by or m.why}")
    number = {outcome: sum(r.outcome == outcome for _, r in found) for outcome in (CAUGHT, SURVIVED, BROKEN)}
    say(f"{len(found)} planted: {', '.join(f'{n} {outcome}' for outcome, n in number.items())}; {took}")
    return 0 if number[CAUGHT] == len(found) else 1


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
