"""Finds out which compiled code trials use, so that a cluster is sent that and no more.

What is called from compiled code only is part of its callers: of all that is kept, trials use a tenth.  That tenth is
what a new process reads when all of a variant is compiled and it runs that once more; the mark of the variant lists it.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from psvr import jit
from psvr.lab.kinds import kind
from psvr.lab.study.study import Study
from psvr.processes import die_with_parent

from .compiling import Variant, as_words, from_words, mark, needed, run_all

LOOKS = 2  # the first may have to compile something


def files_needed(studies: Iterable[Study]) -> set[str] | None:
    """Return the names of the files of compiled code that trials use, all of which is compiled; None if it is unknown.

    What is missing would be compiled by the workers, so that in doubt all is sent.
    """
    listed, folder = list(studies), jit.cache_folder()
    if folder is None or not all(says_what_it_needs(study) for study in listed):
        return None
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = list(pool.map(lambda variant: files_of(variant, folder), needed(listed)))
    return None if None in found else set().union(*(files for files in found if files is not None))


def says_what_it_needs(study: Study) -> bool:
    return all(hasattr(kind(grid.kind, study.files), "COMPILED_AS") for grid in study.grids)


def files_of(variant: Variant, folder: Path) -> set[str] | None:
    """Return the files that a variant uses, looking anew if there is no list, or one that is no longer true."""
    found = files_listed(variant, folder)
    for _ in range(LOOKS):
        if found is not None:
            break
        words = [sys.executable, "-m", "psvr.lab.kernels.sending", *as_words(variant)]
        subprocess.run(words, capture_output=True, check=False)
        found = files_listed(variant, folder)
    return found


def files_listed(variant: Variant, folder: Path) -> set[str] | None:
    """Return the files in the list of a variant, if it has one and none of them was written since."""
    try:
        names = mark(folder, variant).read_text().splitlines()
        made = mark(folder, variant).stat().st_mtime_ns
        changed = any((folder / name).stat().st_mtime_ns > made for name in names)
    except OSError:
        return None
    return None if changed or not names else set(names)


def run_more(variant: Variant) -> None:
    """Run what trials call of simulated networks besides: they are struck, examined, and begun on one tree."""
    compiler, sizes, system = variant
    if compiler != "simulated" or system:
        return
    from psvr.lab.kinds import simulated, stabilizing
    from psvr.lab.kinds.template import scenario_of
    from psvr.sim.engine.world import capacity_for
    from psvr.sim.faults.memory import KINDS
    from psvr.sim.network import Network

    links, channels = sizes
    noise = [{"rate": 60, "length": 0.1, "sources": 1}]
    wireless = {"model": "ieee802154", "interference": noise} if links <= capacity_for(1, 1).links else {}
    scenario = {
        "duration": 9,
        "topology": {"kind": "geometric", "n": 8, "degree": 5},
        "radio": wireless,
        "protocol": {"links": links, "channels": channels},
        "traffic": [{"channel": "c", "subscribers": 2, "every": 1, "start": 3, "churn": 0.5}],
    }
    simulated.run({}, {**scenario, "same_tree": 2}, 1, ["psvr"])
    net = Network(scenario_of(scenario, {}, 1, "psvr"))
    net.run(9)
    net.unsubscribe(0, "c")
    net.problems()
    for memory in KINDS if sizes == stabilizing.variant({}, None) else ():
        struck = {"topology": "line", "n": 5, "loss": 0.0, "corrupted": 1.0, "memory": memory}
        stabilizing.run(struck, None, 1, ["psvr/all/paper"])


def main(words: list[str]) -> None:
    """Run the variant that a command line names, and list the files of compiled code that were read for it.

    What had to be compiled was not read: then it takes another look.
    """
    variant, folder = from_words(words), jit.cache_folder()
    assert folder is not None
    read: set[Path] = set()
    before = set(folder.glob("*.nbc"))

    def notice(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and str(arguments[1]).startswith("r"):
            read.add(Path(str(arguments[0])))

    sys.addaudithook(notice)
    run_all(variant)
    run_more(variant)
    if set(folder.glob("*.nbc")) != before:
        return
    names = {file.name for file in read if file.parent == folder and file.suffix in (".nbi", ".nbc") and file.exists()}
    mark(folder, variant).write_text("\n".join(sorted(names)))


if __name__ == "__main__":
    die_with_parent()
    main(sys.argv[1:])
