"""Where streams come from: files, pipes and archives, whole and broken, and which format they are taken for."""

from __future__ import annotations

import builtins
import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stream_files import COMPRESS, EXTENSIONS, Pieces, batches_until_error, points_of

from sapwood.stream import COLUMNAR, FORMATS, Batch, StreamError, read
from sapwood.stream._lines import blocks

TEXT = b"".join(b"%d %d:1 %d:1\n" % (i % 2, i % 97, 100 + i % 31) for i in range(600))
POINTS = [([i % 97, 100 + i % 31], i % 2) for i in range(600)]


@pytest.mark.parametrize("compression", COMPRESS)
def test_compression_is_recognised_by_content(tmp_path: Path, compression: str) -> None:
    data = COMPRESS[compression](TEXT)
    for name in ("points", f"points.svm{EXTENSIONS[compression]}", "points.svm.gz", "points.csv.backup"):
        path = tmp_path / name
        path.write_bytes(data)
        with read(path, batch_size=99) as reader:
            assert reader.compression == compression
            assert reader.total_bytes == len(data)
            assert [point for batch in reader for point in batch.points()] == POINTS
            assert reader.n_bytes == len(data)


@pytest.mark.parametrize("compression", COMPRESS)
@given(cuts=st.lists(st.integers(0, len(TEXT)), max_size=4), lengths=st.lists(st.integers(1, 900), min_size=1))
def test_members_and_pieces(compression: str, cuts: list[int], lengths: list[int]) -> None:
    ends = [0, *sorted(cuts), len(TEXT)]
    data = b"".join(COMPRESS[compression](TEXT[start:end]) for start, end in pairwise(ends))
    assert points_of(Pieces(data, lengths)) == POINTS


@pytest.mark.parametrize("compression", ["gzip", "xz"])
def test_zeros_behind_an_archive_are_none_of_it(compression: str) -> None:
    data = COMPRESS[compression](TEXT)
    assert points_of(data + bytes(512)) == POINTS
    assert points_of(data + bytes(512) + data) == POINTS * 2


@pytest.mark.parametrize("compression", COMPRESS)
@given(share=st.floats(0.0, 1.0), lengths=st.lists(st.integers(1, 900), min_size=1))
def test_a_cut_archive_gives_its_points_and_one_error(compression: str, share: float, lengths: list[int]) -> None:
    whole = COMPRESS[compression](TEXT)
    data = whole[: min(10 + int(share * (len(whole) - 10)), len(whole) - 1)]
    given: list[Batch] = []
    try:
        reader = read(Pieces(data, lengths), format="svmlight", batch_size=100)
    except StreamError as error:
        failure = error
    else:
        given, caught = batches_until_error(reader)
        assert caught is not None
        failure = caught
    points = [point for batch in given for point in batch.points()]
    assert points == POINTS[: len(points)]
    assert failure.line is None
    assert str(failure).startswith(f"the stream: expected the end of the {compression} data, found a file cut short")


