"""`psvr lab ingest`: traces into Parquet, once or for as long as they grow."""

import argparse
import signal
import sys
from pathlib import Path

from psvr.errors import BadInput

from .lab_results import options_of
from .options import folder
from .output import show


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "ingest", help="read traces into Parquet by run and date, each row once; go on where the last run ended"
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder of traces: Parquet, JSON lines, or both")
    parser.add_argument("--to", metavar="FOLDER", type=folder, required=True, help="the folder to fill")
    parser.add_argument("--follow", action="store_true", help="go on with what is added, until Ctrl-C or SIGTERM")
    parser.add_argument(
        "--every", metavar="SECONDS", type=float, default=5.0, help="how often to look, with --follow (default: 5)"
    )
    parser.add_argument(
        "--batch", metavar="MB", type=int, default=512, help="megabytes that are read at a time (default: 512)"
    )
    parser.set_defaults(do=run)
    return parser


def run(options: argparse.Namespace) -> int:
    from psvr.lab.driver import session_for
    from psvr.lab.ingest.folders import names
    from psvr.lab.ingest.output import opened
    from psvr.lab.ingest.running import Pace, ingest
    from psvr.lab.spark.errors import spark_may_stop
    from psvr.lab.spark.master import parse
    from psvr.lab.spark.settings import parse_conf

    if not 0.05 <= options.every <= 86_400:
        raise BadInput("--every: must be from 0.05 to 86400 seconds")
    if options.batch < 1:
        raise BadInput("--batch: must be at least 1")
    parse(options.master)
    parse_conf(options.conf)
    if not names(options.folder) and not options.follow:
        raise BadInput(f"{options.folder}: must be a folder with a trace, but no finished file of one is in it")
    pace = Pace(options.follow, options.every, options.batch << 20)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ours = options_of(options)
    with opened(options.to, options.folder) as output:
        try:
            with session_for(ours) as spark, spark_may_stop():
                show(f"{ingest(spark, output, pace, ours.say)}\n")
        except KeyboardInterrupt:
            show(f"{output.progress}\n")
            print("stopped; the same command goes on from there", file=sys.stderr)
            return 0 if options.follow else 130
    return 0
