"""CSV: what a cell says, which column is the label, and what is wrong with a row."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stream_files import Pieces, message_of, points_of

from sapwood.data import Category
from sapwood.stream import NA_VALUES, StreamError, read

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


def kind_of(text: str) -> str:
    if text.lower() in {"true", "false"}:
        return "flag"
    plain = text.isascii() and "_" not in text and text.lower() not in {"nan", "+nan", "-nan"}
    try:
        float(text)
    except ValueError:
        return "category"
    return "number" if plain else "category"


def as_dicts(names: list[str], rows: Sequence[tuple[str, ...]]) -> list[dict[str, Any]]:
    """What `learn_one` takes for rows, once their cells have been given the types that their columns have."""
    points: list[dict[str, Any]] = [{} for _ in rows]
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        texts = [None if cell.strip() in NA_VALUES or not cell.strip() else cell.strip() for cell in cells]
        kinds = {kind_of(text) for text in texts if text is not None}
        kind = kinds.pop() if len(kinds) == 1 else "category"
        for point, text in zip(points, texts, strict=True):
            if text is not None and kind == "category":
                point[name] = text
            elif text is not None and kind == "number":
                point[name] = float(text)
            elif text is not None and text.lower() == "true":
                point[name] = True
    return points


@given(
    st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=6),
    st.integers(1, 3),
    st.lists(st.integers(1, 40), min_size=1),
    st.sampled_from(",;\t|"),
)
def test_columns_become_what_they_hold(
    rows: list[tuple[str, str, str]], batch_size: int, lengths: list[int], delimiter: str
) -> None:
    names = ["size", "colour", "note"]
    table = [["size", "colour", "label", "note"], *([a, b, "x", c] for a, b, c in rows)]
    data = written(table, delimiter=delimiter)
    options = {"format": "csv", "batch_size": batch_size}
    expected = [(point, "x") for point in as_dicts(names, rows)]
    if any(isinstance(value, float) and math.isinf(value) for point, _ in expected for value in point.values()):
        assert "expected a finite number as " in message_of(data, **options)
    else:
        assert points_of(Pieces(data, lengths), **options) == expected


def test_types_do_not_depend_on_the_size_of_batches() -> None:
    data = b"a,b,y\n" + b"1,2,x\n" * 900 + b"red,,x\n" * 50 + b"1,2,y\n" * 2000
    by_size = [list(read(io.BytesIO(data), batch_size=size)) for size in (1, 7, 10_000)]
    flat = [[point for batch in batches for point in batch.points()] for batches in by_size]
    assert flat[0] == flat[1] == flat[2]
    assert flat[0][0] == ({"a": "1", "b": 2.0}, "x")


def test_types_are_settled_by_the_first_rows() -> None:
    data = b"a,b,y\n" + b"1,,x\n" * 1000 + b"2,true,y\nred,false,y\n"
    reader = read(io.BytesIO(data))
    with pytest.raises(StreamError, match=r"line 1003, column 1: expected a number as 'a' .*, found 'red'"):
        list(reader)
    assert reader.table is not None
    # The second column was empty at first: its first value settles it.
    assert reader.table.types == {"a": "number", "b": "flag"}
    assert [column.kind for column in reader.table.columns] == ["number", "empty", "label"]
    texts = points_of(data, types={"a": "category"})
    assert texts[0] == ({"a": "1"}, "x")
    assert texts[-1] == ({"a": "red"}, "y")


def test_types_can_be_given() -> None:
    data = b"zip,old,y\n01234,1,x\n99999,0,y\n"
    assert points_of(data, types={"zip": "category", "old": "flag"}) == [
        ({"zip": "01234", "old": True}, "x"),
        ({"zip": "99999"}, "y"),
    ]
    with pytest.raises(ValueError, match=r"^read: types must be flag, number, category, got 'nummber' for 'zip'; did"):
        read(io.BytesIO(data), types={"zip": "nummber"})
    wrong = message_of(b"old,y\nyes,x\n", types={"old": "flag"})
    assert wrong.startswith(", line 2, column 1: expected true, false, 1 or 0 as 'old' ")


def test_missing_values() -> None:
    data = b"a,b,y\n1,NA,x\n?,red,y\n n/a ,,x\nnull,NaN,x\n-,red,x\n"
    assert points_of(data, types={"a": "category"}) == [
        ({"a": "1"}, "x"),
        ({"b": "red"}, "y"),
        ({}, "x"),
        ({}, "x"),
        ({"a": "-", "b": "red"}, "x"),
    ]
    own = points_of(data, na_values=["-", "n/a"], types={"a": "category"})
    assert own == [
        ({"a": "1", "b": "NA"}, "x"),
        ({"a": "?", "b": "red"}, "y"),
        ({}, "x"),
        ({"a": "null", "b": "NaN"}, "x"),
        ({"b": "red"}, "x"),
    ]


def test_a_column_of_numbers_with_a_stray_text_is_remarked_upon() -> None:
    data = b"a,y\n" + b"1,x\n" * 40 + b"unknown,x\n"
    reader = read(io.BytesIO(data))
    assert next(next(reader).points()) == ({"a": "1"}, "x")
    assert reader.table is not None
    (remark,) = reader.table.remarks
    assert remark.startswith("40 of the first 41 cells of 'a' are numbers, but 'unknown' is not")


def test_without_a_header() -> None:
    data = b"39,red,yes\n50,blue,no\n"
    assert points_of(data, format="csv", header=False) == [
        ({"x1": 39.0, "x2": "red"}, "yes"),
        ({"x1": 50.0, "x2": "blue"}, "no"),
    ]
    (batch,) = read(io.BytesIO(data), format="csv", header=False, label="x2")
    assert batch.y.tolist() == ["red", "blue"]
    assert batch.first_line == 1
    # To be predicted: the same columns, without that of the label, wherever it was.
    types = {"x1": "number", "x3": "category"}
    later = points_of(b"39,yes\n", format="csv", header=False, label="x2", types=types, labelled=False, only_typed=True)
    assert later == [({"x1": 39.0, "x3": "yes"}, None)]


def test_a_header_that_looks_like_data_is_remarked_upon() -> None:
    reader = read(io.BytesIO(b"39,red,yes\n50,blue,no\n"), format="csv")
    next(reader)
    assert reader.table is not None
    assert reader.table.remarks == [
        "the header, '39', 'red', 'yes', looks like data: if it is, say that there is no header"
    ]
    assert read_table(b"age,colour,label\n50,blue,no\n").remarks == []


def test_a_table_of_labels_alone_is_remarked_upon() -> None:
    nothing = "no column but the label is read: if there are others, say what the delimiter is"
    assert read_table(b"a:label\n1:x\n2:y\n", format="csv").remarks == [nothing]
    assert read_table(b"a,label\n1,x\n2,y\n", ignore=["a"]).remarks == [nothing]
    assert read_table(b"a:label\n1:x\n2:y\n", format="csv", delimiter=":").remarks == []


def read_table(data: bytes, **options: Any) -> Any:
    reader = read(io.BytesIO(data), **options)
    for _ in reader:
        pass
    return reader.table


def test_the_table_is_told_once_and_before_the_first_batch() -> None:
    reader = read(io.BytesIO(b"a,b,c,y\n1,red,3,x\n2,,4,y\n"), ignore=["c"], batch_size=1)
    told: list[Any] = []
    reader.on_table = told.append
    next(reader)
    assert [tuple(column) for column in told[0].columns] == [
        ("a", "number", ("1", "2")),
        ("b", "category", ("red",)),
        ("c", "ignored", ("3", "4")),
        ("y", "label", ("x", "y")),
    ]
    list(reader)
    assert len(told) == 1


def test_only_columns_with_a_type_are_read_if_asked_for() -> None:
    data = b"b,new,a,y\n2,7,red,x\n"
    options = {"types": {"a": "category", "b": "number", "gone": "number"}, "only_typed": True, "ignore": ["id"]}
    assert points_of(data, **options) == [({"b": 2.0, "a": "red"}, "x")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"types": {"agee": "number"}}, "expected a column 'agee', which types names, found the columns age, y; did"),
        ({"ignore": ["Age"]}, "expected a column 'Age', which ignore names, found the columns age, y; did you mean"),
        ({"label": "yy"}, "expected a column 'yy', which label names, found the columns age, y; did you mean 'y'?"),
        ({"label": "zzz"}, "expected a column 'zzz', which label names, found the columns age, y"),
    ],
)
def test_a_name_that_no_column_has_is_an_error(options: dict[str, Any], message: str) -> None:
    assert message_of(b"age,y\n1,x\n", **options).startswith(f", line 1, column 1: {message}")


def test_a_name_that_is_like_none_has_no_hint() -> None:
    assert message_of(b"income,y\n1,x\n", ignore=["nope"]).endswith("found the columns income, y")


def test_a_row_beside_one_column_is_told_as_one() -> None:
    assert message_of(b"label\na\nb,c\n", format="csv").endswith("expected 1 column as in the first line, found 2")


def test_order_is_that_of_the_columns() -> None:
    data = b"b,a,class\nred,1,yes\n\nblue,0,no\n,2,yes\n"
    (batch,) = read(io.BytesIO(data))
    assert batch.keys == ["b=red", "b=blue"]
    assert [type(key) for key in batch.keys] == [Category, Category]
    assert (batch.keys[0].attribute, batch.keys[0].value) == ("b", "red")
    assert list(batch.points()) == [
        ({"b": "red", "a": 1.0}, "yes"),
        ({"b": "blue", "a": 0.0}, "no"),
        ({"a": 2.0}, "yes"),
    ]


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
    assert batch.numbers is not None
    assert batch.numbers.names == [name for name, cell in zip(header.split(","), "123", strict=True) if cell != label]


def test_columns_are_left_out() -> None:
    assert points_of(b"id,a,y\n7,1,x\n", ignore=["id"]) == [({"a": 1.0}, "x")]
    assert points_of(b"a,y\n1,x\n", labelled=False, label="y") == [({"a": 1.0}, None)]


def test_a_cell_may_hold_lines() -> None:
    data = b'text,label\r\n"two\nlines, and ""quotes""",x\r\nplain,y\r\n'
    first, second = read(io.BytesIO(data), batch_size=1)
    assert list(first.points()) == [({"text": 'two\nlines, and "quotes"'}, "x")]
    assert (first.first_line, second.first_line) == (2, 4)


