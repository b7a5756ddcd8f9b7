"""The trials of a study: every combination of its parameters, repeated, each with its own id and seed.

There may be millions, so nobody lists them: a cell makes each of its trials from its number, wherever it is run.
"""

import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from psvr.errors import BadInput
from psvr.lab.columns import TRIAL
from psvr.lab.kinds import kind
from psvr.lab.measure.formulas import OF_MEASURES

from .study import Grid, Study

TYPES: dict[type, pa.DataType] = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
TAKEN = {*TRIAL.names, "system", "systems", "failed"}  # columns that no parameter can be called after
MAX_TRIALS = 1_000_000_000


@dataclass(frozen=True)
class Cell:
    """A combination of parameters in a grid."""

    grid: Grid
    parameters: dict[str, Any]
    cost: float  # seconds of a trial under one system
    identity: str  # all that decides its trials, but for their numbers

    @property
    def seconds(self) -> float:
        """Seconds of all its trials, under all systems, on one core."""
        return self.cost * self.grid.repetitions * len(self.grid.systems)

    @property
    def key(self) -> str:
        """Return 16 digits that stand for this cell in whatever form the study has."""
        return digest_of(self.identity)

    def trial(self, number: int, systems: Sequence[str] | None = None) -> dict[str, Any]:
        """Return a trial of this cell, under its systems or some of them."""
        trial = id_of(self.identity, number)
        return {
            "trial": trial,
            "grid": self.grid.name,
            "kind": self.grid.kind,
            "repetition": number,
            "seed": seed_of(trial),
            "systems": list(self.grid.systems if systems is None else systems),
            **self.parameters,
        }


def digest_of(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def identity_of(study: str, grid: Grid, parameters: dict[str, Any]) -> str:
    """Return all that decides what a cell's trials do, which the systems do not: all meet the same trials."""
    plain = {name: int(v) if isinstance(v, float) and v.is_integer() else v for name, v in parameters.items()}
    return json.dumps([study, grid.name, grid.kind, grid.scenario, plain], sort_keys=True, default=str)


def id_of(identity: str, number: int) -> str:
    """Return 16 digits for a trial of the cell: those of its identity as JSON, with the number as the last item."""
    return digest_of(f"{identity[:-1]}, {number}]")


def seed_of(trial: str) -> int:
    return int(trial, 16) >> 1


def combinations(study: Study, grid: Grid) -> Iterator[dict[str, Any]]:
    """Yield every combination that is possible, once."""
    module, seen = kind(grid.kind, study.files), set()
    for combination in itertools.product(*grid.parameters.values()):
        try:
            resolved = module.resolve(dict(zip(grid.parameters, combination)))
        except BadInput as error:
            raise BadInput(f"study {study.name}, grid {grid.name}: {error}") from None
        if resolved is not None and (key := tuple(resolved.items())) not in seen:
            seen.add(key)
            yield resolved


def cells(study: Study) -> list[Cell]:
    """Return all cells of a study, in the order in which it lists them."""
    found = [
        Cell(
            grid,
            parameters,
            kind(grid.kind, study.files).cost(parameters, grid.scenario),
            identity_of(study.name, grid, parameters),
        )
        for grid in study.grids
        for parameters in combinations(study, grid)
    ]
    if study.grids and not found:
        raise BadInput(f"study {study.name}: no combination of its parameters is possible")
    if sum(cell.grid.repetitions for cell in found) > MAX_TRIALS:
        raise BadInput(f"study {study.name}: has more than {MAX_TRIALS:,} trials; vary less, or run it in parts")
    return with_common_types(found, parameter_fields(study, found))


def with_common_types(found: list[Cell], fields: list[pa.Field]) -> list[Cell]:
    """Return the cells with numbers as the columns have them: a whole one is a float if any in its column is not."""
    real = {field.name for field in fields if pa.types.is_floating(field.type)}
    return [
        replace(cell, parameters={name: float(v) if name in real else v for name, v in cell.parameters.items()})
        for cell in found
    ]


def parameter_fields(study: Study, found: list[Cell]) -> list[pa.Field]:
    """Return a column for each parameter; it has whole numbers only if all its values are whole."""
    fields = []
    for name in dict.fromkeys(itertools.chain.from_iterable(cell.parameters for cell in found)):
        kinds = {type(cell.parameters[name]) for cell in found if name in cell.parameters}
        if kinds == {int, float}:
            kinds = {float}
        if name in OF_MEASURES:
            raise BadInput(f"study {study.name}: {name}: is the name of a column of the measures; choose another")
        if len(kinds) != 1:
            raise BadInput(f"study {study.name}: {name}: all values must be of one kind, numbers or texts")
        fields.append(pa.field(name, TYPES[kinds.pop()]))
    return fields


def trials(found: Sequence[Cell]) -> Iterator[dict[str, Any]]:
    """Yield all trials of these cells."""
    for cell in found:
        yield from map(cell.trial, range(cell.grid.repetitions))


def row_schema(study: Study, found: list[Cell]) -> pa.Schema:
    """Return the columns of the stored rows, of which there is one per trial and system."""
    parameters = parameter_fields(study, found)
    results: dict[str, pa.Field] = {}
    for name in dict.fromkeys(grid.kind for grid in study.grids):
        for field in kind(name, study.files).RESULTS:
            if results.setdefault(field.name, field).type != field.type:
                raise BadInput(f"study {study.name}: {field.name}: two kinds of trial give it different types")
    clash = [f.name for f in parameters if f.name in results or f.name in TAKEN]
    if clash:
        raise BadInput(f"study {study.name}: {clash[0]}: is the name of a result; give the parameter another name")
    return pa.schema([*TRIAL, *parameters, pa.field("system", pa.string()), *results.values()])
