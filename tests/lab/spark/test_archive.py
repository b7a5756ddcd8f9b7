"""The archive with which Spark's Java starts faster: it is used, and does no harm where it does not fit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from psvr.errors import BadInput
from psvr.lab.spark.archive import check, make
from psvr.lab.spark.java import archive_options, class_archive, java_home
from psvr.lab.spark.settings import DRIVER_OPTIONS, with_archive

LOADED = "source: shared objects file (top)"
CODE = """
import sys
from psvr.lab.spark.sessions import session, stop
session("local[1]", "classes", [f"spark.driver.extraJavaOptions=-Xlog:class+load:file={sys.argv[1]}"])
stop()
"""


@pytest.fixture(scope="module")
def made() -> Path:
    """The archive of this machine; a whole run of the tests has made it by now."""
    return make()


def test_sessions_take_spark_s_classes_from_it(made: Path, tmp_path: Path) -> None:
    log = tmp_path / "classes"
    subprocess.run([sys.executable, "-c", CODE, log], check=True)
    [line] = [line for line in log.read_text().splitlines() if " org.apache.spark.SparkContext " in line]
    assert LOADED in line


def test_without_it_settings_are_what_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert with_archive({DRIVER_OPTIONS: "-Dx=y"}, java_home()) == {DRIVER_OPTIONS: "-Dx=y"}


def test_another_java_needs_another_one(tmp_path: Path) -> None:
    (tmp_path / "release").write_text('JAVA_VERSION="17.0.1"')
    first = class_archive(tmp_path)
    (tmp_path / "release").write_text('JAVA_VERSION="17.0.2"')
    assert class_archive(tmp_path) not in (first, class_archive(java_home()))


def test_one_that_is_not_whole_is_refused(made: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.jsa"
    damaged.write_bytes(made.read_bytes())
    check(java_home(), damaged)
    os.truncate(damaged, made.stat().st_size // 2)
    with pytest.raises(BadInput, match="no archive of Spark's classes"):
        check(java_home(), damaged)
    with pytest.raises(BadInput, match="no archive of Spark's classes"):
        check(java_home(), tmp_path / "absent.jsa")


def test_one_that_no_longer_fits_is_ignored_in_silence(made: Path, tmp_path: Path) -> None:
    """As after Spark's files were installed anew."""
    command = [
        str(java_home() / "bin" / "java"),
        *archive_options(made).replace('"', "").split(),
        "-cp",
        str(tmp_path),
        "-version",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "" and "version" in done.stderr
