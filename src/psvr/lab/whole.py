"""Files that appear whole or not at all."""

import os
from pathlib import Path


def replace(file: Path, content: str | bytes) -> None:
    """Whoever reads the file sees the old one or the new one, never a part, also where the new one finds no room."""
    half = file.with_name(f".half-{file.name}")
    try:
        with half.open("wb") as handle:
            handle.write(content.encode() if isinstance(content, str) else content)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(half, file)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
