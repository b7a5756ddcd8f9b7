from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.node.node_process import Process


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Process]:
    node = Process(tmp_path / "alone", ["--listen=127.0.0.1:0", "--hello=0.1"])
    node.start()
    yield node
    node.kill()
