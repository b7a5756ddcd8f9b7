"""Sends the package to other machines, as an archive that is unpacked there, so that compiled code is kept there too.

Code that is compiled here already is sent along as far as it is needed, and used where processor and versions are the
same.  What must be compiled there stays in the user's cache on that machine, where the next run finds it.
"""

import gzip
import io
import os
import re
import tarfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import psvr
from psvr import jit
from psvr.errors import BadInput

NAME = "psvr-code"  # the folder on the other machine
ARCHIVES, PYTHONPATH = "spark.archives", "spark.executorEnv.PYTHONPATH"


def with_code(settings: Mapping[str, str], folder: Path, compiled: Collection[str] | None = None) -> dict[str, str]:
    """Return settings with which every executor gets the package; the archive is written into the folder.

    `compiled` are the files of compiled code that are needed, None is all of them.
    """
    archive = folder / f"{NAME}.tar.gz"
    archive.write_bytes(pack(compiled))
    numba = {
        f"spark.executorEnv.{name}": value
        for name, value in os.environ.items()
        if name.startswith("NUMBA_") and name not in jit.HARMLESS
    }
    return {
        **numba,
        **settings,
        ARCHIVES: ",".join(non_empty(f"{archive}#{NAME}", settings.get(ARCHIVES))),
        PYTHONPATH: ":".join(non_empty(NAME, settings.get(PYTHONPATH))),
    }


def check(spark: SparkSession) -> None:
    """Check that a worker can run our code; the first task on a machine takes some seconds."""
    try:
        [row] = spark.range(1).mapInArrow(probe, "place string").collect()
    except (PySparkException, Py4JError) as error:
        context = spark.sparkContext
        raise BadInput(
            f"a worker of {context.master} cannot run {context.pythonExec}: {key_line(str(error))}; set "
            "PYSPARK_PYTHON to a Python of the same version there that has psvr's requirements"
        ) from None
    if NAME not in Path(row.place).parts:
        raise BadInput(
            f"a worker of {spark.sparkContext.master} runs another psvr, in {row.place}: take it out of the "
            "PYTHONPATH of the workers"
        )


def probe(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Run on a worker, where this module and all its imports must be found."""
    for _ in batches:
        yield pa.RecordBatch.from_pydict({"place": [psvr.__file__]})


def key_line(text: str) -> str:
    """Return the one line of a long message from Spark that says what happened."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = [line for line in lines if re.search(r"Error|Exception|Cannot run|MISMATCH", line)]
    return (found or lines or ["no reason given"])[-1].removeprefix("Caused by: ")[:300]


def non_empty(*words: str | None) -> list[str]:
    return [word for word in words if word]


def pack(compiled: Collection[str] | None = None) -> bytes:
    """Return the package and its compiled code as a tar.gz, made quickly; the same files give the same bytes."""
    archive = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=archive, mode="wb", compresslevel=1, mtime=0, filename="") as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.GNU_FORMAT) as tar,
    ):
        for name, file in contents(compiled):
            add(tar, name, file)
    return archive.getvalue()


def contents(compiled: Collection[str] | None = None) -> Iterator[tuple[str, Path | None]]:
    """Yield names in the archive and files, in order.  `psvr.jit` needs the folder of kernels even if it is empty."""
    for file in sorted(jit.PACKAGE.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts and jit.SHIPPED not in file.parents:
            yield f"psvr/{file.relative_to(jit.PACKAGE).as_posix()}", file
    yield "psvr/kernels", None
    kept = jit.cache_folder()
    for file in sorted(kept.glob("*.nb[ci]")) if kept else ():
        if compiled is None or file.name in compiled:
            yield f"psvr/kernels/{file.name}", file


def add(tar: tarfile.TarFile, name: str, file: Path | None) -> None:
    """Add a file, or a folder for None, without owner, date and permissions of this machine."""
    about = tarfile.TarInfo(name)
    if file is None:
        about.type, about.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(about)
    else:
        content = file.read_bytes()
        about.size = len(content)
        tar.addfile(about, io.BytesIO(content))
