"""The comparison, with a chart if a file is named."""

import sys
from pathlib import Path

from . import run

if __name__ == "__main__":
    run(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
