"""Scenarios with gaps: a value of exactly "$name" stands for the parameter of that name.

One key is not of the scenario: `same_tree` is how many seconds the tree has to form, without any system, before each
system starts on it.  So all systems of a trial have the same tree.
"""

from collections.abc import Iterator
from typing import Any

from psvr.errors import BadInput, did_you_mean, shown
from psvr.fields.checks import real
from psvr.sim.scenario import Scenario, parse
from psvr.sim.scenario.radio import MAX_SECONDS

from .names import variant_of

SAME_TREE = "same_tree"
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


def same_tree(template: dict[str, Any], parameters: dict[str, Any]) -> float:
    """Return the seconds in which one tree forms for all systems; 0 if each system forms its own."""
    value = filled(template.get(SAME_TREE, 0), parameters)
    return real(value, f"scenario.{SAME_TREE}", 0, MAX_SECONDS)


def check_same_tree(seconds: float, scenario: Scenario) -> None:
    """Refuse a tree that would still be forming when the first publication is sent."""
    first = min((traffic.start for traffic in scenario.traffic), default=scenario.duration)
    if seconds > first:
        raise BadInput(f"scenario.{SAME_TREE}: must not be later than the first publication, at {first:g} s")


def scenario_of(template: dict[str, Any], parameters: dict[str, Any], seed: int, name: str) -> Scenario:
    """Return the scenario of one trial under one system."""
    table = filled({key: value for key, value in template.items() if key != SAME_TREE}, parameters)
    system, shortcuts, profile = variant_of(name)
    protocol, host = table.get("protocol", {}), table.get("host", {})
    if isinstance(protocol, dict):
        protocol = {**protocol, "system": system, "shortcuts": shortcuts}
    if profile and isinstance(host, dict):
        if "profile" in host:
            raise BadInput(f"scenario.host.profile: must be left out, because it comes from the system {shown(name)}")
        host = {**host, "profile": profile}
    try:
        return parse({**table, "seed": seed, "protocol": protocol, "host": host})
    except BadInput as error:
        raise BadInput(f"scenario: {error}") from None
