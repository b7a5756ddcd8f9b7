"""The notebooks run from top to bottom, and their stored outputs are in order, small and free of local paths."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from examples.notebooks.run import executed

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LOCAL_PATH = re.compile(r"(?<![\w.~])/(?:home|root|tmp|var|work|usr|opt|Users|private)/|\b[A-Z]:\\\\|ipykernel_")
LARGEST = 250_000  # bytes per output: all figures of a study


def code_of(file: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(file.read_text())["cells"] if cell["cell_type"] == "code"]


def test_there_are_three() -> None:
    assert [file.stem for file in NOTEBOOKS] == ["a_network_heals", "one_publication", "one_study"]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_it_runs(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    notebook = executed(file, folder)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert outputs and not [output for output in outputs if output.output_type == "error"]
    warnings = [output.text for output in outputs if output.get("name") == "stderr" and "Warning" in output.text]
    assert not warnings


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_stored_outputs_are_complete_and_in_order(file: Path) -> None:
    cells = code_of(file)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert sum(bool(cell["outputs"]) for cell in cells) > len(cells) / 2
    assert not [output for cell in cells for output in cell["outputs"] if output["output_type"] == "error"]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_stored_outputs_are_small_and_contain_no_local_paths(file: Path) -> None:
    text = file.read_text()
    assert not (found := LOCAL_PATH.search(text)), text[found.start() - 80 : found.end() + 80]
    for cell in code_of(file):
        for output in cell["outputs"]:
            assert len(json.dumps(output)) <= LARGEST
        assert cell["metadata"] == {}
    assert set(json.loads(text)["metadata"]) == {"kernelspec", "language_info"}
