"""How functions are compiled."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.errors import NumbaError

from psvr.jit import is_compiled, jit, jit_no_alloc


def make(n: int) -> Any:
    return np.zeros(n, np.int64)


def test_code_that_works_in_place_has_no_memory_of_its_own() -> None:
    """So it counts no references, which took most of the simulator's time; and each form has its own compiled code."""
    for _ in range(2):
        assert len(jit(make)(3)) == 3
        with pytest.raises(NumbaError):
            jit_no_alloc(make)(3)


def total(numbers: Any) -> int:
    return int(numbers.sum())


KEPT = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
from kept import double
from psvr.jit import is_compiled
whole, real = np.zeros(2, np.int64), np.zeros(2)
before = is_compiled(double, whole), is_compiled(double, real)
if "call" in sys.argv:
    double(whole)
print(*before, is_compiled(double, whole), is_compiled(double, real))
"""


def test_it_is_known_what_is_compiled_for_which_types(tmp_path: Path) -> None:
    """In this process, and in one that comes later; and code whose file has gone is not taken for kept."""
    (tmp_path / "kept.py").write_text("from psvr.jit import jit\n@jit\ndef double(x):\n    return 2 * x\n")

    def run(*arguments: str) -> str:
        code, there = KEPT.format(folder=str(tmp_path)), {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        return subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, env=there
        ).stdout.strip()

    assert run() == "False False False False"
    assert run("call") == "False False True False"
    assert run() == "True False True False"
    for file in (tmp_path / "cache").rglob("*double*.nbc"):
        file.unlink()
    assert run() == "False False False False"


def test_what_is_run_interpreted_needs_no_compiling() -> None:
    assert is_compiled(total, np.zeros(1))
