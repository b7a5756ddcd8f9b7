"""C++ programs on ns-3, compiled here if ns-3 is installed."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

OPTIONS = ["-std=c++17", "-O3", "-march=native"]  # for this processor, as numba does
INSTALL = "apt-get install libns3-dev g++ (Debian, Ubuntu)"


class Missing(Exception):
    """The programs cannot be compiled here; the text says why, and what to install."""


def compiled(source: Path, program: Path, modules: Iterable[str]) -> Path:
    """Compile a source with these modules of ns-3; returns the program."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise Missing(f"there is no g++; {INSTALL}")
    libraries = [f"-lns3-{module}" for module in modules]
    done = subprocess.run(
        [compiler, *OPTIONS, str(source), "-o", str(program), *libraries], capture_output=True, text=True
    )
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line or "cannot find" in line]
        raise Missing(f"{(errors or ['g++ failed'])[0]}; {INSTALL}")
    return program
