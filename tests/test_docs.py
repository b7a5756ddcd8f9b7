"""Every Python block of the documentation runs and prints what stands below it; every link leads somewhere."""

import contextlib
import io
import re
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```python\n(.*?)```(?:\s*```text\n(.*?)```)?", re.S)
BLOCKS = [(page, i, code, text) for page in PAGES for i, (code, text) in enumerate(BLOCK.findall(page.read_text()))]


@pytest.mark.parametrize("page, i, code, text", BLOCKS, ids=[f"{p.stem}-{i}" for p, i, _, _ in BLOCKS])
def test_python_blocks(
    page: Path, i: int, code: str, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, f"{page.name}:{i}", "exec"), {"__name__": "__main__"})
    if text:
        assert printed.getvalue() == text


@pytest.mark.parametrize("page", PAGES, ids=[p.stem for p in PAGES])
def test_links(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_there_are_blocks() -> None:
    assert len(BLOCKS) > 10


def test_questions_lead_to_functions_that_exist() -> None:
    rows = re.findall(r"^\| \d+\. .*\| (.*) \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
    assert len(rows) == 20
    for row in rows:
        files = [ROOT / target for target in re.findall(r"\]\(([^)]+)\)", row)]
        assert files and all(file.is_file() for file in files), row
        for name in re.findall(r"`(\w+)`", row):
            assert any(
                f"def {name}(" in file.read_text() or f"from .{name} import" in file.read_text() for file in files
            )
