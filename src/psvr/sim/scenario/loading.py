"""Reads scenarios from files and dictionaries, and writes them as files."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from psvr.errors import BadInput
from psvr.fields.kinds import Rows
from psvr.fields.overrides import overridden
from psvr.fields.tables import read_table, to_text
from psvr.files import read_toml
from psvr.sim.radio.devices import from_file

from . import consistency, topology
from .files import read_links, read_rows
from .radio import MAX_METRES
from .tables import Scenario


def load(path: str | Path, overrides: Iterable[str] = ()) -> Scenario:
    """The scenario in a file, with overrides such as `topology.n=200`; paths in it are relative to the file."""
    return parse(read_toml(Path(path), str(path)), Path(path).parent, overrides)


def parse(mapping: Mapping[str, Any], folder: str | Path | None = None, overrides: Iterable[str] = ()) -> Scenario:
    """The scenario in a dictionary, checked as a whole; paths in it are relative to the folder."""
    scenario = read_table(Scenario, overridden(mapping, overrides), "")
    topology.check_keys(scenario.topology, scenario.radio.wireless)
    scenario = with_files_read(scenario, Path(folder or "."))
    consistency.check(scenario)
    return scenario


def with_files_read(s: Scenario, folder: Path) -> Scenario:
    """The scenario with the contents of the files that it names, so that no file matters later."""
    t, r, m = s.topology, s.radio, s.mobility
    if t.file is not None and t.kind == "edges":
        t = replace(t, edges=read_links(folder / t.file, "topology.file"), file=None)
    elif t.file is not None:
        places = read_rows(folder / t.file, "topology.file", ("x", "y"))
        t = replace(t, places=Rows(("x", "y"), MAX_METRES).read(places, "topology.file"), file=None)
    if isinstance(r.device, str) and r.device.endswith(".toml"):
        r = replace(r, device=from_file(folder / r.device))
    if m.file is not None and m.knots is not None:
        raise BadInput("mobility.file, knots: must be one of the two, not both")
    if m.file is not None and m.model == "trace":
        names = ("time", "node", "x", "y")
        knots = Rows(names, MAX_METRES).read(read_rows(folder / m.file, "mobility.file", names), "mobility.file")
        m = replace(m, knots=knots, file=None)
    t = replace(t, n=topology.size(t)) if t.kind in ("edges", "places") and t.n is None else t
    return replace(s, topology=t, radio=r, mobility=m)


def to_toml(scenario: Scenario) -> str:
    """A scenario as TOML, from which the same scenario can be read."""
    single, tables = [], []
    for name, value in scenario.to_dict().items():
        if isinstance(value, dict):
            tables += section(f"[{name}]", value)
        elif isinstance(value, list):
            tables += [line for entry in value for line in section(f"[[{name}]]", entry)]
        else:
            single.append(f"{name} = {to_text(value)}")
    return "\n".join([*single, *tables, ""])


def section(title: str, table: dict[str, Any]) -> list[str]:
    return ["", title, *(f"{name} = {to_text(value)}" for name, value in table.items())]
