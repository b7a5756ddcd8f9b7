"""One Spark session for all tests of a process: starting one takes seconds."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from psvr.lab.spark.sessions import session, stop


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    yield session("local[2]", "tests")
    stop()
