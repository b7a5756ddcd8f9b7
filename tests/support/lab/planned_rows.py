"""Rows as the trials of a study would give them, made up from its grids: nothing is run.

Every number is invented, but none is there that the trial would not have: deliveries need publications that count,
recoveries a fault, hops routes that are followed.
"""

from collections import defaultdict
from random import Random
from typing import Any

import pyarrow as pa

from psvr.lab.kinds import kind
from psvr.lab.kinds.template import scenario_of
from psvr.lab.study import Study
from psvr.lab.study.trials import Cell, cells, row_schema, trials
from psvr.sim.plan.demand import changes, sources
from psvr.sim.scenario import Scenario
from psvr.sim.scenario.topology import size

BIN = 600  # seconds of a time bin
OF_PUBLICATIONS = ("published", "expected", "delivered", "messages", "hops_sum", "latency_us_sum")
OF_THE_RADIO = ("frames", "no_access", "no_ack", "queue_full", "energy_uj", "transmit_uj", "energy_uj_max")
ITEMS = 30  # of lists whose length does not matter


def planned_rows(study: Study) -> pa.Table:
    """Return a row for each trial and system."""
    found, rng, rows = cells(study), Random(study.name), []
    schema = row_schema(study, found)
    for cell in found:
        has = limits(study, cell)
        results = kind(cell.grid.kind, study.files).RESULTS
        for trial in trials([cell]):
            fixed = {name: trial[name] for name in schema.names if name in trial}
            for system in trial["systems"]:
                made = {field.name: has.get(field.name, invented(field.type, rng)) for field in results}
                rows.append({**fixed, "system": system, **made})
    return pa.Table.from_pylist(rows, schema=schema)


def invented(type: pa.DataType, rng: Random) -> Any:
    """Return some value of a type; a text says what has failed, and nothing has."""
    if pa.types.is_list(type):
        return [rng.randrange(100, 200) for _ in range(ITEMS)]
    if pa.types.is_string(type):
        return None
    return rng.randrange(100, 200) if pa.types.is_integer(type) else rng.uniform(0.5, 0.9)


def limits(study: Study, cell: Cell) -> dict[str, Any]:
    """Return the results that trials of a cell cannot have, or have in a certain number."""
    if cell.grid.kind == "settled":
        return {} if cell.parameters.get("routes") else {"hops": None, "hops_sum": None, "delivered": None}
    scenario = scenario_of_cell(study, cell)
    if scenario is None:
        return {}
    bins = int(scenario.duration / BIN)
    delivered = [9 if BIN * (i + 1) > scenario.warmup else 0 for i in range(bins)]
    found: dict[str, Any] = {
        "recovery_us": [10**7] * len(scenario.fault),
        "messages_by_channel": [100] * len({t.channel for t in scenario.traffic}),
        "expected_by_time": delivered,
        "delivered_by_time": delivered,
    }
    if not publications_to_others(scenario):
        found |= dict.fromkeys(OF_PUBLICATIONS, 0)
    if not scenario.radio.wireless:
        found |= dict.fromkeys(OF_THE_RADIO)
    return found


def scenario_of_cell(study: Study, cell: Cell) -> Scenario | None:
    """Return the scenario of the trials of a cell, if they have one."""
    if cell.grid.scenario is None:
        return None
    module: Any = kind(cell.grid.kind, study.files)
    parameters, template = cell.parameters, cell.grid.scenario
    if hasattr(module, "as_simulated"):
        parameters, template = module.as_simulated(parameters, template)
    return scenario_of(template, parameters, 7, "psvr")


def publications_to_others(s: Scenario) -> int:
    """Pairs of a publication that counts and a node other than its publisher that has subscribed from the beginning."""
    n, pairs, wanted = size(s.topology), 0, defaultdict(set)
    for change in changes(s, n):
        if change["time"] == 0:
            wanted[change["channel"]].add(change["node"])
    for node, channel, first, period, stop, _ in sources(s, n).tolist():
        times = [time for time in range(first, stop, period) if time >= s.warmup * 1e6]
        pairs += len(times) * len(wanted[channel] - {node})
    return pairs
