"""A test that hangs fails under its name, whatever it hangs in, and the others are run all the same."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SECONDS = {"timeout": 2, "faulthandler_timeout": 8}  # instead of minutes

IN_PYTHON = "import time\ndef test_hangs():\n    time.sleep(600)\n"
IN_A_SUBPROCESS = (
    "import subprocess, sys\ndef test_hangs():\n"
    "    subprocess.run([sys.executable, '-c', 'import time; time.sleep(20)'])\n"
)
IN_A_FIXTURE = (
    "import pytest, time\n@pytest.fixture\ndef slow():\n    time.sleep(600)\ndef test_hangs(slow):\n    pass\n"
)
IN_COMPILED_CODE = "import itertools\ndef test_hangs():\n    sum(itertools.repeat(0))\n"
FINE = "def test_{}():\n    pass\n"


def small_suite(folder: Path, hanging: str, last: bool) -> None:
    """Our own settings, but for the seconds."""
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert ours["timeout"] < ours["faulthandler_timeout"]
    lines = [f"{key} = {value!r}".replace("True", "true") for key, value in {**ours, **SECONDS}.items()]
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n" + "\n".join(lines))
    (folder / "tests" / "support").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "conftest.py", folder / "tests")
    for file in ("__init__.py", "support/__init__.py", "support/once.py", "support/compiled.py"):
        shutil.copy(ROOT / "tests" / file, folder / "tests" / file)
    (folder / "tests" / "test_small.py").write_text(
        FINE.format("before") + hanging + ("" if last else FINE.format("after"))
    )
    (folder / "tests" / "test_other.py").write_text(FINE.format("elsewhere"))


def run(folder: Path) -> str:
    """As `make test` does."""
    [flags, _] = re.findall(r"^\t\$\(BIN\)/python -m pytest (-n .*)$", (ROOT / "Makefile").read_text(), re.M)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *flags.split()], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "hanging, last",
    [
        (IN_PYTHON, False),
        (IN_A_SUBPROCESS, False),
        (IN_A_FIXTURE, False),
        (IN_COMPILED_CODE, False),
        (IN_COMPILED_CODE, True),
    ],
    ids=["python", "subprocess", "fixture", "compiled", "compiled, last of its file"],
)
def test_what_hangs_is_named_and_the_others_are_run(tmp_path: Path, hanging: str, last: bool) -> None:
    small_suite(tmp_path, hanging, last)
    said = run(tmp_path)
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)(.*)$", said, re.M)
    assert [name for name, _ in failed] == ["tests/test_small.py::test_hangs"], said
    assert ("crashed" if hanging == IN_COMPILED_CODE else "Timeout") in failed[0][1]
    assert f"{2 if last else 3} passed" in said
