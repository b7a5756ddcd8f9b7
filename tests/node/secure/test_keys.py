"""Network keys: where they come from, what is refused, and that they are never shown."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from psvr.errors import BadInput
from psvr.node.secure.keys import PREFIX, Keyring, load_keys, new_key, parse_key, tag

OLD, NEW, THIRD = (PREFIX + digit * 64 for digit in "abc")


def key_file(folder: Path, *lines: str, mode: int = 0o600) -> Path:
    file = folder / "net.key"
    file.write_text("".join(f"{line}\n" for line in lines))
    file.chmod(mode)
    return file


def refusal(file: Path | None, environment: Mapping[str, str] | None = None) -> str:
    """The one line of the error, which contains no eight consecutive characters of any key."""
    with pytest.raises(BadInput) as caught:
        load_keys(file, environment or {})
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    assert not [digit for digit in "abc" if digit * 8 in text]
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return text


def test_a_new_key_is_one_line_and_reads_back() -> None:
    first, second = new_key(), new_key()
    assert first != second and first.startswith(PREFIX) and len(first.split()) == 1
    assert len(parse_key(first, "here")) == 32 and PREFIX + parse_key(first, "here").hex() == first


def test_without_file_and_variable_there_is_no_key() -> None:
    assert load_keys(None, {}) is None


def test_a_file_with_one_key(tmp_path: Path) -> None:
    assert load_keys(key_file(tmp_path, OLD), {}) == Keyring((b"\xaa" * 32,))


def test_the_first_of_two_keys_sends(tmp_path: Path) -> None:
    ring = load_keys(key_file(tmp_path, "# ours", "", f"  {NEW}  # since May", OLD), {})
    assert ring is not None and ring.keys == (b"\xbb" * 32, b"\xaa" * 32)


def test_the_file_is_stronger_than_the_variable(tmp_path: Path) -> None:
    assert load_keys(key_file(tmp_path, OLD), {"PSVR_KEY": NEW}) == Keyring((b"\xaa" * 32,))


def test_the_variable_holds_one_key_or_two() -> None:
    assert load_keys(None, {"PSVR_KEY": OLD}) == Keyring((b"\xaa" * 32,))
    assert load_keys(None, {"PSVR_KEY": f"{NEW}, {OLD}"}) == Keyring((b"\xbb" * 32, b"\xaa" * 32))


def test_upper_case_is_the_same_key() -> None:
    assert parse_key(PREFIX + "A" * 64, "here") == b"\xaa" * 32


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o660, 0o777])
def test_a_file_that_others_can_use_is_refused(tmp_path: Path, mode: int) -> None:
    file = key_file(tmp_path, OLD, mode=mode)
    assert f"chmod 600 {file}" in refusal(file)


def test_a_file_for_the_owner_alone_is_taken(tmp_path: Path) -> None:
    assert load_keys(key_file(tmp_path, OLD, mode=0o400), {})


def test_missing_and_unreadable_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "there is no such file" in refusal(tmp_path / "nothing")
    assert "must be a file" in refusal(tmp_path)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "cannot be read" in refusal(tmp_path / "loop")
    assert "cannot be read" in refusal(Path("a\0b"))

    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    assert "cannot be read: Permission denied" in refusal(tmp_path / "net.key")


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert "must be a file" in refusal(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "holds no key"),
        (["# only a comment"], "holds no key"),
        ([OLD[:-1]], "line 1: too short"),
        (["", OLD[:30]], "line 2: too short"),
        ([OLD + "aa"], "line 1: too long"),
        ([OLD[:-1] + "x"], "line 1: not a key"),
        (["a" * 64], "line 1: not a key"),
        (["correct horse battery staple"], "line 1: not a key"),
        ([f"{OLD} {NEW}"], "line 1: not a key"),
        ([OLD, NEW, THIRD], "at most two"),
        ([OLD, OLD], "the same key twice"),
        ([OLD, PREFIX + "A" * 64], "the same key twice"),
    ],
)
def test_what_is_no_key(tmp_path: Path, lines: list[str], said: str) -> None:
    file = key_file(tmp_path, *lines)
    text = refusal(file)
    assert said in text and text.startswith(str(file))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = key_file(tmp_path)
    file.write_bytes(b"\xff\xfe" + bytes(range(256)))
    assert "not a key" in refusal(file)


def test_a_file_far_too_long_is_not_read_to_its_end(tmp_path: Path) -> None:
    assert "too long" in refusal(key_file(tmp_path, "#" * 100_000))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "PSVR_KEY: is empty"),
        (" ", "PSVR_KEY: is empty"),
        (OLD[:20], "PSVR_KEY: too short"),
        ("hello", "PSVR_KEY: not a key"),
        (f"{OLD},{NEW},{THIRD}", "PSVR_KEY: at most two"),
        (f"{OLD},{OLD}", "PSVR_KEY: the same key twice"),
        (f"{OLD},", "PSVR_KEY: not a key"),
    ],
)
def test_variables_that_are_refused(value: str, said: str) -> None:
    assert said in refusal(None, {"PSVR_KEY": value})


@pytest.mark.parametrize("name", [OLD, OLD[:40], "b" * 64])
def test_a_key_given_as_file_name_is_not_repeated(name: str) -> None:
    assert "give the name of a file" in refusal(Path(name))


def test_a_folder_may_be_named_after_a_digest(tmp_path: Path) -> None:
    folder = tmp_path / ("0123456789abcdef" * 4)
    folder.mkdir()
    assert load_keys(key_file(folder, OLD), {})


def test_a_keyring_is_checked_too() -> None:
    for keys in [
        (),
        (b"short",),
        (b"a" * 32, b"short"),
        (b"a" * 33,),
        (b"a" * 32, b"a" * 32),
        (b"a" * 32, b"b" * 32, b"c" * 32),
    ]:
        with pytest.raises(BadInput):
            Keyring(keys)


def test_keys_are_never_shown() -> None:
    secret = bytes(range(100, 132))
    ring = Keyring((secret, b"q" * 32))
    for text in (repr(ring), str(ring), f"{ring}", repr([ring]), repr({"a": ring})):
        assert tag(secret).hex() in text
        assert secret.hex()[:8] not in text and "defg" not in text and "qqqq" not in text
    with pytest.raises(AttributeError) as caught:
        ring.keys = ()  # type: ignore[misc]
    assert "defg" not in str(caught.value)


def test_the_tag_says_which_key_and_no_more() -> None:
    assert len(tag(b"a" * 32)) == 4 and tag(b"a" * 32) == tag(b"a" * 32) != tag(b"b" * 32)
    assert tag(b"a" * 32) not in b"a" * 32
