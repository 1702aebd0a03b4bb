"""The file of a model: sections, keys, and writing all or nothing. Whatever is damaged is refused."""

from __future__ import annotations

import enum
import json
import math
import os
import re
import stat
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sapwood.exceptions import ModelFormatError
from sapwood.model_files.files import write_atomically
from sapwood.model_files.keys import Key, decode_keys, encode_keys
from sapwood.model_files.sections import MAGIC, pack, unpack

SECTIONS = ("estimator", "features", "tree")

NAMES = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=16)
FILES = st.dictionaries(NAMES, st.binary(max_size=40), max_size=5)
PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(st.characters()), st.binary()
)
KEYS = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5)
EXAMPLE = {"estimator": b"{}", "features": b'["a"]', "tree": b"\0\1\2"}


def same(left: Key, right: Key) -> bool:
    """Whether two keys are equal and of one type, down to the sign of a zero."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float):
        return struct.pack("<d", left) == struct.pack("<d", right)
    return type(left) is type(right) and left == right


def resealed(data: bytes) -> bytes:
    """Put the right checksum behind a table that was changed."""
    count = int.from_bytes(data[12:16], "little")
    end = 16 + 36 * count
    return data[:end] + struct.pack("<I", zlib.crc32(data[:end])) + data[end + 4 :]


@given(FILES)
def test_sections_come_back(sections: dict[str, bytes]) -> None:
    data = pack(sections)
    assert unpack(data) == sections
    assert list(unpack(data)) == list(sections)
    assert unpack(data, list(sections)) == sections


@given(FILES, st.data())
def test_any_changed_byte_is_refused(sections: dict[str, bytes], data: st.DataObject) -> None:
    packed = bytearray(pack(sections))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ModelFormatError):
        unpack(bytes(packed))


@given(FILES, st.data())
def test_any_other_length_is_refused(sections: dict[str, bytes], data: st.DataObject) -> None:
    packed = pack(sections)
    with pytest.raises(ModelFormatError):
        unpack(packed[: data.draw(st.integers(0, len(packed) - 1))])
    with pytest.raises(ModelFormatError):
        unpack(packed + data.draw(st.binary(min_size=1, max_size=9)))


@given(st.binary(max_size=200))
def test_noise_is_refused(noise: bytes) -> None:
    for data in (noise, MAGIC + noise, pack(EXAMPLE)[:16] + noise):
        with pytest.raises(ModelFormatError):
            unpack(data)


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (0, b"S", r"must start with b'sapwood\\n', got b'Sapwood\\n'"),
        (8, struct.pack("<I", 2), "the version of a model must be 1, .* got 2"),
        (12, struct.pack("<I", 65), "sections of a model must be at most 64, got 65"),
        (16, b"E", "name of a section .* got 'Estimator'"),
        (16, b"features".ljust(16, b"\0"), "names of sections must differ, got 'features'"),
        (16, b"a\0b".ljust(16, b"\0"), "name of a section"),
        (32, struct.pack("<Q", 127), "estimator must begin at 128, .* got 127"),
        (68, struct.pack("<Q", 128), "features must begin at 130, .* got 128"),
        (40, struct.pack("<Q", 2**64 - 1), "estimator must end within the 138 bytes"),
        (40, struct.pack("<Q", 1), "estimator must have its checksum"),
        (48, struct.pack("<I", 0), "estimator must have its checksum"),
    ],
)
def test_a_table_that_lies_is_refused(at: int, value: bytes, message: str) -> None:
    data = pack(EXAMPLE)
    with pytest.raises(ModelFormatError, match=message):
        unpack(resealed(data[:at] + value + data[at + len(value) :]))


def test_a_table_without_its_checksum_is_refused() -> None:
    data = bytearray(pack(EXAMPLE))
    data[124] ^= 1
    with pytest.raises(ModelFormatError, match="a table must have its checksum"):
        unpack(bytes(data))


def test_the_sections_asked_for_must_be_there() -> None:
    assert unpack(pack(EXAMPLE), SECTIONS) == EXAMPLE
    with pytest.raises(ModelFormatError, match="the sections must be"):
        unpack(pack({"tree": b""}), SECTIONS)


@pytest.mark.parametrize("name", ["", "a" * 17, "Tree", "a b", "é"])
def test_names_are_checked(name: str) -> None:
    with pytest.raises(ValueError, match="pack: a name must be"):
        pack({name: b""})


def test_there_are_at_most_64_sections() -> None:
    names = [a + b for a in "abcdefgh" for b in "abcdefghi"]
    assert len(unpack(pack(dict.fromkeys(names[:64], b"")))) == 64
    with pytest.raises(ValueError, match="pack: sections must be at most 64, got 65"):
        pack(dict.fromkeys(names[:65], b""))


@given(st.lists(KEYS, unique=True))
def test_keys_come_back_with_their_types(keys: list[Key]) -> None:
    data = encode_keys(keys)
    decoded = decode_keys(data)
    assert len(decoded) == len(keys)
    assert all(map(same, decoded, keys))
    assert encode_keys(decoded) == data
    assert isinstance(json.loads(data.decode()), list)


@given(st.lists(KEYS, unique=True), st.data())
def test_changed_keys_are_refused_or_written_as_they_were_read(keys: list[Key], data: st.DataObject) -> None:
    changed = bytearray(encode_keys(keys))
    changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    try:
        decoded = decode_keys(bytes(changed))
    except ModelFormatError:
        return
    assert encode_keys(decoded) == bytes(changed)


def test_numpy_scalars_become_pythons() -> None:
    keys = [
        np.int64(1),
        np.str_("a"),
        np.float32(0.5),
        np.bool_(False),
        np.bytes_(b"b"),
        (np.uint8(2), np.float64(3.5)),
    ]
    expected: list[Key] = [1, "a", 0.5, False, b"b", (2, 3.5)]
    assert all(map(same, decode_keys(encode_keys(keys)), expected))


def test_nan_is_a_key() -> None:
    [key] = decode_keys(encode_keys([math.nan]))
    assert isinstance(key, float)
    assert math.isnan(key)


class Colour(enum.IntEnum):
    """An integer that would come back as another type."""

    RED = 1


@pytest.mark.parametrize(
    "key", [Colour.RED, object(), [1], {1}, 1j, np.datetime64("2020-01-01"), np.longdouble(1), (1, [2])]
)
def test_other_types_are_named(key: Any) -> None:
    wrong = re.escape(repr(key[1] if isinstance(key, tuple) else key))
    with pytest.raises(TypeError, match=f"^classes must be None, .*, got {wrong}$"):
        encode_keys([key], "classes")


def nested(depth: int) -> Key:
    key: Key = ()
    for _ in range(depth - 1):
        key = (key,)
    return key


def test_tuples_are_nested_at_most_32_deep() -> None:
    assert decode_keys(encode_keys([nested(32)])) == [nested(32)]
    with pytest.raises(ValueError, match="nested at most 32 deep"):
        encode_keys([nested(33)])
    with pytest.raises(ModelFormatError):
        decode_keys(b"[" + b'{"tuple":[' * 33 + b"]}" * 33 + b"]")


@pytest.mark.parametrize("keys", [[1, 1], [1, True], [0, 0.0], ["a", "b", "a"], [(1,), (1.0,)]])
def test_keys_must_be_unique(keys: list[Key]) -> None:
    with pytest.raises(ValueError, match=r"^keys must be unique"):
        encode_keys(keys)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"1",
        b"[1.5]",
        b"[NaN]",
        b"[ 1]",
        b"[1]\n",
        b"[1,1]",
        b"[[1]]",
        b"[\xff]",
        b'["\\u0061"]',
        b'["\\ud800"]',
        b"[9007199254740993]",
        b'[{"int":"0x1"}]',
        b'[{"float":"1"}]',
        b'[{"float":"x"}]',
        b'[{"float":1.5}]',
        b'[{"bytes":"0"}]',
        b'[{"bytes":"FF"}]',
        b'[{"text":"61"}]',
        b'[{"text":"ff"}]',
        b'[{"tuple":1}]',
        b'[{"set":[]}]',
        b"[{}]",
        b'[{"int":"0x1","float":"1.0"}]',
        b'[{"bytes":"00","bytes":"00"}]',
        b"[" + b"9" * 5000 + b"]",
        b"[" * 100_000,
    ],
    ids=lambda data: repr(data[:24]),
)
def test_other_json_is_no_key(data: bytes) -> None:
    with pytest.raises(ModelFormatError):
        decode_keys(data)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in which no temporary file may be left."""
    yield tmp_path
    assert not list(tmp_path.rglob(".sapwood-*"))


