"""What several tests of the simulator are given."""

from pathlib import Path

import pytest

from tests.support.sim.sim_running import CALM, warm_up


@pytest.fixture(scope="session")
def compiled() -> None:
    """Everything is compiled, so that no run prints that it is compiling."""
    warm_up()


@pytest.fixture
def calm(tmp_path: Path) -> Path:
    """The file of a scenario in which nothing goes wrong."""
    file = tmp_path / "calm.toml"
    file.write_text(CALM)
    return file
