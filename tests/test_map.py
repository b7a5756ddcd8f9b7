"""The map in the README says what every folder of the source is for, in the folder's own words.

`python tests/test_map.py` writes it anew.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "psvr"
FIRST = (
    "protocol",
    "compiled",
    "checked",
    "trace",
    "graphs",
    "fields",
    "results",
    "routing",
    "related",
    "sim",
    "node",
    "swarm",
    "lab",
    "cli",
)
BEGIN, END = "<!-- map -->\n", "<!-- end of map -->\n"


def first_line(file: Path) -> str:
    """What a module or package says of itself, in one line."""
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).removesuffix(".")


def packages(folder: Path) -> list[Path]:
    found = [file.parent for file in folder.glob("*/__init__.py")]
    return sorted(found, key=lambda path: (FIRST.index(path.name) if path.name in FIRST else len(FIRST), path.name))


def described(folder: Path, depth: int = 0) -> list[str]:
    lines = []
    for package in packages(folder):
        name = ".".join(("psvr", *package.relative_to(SOURCE).parts)) if depth == 0 else package.name
        lines += [f"{'  ' * depth}- `{name}`: {first_line(package / '__init__.py')}", *described(package, depth + 1)]
    return lines


def drawn() -> str:
    beside = [file for file in sorted(SOURCE.glob("*.py")) if not file.name.startswith("__")]
    modules = [f"- `psvr.{file.stem}`: {first_line(file)}" for file in beside]
    return "\n".join([*described(SOURCE), "", "And beside them, helper modules:", "", *modules, ""])


def test_the_map_is_true() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert text.partition(BEGIN)[2].partition(END)[0] == drawn(), "run: python tests/test_map.py"


def test_every_folder_is_on_the_map() -> None:
    assert {path.name for path in packages(SOURCE)} == set(FIRST)


if __name__ == "__main__":
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text("utf-8").partition(BEGIN)
    readme.write_text(before + BEGIN + drawn() + END + rest.partition(END)[2], "utf-8")
