"""A node's id: drawn once and kept, and one node per state folder."""

import errno
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from psvr.errors import BadInput
from psvr.node.secure.identity import MAX_DRAWN_ID, MAX_ID, Identity


def refusal(folder: Path, given: int | None = None) -> str:
    with pytest.raises(BadInput) as caught:
        Identity(folder, given)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_id_is_drawn_once(tmp_path: Path) -> None:
    with Identity(tmp_path / "state") as first:
        drawn = first.id
    with Identity(tmp_path / "state") as second:
        assert second.id == drawn
    assert 1 <= drawn <= MAX_DRAWN_ID and (tmp_path / "state" / "id").read_text() == f"{drawn}\n"


def test_ids_differ_and_use_the_whole_range(tmp_path: Path) -> None:
    drawn = []
    for i in range(40):
        with Identity(tmp_path / str(i)) as one:
            drawn.append(one.id)
    assert len(set(drawn)) == 40 and max(drawn) > MAX_DRAWN_ID // 2


def test_only_the_owner_can_read(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "state"
    previous = os.umask(0)
    try:
        Identity(folder).close()
    finally:
        os.umask(previous)
    assert mode(folder) == 0o700 and {mode(file) for file in folder.iterdir()} == {0o600}
    assert sorted(os.listdir(folder)) == ["id", "lock"]


def test_a_given_id_is_used_and_not_stored(tmp_path: Path) -> None:
    with Identity(tmp_path) as one:
        drawn = one.id
    with Identity(tmp_path, 7) as one:
        assert one.id == 7
    with Identity(tmp_path) as one:
        assert one.id == drawn
    with Identity(tmp_path / "new", 0) as one:
        assert one.id == 0 and os.listdir(tmp_path / "new") == ["lock"]


@pytest.mark.parametrize("given", [-1, MAX_ID + 1, 1 << 64])
def test_a_given_id_out_of_range(tmp_path: Path, given: int) -> None:
    text = refusal(tmp_path / "state", given)
    assert text.startswith("id: ") and str(given) in text and str(MAX_ID) in text
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    "text", ["", "\n", "seven\n", "-7\n", "7.0\n", "1 2\n", "٣\n", "1_0\n", f"{MAX_ID + 1}\n", "9" * 5000, "\0\0\0\0"]
)
def test_a_damaged_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "id").write_text(text)
    said = refusal(tmp_path)
    assert said.startswith(f"{tmp_path / 'id'}: is damaged") and len(said) < 300 + len(str(tmp_path))
    assert (tmp_path / "id").read_text() == text
    with Identity(tmp_path, 7) as one:  # an id that is given does not need the file
        assert one.id == 7


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "id").write_bytes(b"\xff\xfe\x80")
    assert "is damaged" in refusal(tmp_path)


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "id").mkdir()
    assert f"{tmp_path / 'id'}: cannot be read" in refusal(tmp_path)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "state"):
        assert refusal(folder).startswith(f"{folder}: cannot be used as state folder: ")
    assert "cannot be used" in refusal(Path("a\0b"))


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def read_only(path: object, flags: int, *rest: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", read_only)
    assert refusal(tmp_path) == f"{tmp_path}: cannot be used as state folder: Read-only file system"


def test_a_full_disk_leaves_no_half_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert "No space left" in refusal(tmp_path)
    assert os.listdir(tmp_path) == ["lock"]
    Identity(tmp_path).close()


def test_two_nodes_with_one_folder(tmp_path: Path) -> None:
    with Identity(tmp_path):
        assert refusal(tmp_path) == (
            f"{tmp_path}: another node is running with this state folder; give each node a folder of its own"
        )
        assert "another node" in refusal(tmp_path, 7)
    Identity(tmp_path).close()


def test_a_refused_start_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "id").write_text("damaged")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        refusal(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before
    with (tmp_path / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_killed_node_leaves_no_lock(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from psvr.node.secure.identity import Identity\n"
        "one = Identity(Path(sys.argv[1])); print(one.id, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE, timeout=60, check=False)
    with Identity(tmp_path) as one:
        assert one.id == int(done.stdout)


def test_a_child_holds_no_lock(tmp_path: Path) -> None:
    """Neither a child that starts another program, nor one that continues with this one."""
    one = Identity(tmp_path)
    assert one.lock is not None and not os.get_inheritable(one.lock)
    same = os.dup(one.lock)
    one.close()
    Identity(tmp_path).close()
    os.close(same)


def test_closing_twice_does_no_harm(tmp_path: Path) -> None:
    one = Identity(tmp_path)
    one.close()
    with open(os.devnull) as other:  # gets the descriptor that became free
        one.close()
        assert other.read() == ""
