"""CSV: what a cell says, which column is the label, and what is wrong with a row."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stream_files import Pieces, message_of, points_of

from sapwood import _core
from sapwood.stream import StreamError, read

CELL = st.one_of(
    st.sampled_from(
        ["", " ", "true", "False", "TRUE", "0", "1", "-2", "3.5", "1e-3", "red", "0x10", "nan", "inf", "1_0"]
    ),
    st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=8),
)


def written(rows: list[list[str]], **options: Any) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n", **options).writerows(rows)
    return file.getvalue().encode()


def as_dict(row: dict[str, str], binarize: float) -> list[str]:
    """What `learn_one` makes of a row, once its cells have been given the types that they read as."""
    typed: dict[str, Any] = {}
    for name, cell in row.items():
        text = cell.strip()
        if text.lower() in {"true", "false"}:
            typed[name] = text.lower() == "true"
        elif text:
            try:
                typed[name] = float(text) if text.isascii() and "_" not in text and "n" not in text.lower() else text
            except ValueError:
                typed[name] = text
    tree = _core.Tree()
    tree.learn_one(typed, 0, binarize=binarize)
    keys: list[str] = tree.keys()
    return keys


@given(
    st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=6),
    st.sampled_from([0.0, 1.0, -5.0]),
    st.lists(st.integers(1, 40), min_size=1),
    st.sampled_from(",;\t|"),
)
def test_encoding_is_that_of_learn_one(
    rows: list[tuple[str, str, str]], binarize: float, lengths: list[int], delimiter: str
) -> None:
    table = [["size", "colour", "label", "note"], *([a, b, "x", c] for a, b, c in rows)]
    data = written(table, delimiter=delimiter)
    points = points_of(Pieces(data, lengths), format="csv", binarize=binarize, batch_size=2)
    expected = [(as_dict(dict(zip(["size", "colour", "note"], row, strict=True)), binarize), "x") for row in rows]
    assert points == expected


def test_order_is_that_of_the_columns() -> None:
    data = b"b,a,class\nred,1,yes\n\nblue,0,no\n,2,yes\n"
    assert points_of(data) == [(["b=red", "a"], "yes"), (["b=blue"], "no"), (["a"], "yes")]


@pytest.mark.parametrize(
    ("header", "options", "label"),
    [
        ("a,b,c", {}, "3"),
        ("a,Label,c", {}, "2"),
        ("TARGET,b,c", {}, "1"),
        ("a,label,c", {"label": "a"}, "1"),
        ("a,b,label", {"labelled": False}, None),
    ],
)
def test_column_of_the_label(header: str, options: dict[str, Any], label: str | None) -> None:
    (batch,) = read(io.BytesIO(f"{header}\n1,2,3\n".encode()), **options)
    assert batch.y.tolist() == [label]
    assert batch.keys == [name for name, cell in zip(header.split(","), "123", strict=True) if cell != label]


def test_columns_are_left_out() -> None:
    assert points_of(b"id,a,y\n7,1,x\n", ignore=["id"]) == [(["a"], "x")]
    assert points_of(b"a,y\n1,x\n", labelled=False, label="y") == [(["a"], None)]


def test_a_cell_may_hold_lines() -> None:
    data = b'text,label\r\n"two\nlines, and ""quotes""",x\r\nplain,y\r\n'
    first, second = read(io.BytesIO(data), batch_size=1)
    assert list(first.points()) == [(['text=two\nlines, and "quotes"'], "x")]
    assert (first.first_line, second.first_line) == (2, 4)


def test_one_feature_of_two_columns_is_there_once() -> None:
    assert points_of(b"a,a=b,label\nb,1,x\n") == [(["a=b"], "x")]


def test_many_different_cells() -> None:
    n = 40_000
    data = b"id,label\n" + b"".join(b"k%d,x\n" % i for i in range(n))
    assert points_of(data) == [([f"id=k{i}"], "x") for i in range(n)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a,b,y\n1,2,3\n1,2\n", ", line 3, column 3: expected 3 columns as in the header, found 2"),
        (b"a,b,y\n1,2,3,4\n", ", line 2, column 4: expected 3 columns as in the header, found 4"),
        (b"a,b,y\n1,2,\n", ", line 2, column 3: expected a label, found an empty cell"),
        (b"a,b,y\n1,1e999,3\n", ", line 2, column 2: expected a finite number, found '1e999'"),
        (b'a,b,y\n1,2,3\n"1"x,2,3\n', ", line 3, column 1: expected a row of CSV, found a fault: "),
        (b'a,b,y\n1,2,3\n"1,2,3\n4,5,6\n', ", line 3, column 1: expected a row of CSV, found a fault: "),
        (b"a,b,y\n1,\xff,3\n", ", line 2, column 3: expected text in UTF-8, found '\\xff'"),
        (b"a,b,a\n1,2,3\n", ", line 1, column 3: expected columns of different names, found 'a' twice"),
        (b'a,"b,y\n1,2,3\n', ", line 1, column 1: expected a header of CSV in one line, found a fault: "),
        (b"a,\xff,y\n1,2,3\n", ", line 1, column 3: expected text in UTF-8, found '\\xff'"),
    ],
)
def test_bad_lines(text: bytes, message: str) -> None:
    assert message_of(text, format="csv").startswith(message)


def test_bad_lines_can_be_skipped() -> None:
    data = b'a,y\n1,x\n1\n"1"z,x\n\xff,x\n1,\n1,z\n'
    reader = read(io.BytesIO(data), format="csv", on_error="skip")
    assert [point for batch in reader for point in batch.points()] == [(["a"], "x"), (["a"], "z")]
    assert reader.errors.count == 4
    assert [error.line for error in reader.errors.first] == [3, 4, 5, 6]
    assert reader.n_lines == 7


def test_values_must_be_0_or_1_without_a_threshold() -> None:
    assert points_of(b"a,b,y\n1,0,x\n1.0,red,x\n", binarize=None) == [(["a"], "x"), (["a", "b=red"], "x")]
    assert message_of(b"a,y\n2,x\n", binarize=None) == ", line 2, column 1: expected the value 0 or 1, found '2'"


def test_the_label_must_be_a_column() -> None:
    reader = read(io.BytesIO(b"a,b\n1,2\n"), label="c")
    with pytest.raises(StreamError, match="line 1, column 1: expected a column 'c', found the columns a, b"):
        next(reader)
