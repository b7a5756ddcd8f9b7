"""Files that users name: what is no file, has no end or is no text is refused at once, in one line."""

import os
import socket
from pathlib import Path

import pytest

from psvr import files
from psvr.errors import BadInput, shown
from psvr.files import read_text, read_toml


def refusal(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_text(path, "the file")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_devices(device: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(device)
    assert refusal(Path(device)) == refusal(tmp_path / "link") == "the file: must be a file, not a device"


def test_pipes_sockets_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a pipe, nobody writes into it: to open it would be to wait for ever."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
    assert refusal(Path("pipe")) == "the file: must be a file, not a pipe"
    assert refusal(Path("socket")) == "the file: must be a file, not a socket"
    assert refusal(tmp_path) == "the file: Is a directory"
    assert refusal(tmp_path / "none") == "the file: No such file or directory"


def test_huge_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)  # takes no room on the disk
    assert refusal(tmp_path / "huge") == "the file: must be at most 64 MB, and is larger"
    monkeypatch.setattr(files, "MEGABYTE", 1)
    (tmp_path / "small").write_text("a" * 64)
    assert read_text(tmp_path / "small", "the file") == "a" * 64
    (tmp_path / "small").write_text("a" * 65)
    assert "must be at most 64 MB" in refusal(tmp_path / "small")
    (tmp_path / "table").write_text("a = 1".ljust(17))
    with pytest.raises(BadInput, match="at most 16 MB"):
        read_toml(tmp_path / "table", "the file")


def test_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "zeros").write_bytes(b"0 1\n" + bytes(1000))
    assert refusal(tmp_path / "zeros") == "the file: not text (byte 4 is zero)"
    (tmp_path / "latin").write_bytes(b"n\xf6rdlich")
    assert refusal(tmp_path / "latin") == "the file: not UTF-8 text (byte 1)"


def test_a_copy_from_elsewhere_is_the_same_text(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(tmp_path / "text", "the file") == "a\nb\nc\n"


def test_a_long_wrong_value_is_shown_shortly() -> None:
    assert shown("x" * 50) == shown("x" * 10_000_000) == '"' + 39 * "x" + "…"
    assert shown("x" * 38) == '"' + 38 * "x" + '"'
