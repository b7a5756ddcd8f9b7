"""The trace of a node: rows as JSON lines, in files of bounded size; only the newest files are kept.

`DIR/NAME-000001.jsonl`, then 000002 and so on; every start begins a new file, so that nothing is ever appended to the
incomplete line that a crash may leave.  `psvr.trace` reads whichever files are in the folder.  What is removed is
noted, so that a reader who comes too late knows what it has missed; the node waits for nobody.
"""

import contextlib
import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from psvr.errors import BadInput
from psvr.trace import TraceError, json_line
from psvr.trace.columns import one_line

from .removed import RemovedFiles

Warn = Callable[[str], None]


class Tracing:
    """Takes rows once `begin` has been called.  From then on it never raises, and reports what goes wrong once."""

    def __init__(self, folder: Path, run: str, warn: Warn, max_bytes: int = 16 << 20, max_files: int = 8) -> None:
        self.folder, self.run, self.warn = folder, run, warn
        self.max_bytes, self.max_files = max_bytes, max_files
        self.name, self.number = "", 0
        self.file: io.RawIOBase | None = None
        self.removed: RemovedFiles | None = None
        self.written = self.refused = 0

    def begin(self, name: str) -> None:
        self.name = name
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.number = max(self.numbers(), default=0)
            self.removed = RemovedFiles(self.folder, name)
            self.next_file()
        except OSError as error:
            raise BadInput(f"trace: {self.folder} cannot be written: {error.strerror}") from None

    def __call__(self, row: Mapping[str, Any]) -> None:
        if self.file is None:
            return
        try:
            line = json_line({"run": self.run, **row}).encode()
        except (TraceError, ValueError) as error:
            self.refuse(error)
            return
        try:
            self.put(line)
        except OSError as error:
            self.end(one_line(error))

    def put(self, line: bytes) -> None:
        if self.written and self.written + len(line) > self.max_bytes:
            self.next_file()
        assert self.file is not None
        if self.file.write(line) != len(line):  # the disk is full
            raise OSError(28, "No space left on device")
        self.written += len(line)

    def refuse(self, error: ValueError) -> None:
        self.refused += 1
        if self.refused == 1:
            self.warn(f"a row of the trace cannot be written, others go on: {one_line(error)}")

    def end(self, reason: str) -> None:
        """End the trace; the node goes on, being worth more than its trace."""
        self.close()
        self.warn(f"the trace ends: {self.folder} cannot be written: {reason}")

    def next_file(self) -> None:
        """Begin the next file, and remove the oldest if there are too many."""
        self.close()
        self.number += 1
        self.file = open(self.path(self.number), "xb", buffering=0)  # noqa: SIM115 — closed by `close`
        self.written = 0
        for number in sorted(self.numbers()):
            if number <= self.number - self.max_files:
                assert self.removed is not None
                self.removed.add(number, self.path(number))
                self.path(number).unlink(missing_ok=True)

    def path(self, number: int) -> Path:
        return self.folder / f"{self.name}-{number:06d}.jsonl"

    def numbers(self) -> list[int]:
        shape = re.compile(re.escape(self.name) + r"-([0-9]{6,})\.jsonl")
        return [int(found[1]) for file in self.folder.iterdir() if (found := shape.fullmatch(file.name))]

    def close(self) -> None:
        file, self.file = self.file, None
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()
