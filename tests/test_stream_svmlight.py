"""svmlight files are read as scikit-learn reads them, however they are cut, and written so that they can be read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import data_folder
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, vstack
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from stream_files import Pieces, message_of, points_of

from sapwood.datasets import make_sparse
from sapwood.stream import read, write_svmlight

SUFFIX = ".svm.gz"
FILES = sorted(path.relative_to(data_folder()) for path in data_folder().rglob(f"*{SUFFIX}"))

LABELS = st.one_of(st.integers(-(2**53) + 1, 2**53 - 1), st.floats(allow_nan=False, allow_infinity=False))
VALUES = st.sampled_from([0, 1, 0.25, -3, 1e-320, 7e300])
ROWS = st.dictionaries(st.integers(0, 2**30 - 1) | st.integers(0, 50), VALUES, max_size=6)
POINTS = st.lists(st.tuples(LABELS, ROWS), min_size=1, max_size=12)


def text_of(points: list[tuple[float, dict[int, float]]], end: str = "\n") -> bytes:
    lines = [" ".join([repr(label), *(f"{i}:{row[i]!r}" for i in sorted(row))]) for label, row in points]
    return (end.join(lines) + end).encode()


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES or [None], ids=lambda file: file.name.removesuffix(SUFFIX) if file else "none")
def test_real_data_is_what_scikit_learn_reads(shared_data: Path, file: Path | None) -> None:
    if file is None:
        pytest.skip(f"no data set *{SUFFIX} in the folder of real data")
    path = shared_data / file
    X, y = load_svmlight_file(str(path), zero_based=True)
    n = 0
    with read(path, batch_size=4096, n_features=X.shape[1]) as reader:
        assert (reader.format, reader.compression) == ("svmlight", "gzip")
        for batch in reader:
            part = X[n : n + len(batch)]
            # What scikit-learn stores and is not above 0 is off.
            part = csr_array(part > 0)
            assert np.array_equal(batch.X.indptr, part.indptr)
            assert np.array_equal(batch.X.indices, part.indices)
            assert np.array_equal(batch.y, y[n : n + len(batch)])
            n += len(batch)
        assert n == len(y) == reader.n_points == reader.position
        assert reader.n_bytes == reader.total_bytes == path.stat().st_size


@pytest.mark.parametrize("zero_based", [True, False])
def test_what_scikit_learn_writes(tmp_path: Path, zero_based: bool) -> None:
    X, y = make_sparse(300, 4, 60, 0.1, seed=2)
    path = tmp_path / "points"
    options = {"zero_based": zero_based, "comment": "a comment", "query_id": np.arange(300)}
    dump_svmlight_file(X.astype(np.float64), y.astype(np.float64), str(path), **options)
    batches = list(read(path, batch_size=64, n_features=X.shape[1] + 1))
    read_back = vstack([batch.X for batch in batches], format="csr")
    shift = 0 if zero_based else 1
    assert np.array_equal(read_back.indices, X.indices + shift)
    assert np.array_equal(read_back.indptr, X.indptr)
    assert np.array_equal(np.concatenate([batch.y for batch in batches]), y)


@given(POINTS, st.sampled_from([0.0, 0.25, 2.0]), st.integers(1, 5), st.lists(st.integers(1, 9), min_size=1))
def test_round_trip_in_pieces(
    points: list[tuple[float, dict[int, float]]], binarize: float, batch_size: int, lengths: list[int]
) -> None:
    expected = [([i for i in sorted(row) if row[i] > binarize], label) for label, row in points]
    for end in ("\n", "\r\n"):
        text = text_of(points, end)
        assert points_of(Pieces(text, lengths), format="svmlight", batch_size=batch_size, binarize=binarize) == expected
    # No end of the last line.
    assert points_of(text[:-2], format="svmlight", binarize=binarize) == expected


@given(POINTS)
def test_whole_labels_are_integers(points: list[tuple[float, dict[int, float]]]) -> None:
    read_back = points_of(text_of(points), format="svmlight")
    for (_, label), (expected, _) in zip(read_back, points, strict=True):
        whole = float(expected).is_integer() and abs(expected) < 2**53
        assert label == expected
        assert not whole or isinstance(label, int)


def test_types_of_a_batch() -> None:
    (batch,) = read(io.BytesIO(b"1 0:1 5:1\n-1\n"))
    assert batch.y.dtype == np.int64
    assert batch.indptr.dtype == np.int64
    assert batch.indices is not None
    assert batch.indices.dtype == np.int32
    assert batch.keys is None
    assert batch.X.shape == (2, 2**30)
    assert batch.X.data.tolist() == [1, 1]
    (batch,) = read(io.BytesIO(b"0.5 0:1\n1\n"))
    assert batch.y.tolist() == [0.5, 1.0]
    assert [label for _, label in batch.points()] == [0.5, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"1 2:1\n1 2:1 abc\n", ", line 2, column 7: expected index:value, found 'abc'"),
        (
            b"# head\n\n1 2:1\n1 2:1 7:\xff\n",
            ", line 4, column 9: expected a finite number as the value, found '\\xff'",
        ),
        (b"1 2:1\n1 2:1 \x01\n", ", line 2, column 7: expected index:value, found '\\x01'"),
        (b"1 2:1\n1 3:1 2:1", ", line 2, column 7: expected an index above the 3 before it, found '2:1'"),
    ],
)
def test_bad_lines(text: bytes, message: str) -> None:
    assert message_of(text) == message


def test_columns_and_values_may_be_limited() -> None:
    assert message_of(b"1 2:1 3:1\n", n_features=3).endswith("expected an index of at most 2, found '3:1'")
    assert message_of(b"1 2:1 3:2\n", binarize=None).endswith("expected the value 0 or 1, found '2'")


@given(
    st.lists(st.tuples(LABELS, st.sets(st.integers(0, 2**30 - 1), max_size=5)), min_size=1, max_size=20),
    st.integers(1, 20),
)
def test_what_is_written_is_read(points: list[tuple[float, set[int]]], cut: int) -> None:
    file = io.BytesIO()
    for part in (points[:cut], points[cut:]):
        indptr = np.cumsum([0, *(len(row) for _, row in part)])
        indices = np.array([i for _, row in part for i in sorted(row)], dtype=np.int64)
        X = csr_array((np.full(len(indices), 2.5), indices, indptr), shape=(len(part), 2**30))
        write_svmlight(file, X, [label for label, _ in part])
    assert points_of(file.getvalue(), format="svmlight") == [(sorted(row), label) for label, row in points]


def test_writer_puts_rows_in_order_and_drops_zeros() -> None:
    file = io.BytesIO()
    X = csr_array((np.array([1, 0, 3]), np.array([7, 5, 2]), np.array([0, 3])), shape=(1, 9))
    write_svmlight(file, X, [True])
    assert file.getvalue() == b"1 2:1 7:1\n"
    assert X.indices.tolist() == [7, 5, 2]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1]], [1], "X must be a sparse matrix, got list"),
        (csr_array((1, 2**30 + 1)), [1], "X must have at most 1073741824 columns, got 1073741825"),
        (csr_array((2, 3)), [1], r"y must have a label for every row, 2 in all, got shape \(1,\)"),
        (csr_array((1, 3)), [np.nan], "y must hold finite numbers only"),
        (csr_array((1, 3)), ["a"], "y must hold finite numbers only"),
    ],
)
def test_writer_refuses(X: object, y: list[object], message: str) -> None:
    file = io.BytesIO()
    with pytest.raises(ValueError, match=message):
        write_svmlight(file, X, y)  # type: ignore[arg-type]  # the point of the test
    assert file.getvalue() == b""


def test_writer_writes_all_to_a_file_without_a_buffer() -> None:
    class Slow(io.RawIOBase):
        """Takes three bytes at a time, as a pipe may when a signal comes."""

        taken = b""

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.taken += bytes(data[:3])
            return len(data[:3])

    file = Slow()
    write_svmlight(file, csr_array([[0, 1, 1], [1, 0, 0]]), [1, -1])  # type: ignore[arg-type]  # raw
    assert file.taken == b"1 1:1 2:1\n-1 0:1\n"
    file.write = lambda _: None  # type: ignore[method-assign, assignment, return-value]  # full, and it does not wait
    with pytest.raises(BlockingIOError, match="file must be in blocking mode"):
        write_svmlight(file, csr_array([[0, 1]]), [1])  # type: ignore[arg-type]  # raw
