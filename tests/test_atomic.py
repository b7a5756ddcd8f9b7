"""Files that appear whole or not at all: on the disk before they get their names, and still their owner's."""

import os
import stat
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from psvr.atomic import PRIVATE, atomic_write, create, replace


def recorded(monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[str]:
    """What reaches the disk, and when names change."""
    done: list[str] = []
    real_sync, real_replace = os.fsync, os.replace

    def fsync(handle: int) -> None:
        status = os.fstat(handle)
        done.append("folder" if stat.S_ISDIR(status.st_mode) else f"{status.st_size} bytes")
        real_sync(handle)

    def rename(old: Any, new: Any) -> None:
        done.append(f"becomes {Path(new).relative_to(folder)}")
        real_replace(old, new)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", rename)
    return done


def test_a_file_and_its_name_outlive_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = recorded(monkeypatch, tmp_path)
    create(tmp_path / "f", "four")
    assert done == ["4 bytes", "folder"]
    done.clear()
    replace(tmp_path / "f", b"longer")
    assert done == ["6 bytes", "becomes f", "folder"]
    assert (tmp_path / "f").read_text() == "longer" and os.listdir(tmp_path) == ["f"]


@pytest.mark.parametrize("uid, gid", [(1, 0), (0, 1)])
def test_who_replaces_the_file_of_another_leaves_it_to_its_owner(
    uid: int, gid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(tmp_path / "f", "one")
    owner, given = (tmp_path / "f").stat(), list[tuple[int, int]]()

    def another(handle: int) -> Any:
        return SimpleNamespace(st_uid=owner.st_uid + uid, st_gid=owner.st_gid + gid)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fstat", another)
        patched.setattr(os, "fchown", lambda handle, *to: given.append(to))
        replace(tmp_path / "f", "two", keep_owner=True)
    assert given == [(owner.st_uid, owner.st_gid)] and (tmp_path / "f").read_text() == "two"


def test_a_file_of_one_s_own_is_not_given_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refused)
    replace(tmp_path / "new", "one", keep_owner=True)  # also where there was none
    replace(tmp_path / "new", "two", keep_owner=True)
    assert (tmp_path / "new").read_text() == "two"


def test_what_a_killed_process_left_is_no_hindrance(tmp_path: Path) -> None:
    create(tmp_path / "f", "one")
    half = tmp_path / f".half-{os.getpid()}-f"
    half.write_text("of somebody else")
    replace(tmp_path / "f", "two")
    assert (tmp_path / "f").read_text() == "two" and half.read_text() == "of somebody else"


def test_who_may_read_a_file_is_chosen(tmp_path: Path) -> None:
    create(tmp_path / "key", "one")
    replace(tmp_path / "id", "one", PRIVATE)
    replace(tmp_path / "run", "one", 0o755)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == {"key": 0o600, "id": 0o600, "run": 0o755 & ~umask()}


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_link_stays_one(tmp_path: Path) -> None:
    create(tmp_path / "f", "one")
    (tmp_path / "link").symlink_to("f")
    replace(tmp_path / "link", "two")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "f").read_text() == "two"


def test_no_handle_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    create(tmp_path / "f", "one")
    for _ in range(5):
        replace(tmp_path / "f", "two")
        with pytest.raises(FileExistsError):
            create(tmp_path / "f", "three")
    assert len(os.listdir("/proc/self/fd")) == before


def test_who_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    replace(tmp_path / "f", "old")
    for error in (RuntimeError, KeyboardInterrupt, OSError):
        with pytest.raises(error), atomic_write(tmp_path / "f") as half:
            half.write(b"half of")
            raise error
    assert (tmp_path / "f").read_text() == "old" and os.listdir(tmp_path) == ["f"]


def test_readers_never_see_a_part(tmp_path: Path) -> None:
    file = tmp_path / "f"
    replace(file, "a" * 100_000)
    seen, stop = set(), threading.Event()

    def look() -> None:
        while not stop.is_set():
            text = file.read_text()
            seen.add((len(text), *set(text)))

    reader = threading.Thread(target=look)
    reader.start()
    for i in range(50):
        replace(file, "ab"[i % 2] * 100_000)
    stop.set()
    reader.join()
    assert seen <= {(100_000, "a"), (100_000, "b")}


def test_a_private_file_is_made_once(tmp_path: Path) -> None:
    file = tmp_path / "f"
    previous = os.umask(0)
    try:
        create(file, "one")
    finally:
        os.umask(previous)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        create(file, "two")
    assert file.read_text() == "one"


def test_a_private_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "f"
    create(file, "one")
    replace(file, "two", PRIVATE)
    assert file.read_text() == "two" and stat.S_IMODE(file.stat().st_mode) == 0o600

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace(file, "three", PRIVATE)
    with pytest.raises(OSError, match="No space"):
        create(tmp_path / "g", "four")
    assert file.read_text() == "two" and os.listdir(tmp_path) == ["f"]
