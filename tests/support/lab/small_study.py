"""A study of its own kind for tests: quick, without compiled code, and slow on demand."""

from pathlib import Path

TRIAL = """
import time
import pyarrow as pa
from psvr.errors import BadInput

RESULTS = pa.schema([("nodes", pa.int64()), ("published", pa.int64()), ("messages", pa.int64()),
                     ("hops", pa.list_(pa.int64()))])
COMPILED_AS = None


def resolve(parameters):
    return None if parameters["n"] < parameters["s"] else parameters


def cost(parameters, scenario):
    return parameters.get("sleep", 0.001) / 2


def run(parameters, scenario, seed, systems):
    if parameters.get("broken") == parameters["n"]:
        raise BadInput("n: this one is not possible")
    time.sleep(parameters.get("sleep", 0))
    draw = seed % 1000
    return [{"nodes": parameters["n"], "published": 10, "messages": draw + 7 * len(s), "hops": [0, draw % 7]}
            for s in systems]
"""

STUDY = """
figure = "Fig. 0"

[grid.main]
kind = "own"
systems = ["psvr/all", "td"]
repetitions = 4
n = [5, 10, 20]
s = [1, 8]

[grid.main.quick]
repetitions = 2

[[claim]]
id = "more"
text = "It needs more."
paper = "> 0 %"
unit = "%"
sql = "SELECT max(value) AS value, min(low) AS low, max(high) AS high FROM measures WHERE measure = 'gain'"
holds = "value > 0"
differs = "value <= 0"
"""

README = """# A study for tests

## Question
Does it work?

## Method
By looking.

## The paper
Says nothing.
"""

FIGURE = """
from matplotlib.figure import Figure


def draw(measures):
    figure = Figure()
    chosen = measures[measures.measure == "messages"]
    figure.subplots().plot(chosen.n, chosen.value, "o")
    return {"messages": figure}
"""


def small_study(folder: Path, study: str = STUDY, trial: str = TRIAL, name: str = "small") -> Path:
    """The folder of a study."""
    place = folder / name
    place.mkdir(parents=True)
    for file, text in (("study.toml", study), ("trial.py", trial), ("README.md", README), ("figure.py", FIGURE)):
        (place / file).write_text(text)
    return place
