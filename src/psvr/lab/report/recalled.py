"""Results of studies read back from the `report.json` of a folder, without Spark."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from psvr.errors import BadInput
from psvr.lab.run.provenance import Origin
from psvr.lab.run.reading import readable

from .claims import Claim
from .figures import Drawn
from .findings import StudyResult
from .report import PLAIN

DAMAGED = "is damaged, or from another version of psvr; psvr lab report makes it again"


def recall(folders: Iterable[Path]) -> list[StudyResult]:
    """Return the studies of all these folders of results; each study must be in one of them only."""
    found: dict[str, tuple[Path, StudyResult]] = {}
    for folder in folders:
        for study in read(folder):
            if study.name in found:
                raise BadInput(f"study {study.name}: is in {found[study.name][0]} and in {folder}; give one of them")
            found[study.name] = folder, study
    return [study for _, study in found.values()]


def read(folder: Path) -> list[StudyResult]:
    """Return the studies of a folder."""
    file = folder / "report.json"
    if not file.is_file():
        raise BadInput(f"{folder}: has no report.json; psvr lab report --out {folder} makes it")
    with readable(file, DAMAGED):
        report = json.loads(file.read_text("utf-8"))
        return [study_from(values, report["claims"], folder) for values in report["studies"]]


def study_from(values: Mapping[str, Any], claims: Sequence[Mapping[str, Any]], folder: Path) -> StudyResult:
    origin: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values["origin"].items()}
    return StudyResult(
        **{name: values[name] for name in PLAIN},
        question="",
        method="",
        claims=[claim_from(claim) for claim in claims if claim["study"] == values["name"]],
        figures=[
            Drawn(values["name"], f["name"], f["caption"], folder / f["svg"], folder / f["png"])
            for f in values["figures"]
        ],
        origin=Origin(**origin),
    )


def claim_from(values: Mapping[str, Any]) -> Claim:
    """Return a claim without its query, which is not in the file."""
    return Claim(**{field.name: values[field.name] for field in fields(Claim) if field.name in values} | {"sql": ""})
