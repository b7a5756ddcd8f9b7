"""`psvr lab`: studies on Spark."""

import argparse
from pathlib import Path

from psvr.lab.study import SCALES

from . import lab_ingest, lab_results, lab_run
from .options import add_overrides, folder

OUT = "lab"
MASTER = "local[*]"


def add(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(parser))
    listed = commands.add_parser("list", help="list the studies, what they cover and how long they take")
    listed.set_defaults(do=lab_results.list_studies)
    run = commands.add_parser("run", help="run studies, or resume them where they were stopped, and make the report")
    run.add_argument(
        "studies", metavar="STUDY", nargs="+", help="a name (see psvr lab list), or the folder of your own"
    )
    run.add_argument("--again", action="store_true", help="run finished trials again; their old rows are set aside")
    run.add_argument("--fail-fast", action="store_true", help="stop when a trial fails; without it, the others go on")
    run.set_defaults(do=lab_run.run)
    replay = commands.add_parser("replay", help="run a single trial again in this process, and print its results")
    replay.add_argument("study", metavar="STUDY", help="the study that has it, as for run")
    replay.add_argument("trial", metavar="TRIAL", help="its id, 16 digits")
    replay.add_argument(
        "changes", metavar="KEY=VALUE", nargs="*", help="change a parameter of the trial, or its seed, as in n=7"
    )
    replay.set_defaults(do=lab_run.replay_trial)
    for sub in (run, replay):
        sub.add_argument("--scale", choices=SCALES, default="quick", help="how much of it (default: %(default)s)")
        add_overrides(sub, "change a parameter, for example n=[20,50] or main.repetitions=100", dest="sets")
        sub.add_argument(
            "--system",
            metavar="FILE",
            action="append",
            default=[],
            dest="systems",
            help="a Python file with a custom routing system, to compare with the others",
        )
    report = commands.add_parser("report", help="make measures, figures and report again from the stored rows")
    report.set_defaults(do=lab_results.report)
    results = commands.add_parser("results", help="write a page of Markdown with pictures, to show results elsewhere")
    results.add_argument(
        "folders", metavar="DIR", type=Path, nargs="+", help="a folder of results, as run and report leave it"
    )
    results.add_argument(
        "--to", metavar="DIR", type=Path, required=True, help="where page and pictures go, such as docs/results"
    )
    results.set_defaults(do=lab_results.results)
    sql = commands.add_parser("sql", help="a query over rows, measures and traces")
    sql.add_argument("query", metavar="QUERY", nargs="?", help="without it: list the tables and their columns")
    sql.add_argument("--trace", metavar="DIR", help="a folder of traces, as the table trace")
    sql.add_argument(
        "--format",
        choices=("table", "csv", "json"),
        default="table",
        dest="form",
        help="how to print the answer (default: %(default)s)",
    )
    sql.set_defaults(do=lab_results.sql)
    ingest = lab_ingest.add(commands)
    for sub in (run, report, sql):
        sub.add_argument(
            "--out", metavar="DIR", type=folder, default=Path(OUT), help="the folder of results (default: %(default)s)"
        )
    for sub in (run, report, sql, ingest):
        sub.add_argument(
            "--master",
            default=MASTER,
            help="where Spark runs: local[N], spark://host:port, yarn, k8s://… (default: %(default)s)",
        )
        sub.add_argument("--conf", metavar="KEY=VALUE", action="append", default=[], help="a setting of Spark")
        sub.add_argument("--quiet", action="store_true", help="no progress")


def run(options: argparse.Namespace) -> int:
    return int(options.do(options))
