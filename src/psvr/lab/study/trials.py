"""The trials of a study: every combination of its parameters, repeated, each with its own id and seed."""

import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from psvr.errors import BadInput
from psvr.lab.columns import TRIAL
from psvr.lab.kinds import kind
from psvr.lab.measure.formulas import OF_MEASURES

from .study import Grid, Study

TYPES: dict[type, pa.DataType] = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
NOT_PARAMETERS = {*TRIAL.names, "cost", "systems"}
MAX_TRIALS = 5_000_000


def trial_id(study: str, grid: Grid, parameters: dict[str, Any], repetition: int) -> str:
    """Return 16 digits for all that decides what the trial does, which the systems do not: all meet the same trial."""
    plain = {name: int(v) if isinstance(v, float) and v.is_integer() else v for name, v in parameters.items()}
    text = json.dumps([study, grid.name, grid.kind, grid.scenario, plain, repetition], sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


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


@dataclass(frozen=True)
class Cell:
    """A combination of parameters in a grid."""

    grid: Grid
    parameters: dict[str, Any]
    cost: float  # seconds of a trial under one system

    @property
    def seconds(self) -> float:
        """Seconds of all its trials, under all systems, on one core."""
        return self.cost * self.grid.repetitions * len(self.grid.systems)


def cells(study: Study) -> list[Cell]:
    """Return all cells of a study, in the order in which it lists them."""
    found = [
        Cell(grid, parameters, kind(grid.kind, study.files).cost(parameters, grid.scenario))
        for grid in study.grids
        for parameters in combinations(study, grid)
    ]
    if study.grids and not found:
        raise BadInput(f"study {study.name}: no combination of its parameters is possible")
    if sum(cell.grid.repetitions for cell in found) > MAX_TRIALS:
        raise BadInput(f"study {study.name}: has more than {MAX_TRIALS:,} trials; vary less, or run it in parts")
    return found


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


def trial_table(study: Study) -> pa.Table:
    """Return one row per trial; built by columns, because there may be millions."""
    found = cells(study)
    extra = [pa.field("cost", pa.float64()), pa.field("systems", pa.list_(pa.string()))]
    schema = pa.schema([*TRIAL, *extra, *parameter_fields(study, found)])
    columns: dict[str, list[Any]] = {name: [] for name in schema.names}
    for cell in found:
        numbers = range(cell.grid.repetitions)
        ids = [trial_id(study.name, cell.grid, cell.parameters, number) for number in numbers]
        same = {
            "grid": cell.grid.name,
            "kind": cell.grid.kind,
            "cost": cell.cost,
            "systems": list(cell.grid.systems),
            **cell.parameters,
        }
        each = {"trial": ids, "seed": map(seed_of, ids), "repetition": numbers}
        for field in schema:
            columns[field.name] += each.get(field.name) or [value_of(same.get(field.name), field)] * len(ids)
    return pa.table(columns, schema=schema)


def value_of(value: Any, field: pa.Field) -> Any:
    return float(value) if value is not None and pa.types.is_floating(field.type) else value


def row_schema(study: Study, trials: pa.Table) -> pa.Schema:
    """Return the columns of the stored rows, of which there is one per trial and system."""
    parameters = [f for f in trials.schema if f.name not in NOT_PARAMETERS]
    results: dict[str, pa.Field] = {}
    for name in dict.fromkeys(grid.kind for grid in study.grids):
        for field in kind(name, study.files).RESULTS:
            if results.setdefault(field.name, field).type != field.type:
                raise BadInput(f"study {study.name}: {field.name}: two kinds of trial give it different types")
    clash = [f.name for f in parameters if f.name in results or f.name in ("system", "failed")]
    if clash:
        raise BadInput(f"study {study.name}: {clash[0]}: is the name of a result; give the parameter another name")
    return pa.schema([*TRIAL, *parameters, pa.field("system", pa.string()), *results.values()])
