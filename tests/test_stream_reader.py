"""Batches, errors and resuming, whatever the format."""

from __future__ import annotations

import io
import logging
import os
import pickle
import signal
import threading
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stream_files import Pieces, batches_until_error, points_of

from sapwood.stream import COLUMNAR, FORMATS, LineError, StreamError, read

# A good line and a bad one of each format, and what goes before.
LINES = {
    "svmlight": (b"", b"1 %d:1", b"1 x"),
    "text": (b"", b"x\tw%d", b"no tab"),
    "csv": (b"f,y\n", b"w%d,x", b"w,x,y"),
    "jsonl": (b"", b'{"f": "w%d", "label": "x"}', b'{"f'),
    "vw": (b"", b"1 |f w%d", b"1 f w"),
    "fasttext": (b"", b"__label__x w%d", b"w"),
    "arff": (b"@relation r\n@attribute f string\n@attribute y string\n@data\n", b"w%d,x", b"w,x,y"),
}
# The lines of their headers.
HEADS = {format_name: head.count(b"\n") for format_name, (head, _, _) in LINES.items()}


def stream(format_name: str, good: list[bool]) -> bytes:
    head, right, wrong = LINES[format_name]
    return head + b"".join((right % i if is_good else wrong) + b"\n" for i, is_good in enumerate(good))


def feature(format_name: str, i: int) -> Any:
    return {"svmlight": i, "text": f"w{i}", "fasttext": f"w{i}", "vw": f"f^w{i}"}.get(format_name, f"f=w{i}")


def test_every_format_of_lines_is_tried() -> None:
    assert set(LINES) == set(FORMATS) - set(COLUMNAR)


@pytest.mark.parametrize("format_name", LINES)
@given(
    good=st.lists(st.booleans(), min_size=1, max_size=20),
    batch_size=st.integers(1, 7),
    lengths=st.lists(st.integers(1, 30), min_size=1),
)
def test_nothing_before_a_bad_line_is_lost(
    format_name: str, good: list[bool], batch_size: int, lengths: list[int]
) -> None:
    data = stream(format_name, [True, *good, False])
    reader = read(Pieces(data, lengths), format=format_name, batch_size=batch_size)
    given, error = batches_until_error(reader)
    first_bad = [True, *good, False].index(False)
    assert [x for batch in given for x in batch.features()] == [[feature(format_name, i)] for i in range(first_bad)]
    assert all(len(batch) == batch_size for batch in given[:-1])
    assert error is not None
    assert error.line == first_bad + 1 + HEADS[format_name]
    assert reader.n_points == first_bad
    assert list(reader) == []


@pytest.mark.parametrize("format_name", LINES)
@given(
    good=st.lists(st.booleans(), min_size=1, max_size=20),
    batch_size=st.integers(1, 7),
    share=st.floats(0, 1),
    lengths=st.lists(st.integers(1, 30), min_size=1),
)
def test_skipping_and_resuming(
    format_name: str, good: list[bool], batch_size: int, share: float, lengths: list[int]
) -> None:
    good = [True, *good]
    data = stream(format_name, good)
    whole = [[feature(format_name, i)] for i, is_good in enumerate(good) if is_good]
    start = round(share * len(whole))
    reader = read(Pieces(data, lengths), format=format_name, batch_size=batch_size, on_error="skip", start=start)
    sizes = []
    for batch in reader:
        sizes.append(len(batch))
        assert list(batch.features()) == whole[reader.position - len(batch) : reader.position]
        assert reader.position == start + reader.n_points
        line = batch.first_line - 1 - HEADS[format_name]
        assert [feature(format_name, line)] == next(iter(batch.features()))
    assert sum(sizes) == reader.n_points == len(whole) - start
    assert all(size == batch_size for size in sizes[:-1])
    assert reader.errors.count == good.count(False)
    assert len(reader.errors.first) == min(reader.errors.count, 10)
    assert reader.n_lines == len(good) + HEADS[format_name]


def test_bad_lines_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="sapwood.stream"):
        reader = read(io.BytesIO(b"1 2:1\n1 x\n0 3:1\n"), on_error="log")
        assert sum(map(len, reader)) == 2
    assert caplog.messages == ["the stream, line 2, column 3: expected index:value, found 'x'; skipped"]
    assert reader.errors.first == [LineError(2, 3, "'x'", "index:value")]


def test_skipped_lines_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert points_of(b"1 2:1\n1 x\n", on_error="skip") == [([2], 1)]
    assert caplog.messages == []


def test_streams_that_are_too_short() -> None:
    with pytest.raises(StreamError, match="the stream: expected at least 3 points to skip, found 2"):
        list(read(io.BytesIO(b"1 2:1\n1 3:1\n"), start=3))
    assert list(read(io.BytesIO(b"1 2:1\n1 3:1\n"), start=2)) == []
    with pytest.raises(StreamError, match="the stream: expected points, found none in 2 lines"):
        list(read(io.BytesIO(b"# nothing\n\n"), format="svmlight"))
    with pytest.raises(StreamError, match="found none in 2 lines, 1 of them bad"):
        list(read(io.BytesIO(b"# nothing\nx\n"), format="svmlight", on_error="skip"))


def test_the_error_survives_a_pickle() -> None:
    error = StreamError("a.svm", "index:value", "'x'", 12, 7)
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) == "a.svm, line 12, column 7: expected index:value, found 'x'"
    assert (copy.file, copy.line, copy.column, copy.found, copy.expected) == ("a.svm", 12, 7, "'x'", "index:value")