@pytest.mark.parametrize("compression", COMPRESS)
def test_a_corrupt_archive(compression: str) -> None:
    # bzip2 unpacks by blocks of 900 kB, of which the first is to be whole.
    n = 200_000 if compression == "bzip2" else 50_000
    text = b"".join(b"1 %d:1\n" % (i * i * 7919 % 1000003) for i in range(n))
    data = bytearray(COMPRESS[compression](text))
    for i in range(len(data) // 2, len(data) // 2 + 200):
        data[i] ^= 0x55
    # gzip sees damage only where it makes no sense, or at the end: what it unpacks to may be bad lines first.
    given, error = batches_until_error(read(io.BytesIO(bytes(data)), batch_size=100, on_error="skip"))
    assert str(error).startswith(f"the stream: expected {compression} data, found corrupt data after ")
    points = [point for batch in given for point in batch.points()]
    assert len(points) > 1000
    assert points[:1000] == [([i * i * 7919 % 1000003], 1) for i in range(1000)]


def test_garbage_behind_an_archive() -> None:
    given, error = batches_until_error(read(io.BytesIO(COMPRESS["gzip"](TEXT) + b"garbage")))
    assert sum(map(len, given)) == 600
    assert str(error) == f"the stream: expected gzip data, found corrupt data after {len(TEXT):,} bytes of text"


def test_a_small_file_cannot_fill_the_memory() -> None:
    # 64 MiB of blanks in some kilobytes: read, and held for the one line that they are.
    data = COMPRESS["gzip"](b"1 2:1\n" + b" " * (1 << 26) + b"\n0 3:1\n")
    assert len(data) < 1 << 17
    assert points_of(data) == [([2], 1), ([3], 0)]


def test_zstd_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "zstandard":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(
        ImportError, match=r"needs the package zstandard; install it with pip install 'sapwood\[zstd\]'"
    ):
        read(io.BytesIO(COMPRESS["zstd"](TEXT)))


def test_standard_input() -> None:
    program = "from sapwood.stream import read\nr = read('-')\nprint(sum(map(len, r)), r.name, r.total_bytes)"
    result = subprocess.run([sys.executable, "-c", program], input=TEXT, capture_output=True, check=True)
    assert result.stdout.decode().split(maxsplit=1) == ["600", "standard input None\n"]


def test_a_pipe_is_read_as_it_comes() -> None:
    # The first batch must be there while the writer still holds the pipe open.
    program = "from sapwood.stream import read\nprint(next(read('-', batch_size=2)).y.tolist(), flush=True)"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"1 2:1\n0 3:1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"[1, 0]\n"


def test_an_open_file_stays_open_and_is_read_from_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "points"
    path.write_bytes(b"header\n1 2:1\n")
    with path.open("rb") as file:
        file.readline()
        with read(file) as reader:
            assert reader.name == str(path)
            assert reader.total_bytes == 6
            assert len(list(reader)) == 1
        assert not file.closed


def test_a_path_is_closed_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "points.svm"
    path.write_bytes(TEXT)
    reader = read(str(path), batch_size=100)
    next(reader)
    reader.close()
    assert list(reader) == []


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("empty.svm", b"", "empty.svm: expected points, found an empty file"),
        ("empty.gz", COMPRESS["gzip"](b""), "empty.gz: expected points, found an empty file in gzip data"),
        ("photo", b"\x89PNG\r\n\x1a\n\0\0", "photo: expected text, found binary data: a zero as byte 9"),
        ("a.zip", b"PK\x03\x04abcdefgh", "a.zip: expected text, plain or compressed by one of .*, found a zip archive"),
        ("prose", b"Call me Ishmael.\n", r"prose: expected svmlight, label<TAB>text, .*, found 'Call me Ishmael.'"),
        ("blank", b"\n \n# a\n", "blank: expected svmlight, .*, found no line but blanks and comments"),
    ],
)
def test_files_that_are_no_streams(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(StreamError, match=message) as caught:
        read(path)
    assert caught.value.file == str(path)
    assert caught.value.line is None


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        read(tmp_path / "none.svm")
    assert str(missing.value) == f"{tmp_path / 'none.svm'}: there is no such file"
    with pytest.raises(IsADirectoryError) as folder:
        read(tmp_path)
    assert str(folder.value) == f"{tmp_path}: this is a directory, and must be a file"
    with pytest.raises(TypeError, match="source must be a path, '-' or a binary file, got 3"):
        read(3)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(TypeError, match="source must be a file opened in binary mode"):
        read(io.StringIO("1 2:1\n"))  # type: ignore[arg-type]  # the point of the test


@given(st.binary(min_size=1, max_size=300), st.sampled_from([None, *FORMATS]))
def test_any_bytes_give_points_or_one_of_our_errors(data: bytes, format_name: str | None) -> None:
    try:
        for batch in read(io.BytesIO(data), format=format_name, on_error="skip"):
            assert len(list(batch.points())) == len(batch)
    except StreamError as error:
        message = str(error)
    else:
        message = ""
    assert "\n" not in message


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a", "1 3:1\n", "svmlight"),
        ("a", "# comment\n\n-1 qid:2 3:1\n", "svmlight"),
        ("a", "1\n0\n1 3:1\n", "svmlight"),
        ("a", "1\n", "svmlight"),
        ("a.txt", "+1 3:0.5 7:1\n", "svmlight"),
        ("a", "spam\tHello, you\n", "text"),
        ("a.tsv", "1\tHello\n", "text"),
        ("a", "1\t3:1 4:1\n", "svmlight"),
        ("a", "a,b,c\n1,2,3\n", "csv"),
        ("a", "a;b\n1;2\n", "csv"),
        ("a.CSV.GZ", "a\tb\n", "csv"),
        ("a", '{"label": 1}\n', "jsonl"),
        ("a.ndjson.zst", "x\n", "jsonl"),
        ("a.svm.bz2", "x\n", "svmlight"),
        ("a", "\ufeff1 3:1\n", "svmlight"),
    ],
)
def test_formats_are_recognised(tmp_path: Path, name: str, text: str, expected: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with read(path) as reader:
        assert reader.format == expected
    for forced in FORMATS:
        if forced in COLUMNAR:
            with pytest.raises(StreamError, match=f"expected {forced} data, found text"):
                read(path, format=forced)
            continue
        with read(path, format=forced) as reader:
            assert reader.format == forced


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("pack", [lambda data: data, COMPRESS["gzip"]])
def test_utf_16_is_named(coding: str, pack: Callable[[bytes], bytes]) -> None:
    data = pack("spam\tWin a prize\nham\tSee you\n".encode(coding))
    # What converts it: by its mark, or by the order of bytes that it has without one.
    called = "UTF-16" + coding.removeprefix("utf-16").removeprefix("-").upper()
    with pytest.raises(StreamError, match=rf"^the stream: .* found text in UTF-16 \(iconv -f {called} "):
        read(io.BytesIO(data), format="text")


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
@pytest.mark.parametrize("kind", [None, "gzip", "zstd"])
def test_a_line_has_a_limit(size: int, kind: str | None) -> None:
    long = b"x\t" + b"ab " * 400_000
    data = b"a\tone\nb\ttwo\n" + long + b"\nc\tthree\n"
    source = Pieces(data if kind is None else COMPRESS[kind](data), [size * 40])
    given, error = batches_until_error(read(source, format="text", longest_line=1_000_000))
    assert [list(batch.points()) for batch in given] == [[(["one"], "a"), (["two"], "b")]]
    assert str(error) == "the stream: expected lines of at most 1,000,000 bytes, found a longer one"
    (batch,) = read(io.BytesIO(data), format="text", longest_line=len(long))
    assert len(batch) == 4
    with pytest.raises(ValueError, match=r"^read: longest_line must be at least 1, got 0$"):
        read(io.BytesIO(data), longest_line=0)


def test_no_more_of_a_line_without_end_is_held_than_a_line_may_have() -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        yield b"whole\n"
        while taken < 10_000:
            taken += 1
            yield b"x" * 1000

    lines = blocks(endless(), "the stream", 50_000)
    assert next(lines) == b"whole\n"
    with pytest.raises(StreamError, match="found a longer one"):
        next(lines)
    assert taken == 51
