"""What a node says of the files of its trace that it has removed, so that whoever reads the others can count the loss.

`DIR/NAME.removed` holds the numbers and lengths of the last thousand files: {"files": {"12": 16776960}}.
"""

import contextlib
import json
import os
from pathlib import Path

from psvr.trace.files import REMOVED

KEPT = 1000


class RemovedFiles:
    """The record of a series of files.  It never raises: without it the numbers of the others still show the gap."""

    def __init__(self, folder: Path, name: str) -> None:
        self.file = folder / f"{name}{REMOVED}"
        self.sizes: dict[int, int] = {}
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            stored = json.loads(self.file.read_text("utf-8"))["files"]
            self.sizes = {int(number): int(size) for number, size in stored.items()}

    def add(self, number: int, file: Path) -> None:
        """Note a file that is about to be removed: whoever no longer finds it finds this."""
        half = self.file.with_name(f".{self.file.name}.half")
        with contextlib.suppress(OSError):
            self.sizes[number] = file.stat().st_size
            newest = sorted(self.sizes)[-KEPT:]
            self.sizes = {known: self.sizes[known] for known in newest}
            half.write_text(json.dumps({"files": self.sizes}), "utf-8")
            os.replace(half, self.file)
