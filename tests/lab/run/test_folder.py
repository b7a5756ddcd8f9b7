"""The folder of results: how studies were requested, who writes into it, and by which code its trials were run."""

import dataclasses
import json
import math
import os
import shutil
from pathlib import Path

import pytest

from psvr.errors import BadInput
from psvr.lab.run import folder, provenance
from psvr.lab.study import load
from tests.support.lab.small_study import small_study


def remembered(tmp_path: Path, *systems: tuple[str, str]) -> tuple[Path, folder.Request]:
    [study] = load([str(small_study(tmp_path))], "paper", ["n=[5, 10]"])
    ask = folder.request_for(study, systems, ["psvr/all", "mine"])
    folder.remember(tmp_path / "out" / "small", ask, study)
    return tmp_path / "out", ask


def test_how_a_study_was_asked_for_is_remembered(tmp_path: Path) -> None:
    out, ask = remembered(tmp_path, ("mine.py", "text"))
    assert ask == folder.Request(
        str(tmp_path / "small"), "paper", ("n=[5, 10]",), (("mine.py", "text"),), ("psvr/all",)
    )
    found = folder.recall(out / "small")
    assert found is not None and found["sets"] == ["n=[5, 10]"] and found["systems"] == [["mine.py", "text"]]
    assert found["described"]["grids"]["main"]["parameters"]["n"] == [5, 10]
    assert folder.recall(tmp_path) is None
    [gain] = load(["gain"])
    assert folder.request_for(gain, (), ()).study == "gain", "a study of psvr's own is known by its name"


def test_each_study_remembers_what_was_set_for_it_alone() -> None:
    gain, hops = load(["gain", "hops"], "quick", ["p=0.3", "c_n=12", "settled.repetitions=3"])
    assert (gain.sets, hops.sets) == (("p=0.3",), ("c_n=12", "settled.repetitions=3"))
    for study in (gain, hops):
        [again] = load([study.name], "quick", folder.request_for(study, (), ()).sets)
        assert again.description() == study.description()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"described": {}}', '{"described": 5}', '{"described": {"grids": {}}}', "\udc80"],
)
def test_what_was_remembered_may_be_damaged(text: str, tmp_path: Path) -> None:
    out, _ = remembered(tmp_path)
    (out / "small" / "study.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadInput, match=r"study\.json: is damaged; remove it and run the study again"):
        folder.recall(out / "small")


def test_a_folder_without_studies_says_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^--out .*/none: there is no such folder; psvr lab run makes it$"):
        folder.studies_in(tmp_path / "none")
    with pytest.raises(BadInput, match=r"^--out .*: has no results yet; psvr lab run STUDY --out .* makes some$"):
        folder.studies_in(tmp_path)


def test_studies_come_back_as_they_were_asked_for(tmp_path: Path) -> None:
    [study] = load([str(small_study(tmp_path))], "paper", ["n=[5, 10]"])
    for name in ("zebra", "small", "range", "gain"):
        folder.remember(tmp_path / "out" / name, folder.request_for(study, (), ()), study)
    found = folder.studies_in(tmp_path / "out")
    assert [(it.name, it.scale, it.grids[0].parameters["n"]) for it, _ in found] == [("small", "paper", (5, 10))] * 4
    order = sorted((tmp_path / "out").glob("*/study.json"), key=folder.paper_order)
    assert [file.parent.name for file in order] == ["gain", "range", "small", "zebra"]


def test_one_run_at_a_time_writes_into_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    with folder.locked(out):
        with pytest.raises(BadInput, match="another psvr lab is at work there"), folder.locked(out):
            pass
        with folder.locked(tmp_path / "other"):
            pass
    with folder.locked(out):
        pass
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"^--out .*/file: cannot be written: "), folder.locked(tmp_path / "file"):
        pass


def test_a_lock_ends_with_the_run_however_that_ends(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt), folder.locked(tmp_path):
            raise KeyboardInterrupt
    assert len(os.listdir("/proc/self/fd")) == before


def test_finished_trials_are_set_aside_not_thrown_away(tmp_path: Path) -> None:
    where = tmp_path / "gain" / "trials"
    folder.set_aside(where)
    where.mkdir(parents=True)
    folder.set_aside(where)
    assert where.is_dir() and not (tmp_path / "gain" / "old").exists(), "there is nothing to be kept"
    (where / "part-1.parquet").write_bytes(b"rows")
    folder.set_aside(where)
    assert not where.exists()
    (kept_in,) = (tmp_path / "gain" / "old").iterdir()
    assert (kept_in / "part-1.parquet").read_bytes() == b"rows"


