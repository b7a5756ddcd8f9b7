"""Paths as Spark takes them."""

import re
from pathlib import Path


def spark_path(file: str | Path) -> str:
    """Return a local file as a path for Spark, which would otherwise take brackets for patterns."""
    return "file://" + re.sub(r"([\\\[\]{}*?])", r"\\\1", str(Path(file).resolve()))