def test_an_error_of_the_system_comes_after_what_was_read() -> None:
    class Breaking(Pieces):
        def read(self, size: int = -1) -> bytes:
            piece = super().read(size)
            if not piece:
                raise OSError(5, "Input/output error")
            return piece

    reader = read(Breaking(b"1 2:1\n1 3:1\n1 4", [3]))
    assert [x for x, _ in next(reader).points()] == [[2], [3]]
    with pytest.raises(OSError, match=r"^the stream: input/output error$"):
        next(reader)


@pytest.mark.parametrize("format_name", LINES)
def test_memory_is_that_of_a_batch(format_name: str) -> None:
    head, right, _ = LINES[format_name]
    line = right % 7 + b"\n"

    class Endless(io.RawIOBase):
        left = 40
        begun = False

        def read(self, size: int = -1) -> bytes:
            assert size > 0
            if not self.begun:
                self.begun = True
                return head + line
            self.left -= 1
            return line * 1000 if self.left >= 0 else b""

    tracemalloc.start()
    try:
        peaks = []
        reader = read(Endless(), format=format_name, batch_size=500)
        for batch in reader:
            assert len(batch) <= 500
            if reader.n_points in {10_000, 40_000}:
                peaks.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
    assert reader.n_points == 40_001
    assert peaks[1] < peaks[0] + 100_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xml"}, "format must be one of svmlight, text, csv, jsonl, .*, arrow or None, got 'xml'"),
        ({"on_error": "ignore"}, "on_error must be one of stop, skip, log, got 'ignore'"),
        ({"batch_size": 0}, "batch_size must be at least 1, got 0"),
        ({"start": -1}, "start must be at least 0, got -1"),
        ({"n_features": 0}, "n_features must be at least 1, got 0"),
        ({"n_features": 2**30 + 1}, "n_features must be at most 1073741824, got 1073741825"),
        ({"binarize": float("nan")}, "binarize must be a finite number or None, got nan"),
        ({"binarize": -1}, "binarize must be at least 0 for an svmlight file"),
        ({"label": "y"}, "label must be left out for the format svmlight, got 'y'"),
        ({"ignore": ["y"]}, "ignore must be left out for the format svmlight"),
        ({"delimiter": ","}, "delimiter must be left out for the format svmlight"),
        ({"delimiter": ",,", "format": "csv"}, "delimiter must be one character, got ',,'"),
        ({"n_features": 3, "format": "jsonl"}, "n_features must be left out for the format jsonl, got 3"),
        ({"header": False}, "header must be left out for the format svmlight, got False"),
        ({"types": {"a": "number"}}, "types must be left out for the format svmlight, got {'a': 'number'}"),
        ({"na_values": ["-"]}, "na_values must be left out for the format svmlight"),
        ({"binarize": 0.5, "format": "csv"}, "binarize must be left out for the format csv, got 0.5"),
        ({"binarize": None, "format": "jsonl"}, "binarize must be left out for the format jsonl, got None"),
        ({"sparse_numbers": True, "format": "csv"}, "sparse_numbers must be left out for the format csv, got True"),
    ],
)
def test_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^read: {message}"):
        read(io.BytesIO(b"1 2:1\n"), **options)


def test_parameters_of_the_wrong_type() -> None:
    with pytest.raises(TypeError, match=r"^read: batch_size must be an integer, got 1\.5"):
        read(io.BytesIO(b"1 2:1\n"), batch_size=1.5)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(TypeError, match=r"^read: ignore must be a collection of strings, got the string 'id'"):
        read(io.BytesIO(b"a,b\n1,2\n"), ignore="id")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to send to a thread")
@pytest.mark.parametrize("handled", [True, False])
def test_an_interrupt_while_the_pipe_is_waited_for_loses_no_point(handled: bool) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, b"1 1:1\n-1 2:1\n1 3:")
    with os.fdopen(ours, "rb") as file, read(file, batch_size=10) as reader:
        before = signal.getsignal(signal.SIGUSR1)

        def handle(*_: object) -> None:
            if not handled:
                raise KeyboardInterrupt
            reader.interrupt()

        signal.signal(signal.SIGUSR1, handle)
        try:
            threading.Timer(0.2, signal.pthread_kill, (threading.get_ident(), signal.SIGUSR1)).start()
            assert next(reader).y.tolist() == [1, -1]
        finally:
            signal.signal(signal.SIGUSR1, before)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                next(reader)
        assert reader.position == 2
    os.close(theirs)


def test_an_interrupt_between_two_batches_ends_the_stream() -> None:
    reader = read(io.BytesIO(b"1 1:1\n" * 10), batch_size=4)
    assert len(next(reader)) == 4
    reader.interrupt()
    with pytest.raises(KeyboardInterrupt):
        next(reader)
    assert reader.position == 4


@pytest.mark.parametrize(
    "text", [b"1 1:1 5:1\n-1\n1 3:1\n-1 2:1 4:1\n", b"a\tone two\nb\tthree\na\tone\nb\ttwo three\n"]
)
def test_parts_of_a_batch(text: bytes) -> None:
    (batch,) = read(io.BytesIO(text))
    points = list(batch.points())
    for start in range(5):
        for stop in range(start, 7):
            part = batch.part(start, stop)
            assert len(part) == len(points[start:stop])
            assert list(part.points()) == points[start:stop]
