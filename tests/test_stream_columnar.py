"""Parquet and Arrow: the same points as Arrow's own values make, and what is wrong with a column or a row."""

from __future__ import annotations

import datetime as dt
import decimal
import gzip
import io
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stream_files import Pieces, batches_until_error, points_of

from sapwood.stream import NA_VALUES, LineError, StreamError, read

ROW = st.fixed_dictionaries(
    {
        "n": st.one_of(st.none(), st.integers(-(2**40), 2**40)),
        "x": st.one_of(st.none(), st.floats(allow_infinity=False)),
        "s": st.one_of(
            st.none(),
            st.sampled_from(["", " ", "NA", "?", "ä", "red"]),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
        ),
        "f": st.one_of(st.none(), st.booleans()),
        "tags": st.one_of(st.none(), st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)),
        "in": st.one_of(
            st.none(),
            st.fixed_dictionaries(
                {"k": st.one_of(st.none(), st.integers(0, 3)), "z": st.one_of(st.none(), st.just("q"))}
            ),
        ),
        "label": st.sampled_from(["p", "q"]),
    }
)
SCHEMA = pa.schema(
    {
        "n": pa.int64(),
        "x": pa.float64(),
        "s": pa.string(),
        "f": pa.bool_(),
        "tags": pa.list_(pa.string()),
        "in": pa.struct({"k": pa.int32(), "z": pa.string()}),
        "label": pa.string(),
    }
)


def as_parquet(table: pa.Table, rows: int = 3) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, row_group_size=rows)
    return file.getvalue()


def as_arrow_file(table: pa.Table, rows: int = 3) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    return file.getvalue()


def as_arrow_stream(table: pa.Table, rows: int = 3) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    return file.getvalue()


WRITERS = {"parquet": as_parquet, "file": as_arrow_file, "stream": as_arrow_stream}
EVERY = pytest.mark.parametrize("write", list(WRITERS.values()), ids=list(WRITERS))


def as_point(row: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """What a row of Python objects says, value by value."""
    point: dict[str, Any] = {}
    numbers: dict[str, float] = {}
    for name, value in (("n", row["n"]), ("x", row["x"])):
        if value is not None and not math.isnan(value):
            numbers[name] = float(value)
    text = (row["s"] or "").strip()
    if text and text not in NA_VALUES:
        point["s"] = text
    if row["f"]:
        point["f"] = True
    for tag in row["tags"] or ():
        point[f"tags={tag}"] = True
    inner = row["in"] or {}
    if inner.get("z") is not None:
        point["in.z"] = inner["z"]
    if inner.get("k") is not None:
        numbers["in.k"] = float(inner["k"])
    return point | numbers, row["label"]


@EVERY
@given(st.lists(ROW, min_size=1, max_size=9), st.integers(1, 4), st.integers(1, 5), st.integers(0, 4))
def test_rows_are_what_arrow_holds(
    write: Any, rows: list[dict[str, Any]], chunk: int, batch_size: int, start: int
) -> None:
    start = min(start, len(rows))
    data = write(pa.Table.from_pylist(rows, schema=SCHEMA), chunk)
    batches = list(read(io.BytesIO(data), batch_size=batch_size, start=start))
    assert [point for batch in batches for point in batch.points()] == list(map(as_point, rows))[start:]
    assert all(len(batch) == batch_size for batch in batches[:-1])
    for batch in batches:
        assert all(len(set(features)) == len(features) for features in batch.features())


@EVERY
@given(
    st.lists(st.sampled_from(["good", "inf", "null"]), min_size=1, max_size=12), st.integers(1, 4), st.integers(1, 5)
)
def test_bad_rows(write: Any, kinds: list[str], chunk: int, batch_size: int) -> None:
    kinds = ["good", *kinds]
    numbers = [math.inf if kind == "inf" else float(i) for i, kind in enumerate(kinds)]
    labels = [None if kind == "null" else "a" for kind in kinds]
    data = write(pa.table({"x": numbers, "label": pa.array(labels, pa.string())}), chunk)
    good = [i for i, kind in enumerate(kinds) if kind == "good"]
    reader = read(io.BytesIO(data), batch_size=batch_size, on_error="skip")
    assert [x["x"] for batch in reader for x, _ in batch.points()] == good
    told = {"inf": (1, "inf", "a finite number as 'x'"), "null": (2, "null", "a label")}
    expected = [LineError(i + 1, *told[kind]) for i, kind in enumerate(kinds) if kind != "good"]
    assert reader.errors.first == expected[:10]
    batches, error = batches_until_error(read(io.BytesIO(data), batch_size=batch_size))
    before = [i for i in good if all(kind == "good" for kind in kinds[:i])]
    assert [x["x"] for batch in batches for x, _ in batch.points()] == before
    assert (error is None) == (len(before) == len(kinds))


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (pa.array([dt.date(2020, 1, 1)]), "date32[day]"),
        (pa.array([dt.datetime(2020, 1, 1)]), "timestamp[us]"),  # noqa: DTZ001 - dates are refused, with or without a zone
        (pa.array([dt.time(1)]), "time64[us]"),
        (pa.array([dt.timedelta(1)]), "duration[us]"),
        (pa.array([b"x"]), "binary"),
        (pa.array([[1, 2]]), "list<item: int64>"),
    ],
)
def test_columns_that_points_cannot_have(values: pa.Array, name: str) -> None:
    data = as_parquet(pa.table({"a": [1], "when": values, "label": ["x"]}))
    with pytest.raises(StreamError) as caught:
        points_of(data)
    assert "expected numbers, booleans, strings or lists of strings (or a column that is ignored)" in str(caught.value)
    assert name.partition("<")[0] in caught.value.found
    assert "in column 'when'" in caught.value.found
    assert points_of(data, ignore=["when"]) == [({"a": 1.0}, "x")]
    with pytest.raises(StreamError, match=r"as the labels, found .* in column 'when'"):
        points_of(data, label="when")


