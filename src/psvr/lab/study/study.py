"""A study: a folder that says what is varied and how often, in `study.toml`, and why, in `README.md`.

A study may instead name other studies, as `paper` does; loading it loads all of them.
"""

import copy
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from psvr import files
from psvr.errors import BadInput, did_you_mean, shown
from psvr.fields.overrides import put
from psvr.lab import kinds
from psvr.lab.kinds.names import without_profile

from .shape import OPTIONAL, TOP_KEYS, check_keys, check_shape
from .texts import check as check_places

BUILT_IN = Path(__file__).parent.parent / "studies"
SCALES = ("quick", "paper", "huge")
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
GRID_KEYS = ("kind", "systems", "repetitions", "scenario")
RESERVED = ("claims", "trace", "figures", "measures")  # tables of queries, and folders beside those of studies
SECTIONS = ("Question", "Method", "The paper", "What it means")  # the last may be missing
MAX_REPETITIONS = 1_000_000_000
Value = bool | int | float | str


@dataclass(frozen=True)
class Grid:
    """Every combination of some parameters, each repeated a number of times, under some systems."""

    name: str
    kind: str
    systems: tuple[str, ...]
    repetitions: int
    parameters: dict[str, tuple[Value, ...]]  # those with one value are fixed
    scenario: dict[str, Any] | None  # in which "$name" stands for a parameter


@dataclass(frozen=True)
class Study:
    """A question, and what is run to answer it."""

    name: str
    folder: Path
    scale: str
    title: str
    texts: dict[str, str]  # by `SECTIONS`
    figure: str  # the paper's
    needs: str | None  # the part of psvr that does not exist yet
    grids: tuple[Grid, ...]
    claims: tuple[dict[str, str], ...]
    files: tuple[tuple[str, str], ...]  # names and texts of the Python files that trials are run with
    numbers: dict[str, str] = field(default_factory=dict)  # queries for what texts name
    sets: tuple[str, ...] = ()  # the parameters that were set from outside, as in `n=[20, 50]`

    def description(self) -> dict[str, Any]:
        """Return everything that decides its trials, as plain values."""
        return {
            "grids": {
                g.name: {
                    "kind": g.kind,
                    "systems": list(g.systems),
                    "repetitions": g.repetitions,
                    "parameters": {k: list(v) for k, v in g.parameters.items()},
                    "scenario": g.scenario,
                }
                for g in self.grids
            }
        }


def available() -> list[str]:
    """Return the names of the studies that come with psvr."""
    return sorted(f.parent.name for f in BUILT_IN.glob("*/study.toml"))


def folder_of(name: str) -> Path:
    """Return the folder of a built-in study, or of a custom one, which is given by its path."""
    if name in available():
        return BUILT_IN / name
    folder = Path(name)
    if (folder / "study.toml").is_file():
        return folder.resolve()
    if "/" in name or folder.is_dir():
        raise BadInput(f"study {shown(name)}: has no study.toml")
    raise BadInput(
        f"study {shown(name)}: unknown{did_you_mean(name, available())}; "
        f"there are {', '.join(available())}, and any folder with a study.toml"
    )


def load(
    names: Iterable[str], scale: str = "quick", sets: Sequence[str] = (), systems: Sequence[str] = ()
) -> list[Study]:
    """Load these studies at this scale, with parameters set as in `n=[20, 50]`, and extra systems in every grid."""
    if scale not in SCALES:
        raise BadInput(f"--scale: must be one of {', '.join(SCALES)}, not {shown(scale)}")
    read = expand(names)
    tables = {
        name: {
            grid: at_scale(table, scale, f"{folder / 'study.toml'}: grid.{grid}")
            for grid, table in text.get("grid", {}).items()
        }
        for name, (folder, text) in read.items()
    }
    changed = {text: set_parameter(tables, text) for text in sets}
    found = [
        replace(
            build_study(folder, text, scale, tables[name], systems),
            sets=tuple(
                s for s, grids in changed.items() if any(grid is g for grid in tables[name].values() for g in grids)
            ),
        )
        for name, (folder, text) in read.items()
    ]
    check_ids(found)
    for system in systems:
        if not any(without_profile(s) == system for study in found for grid in study.grids for s in grid.systems):
            raise BadInput(
                f"--system: {system} fits none of these studies; a simulated one needs rules (custom_rule), "
                "a settled one a route (system)"
            )
    return found


