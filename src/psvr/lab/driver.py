"""The driver of a run, as Spark calls it: what `psvr lab run` and `run_study` do, from names of studies to the report.

It checks the options, locks the folder of results, starts Spark, and takes each study through its `pipeline` and
`evaluation`.
"""

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from psvr.errors import BadInput
from psvr.files import read_text

from .evaluation import report_on
from .kernels.compiling import compiled_ahead
from .kernels.sending import files_needed
from .pipeline import Prepared, check_claims, prepare, prepare_all, run, set_all_aside
from .report.claims import Claim
from .run.folder import locked, request_for
from .run.progress import Progress, format_duration
from .run.runner import write_error
from .spark.errors import spark_may_stop
from .spark.master import parse
from .spark.sessions import session, stop
from .study.study import load


@dataclass(frozen=True)
class Options:
    """How studies are run, as the options of `psvr lab run` say."""

    scale: str = "quick"
    sets: Sequence[str] = ()
    systems: Sequence[str] = ()  # files of custom systems
    out: Path = Path("lab")
    master: str = "local[*]"
    conf: Sequence[str] = ()
    again: bool = False
    fail_fast: bool = False
    quiet: bool = False

    def say(self, text: str) -> None:
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Outcome:
    """What has come of a run."""

    studies: list[Prepared]
    claims: list[Claim]  # of all studies in the folder
    failed: int  # trials


@contextmanager
def session_for(options: Options, keep: bool = False, compiled: Collection[str] | None = ()) -> Iterator[SparkSession]:
    """Return a session that is stopped afterwards; one that runs already, as in a notebook, is used and kept.

    `compiled` is what trials need of compiled code, if any are run; a session that is kept may run others later.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    try:
        yield session(options.master, "psvr lab", options.conf, None if keep else compiled)
    except BaseException:
        stop()
        raise
    if not keep:
        stop()


def run_studies(names: Sequence[str], options: Options, keep: bool = False, single: bool = False) -> Outcome:
    """Run what is left of these studies and make the report; everything that can be refused is refused before Spark.

    After Ctrl-C it raises `Stopped`; finished trials are stored.  `keep` leaves the Spark session running; `single`
    refuses a name that stands for several studies.
    """
    local = parse(options.master).local
    files = [(Path(file).name, read_text(Path(file), f"--system {file}")) for file in options.systems]
    systems = load_custom_systems(options.systems)
    studies = load(names, options.scale, options.sets, systems)
    if single and len(studies) != 1:
        several = ", ".join(study.name for study in studies)
        raise BadInput(f"study {', '.join(names)}: stands for several, {several}; run one at a time")
    with locked(options.out):
        prepared = [prepare(study, request_for(study, files, systems), options.out) for study in studies]
        options.say(announcement(prepared))
        with compiled_ahead(studies, options.say) as wait_for_code:
            if not local:
                wait_for_code()  # because it is sent to the workers with the session
            known = not (local or keep or systems)  # workers compile the user's rules, with code that is in no list
            with session_for(options, keep, files_needed(studies) if known else None) as spark:
                if spark.sparkContext.uiWebUrl:
                    options.say(f"Spark shows its jobs at {spark.sparkContext.uiWebUrl}")
                with spark_may_stop():
                    check_claims(spark, prepared)
                if options.again:
                    set_all_aside(prepared)
                wait_for_code()
                failed = 0
                for it in prepared:
                    failed += run(spark, it, Progress(it.study.name, options.quiet), options.fail_fast)
                return Outcome(prepared, make_report(spark, prepared, options), failed)


def make_report(spark: SparkSession, prepared: Sequence[Prepared], options: Options) -> list[Claim]:
    """Make the report on all studies of the folder, of which these are prepared already; return its claims."""
    studies = prepare_all(options.out, prepared)
    try:
        with spark_may_stop():
            return report_on(spark, studies, options.out, options.master)
    except OSError as error:
        raise write_error(error, options.out) from error


def announcement(prepared: Sequence[Prepared]) -> str:
    """Return how much there is to do, in one line."""
    trials, seconds = sum(it.trials for it in prepared), sum(cell.seconds for it in prepared for cell in it.cells)
    studies = "one study" if len(prepared) == 1 else f"{len(prepared)} studies"
    return f"{studies}, {trials:,} trials, about {format_duration(seconds)} of computing on one core"


def load_custom_systems(files: Sequence[str]) -> list[str]:
    """Load the custom systems in these files, and return their names."""
    if not files:
        return []
    from psvr.routing.custom import load_systems

    return load_systems(files)
