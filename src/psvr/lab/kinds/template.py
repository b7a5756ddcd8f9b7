"""Scenarios with gaps: a value of exactly "$name" stands for the parameter of that name."""

from collections.abc import Iterator
from typing import Any

from psvr.errors import BadInput, did_you_mean, shown
from psvr.sim.scenario import Scenario, parse

from .names import system_name

FROM_THE_TRIAL = {
    ("seed",): "comes from the trial",
    ("protocol", "system"): "comes from systems of the grid",
    ("protocol", "shortcuts"): "comes from systems of the grid, as in psvr/nontree",
}


def filled(template: Any, parameters: dict[str, Any]) -> Any:
    """Return the template with every gap filled; each value has the type of its parameter."""
    if isinstance(template, dict):
        return {key: filled(value, parameters) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, parameters) for value in template]
    if not isinstance(template, str) or not template.startswith("$"):
        return template
    name = template[1:]
    if name not in parameters:
        raise BadInput(
            f"scenario: {shown(template)}: no parameter has this name{did_you_mean(name, parameters)}; "
            f"there are {', '.join(parameters) or 'none'}"
        )
    return parameters[name]


def gaps(template: Any) -> Iterator[str]:
    """Yield the names of all gaps."""
    if isinstance(template, dict | list):
        for value in template.values() if isinstance(template, dict) else template:
            yield from gaps(value)
    elif isinstance(template, str) and template.startswith("$"):
        yield template[1:]


def check(template: dict[str, Any] | None, parameters: dict[str, Any]) -> None:
    """Check that nothing is set twice, no gap stays open, and every parameter changes something."""
    if template is None:
        raise BadInput("scenario: missing; simulated trials need one, as a table [grid.NAME.scenario]")
    for path, why in FROM_THE_TRIAL.items():
        table: Any = template
        for key in path:
            table = table.get(key) if isinstance(table, dict) else None
        if table is not None:
            raise BadInput(f"scenario.{'.'.join(path)}: must be left out, because it {why}")
    filled(template, parameters)
    used = set(gaps(template))
    for name in parameters:
        if name not in used:
            raise BadInput(f'{name}: would change nothing, because no value of the scenario is "${name}"')


def scenario_of(template: dict[str, Any], parameters: dict[str, Any], seed: int, name: str) -> Scenario:
    """Return the scenario of one trial under one system."""
    table = filled(template, parameters)
    system, shortcuts = system_name(name)
    protocol = table.get("protocol", {})
    if isinstance(protocol, dict):
        protocol = {**protocol, "system": system, "shortcuts": shortcuts}
    try:
        return parse({**table, "seed": seed, "protocol": protocol})
    except BadInput as error:
        raise BadInput(f"scenario: {error}") from None
