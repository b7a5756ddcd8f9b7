"""`psvr keygen`: a new key, and the three steps in which a network changes to it."""

import os
import stat
from pathlib import Path

import pytest

from psvr.cli import main
from psvr.node.secure.keys import PREFIX, Keyring, load_keys, parse_key, tag
from psvr.node.secure.seal import Seal


def keygen(*arguments: str | Path) -> int:
    return main(["keygen", *map(str, arguments)])


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """The one line that is printed, which contains nothing like a key."""
    assert keygen(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and len(printed.err.splitlines()) == 1 and PREFIX not in printed.err
    return printed.err


def keys(file: Path) -> tuple[bytes, ...]:
    ring = load_keys(file, {})
    assert ring is not None
    return ring.keys


@pytest.fixture
def file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert keygen(tmp_path / "net.key") == 0
    capsys.readouterr()
    return tmp_path / "net.key"


def test_a_key_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert keygen() == 0
    printed = capsys.readouterr()
    assert len(parse_key(printed.out.strip(), "")) == 32 and printed.out.count("\n") == 1 and printed.err == ""


def test_a_key_is_written_for_the_owner_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    previous = os.umask(0)
    try:
        assert keygen(tmp_path / "net.key") == 0
    finally:
        os.umask(previous)
    printed = capsys.readouterr()
    assert stat.S_IMODE((tmp_path / "net.key").stat().st_mode) == 0o600
    (key,) = keys(tmp_path / "net.key")
    assert tag(key).hex() in printed.out and key.hex()[:8] not in printed.out + printed.err


def test_a_file_is_never_overwritten(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = file.read_bytes()
    assert "there is a file already" in refusal(capsys, file)
    assert file.read_bytes() == before


def test_a_link_is_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert "there is a file already" in refusal(capsys, tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot be written: No such file or directory" in refusal(capsys, tmp_path / "nowhere" / "net.key")
    assert "cannot be written" in refusal(capsys, "a\0b")
    assert "looks like a key" in refusal(capsys, "psvr-key-" + "a" * 64)


def test_the_three_steps(file: Path) -> None:
    (old,) = keys(file)
    assert keygen("--rotate", "add", file) == 0
    first, new = keys(file)
    assert first == old != new
    assert keygen("--rotate", "switch", file) == 0
    assert keys(file) == (new, old)
    assert keygen("--rotate", "drop", file) == 0
    assert keys(file) == (new,)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and os.listdir(file.parent) == ["net.key"]


def test_during_all_steps_everybody_hears_everybody(file: Path) -> None:
    """However the machines are spread over two successive steps."""
    before = Seal(Keyring(keys(file)), 1)
    for step in ("add", "switch", "drop"):
        keygen("--rotate", step, file)
        after = Seal(Keyring(keys(file)), 2)
        assert after.open(before.seal(b"x")) and before.open(after.seal(b"x"))
        before = after


def test_what_was_done_can_be_undone(file: Path) -> None:
    (old,) = keys(file)
    for step in ("add", "switch", "switch", "drop"):
        assert keygen("--rotate", step, file) == 0
    assert keys(file) == (old,)


def test_each_step_says_what_comes_next(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for step in ("add", "switch", "drop"):
        keygen("--rotate", step, file)
        printed = capsys.readouterr()
        said.append(printed.out)
        assert all(tag(key).hex() in printed.out and key.hex()[:8] not in printed.out for key in keys(file))
    assert f"--rotate switch {file}" in said[0] and f"--rotate drop {file}" in said[1]
    assert "--rotate" not in said[2]


def test_keys_are_compared_by_their_tags(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keygen("--rotate", "add", file)
    capsys.readouterr()
    content = file.read_bytes()
    assert keygen("--show", file) == 0
    first, second = (tag(key).hex() for key in keys(file))
    assert capsys.readouterr().out == f"{file}: sends with {first}, accepts {second} too\n"
    assert file.read_bytes() == content


def test_comments_stay(file: Path) -> None:
    file.write_text(f"# the network of the barn\n{file.read_text().strip()}  # since May\n")
    for step in ("add", "switch"):
        keygen("--rotate", step, file)
    lines = file.read_text().splitlines()
    assert lines[0] == "# the network of the barn" and lines[-1].endswith("# since May") and len(lines) == 3


@pytest.mark.parametrize(
    ("before", "step", "said"),
    [(["add"], "add", "two keys already"), ([], "switch", "only one key"), ([], "drop", "only one key")],
)
def test_steps_out_of_order(
    file: Path, before: list[str], step: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for earlier in before:
        keygen("--rotate", earlier, file)
    capsys.readouterr()
    content = file.read_bytes()
    assert said in refusal(capsys, "--rotate", step, file)
    assert file.read_bytes() == content


def test_bad_arguments(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "FILE: missing" in refusal(capsys, "--rotate", "add")
    assert "must be add, switch or drop, not twist" in refusal(capsys, "--rotate", "twist", file)
    assert "there is no such file" in refusal(capsys, "--rotate", "add", file.parent / "other")
    assert "FILE: missing" in refusal(capsys, "--show")
    assert "only one of them" in refusal(capsys, "--show", "--rotate", "add", file)
    file.chmod(0o644)
    assert "chmod 600" in refusal(capsys, "--rotate", "add", file)


def test_a_damaged_file_is_left_alone(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("psvr-key-1234\n")
    said = refusal(capsys, "--rotate", "add", file)
    assert "too short" in said and "1234" not in said
    assert file.read_text() == "psvr-key-1234\n"


def test_a_full_disk_leaves_the_old_file(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = file.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "No space left" in refusal(capsys, "--rotate", "add", file)
    assert "No space left" in refusal(capsys, file.parent / "new.key")
    assert file.read_bytes() == content and os.listdir(file.parent) == ["net.key"]
