import time
from types import SimpleNamespace

import pytest


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """µs since 1970, as the test sets them."""
    it = SimpleNamespace(now=1_000_000_000)
    monkeypatch.setattr(time, "time_ns", lambda: 1000 * it.now)
    return it