def check_ids(studies: Sequence[Study]) -> None:
    """Check that no claims of different studies have the same id: a report has all of them."""
    owner: dict[str, str] = {}
    for study in studies:
        for claim in study.claims:
            if owner.setdefault(claim["id"], study.name) != study.name:
                raise BadInput(f"claim {claim['id']}: studies {owner[claim['id']]} and {study.name} both have it")


def expand(names: Iterable[str], within: tuple[Path, ...] = ()) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Return folder and study.toml of each study by its name, with a study that names others replaced by these."""
    found: dict[str, tuple[Path, dict[str, Any]]] = {}
    for name in names:
        folder = folder_of(name)
        if folder in within:
            raise BadInput(f"{folder / 'study.toml'}: studies: must not lead back to itself")
        table = read_toml(folder)
        inner = table.get("studies")
        here = {folder.name: (folder, table)} if inner is None else expand(inner, (*within, folder))
        for key, study in here.items():
            if found.setdefault(key, study)[0] != study[0]:
                raise BadInput(f"study {shown(key)}: two folders of this name cannot share a report")
    return found


def read_toml(folder: Path) -> dict[str, Any]:
    file = folder / "study.toml"
    if not NAME.fullmatch(folder.name):
        raise BadInput(f"{folder}: the folder of a study must have a name of small letters, digits and _")
    if folder.name in RESERVED or folder.name.endswith("_measures"):
        taken = f"{', '.join(RESERVED)} and names that end in _measures"
        raise BadInput(f"{folder}: the folder of a study needs another name; {taken} stand for other things in queries")
    table = files.read_toml(file, str(file))
    check_keys(table, TOP_KEYS, str(file))
    check_shape(table, str(file))
    return table


def at_scale(table: dict[str, Any], scale: str, where: str) -> dict[str, Any]:
    """Return a grid with what is different at this scale."""
    merged = {key: copy.deepcopy(value) for key, value in table.items() if key not in SCALES}
    for name in SCALES:
        other = table.get(name, {})
        if not isinstance(other, dict):
            raise BadInput(f"{where}.{name}: must be a table")
        check_keys(other, [*merged], f"{where}.{name}")
    return {**merged, **copy.deepcopy(table.get(scale, {}))}


def set_parameter(tables: dict[str, dict[str, dict[str, Any]]], text: str) -> list[dict[str, Any]]:
    """Set KEY=VALUE in every grid that has this key, or GRID.KEY=VALUE in grids of that name; return these grids."""
    key, equals, value = text.partition("=")
    first, *rest = (part.strip() for part in key.split("."))
    if not equals or not first or not all(rest):
        raise BadInput(f"--set {shown(text)}: must be KEY=VALUE or GRID.KEY=VALUE, such as repetitions=50")
    grids = [(name, grid) for study in tables.values() for name, grid in study.items()]
    named = [grid for name, grid in grids if rest and name == first]
    parts = rest if named else [first, *rest]
    chosen = named or [grid for _, grid in grids]
    if len(parts) == 2 and parts[0] == "host":
        parts = [host_parameter(chosen, parts[1])]
        if parts == ["host_profile"]:
            drop_profiles(chosen)
    chosen = [grid for grid in chosen if parts[0] in grid]
    if not chosen:
        known = sorted({k for _, grid in grids for k in grid} - {"kind"})
        raise BadInput(f"--set {shown(key)}: no grid has it{did_you_mean(first, known)}; there are {', '.join(known)}")
    for grid in chosen:
        put(grid, parts, value.strip())
    return chosen


def host_parameter(grids: Iterable[dict[str, Any]], policy: str) -> str:
    """Make a policy of hosts a parameter of every grid with a scenario, unless it is one already; return its name."""
    name = f"host_{policy}"
    for grid in grids:
        if isinstance(grid.get("scenario"), dict):
            grid["scenario"].setdefault("host", {}).setdefault(policy, f"${name}")
            grid.setdefault(name, None)
    return name


def drop_profiles(grids: Iterable[dict[str, Any]]) -> None:
    """Let a profile that is set from outside take the place of those in the names of systems."""
    for grid in grids:
        if isinstance(grid.get("scenario"), dict) and isinstance(grid.get("systems"), list):
            grid["systems"] = [without_profile(s) if isinstance(s, str) else s for s in grid["systems"]]


def build_study(
    folder: Path, table: dict[str, Any], scale: str, grids: dict[str, dict[str, Any]], systems: Sequence[str]
) -> Study:
    where = str(folder / "study.toml")
    title, texts = read_texts(folder)
    for section, text in texts.items():
        check_places(text, table.get("numbers", {}), f"{folder / 'README.md'}: {section}")
    trial = folder / "trial.py"
    return Study(
        name=folder.name,
        folder=folder,
        scale=scale,
        title=title,
        texts=texts,
        figure=str(table.get("figure", "")),
        needs=table.get("needs"),
        grids=tuple(build_grid(name, grid, f"{where}: grid.{name}", systems) for name, grid in grids.items()),
        claims=tuple({**OPTIONAL, **claim} for claim in table.get("claim", [])),
        numbers=table.get("numbers", {}),
        files=((trial.name, files.read_text(trial, str(trial))),) if trial.is_file() else (),
    )


def read_texts(folder: Path) -> tuple[str, dict[str, str]]:
    """Return the title, and the text under each heading of README.md."""
    text = files.read_text(folder / "README.md", str(folder / "README.md"))
    head, *parts = re.split(r"^## +", text, flags=re.MULTILINE)
    found = {title.strip(): body.strip() for title, _, body in (part.partition("\n") for part in parts)}
    return head.strip().partition("\n")[0].lstrip("# ") or folder.name, {s: found.get(s, "") for s in SECTIONS}


def build_grid(name: str, table: dict[str, Any], where: str, systems: Sequence[str]) -> Grid:
    kind, repetitions, scenario = table.get("kind"), table.get("repetitions", 1), table.get("scenario")
    listed = table.get("systems")
    if kind not in kinds.NAMES:
        raise BadInput(f"{where}: kind must be one of {', '.join(kinds.NAMES)}, not {shown(kind)}")
    if not isinstance(repetitions, int) or not 1 <= repetitions <= MAX_REPETITIONS:
        raise BadInput(f"{where}: repetitions must be a whole number from 1 to {MAX_REPETITIONS:,}")
    if not isinstance(listed, list) or not listed or not all(isinstance(s, str) for s in listed):
        raise BadInput(f"{where}: systems must be a list of names")
    if scenario is not None and not isinstance(scenario, dict):
        raise BadInput(f"{where}: scenario must be a table")
    return Grid(
        name,
        kind,
        tuple(dict.fromkeys([*listed, *fitting_systems(kind, listed, systems, where)])),
        repetitions,
        {key: values(value, f"{where}: {key}") for key, value in table.items() if key not in GRID_KEYS},
        scenario,
    )


def fitting_systems(kind: str, listed: list[str], extra: Sequence[str], where: str) -> list[str]:
    """Return the extra systems that this kind of trial can be run under; the listed ones must all be."""
    known = kinds.known_systems(kind)
    for name in listed:
        base = name.partition("/")[0]
        if known is not None and base not in known:
            raise BadInput(
                f"{where}: systems: unknown {shown(name)}{did_you_mean(base, known)}; there are {', '.join(known)}"
            )
    profiles = dict.fromkeys(name[len(without_profile(name)) :] for name in listed)  # so that they meet like with like
    return [name + profile for name in extra if known is not None and name in known for profile in profiles]


def values(given: Any, where: str) -> tuple[Value, ...]:
    listed = given if isinstance(given, list) else [given]
    if not listed or not all(isinstance(v, bool | int | float | str) for v in listed):
        raise BadInput(f"{where}: must be a number, a text, true or false, or a list of these")
    if not all(math.isfinite(v) for v in listed if isinstance(v, float)):
        raise BadInput(f"{where}: must have finite numbers only")
    return tuple(dict.fromkeys(listed))
