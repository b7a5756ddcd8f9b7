"""The package on a real cluster: unpacked there, with its compiled code, and a user's file beside it."""

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from psvr import jit
from psvr.lab.spark import ship
from tests.support.lab.cluster import QUICK_START, Cluster

APPLICATION = """
import json, sys
import psvr.compiled.numbers as numbers
from psvr.lab.spark import sessions as lab

def look(batches):
    import os, psvr, pyarrow as pa
    import psvr.compiled.numbers as numbers
    from psvr.lab.code import module_of
    numbers.count(-3), numbers.stir(5)
    hits = [sum(f.stats.cache_hits.values()) for f in (numbers.count, numbers.stir)]
    own = module_of("own.py", "def answer():\\n    return __file__")
    for batch in batches:
        found = {"place": psvr.__file__, "cwd": os.getcwd(), "hits": hits, "own": own.answer()}
        yield pa.RecordBatch.from_pylist([found])

numbers.count(-3)           # compiled here; stir is not
spark = lab.session(sys.argv[1], conf=sys.argv[2:])
rows = spark.range(0, 8, 1, 8).mapInArrow(look, "place string, cwd string, hits array<bigint>, own string").collect()
print(json.dumps({"slots": lab.slots(spark), "rows": [row.asDict() for row in rows]}))
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    with Cluster(folder, XDG_CACHE_HOME=str(folder / "cache")) as running:
        yield running


def run(cluster: Cluster, code: str, *conf: str, **environment: str) -> str:
    """What an application prints that uses the cluster."""
    done = subprocess.run(
        [sys.executable, "-c", code, cluster.master, f"spark.executor.extraJavaOptions={QUICK_START}", *conf],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cluster.folder / "here"), **environment},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_package_and_files_reach_the_workers_and_compiled_code_stays_there(cluster: Cluster) -> None:
    def application() -> dict[str, Any]:
        return json.loads(run(cluster, APPLICATION))  # type: ignore[no-any-return]

    first, second = application(), application()
    assert first["slots"] == second["slots"] == 2
    for row in first["rows"] + second["rows"]:
        assert Path(row["place"]).is_relative_to(row["cwd"])
        assert Path(row["cwd"]).is_relative_to(cluster.folder)
        assert Path(row["own"]).is_relative_to(cluster.folder / "cache")
        assert row["hits"][0] == 1  # came with the package
    assert 0 in {row["hits"][1] for row in first["rows"]}  # compiled on a worker …
    assert {row["hits"][1] for row in second["rows"]} == {1}  # … and found there again


def error_line(cluster: Cluster, before: str, *conf: str, **environment: str) -> str:
    code = f"""
import sys
from psvr.errors import BadInput
from psvr.lab.spark import sessions as lab
{before}
try:
    lab.session(sys.argv[1], conf=sys.argv[2:])
except BadInput as error:
    print(error)
"""
    [line] = run(cluster, code, *conf, **environment).splitlines()
    return line


def test_a_worker_without_our_python(cluster: Cluster) -> None:
    line = error_line(cluster, "", PYSPARK_PYTHON="/no/python")
    assert "cannot run /no/python" in line and "No such file" in line and "PYSPARK_PYTHON" in line


def test_a_master_whose_workers_cannot_serve(cluster: Cluster) -> None:
    line = error_line(cluster, "lab.FIRST_WORKER_TIMEOUT = 1", "spark.executor.memory=900g")
    assert cluster.master in line and "no worker has started" in line


def test_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("f.py311.nbi", "f.py311.1.nbc", "f.py311.1.nbc.tmp.5e"):  # the last is half written
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)  # other tests compile into the real one meanwhile
    packed = ship.pack()
    for file in tmp_path.iterdir():
        os.utime(file, (1, 1))
        file.chmod(0o600)
    assert packed == ship.pack()
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        names = tar.getnames()
        assert {m.mtime for m in tar} == {0} and {m.uid for m in tar} == {0}
    assert len(names) == len(set(names))
    assert {"psvr/__init__.py", "psvr/lab/spark/log4j2.properties", "psvr/kernels"} <= set(names)
    assert not [name for name in names if "__pycache__" in name]
    kernels = {name for name in names if name.startswith("psvr/kernels/")}
    assert kernels == {"psvr/kernels/f.py311.nbi", "psvr/kernels/f.py311.1.nbc"}


def test_only_what_is_needed_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("f.nbi", "f.1.nbc", "f.2.nbc", "g.nbi"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)

    def sent(compiled: set[str] | None) -> set[str]:
        found = ship.with_code({}, tmp_path, compiled)
        with tarfile.open(found[ship.ARCHIVES].partition("#")[0]) as tar:
            names = tar.getnames()
        assert "psvr/__init__.py" in names
        return {name.removeprefix("psvr/kernels/") for name in names if name.startswith("psvr/kernels/")}

    assert sent(None) == {"f.nbi", "f.1.nbc", "f.2.nbc", "g.nbi"}
    assert sent({"f.nbi", "f.2.nbc", "gone.nbc"}) == {"f.nbi", "f.2.nbc"} and sent(set()) == set()


def test_settings_of_the_user_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_OPT", "2")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    found = ship.with_code({ship.ARCHIVES: "a.zip#a", ship.PYTHONPATH: "a", "spark.x": "y"}, tmp_path, compiled=())
    assert found[ship.ARCHIVES] == f"{tmp_path}/psvr-code.tar.gz#psvr-code,a.zip#a"
    assert found[ship.PYTHONPATH] == "psvr-code:a" and found["spark.x"] == "y"
    assert found["spark.executorEnv.NUMBA_OPT"] == "2" and "spark.executorEnv.NUMBA_CACHE_DIR" not in found
