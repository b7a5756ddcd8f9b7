"""A test that hangs fails under its name, whatever it hangs in, and the others are run all the same."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SECONDS = {"timeout": 2, "faulthandler_timeout": 5}  # instead of minutes

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


SUITES = {  # what hangs, and whether nothing comes after it in its file
    "python": (IN_PYTHON, False),
    "subprocess": (IN_A_SUBPROCESS, False),
    "fixture": (IN_A_FIXTURE, False),
    "compiled": (IN_COMPILED_CODE, False),
    "compiled, last of its file": (IN_COMPILED_CODE, True),
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[str]]]:
    """What each of these suites says; two at a time, because most of it is waiting."""
    with ThreadPoolExecutor(2) as pool:
        found = {}
        for name, (hanging, last) in SUITES.items():
            folder = tmp_path_factory.mktemp("suite")
            small_suite(folder, hanging, last)
            found[name] = pool.submit(run, folder)
        yield found


@pytest.mark.parametrize("name", SUITES)
def test_what_hangs_is_named_and_the_others_are_run(outputs: dict[str, Future[str]], name: str) -> None:
    hanging, last = SUITES[name]
    said = outputs[name].result()
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)(.*)$", said, re.M)
    assert [name for name, _ in failed] == ["tests/test_small.py::test_hangs"], said
    assert ("crashed" if hanging == IN_COMPILED_CODE else "Timeout") in failed[0][1]
    assert f"{2 if last else 3} passed" in said