def test_a_file_is_written_and_replaced(folder: Path) -> None:
    path = folder / "model"
    write_atomically(path, b"first")
    assert path.read_bytes() == b"first"
    write_atomically(str(path), b"second")
    assert path.read_bytes() == b"second"
    assert list(folder.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="permissions are those of POSIX")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_permissions_are_as_open_leaves_them(folder: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_atomically(folder / "written", b"")
        (folder / "opened").write_bytes(b"")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((folder / name).stat().st_mode) for name in ("written", "opened")]
    assert modes[0] == modes[1]
    (folder / "written").chmod(0o640)
    write_atomically(folder / "written", b"again")
    assert stat.S_IMODE((folder / "written").stat().st_mode) == 0o640


def test_links_are_followed(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    target = folder / "elsewhere" / "model"
    target.write_bytes(b"old")
    (folder / "link").symlink_to(target)
    write_atomically(folder / "link", b"new")
    assert (folder / "link").is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_failure_leaves_the_file_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: type[BaseException]
) -> None:
    path = folder / "model"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os if step == "fsync" else Path, step, fail)
    with pytest.raises(error):
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert list(folder.iterdir()) == [path]


def test_the_file_and_then_its_folder_are_brought_to_the_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[tuple[bool, bool]] = []
    path = folder / "model"

    def note(descriptor: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), path.exists()))

    monkeypatch.setattr(os, "fsync", note)
    write_atomically(path, b"new")
    assert synced == [(False, False), (True, True)]


