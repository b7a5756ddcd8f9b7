"""Messages about a file that cannot be read, though it was written whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from psvr.errors import BadInput


@contextmanager
def readable(file: Path, damaged: str) -> Iterator[None]:
    """Report a file as damaged, and what to do; but not one that is only out of reach, which may be whole."""
    try:
        yield
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{file}: {out_of_reach(file, error) or damaged}") from None


def out_of_reach(file: Path, error: Exception) -> str:
    """Return the reason that the system gives, if there is one; pyarrow does not always pass it on."""
    try:
        file.open("rb").close()
    except OSError as refusal:
        error = refusal
    return f"cannot be read: {os.strerror(error.errno)}" if isinstance(error, OSError) and error.errno else ""
