import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")      # compiled code does not look where it writes, unless told to
sys.path.insert(0, str(Path(__file__).parent))      # helpers that several test modules share

settings.register_profile("quick", deadline=None, derandomize=True)
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=3, help="how often runs of the lab are disturbed (default: 3)")