def test_only_files_are_replaced(folder: Path) -> None:
    (folder / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_atomically(folder / "folder", b"")
    with pytest.raises(FileNotFoundError):
        write_atomically(folder / "missing" / "model", b"")
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
        with pytest.raises(OSError, match="path must be a file or new"):
            write_atomically(folder / "pipe", b"")
        assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="permissions are those of POSIX")
def test_a_private_file_is_private_all_the_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "model"
    path.write_bytes(b"secret")
    path.chmod(0o600)
    modes: list[int] = []
    create = os.open

    def note(name: Any, flags: int, mode: int = 0o777, **options: Any) -> int:
        descriptor = create(name, flags, mode, **options)
        if flags & os.O_CREAT:
            modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    monkeypatch.setattr(os, "open", note)
    write_atomically(path, b"more secrets")
    assert modes == [0o600]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="permissions are those of POSIX")
def test_a_folder_that_cannot_be_listed_can_be_written_to(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The superuser may list any folder, so the system says no here whoever runs the test.
    open_file = os.open

    def refuse_folders(name: Any, flags: int, *rest: Any, **options: Any) -> int:
        if Path(name).is_dir():
            raise PermissionError(13, "Permission denied", str(name))
        return open_file(name, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refuse_folders)
    write_atomically(folder / "model", b"all of it")
    monkeypatch.undo()
    assert (folder / "model").read_bytes() == b"all of it"


KILLED_IN_SAVE = """
import os, sys
from sapwood.model_files.files import write_atomically
os.fsync = lambda descriptor: os._exit(9)
write_atomically(sys.argv[1], b"never to be seen")
"""


def test_what_a_killed_save_leaves_is_removed_by_the_next(folder: Path) -> None:
    path = folder / "model"
    path.write_bytes(b"old")
    assert subprocess.run([sys.executable, "-c", KILLED_IN_SAVE, path], check=False).returncode == 9
    assert len(list(folder.glob(".sapwood-*.tmp"))) == 1
    assert path.read_bytes() == b"old"
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt", reason="locks are those of POSIX")
def test_a_save_that_goes_on_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "model"
    sync = os.fsync

    def save_meanwhile(descriptor: int) -> None:
        monkeypatch.setattr(os, "fsync", sync)
        write_atomically(path, b"of another")
        assert path.read_bytes() == b"of another"
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", save_meanwhile)
    write_atomically(path, b"of the first")
    assert path.read_bytes() == b"of the first"