def test_one_feature_of_two_columns_is_there_once() -> None:
    (batch,) = read(io.BytesIO(b"a,a=b,label\nb,true,x\n"))
    assert batch.keys == ["a=b"]


def test_many_different_cells() -> None:
    n = 40_000
    data = b"id,label\n" + b"".join(b"k%d,x\n" % i for i in range(n))
    assert points_of(data) == [({"id": f"k{i}"}, "x") for i in range(n)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a,b,y\n1,2,3\n1,2\n", ", line 3, column 3: expected 3 columns as in the first line, found 2"),
        (b"a,b,y\n1,2,3,4\n", ", line 2, column 4: expected 3 columns as in the first line, found 4"),
        (b"a,b,y\n1,2,\n", ", line 2, column 3: expected a label, found an empty cell"),
        (
            b"a,b,y\n1,1e999,3\n",
            ", line 2, column 2: expected a finite number as 'b' (unless its type is given as category), found '1e999'",
        ),
        (b'a,b,y\n1,2,3\n"1"x,2,3\n', ", line 3, column 1: expected a row of CSV, found a fault: "),
        (b'a,b,y\n1,2,3\n"1,2,3\n4,5,6\n', ", line 3, column 1: expected a row of CSV, found a fault: "),
        (b"a,b,y\n1,\xff,3\n", ", line 2, column 3: expected text in UTF-8, found '\\xff'"),
        (b"a,b,a\n1,2,3\n", ", line 1, column 3: expected columns of different names (or a file that is said to have"),
        (b"a,y\ninf,x\n", ", line 2, column 1: expected a finite number as 'a'"),
        (b'a,"b,y\n1,2,3\n', ", line 1, column 1: expected a header of CSV in one line, found a fault: "),
        (b"a,\xff,y\n1,2,3\n", ", line 1, column 3: expected text in UTF-8, found '\\xff'"),
    ],
)
def test_bad_lines(text: bytes, message: str) -> None:
    assert message_of(text, format="csv").startswith(message)