def test_the_digest_stands_for_every_file_and_its_name() -> None:
    digests = [
        provenance.code_digest(files)
        for files in (
            [],
            [("a.py", "one")],
            [("a.py", "two")],
            [("b.py", "one")],
            [("a.py", "one"), ("b.py", "two")],
            [("a.py", "onetwo")],
            [("a.pyo", "ne")],
        )
    ]
    assert len(set(digests)) == len(digests) and all(len(d) == 16 for d in digests)
    files = [("a.py", "one"), ("b.py", "two")]
    assert provenance.code_digest(files) == provenance.code_digest(files[::-1]), "in whichever order"


@pytest.mark.parametrize(
    "file, counts",
    [
        ("protocol/rule.py", True),
        ("sim/radio/air.py", True),
        ("graphs/csr.py", True),
        ("routing/custom.py", True),
        ("lab/kinds/settled.py", True),
        ("cli/lab.py", True),
        ("lab/studies/gain/figure.py", False),
        ("protocol/notes.txt", False),
    ],
)
def test_the_digest_changes_with_the_sources_of_the_package(
    file: str, counts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provenance, "PACKAGE", tmp_path)

    def digest() -> str:
        provenance.code_of_psvr.cache_clear()
        return provenance.code_digest([])

    place = tmp_path / file
    place.parent.mkdir(parents=True)
    place.write_text("one")
    first = digest()
    place.write_text("two")
    changed = digest()
    place.rename(place.with_name("another" + place.suffix))
    renamed = digest()
    monkeypatch.undo()
    provenance.code_of_psvr.cache_clear()
    assert len({first, changed, renamed}) == (3 if counts else 1)


def test_every_file_says_which_code_made_it() -> None:
    notes = provenance.provenance("gain", "quick", "0123")
    assert (notes["study"], notes["scale"], notes["code"]) == ("gain", "quick", "0123")
    assert {"psvr", "host", "python", "numpy", "numba", "pyspark", "written"} <= set(notes)
    assert all(isinstance(value, str) for value in notes.values()) and json.dumps(notes)


def test_numbers_that_json_does_not_have_are_remembered_as_null(tmp_path: Path) -> None:
    study = load([str(small_study(tmp_path))])[0]
    grid = dataclasses.replace(study.grids[0], scenario={"duration": math.inf})
    odd = dataclasses.replace(study, grids=(grid,))
    folder.remember(tmp_path / "out" / "small", folder.request_for(odd, (), ()), odd)
    found = json.loads((tmp_path / "out" / "small" / "study.json").read_text(), parse_constant=pytest.fail)
    assert found["described"]["grids"]["main"]["scenario"] == {"duration": None}


def test_a_study_that_was_moved_is_loaded_from_what_its_run_has_kept(tmp_path: Path) -> None:
    out, _ = remembered(tmp_path)
    [study] = load([str(tmp_path / "small")])
    folder.remember(out / "small", ask := folder.request_for(study, (), ()), study)
    [(before, _)] = folder.load_again(out / "small")
    (tmp_path / "small").rename(tmp_path / "elsewhere")
    [(after, request)] = folder.load_again(out / "small")
    assert request == ask and after.folder == out / "small" / "source" / "small"
    assert (after.description(), after.claims, after.files) == (before.description(), before.claims, before.files)
    assert (after.folder / "figure.py").is_file()


def test_what_is_kept_follows_the_study(tmp_path: Path) -> None:
    out, ask = remembered(tmp_path)
    kept = out / "small" / "source" / "small"
    (tmp_path / "small" / "README.md").write_text("# Another title")
    (tmp_path / "small" / "figure.py").unlink()
    [study] = load([str(tmp_path / "small")])
    folder.remember(out / "small", ask, study)
    assert (kept / "README.md").read_text() == "# Another title" and not (kept / "figure.py").exists()


def test_a_study_of_psvr_is_not_copied(tmp_path: Path) -> None:
    [gain] = load(["gain"])
    folder.remember(tmp_path / "gain", folder.request_for(gain, (), ()), gain)
    assert [file.name for file in (tmp_path / "gain").iterdir()] == ["study.json"]


def test_a_study_that_is_gone_is_said_in_one_line(tmp_path: Path) -> None:
    out, _ = remembered(tmp_path)
    (tmp_path / "small").rename(tmp_path / "elsewhere")
    shutil.rmtree(out / "small" / "source")  # as results of earlier versions are
    with pytest.raises(
        BadInput, match=r"^study small: is no longer in .*/small, .*: psvr lab run FOLDER --out .*/out$"
    ):
        folder.studies_in(out)
