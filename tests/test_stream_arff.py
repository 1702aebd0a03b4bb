"""ARFF: against SciPy's reader, sparse rows against the dense rows that they stand for, and what is wrong with rows."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import arff
from stream_files import Pieces, message_of, points_of

from sapwood.stream import StreamError, read

HEAD = """% A comment
@RELATION 'some thing'

@attribute size NUMERIC
@attribute colour {red, 'light blue', "it's"}   % of the sky
@attribute weight real
@attribute class {no,yes}
@DATA
"""
COLOURS = ["red", "light blue", "it's"]
NUMBER = st.one_of(st.none(), st.integers(-5, 5).map(float), st.floats(allow_nan=False, allow_infinity=False))
ROW = st.tuples(NUMBER, st.sampled_from([None, *COLOURS]), NUMBER, st.sampled_from(["no", "yes"]))


def cell(value: float | str | None, quote: str = "'") -> str:
    if value is None:
        return "?"
    if isinstance(value, float):
        return repr(value)
    return value if value.isalpha() else quote + value.replace(quote, "\\" + quote) + quote


def as_point(row: tuple[Any, ...]) -> tuple[dict[str, Any], str]:
    size, colour, weight, label = row
    values = {"colour": colour, "size": size, "weight": weight}
    return {name: value for name, value in values.items() if value is not None}, label


@given(
    st.lists(ROW, min_size=1, max_size=8),
    st.sampled_from(["'", '"']),
    st.sampled_from([",", ", ", " ,\t"]),
    st.integers(1, 3),
    st.lists(st.integers(1, 40), min_size=1),
)
def test_rows_are_what_was_written(
    rows: list[tuple[Any, ...]], quote: str, comma: str, batch_size: int, lengths: list[int]
) -> None:
    data = HEAD + "".join(comma.join(cell(value, quote) for value in row) + "\n% between\n\n" for row in rows)
    found = points_of(Pieces(data.encode(), lengths), format="arff", batch_size=batch_size)
    assert found == list(map(as_point, rows))


@given(st.lists(ROW.filter(lambda row: None not in row), min_size=1, max_size=8), st.sampled_from(["'", '"']))
def test_a_sparse_row_is_the_dense_row_that_it_stands_for(rows: list[tuple[Any, ...]], quote: str) -> None:
    absent = (0.0, "red", 0.0, "no")
    dense, sparse = HEAD, HEAD
    for row in rows:
        dense += ",".join(cell(value, quote) for value in row) + "\n"
        pairs = [f"{i} {cell(value, quote)}" for i, value in enumerate(row) if value != absent[i]]
        sparse += "{" + ", ".join(pairs) + "}\n"
    assert points_of(sparse.encode()) == points_of(dense.encode()) == list(map(as_point, rows))


@given(
    st.lists(
        st.tuples(NUMBER, st.sampled_from([None, "red", "green"]), NUMBER, st.sampled_from("pq")),
        min_size=1,
        max_size=6,
    )
)
def test_the_same_as_scipy(rows: list[tuple[Any, ...]]) -> None:
    head = "@relation r\n@attribute a numeric\n@attribute b {red,green}\n@attribute c real\n@attribute class {p,q}\n"
    text = head + "@data\n" + "".join(",".join(map(cell, row)) + "\n" for row in rows)
    table, meta = arff.loadarff(io.StringIO(text))
    expected = []
    for row in table:
        point: dict[str, Any] = {}
        for name, kind, value in zip(meta.names(), meta.types(), row.tolist(), strict=True):
            if kind == "nominal" and value != b"?" and name != "class":
                point[name] = value.decode()
            elif kind == "numeric" and not math.isnan(value):
                point[name] = float(value)
        expected.append((point, row["class"].decode()))
    assert points_of(text.encode()) == expected


def test_a_long_plain_file_is_read_natively_and_the_same() -> None:
    rng = np.random.default_rng(5)
    rows = [
        (float(a), COLOURS[b], float(c), "yes" if a > 0 else "no")
        for a, b, c in zip(rng.normal(size=3000), rng.integers(0, 1, 3000), rng.integers(0, 9, 3000), strict=True)
    ]
    plain = HEAD + "".join(",".join(map(cell, row)) + "\n" for row in rows)
    quoted = HEAD + "".join(",".join(f"'{value}'" for value in row) + "\n" for row in rows)
    assert points_of(plain.encode()) == points_of(quoted.encode()) == list(map(as_point, rows))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,red,2", "line 10, column 4: expected 4 columns as in the header, found 3"),
        ("1,red,2,no,3", "line 10, column 5: expected 4 columns as in the header, found 5"),
        ("1,green,2,no", "line 10, column 2: expected one of the values of 'colour' in the header, found 'green'"),
        (
            "x,red,2,no",
            "line 10, column 1: expected a number as 'size' (unless its type is given as category), found 'x'",
        ),
        ("1,red,2,?", "line 10, column 4: expected a label, found '?'"),
        ("1,red,2,", "line 10, column 4: expected a label, found ''"),
        ("1,red,2,maybe", "line 10, column 4: expected one of the values of 'class' in the header, found 'maybe'"),
        ("1,'red,2,no", "line 10, column 2: expected a value, in quotes from its beginning to its end or without"),
        ("1,'red' x,2,no", "line 10, column 2: expected a value, in quotes from its beginning to its end or without"),
        ("{0 1, 4 x}", "line 10, column 4: expected an index below the number of columns, 4, found 4"),
        ("{2 1, 1 red}", "line 10, column 3: expected indices that ascend, found 1 after 2"),
        ("{0 1", "line 10, column 1: expected index value, index value, ... }, found '0 1'"),
        ("{0 1} x", "line 10, column 1: expected the end of the row behind }, found 'x'"),
        (
            "1,'\\ud800',2,no",
            "line 10, column 2: expected one of the values of 'colour' in the header, found '\\ud800'",
        ),
    ],
)
def test_bad_rows(row: str, message: str) -> None:
    data = (HEAD + "1,red,2,no\n" + row + "\n2,red,1,yes\n").encode()
    assert message in message_of(data)
    reader = read(io.BytesIO(data), on_error="skip")
    assert sum(map(len, reader)) == 2
    assert reader.errors.count == 1


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (
            "@attribute when date\n@data\n",
            "expected a column of numbers, of {values} or of strings (or one that is ignored), found 'date' as 'when'",
        ),
        ("@attribute x relational\n@data\n", "found 'relational' as 'x'"),
        ("@attribute x {a,,b}\n@data\n", "expected values between commas as 'x', found ',b}'"),
        ("@attribute x {a\n@data\n", "expected values between commas as 'x', found 'a'"),
        ("@attribute\n@data\n", "expected @attribute name type, found '@attribute'"),
        ("nonsense\n", "line 2, column 1: expected @relation, @attribute, @data or a comment, found 'nonsense'"),
        ("@attribute x real\n", "expected @data behind the header, found the end of the file"),
        ("@data\n1\n", "expected columns, @attribute name type, found none before @data"),
        ("@attribute x real\n@attribute x real\n@data\n", "expected columns of different names, found 'x' twice"),
    ],
)
def test_bad_headers(head: str, message: str) -> None:
    assert message in message_of(f"@relation r\n{head}".encode())


def test_options() -> None:
    data = (HEAD + "1,red,2,no\n3,?,1.5,yes\n").encode()
    assert points_of(data, ignore=["colour"], types={"size": "category"}) == [
        ({"size": "1", "weight": 2.0}, "no"),
        ({"size": "3", "weight": 1.5}, "yes"),
    ]
    assert points_of(data, label="size")[1] == ({"weight": 1.5, "class": "yes"}, 3)
    assert points_of(data, labelled=False, label="class") == [
        ({"colour": "red", "size": 1.0, "weight": 2.0}, None),
        ({"size": 3.0, "weight": 1.5}, None),
    ]
    with pytest.raises(StreamError, match=r"expected a column 'colr', which ignore names.*did you mean 'colour'"):
        points_of(data, ignore=["colr"])
    dated = (
        data.replace(b"@DATA", b"@attribute when date\n@DATA").replace(b"no\n", b"no,x\n").replace(b"yes\n", b"yes,y\n")
    )
    assert points_of(dated, ignore=["when"]) == points_of(data)


def test_how_the_table_is_read() -> None:
    with read(io.BytesIO((HEAD + "1,red,2,no\n").encode())) as reader:
        next(reader)
        assert reader.table is not None
        assert reader.table.label == "class"
        assert reader.table.types == {"size": "number", "colour": "category", "weight": "number"}
        assert [(each.name, each.kind) for each in reader.table.columns][-1] == ("class", "label")


@pytest.mark.slow
def test_a_wide_sparse_table_takes_little_memory() -> None:
    width = 20_000
    head = (
        "@relation r\n"
        + "".join(f"@attribute a{i} numeric\n" for i in range(width))
        + "@attribute class {p,q}\n@data\n"
    )
    # A few more rows than there are cells for at a time.
    n = (1 << 22) // width + 20
    data = (head + "".join(f"{{{i} 1, {width} q}}\n" for i in range(n))).encode()
    sizes = [len(batch) for batch in read(io.BytesIO(data))]
    assert sum(sizes) == n
    assert len(sizes) == 2
    assert max(sizes) * width <= (1 << 22) + width + 1 + max(sizes)
