import functools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")  # compiled code does not look where it writes, unless told to

from psvr.protocol.systems import CUSTOM, PROVIDED
from tests.support.compiled import PLAIN, Ahead, wait

# Some runners start everything with Ctrl-C ignored, and processes inherit that: tests that interrupt one would wait.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("quick", deadline=None, derandomize=True)
settings.load_profile("quick")


HERE = Path(__file__).parent
AHEAD = pytest.StashKey[Ahead]()
LONGEST = ("kills", "studies", "scales", "lab_command", "figures", "ship", "spark_session", "networks", "notebooks")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out what slow.txt lists")
    parser.addoption("--kills", type=int, default=3, help="how often runs of the lab are disturbed (default: 3)")


@functools.cache
def slow() -> set[str]:
    return set((HERE / "slow.txt").read_text().splitlines())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    quick = config.getoption("--quick") and collection_path.is_relative_to(HERE)
    return True if quick and collection_path.relative_to(HERE).as_posix() in slow() else None


def is_plain(item: pytest.Item) -> bool:
    return item.path.relative_to(HERE).parts[0] in PLAIN


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """First what needs nothing compiled, then the longest files, so that both processes end at about the same time."""
    places = {f"test_{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (not is_plain(item), places.get(item.path.name, len(places))))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """In the process that shares tests out, before it starts each of those that run them."""
    ahead = node.config.stash.get(AHEAD, None)
    if ahead is None:
        ahead = node.config.stash[AHEAD] = Ahead()
    node.workerinput["pending"] = str(ahead.pending)


def pytest_unconfigure(config: pytest.Config) -> None:
    if ahead := config.stash.get(AHEAD, None):
        ahead.stop()


def pytest_runtest_setup(item: pytest.Item) -> None:
    pending = getattr(item.config, "workerinput", {}).get("pending")
    if pending is not None and not is_plain(item):
        wait(Path(pending))


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
