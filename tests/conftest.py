import functools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from psvr.protocol.systems import CUSTOM, PROVIDED

os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")  # compiled code does not look where it writes, unless told to

# Some runners start everything with Ctrl-C ignored, and processes inherit that: tests that interrupt one would wait.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("quick", deadline=None, derandomize=True)
settings.load_profile("quick")


HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out what slow.txt lists")
    parser.addoption("--kills", type=int, default=3, help="how often runs of the lab are disturbed (default: 3)")


@functools.cache
def slow() -> set[str]:
    return set((HERE / "slow.txt").read_text().splitlines())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    quick = config.getoption("--quick") and collection_path.is_relative_to(HERE)
    return True if quick and collection_path.relative_to(HERE).as_posix() in slow() else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getoption("dist") != "loadfile":
        return None
    from tests.support.once import Once

    return Once(config, log)


@pytest.fixture(autouse=True)
def no_systems_of_others() -> Iterator[None]:
    """What a test loads, from a file or by name, the next one does not see."""
    yield
    own = sys.modules.get("psvr.routing.custom")
    if own:
        for loaded in list(own.LOADED.values()):
            own.forget(loaded)
    for name, module in PROVIDED.items():
        if sys.modules.pop(module, None):
            CUSTOM.pop(name)
            sys.modules["psvr.routing.systems"].SYSTEMS.pop(name)
