"""Private files: on the disk before they get their names, and still their owner's when somebody else replaces them."""

import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from psvr.node import private


def recorded(monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[str]:
    """What reaches the disk, and when names change."""
    done: list[str] = []
    real_sync, real_replace = os.fsync, os.replace

    def fsync(handle: int) -> None:
        status = os.fstat(handle)
        done.append("folder" if stat.S_ISDIR(status.st_mode) else f"{status.st_size} bytes")
        real_sync(handle)

    def replace(old: Any, new: Any) -> None:
        done.append(f"becomes {Path(new).relative_to(folder)}")
        real_replace(old, new)
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    return done


def test_a_file_and_its_name_outlive_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = recorded(monkeypatch, tmp_path)
    private.create(tmp_path / "f", "four")
    assert done == ["4 bytes", "folder"]
    done.clear()
    private.replace(tmp_path / "f", "longer")
    assert done == ["6 bytes", "becomes f", "folder"]
    assert (tmp_path / "f").read_text() == "longer" and os.listdir(tmp_path) == ["f"]


@pytest.mark.parametrize("uid, gid", [(1, 0), (0, 1)])
def test_who_replaces_the_file_of_another_leaves_it_to_him(
        uid: int, gid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private.create(tmp_path / "f", "one")
    owner, given = (tmp_path / "f").stat(), list[tuple[int, int]]()

    def another(handle: int) -> Any:
        return SimpleNamespace(st_uid=owner.st_uid + uid, st_gid=owner.st_gid + gid)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fstat", another)
        patched.setattr(os, "fchown", lambda handle, *to: given.append(to))
        private.replace(tmp_path / "f", "two")
    assert given == [(owner.st_uid, owner.st_gid)] and (tmp_path / "f").read_text() == "two"


def test_a_file_of_one_s_own_is_not_given_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: int) -> None:
        raise PermissionError(1, "Operation not permitted")
    monkeypatch.setattr(os, "fchown", refused)
    private.replace(tmp_path / "new", "one")            # also where there was none
    private.replace(tmp_path / "new", "two")
    assert (tmp_path / "new").read_text() == "two"


def test_what_another_process_writes_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private.create(tmp_path / "f", "one")
    half = tmp_path / f".half-{os.getpid()}-f"
    half.write_text("of somebody else")
    with pytest.raises(FileExistsError):
        private.replace(tmp_path / "f", "two")
    assert (tmp_path / "f").read_text() == "one" and half.read_text() == "of somebody else"


def test_no_handle_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    private.create(tmp_path / "f", "one")
    for _ in range(5):
        private.replace(tmp_path / "f", "two")
        with pytest.raises(FileExistsError):
            private.create(tmp_path / "f", "three")
    assert len(os.listdir("/proc/self/fd")) == before
