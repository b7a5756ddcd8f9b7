"""Files that appear whole or not at all, and what is said of one that is not whole all the same."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from psvr.errors import BadInput


@contextmanager
def written(file: Path) -> Iterator[BinaryIO]:
    """Write a file under another name, then give it its own.

    Whoever reads it sees the old one or the new one, never a part, also where the new one finds no room, or the power
    fails, or a task that was given up for dead writes it as well.
    """
    half = file.with_name(f".half-{os.getpid()}-{file.name}")
    try:
        with half.open("wb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(half, file)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
    settle_folder(file.parent)


def settle_folder(folder: Path) -> None:
    """The new name must outlive a power cut as well."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace(file: Path, content: str | bytes) -> None:
    with written(file) as half:
        half.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def readable(file: Path, damaged: str) -> Iterator[None]:
    """Say that a file is damaged, and what to do; but not of one that is only out of reach, which may be whole."""
    try:
        yield
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{file}: {out_of_reach(file, error) or damaged}") from None


def out_of_reach(file: Path, error: Exception) -> str:
    """What the system says, if it is the reason; pyarrow does not always pass it on."""
    try:
        file.open("rb").close()
    except OSError as refusal:
        error = refusal
    return f"cannot be read: {os.strerror(error.errno)}" if isinstance(error, OSError) and error.errno else ""