def test_bad_lines_can_be_skipped() -> None:
    data = b'a,y\n1,x\n1\n"1"z,x\n\xff,x\n1,\n1,z\n'
    reader = read(io.BytesIO(data), format="csv", on_error="skip")
    assert [point for batch in reader for point in batch.points()] == [({"a": 1.0}, "x"), ({"a": 1.0}, "z")]
    assert reader.errors.count == 4
    assert [error.line for error in reader.errors.first] == [3, 4, 5, 6]
    assert reader.n_lines == 7


def test_the_label_must_be_a_column() -> None:
    reader = read(io.BytesIO(b"a,b\n1,2\n"), label="c")
    with pytest.raises(StreamError, match="line 1, column 1: expected a column 'c', which label names, found"):
        next(reader)


def test_the_label_is_none_of_the_columns_that_are_left_out() -> None:
    table = b"a,y,comment\n1,yes,good\n2,no,bad\n"
    assert points_of(table, format="csv", ignore=["comment"]) == [({"a": 1.0}, "yes"), ({"a": 2.0}, "no")]
    named = b"label,y\n1,yes\n2,no\n"
    assert [label for _, label in points_of(named, format="csv", ignore=["label"])] == ["yes", "no"]
    with pytest.raises(ValueError, match="read: label must be a column that is not ignored, got 'y'"):
        read(io.BytesIO(table), format="csv", ignore=["y"], label="y")
    assert message_of(b"y\n1\n", format="csv", ignore=["y"]).endswith("the labels, found none that is not ignored")


@pytest.mark.parametrize("delimiter", ['"', "\n", "\r"])
def test_what_separates_no_columns(delimiter: str) -> None:
    with pytest.raises(ValueError, match="read: delimiter must be no quote and no line end, got"):
        read(io.BytesIO(b"a,y\n1,2\n"), format="csv", delimiter=delimiter)


def test_lines_that_end_with_a_carriage_return_alone() -> None:
    words = "found a carriage return without a line feed, outside of quotes"
    for table in (b"a,y\r1,yes\r2,no\r", b"a,y\n1,yes\r2,no\n"):
        assert message_of(table, format="csv").endswith(words)


def test_a_table_without_a_row() -> None:
    assert message_of(b"a,y\n", format="csv") == ": expected points, found none in 1 line"
