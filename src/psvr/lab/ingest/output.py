"""The folder that an ingestion fills: what it says of itself, and how a batch becomes part of it, once.

    trace/run=…/date=…/…    the rows
    bad/…                   lines that are no rows
    gaps/…                  what was lost
    _psvr/state.json        how far everything has been read, totals, and the files of the last batch
    _psvr/incoming/         what tasks are writing

A batch is committed by replacing `state.json`, in one step: it names the hidden files of the batch and where they
belong, and says up to where the trace is read by then.  Only then are they moved there, which is completed at the next
start if it was interrupted.  What else is hidden then is what a dead process has left, and removed.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psvr.atomic as atomic
from psvr.errors import BadInput
from psvr.trace.columns import one_line

from .offsets import State

FORMAT = "psvr ingest 1"
TOTALS = ("rows", "bad", "gaps", "lost_bytes")


@dataclass(frozen=True)
class Progress:
    """What is known after a batch."""

    batch: int = 0
    state: State = field(default_factory=State)
    totals: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TOTALS, 0))

    def __str__(self) -> str:
        totals = self.totals
        text = f"{totals['rows']:,} rows, {totals['bad']:,} bad lines, {totals['gaps']:,} gaps"
        return f"{text} of {totals['lost_bytes']:,} bytes" if totals["lost_bytes"] else text


class Output:
    """A folder that this process alone writes."""

    def __init__(self, folder: Path, source: Path) -> None:
        self.folder, self.source = folder, source
        self.own = folder / "_psvr"
        self.file, self.incoming = self.own / "state.json", self.own / "incoming"
        self.progress = Progress()

    def begin(self) -> None:
        """Take over what is there: complete the last batch, and remove what belongs to none."""
        if self.file.exists():
            stored = self.stored()
            self.progress = Progress(stored["batch"], State.from_json(stored["state"]), stored["totals"])
            self.move(stored["moves"])
        for left in self.incoming.iterdir():
            left.unlink(missing_ok=True)
        if not self.file.exists():
            self.save(self.progress, [])

    def stored(self) -> dict[str, Any]:
        """What an earlier run has left, if it is whole and of the same source."""
        try:
            found = json.loads(self.file.read_text("utf-8"))
            known = found["format"] == FORMAT
            if known and found["source"] != str(self.source):
                raise BadInput(f"--to {self.folder}: is filled from {found['source']}; give another folder")
            if known and {"batch", "state", "totals", "moves"} <= set(found):
                return found  # type: ignore[no-any-return]
        except BadInput:
            raise
        except (OSError, ValueError, KeyError, TypeError):
            pass
        raise BadInput(f"--to {self.folder}: its _psvr/state.json is damaged, or of another version of psvr")

    def commit(self, progress: Progress, files: Sequence[tuple[str, str]]) -> None:
        """Make hidden files part of the folder, and remember how far the trace has been read by that."""
        names = ((name, f"{folder}/{progress.batch:08d}-{i:04d}.parquet") for i, (name, folder) in enumerate(files))
        moves = list(names)
        atomic.sync_folder(self.incoming)
        self.save(progress, moves)
        self.move(moves)
        self.progress = progress

    def save(self, progress: Progress, moves: Sequence[Sequence[str]]) -> None:
        content = {
            "format": FORMAT,
            "source": str(self.source),
            "batch": progress.batch,
            "totals": progress.totals,
            "moves": moves,
            "state": progress.state.to_json(),
        }
        atomic.replace(self.file, json.dumps(content))

    def move(self, moves: Sequence[Sequence[str]]) -> None:
        folders = set()
        for hidden, name in moves:
            target = self.folder / name
            if (self.incoming / hidden).exists():
                make(target.parent)
                os.replace(self.incoming / hidden, target)
                folders.add(target.parent)
        for folder in folders:
            atomic.sync_folder(folder)


def make(folder: Path) -> None:
    """Make a folder that is there after a power failure, too."""
    if not folder.exists():
        make(folder.parent)
        folder.mkdir(exist_ok=True)
        atomic.sync_folder(folder.parent)


@contextmanager
def opened(folder: Path, source: Path) -> Iterator[Output]:
    """A folder to fill, new or filled from the same source before; the lock ends with this process."""
    refuse_others(folder)
    output = Output(folder.absolute(), source.resolve())
    try:
        output.incoming.mkdir(parents=True, exist_ok=True)
        handle = os.open(output.own / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise BadInput(f"--to {folder}: cannot be written: {one_line(error)}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        output.begin()
        yield output
    except BlockingIOError:
        raise BadInput(f"--to {folder}: another psvr lab ingest fills it") from None
    finally:
        os.close(handle)


def refuse_others(folder: Path) -> None:
    """Refuse what something else has made; a folder of ours without its state was interrupted when it was made."""
    try:
        found = set(os.listdir(folder)) if folder.exists() else set()
    except OSError as error:
        raise BadInput(f"--to {folder}: must be a folder: {one_line(error)}") from None
    if found and found != {"_psvr"} and not (folder / "_psvr" / "state.json").exists():
        raise BadInput(f"--to {folder}: has other files in it; give a new folder, or one that psvr lab ingest filled")


def after(progress: Progress, state: State, added: dict[str, int]) -> Progress:
    """The progress after one more batch."""
    totals = {name: progress.totals.get(name, 0) + added.get(name, 0) for name in TOTALS}
    return replace(progress, batch=progress.batch + 1, state=state, totals=totals)
