"""Python files that travel as texts, and messages about files that cannot be read."""

import os
import stat
from pathlib import Path

import pyarrow as pa
import pytest

from psvr.errors import BadInput
from psvr.lab.code import cache_root, file_of, imported, module_of
from psvr.lab.run import reading


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("x"), TypeError("x"), pa.ArrowInvalid("x"), OSError("x")])
def test_damage_is_one_line_that_says_what_to_do(error: Exception, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"")
    with (
        pytest.raises(BadInput, match=r"f: is damaged; remove it$"),
        reading.readable(tmp_path / "f", "is damaged; remove it"),
    ):
        raise error
    with pytest.raises(RuntimeError), reading.readable(tmp_path / "f", "is damaged"):
        raise RuntimeError  # a mistake of ours is no damage
    with pytest.raises(BadInput, match=r"gone: cannot be read: No such file"), reading.readable(tmp_path / "gone", "-"):
        raise error


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "psvr"


def test_a_text_becomes_a_file_of_its_own(cache: Path) -> None:
    one, other, named = file_of("a.py", "x = 1"), file_of("a.py", "x = 2"), file_of("b.py", "x = 1")
    assert len({one, other, named}) == 3 and all(file.is_relative_to(cache / "files") for file in (one, other, named))
    assert (one.read_text(), other.read_text(), named.name) == ("x = 1", "x = 2", "b.py")
    written = one.stat().st_mtime_ns
    assert file_of("a.py", "x = 1") == one and one.stat().st_mtime_ns == written, "it is written once"
    one.write_text("damaged")
    assert file_of("a.py", "x = 1").read_text() == "x = 1" and sorted(os.listdir(one.parent)) == ["a.py", "b.py"]


def test_modules_of_one_name_are_told_apart(cache: Path) -> None:
    assert (module_of("a.py", "x = 1").x, module_of("a.py", "x = 2").x) == (1, 2)
    assert module_of("a.py", "x = 1") is module_of("a.py", "x = 1")


@pytest.mark.parametrize(
    "text, said",
    [
        ("x = 1\ny = 1 / 0", "a.py: line 2: ZeroDivisionError"),
        ("x = 1\n\ndef f(:", "a.py: line 3: SyntaxError"),
        ("def f():\n    raise OSError('no')\n\nf()", "a.py: line 2: OSError: no"),
        ("import nowhere_at_all", "a.py: line 1: ModuleNotFoundError"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(text: str, said: str, cache: Path) -> None:
    with pytest.raises(BadInput) as refusal:
        module_of("a.py", text)
    assert str(refusal.value).startswith(said) and "\n" not in str(refusal.value)


def test_only_python_is_imported(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x = 1")
    with pytest.raises(BadInput, match=r"^mine: must be a Python file$"):
        imported(tmp_path / "a.txt", "mine")


def test_a_cache_that_cannot_be_written_is_replaced_by_a_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    other = cache_root()
    assert other.is_dir() and stat.S_IMODE(other.stat().st_mode) == 0o700 and cache_root() == other
    other.rmdir()
