"""An archive of the classes that Spark loads: with it, Java starts in half the processor time.

    python -m psvr.lab.spark.archive

makes it, in half a minute, once for each version of Java and Spark; from then on sessions use it.
"""

import subprocess
import tempfile
from pathlib import Path

from psvr.errors import BadInput

from .java import class_archive, java_home
from .sessions import session, stop

WRITING = 120.0  # seconds that Java may take to write it


def make() -> Path:
    """Return the archive; if there is none yet, it is made of the classes that a short session loads."""
    home = java_home()
    file = class_archive(home)
    if file.exists():
        return file
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        new = Path(folder) / file.name
        spark = session("local[2]", "archive", [f"spark.driver.extraJavaOptions=-XX:ArchiveClassesAtExit={new}"])
        frame = spark.range(1000).selectExpr("id", "id % 7 AS seven", "cast(id AS string) AS text", "rand(1) AS x")
        frame.write.parquet(f"{folder}/rows")
        spark.read.parquet(f"{folder}/rows").createOrReplaceTempView("rows")
        spark.sql("SELECT seven, count(*) AS n, avg(x) AS x FROM rows GROUP BY seven ORDER BY n").toPandas()
        joined = spark.sql("SELECT a.id, b.x FROM rows AS a JOIN rows AS b USING (id) WHERE a.x < 0.5")
        joined.mapInPandas(lambda parts: parts, "id long, x double").collect()
        stop(WRITING)
        check(home, new)
        new.replace(file)
    return file


def check(home: Path, file: Path) -> None:
    """Refuse an archive that was not written as a whole: Java would crash with it."""
    command: list[str | Path] = [
        home / "bin" / "java",
        f"-XX:SharedArchiveFile={file}",
        "-XX:+VerifySharedSpaces",
        "-XX:-CreateCoredumpOnCrash",
        "-version",
    ]
    # Where it crashes, it leaves a file behind that says why.
    if not file.is_file() or subprocess.run(command, capture_output=True, check=False, cwd=file.parent).returncode != 0:
        raise BadInput(
            f"no archive of Spark's classes: this Java cannot make one, or there is no room in {file.parent.parent}"
        )


if __name__ == "__main__":
    try:
        print(make())
    except BadInput as error:
        raise SystemExit(f"psvr: {error}") from None
