"""One Spark session for all tests of a process: starting one takes seconds."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from psvr.lab.spark import session, stop


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    yield session("local[2]", "tests")
    stop()


@pytest.hookimpl(tryfirst=True)        # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one file run in one process: clusters and finished studies, which they share, take long to make."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.xdist_group(item.path.name))