def test_types_say_otherwise() -> None:
    table = pa.table(
        {
            "zip": [12345, 12345, None],
            "text": ["1.5", "", "2"],
            "on": [1, 0, None],
            "dear": pa.array([decimal.Decimal("1.25"), None, None]),
            "kind": pa.array(["u", "v", "u"]).dictionary_encode(),
            "label": [1, 2, 1],
        }
    )
    types = {"zip": "category", "text": "number", "on": "flag"}
    expected = [
        ({"zip": "12345", "on": True, "kind": "u", "text": 1.5, "dear": 1.25}, 1),
        ({"zip": "12345", "kind": "v"}, 2),
        ({"kind": "u", "text": 2.0}, 1),
    ]
    for write in WRITERS.values():
        assert points_of(write(table, 2), types=types) == expected
    with pytest.raises(StreamError, match=r"line 1, column 5: expected a number as 'kind', found 'u'"):
        points_of(as_parquet(table), types={"kind": "number"})
    with pytest.raises(StreamError, match=r"expected a column 'zap', which types names.*did you mean 'zip'"):
        points_of(as_parquet(table), types={"zap": "number"})


def test_how_the_table_is_read() -> None:
    table = pa.table({"a": [1.5], "b": ["u"], "c": [True], "d": pa.nulls(1), "label": [True]})
    with read(io.BytesIO(as_parquet(table)), ignore=["b"]) as reader:
        batch = next(reader)
        assert list(batch.points()) == [({"c": True, "a": 1.5}, True)]
        assert reader.table is not None
        assert reader.table.types == {"a": "number", "c": "flag"}
        assert [(each.name, each.kind) for each in reader.table.columns] == [
            ("a", "number"),
            ("c", "flag"),
            ("d", "empty"),
            ("label", "label"),
        ]


def test_where_it_comes_from(tmp_path: Path) -> None:
    table = pa.table({"a": [1.5, 2], "label": ["x", "y"]})
    expected = [({"a": 1.5}, "x"), ({"a": 2.0}, "y")]
    for name, write in WRITERS.items():
        path = tmp_path / "data.csv"
        path.write_bytes(write(table))
        assert points_of(path) == expected
        if name != "parquet":
            # From a pipe, and compressed as a whole.
            assert points_of(Pieces(write(table), [7])) == expected
            assert points_of(gzip.compress(write(table))) == expected
    with pytest.raises(StreamError, match="expected a file, which Parquet is not read without, found a pipe"):
        points_of(Pieces(as_parquet(table), [100]))
    with pytest.raises(StreamError, match="which Parquet is not read without, found gzip data"):
        points_of(gzip.compress(as_parquet(table)))
    with pytest.raises(StreamError, match="expected text in the format csv, found parquet data"):
        points_of(as_parquet(table), format="csv")
    with pytest.raises(StreamError, match="expected parquet data, found text"):
        points_of(b"a,b\n1,2\n", format="parquet")
    with pytest.raises(StreamError, match="expected columns of different names, found 'a' twice"):
        points_of(as_arrow_file(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])))


@EVERY
def test_damaged_files(write: Any) -> None:
    table = pa.table({"a": [float(i) for i in range(1000)], "label": ["x", "y"] * 500})
    data = write(table, 100)
    for cut in (9, 40, len(data) // 2, len(data) - 400):
        batches, error = batches_until_error(read(io.BytesIO(data[:cut])))
        n = sum(map(len, batches))
        assert error is not None or (write is not as_parquet and n <= 1000)
        for batch in batches:
            assert [y for _, y in batch.points()] == ["x", "y"] * (len(batch) // 2)
    for at in range(12, len(data), 211):
        broken = data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]
        batches_until_error(read(io.BytesIO(broken), on_error="skip"))
