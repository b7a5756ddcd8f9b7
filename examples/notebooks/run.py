"""Execute the notebooks in this folder and store their outputs.

python -m examples.notebooks.run [NAME…]        # all of them by default
"""

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent
SECONDS = 900  # per cell: rules may have to be compiled first


def executed(file: Path, folder: str | Path) -> nbformat.NotebookNode:
    """Execute a notebook from the top, in the given working directory; raises if a cell fails."""
    notebook: nbformat.NotebookNode = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        startup_timeout=SECONDS,
        kernel_name="python3",  # the interpreter that runs this
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return notebook


def store(file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        notebook = executed(file, folder)
    for cell in notebook.cells:
        if "outputs" in cell:  # progress and warnings are not results
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    notebook.metadata["language_info"] = {"name": "python"}  # without the version of Python
    nbformat.write(notebook, file)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(file.stem for file in HERE.glob("*.ipynb")):
        print(name, flush=True)
        store(HERE / f"{name}.ipynb")
