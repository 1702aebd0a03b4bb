"""JSON lines: the encoding of `learn_one`, lists of strings, labels as they are, and what is wrong with a line."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stream_files import Pieces, message_of, points_of

from sapwood.stream import NA_VALUES, read

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUE = st.one_of(
    st.booleans(), st.integers(-3, 3), st.integers(10**17, 10**30), st.floats(-2, 2), TEXT, st.just(0), st.just(1)
)
NAME = TEXT.filter(lambda name: name not in {"label", "class", "target"} and not set(name) & set(".="))
OBJECT = st.dictionaries(NAME, VALUE | st.dictionaries(NAME, VALUE, max_size=2), max_size=6)
NO_LABEL = ", line 1, column 2: expected a string, a finite number or a boolean as the label, found "
NO_VALUE = (
    ", line 1, column 14: expected a number, a boolean, a string, null, a list of strings or an object as 'a', found "
)
LABEL = st.one_of(st.booleans(), st.integers(), TEXT, st.floats(allow_nan=False, allow_infinity=False))


def flat(point: dict[str, Any], before: str = "") -> dict[str, Any]:
    """A point with the fields of the objects within it, and without what is missing or off."""
    fields: dict[str, Any] = {}
    for name, value in point.items():
        if isinstance(value, dict):
            fields |= flat(value, f"{before}{name}.")
        elif value is not False and value != "" and value not in NA_VALUES:
            fields[before + name] = float(value) if type(value) is int else value
    return fields


@given(
    st.lists(st.tuples(OBJECT, LABEL), min_size=1, max_size=6),
    st.booleans(),
    st.lists(st.integers(1, 40), min_size=1),
)
def test_a_value_is_what_it_is(points: list[tuple[dict[str, Any], Any]], ascii_only: bool, lengths: list[int]) -> None:
    lines = [json.dumps({**point, "class": label}, ensure_ascii=ascii_only) for point, label in points]
    read_back = points_of(Pieces("\n".join(lines).encode(), lengths), batch_size=2)
    for (found, label), (point, expected) in zip(read_back, points, strict=True):
        assert (label, type(label)) == (expected, type(expected))
        assert found == flat(point)


def test_objects_within_objects() -> None:
    data = b'{"user": {"age": 37, "home": {"zip": "01", "old": true}}, "label": 1}\n'
    assert points_of(data) == [({"user.age": 37.0, "user.home.zip": "01", "user.home.old": True}, 1)]
    assert points_of(data, ignore=["user.home.zip"]) == [({"user.age": 37.0, "user.home.old": True}, 1)]
    assert points_of(data, ignore=["user"]) == [({}, 1)]
    typed = points_of(data, types={"user.age": "category", "user.home.zip": "number", "user.home.old": "number"})
    assert typed == [({"user.age": "37", "user.home.zip": 1.0, "user.home.old": 1.0}, 1)]


def test_lists_nulls_and_ignored_fields() -> None:
    data = b'{"id": 3, "tags": ["b", "a", "b"], "none": null, "empty": [], "on": true, "label": 2}\n\n{"label": "x"}\n'
    (batch,) = read(io.BytesIO(data), ignore=["id"])
    assert batch.keys == ["tags=b", "tags=a", "on"]
    assert list(batch.points()) == [({"tags=b": True, "tags=a": True, "on": True}, 2), ({}, "x")]


def test_types_can_be_given() -> None:
    data = b'{"a": "7", "b": 1, "c": 5, "label": 1}\n{"a": "NA", "b": "false", "c": null, "label": 2}\n'
    assert points_of(data, types={"a": "number", "b": "flag", "c": "category"}) == [
        ({"a": 7.0, "b": True, "c": "5"}, 1),
        ({}, 2),
    ]
    assert message_of(b'{"a": "x", "label": 1}', types={"a": "number"}) == (
        ", line 1, column 2: expected a number as 'a', found 'x'"
    )
    assert message_of(b'{"a": [], "label": 1}', types={"a": "number"}) == (
        ", line 1, column 2: expected a number as 'a', found a list"
    )


def test_missing_values() -> None:
    data = b'{"a": "NA", "b": "", "c": "-", "d": NaN, "label": 1}'
    assert points_of(data) == [({"c": "-"}, 1)]
    assert points_of(data, na_values=["-"]) == [({"a": "NA"}, 1)]


def test_the_table_of_the_first_objects() -> None:
    data = b'{"a": 1, "b": {"c": "x"}, "d": ["u"], "e": true, "g": 0, "label": 1}\n{"a": "y", "f": null, "label": 2}\n'
    reader = read(io.BytesIO(data), ignore=["g"])
    list(reader)
    assert reader.table is not None
    assert [(column.name, column.kind) for column in reader.table.columns] == [
        ("a", "category or number"),
        ("b.c", "category"),
        ("d", "flags"),
        ("e", "flag"),
        ("f", "empty"),
        ("g", "ignored"),
        ("label", "label"),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"types": {"agee": "number"}}, "expected a field 'agee', which types names, found none; did you mean 'age'?"),
        ({"ignore": ["Age"]}, "expected a field 'Age', which ignore names, found none; did you mean 'age'?"),
        ({"label": "lable"}, "expected a field 'lable' (did you mean 'label'?), found an object without"),
    ],
)
def test_a_name_like_that_of_a_field_is_an_error(options: dict[str, Any], message: str) -> None:
    assert message_of(b'{"age": 1, "label": 1}\n', **options) == f", line 1, column 1: {message}"


def test_a_name_like_no_field_is_remarked_upon() -> None:
    reader = read(io.BytesIO(b'{"age": 1, "label": 1}\n'), ignore=["zzz"])
    list(reader)
    assert reader.table is not None
    assert reader.table.remarks == ["no object so far has the field 'zzz'"]


@pytest.mark.parametrize(
    ("options", "label"),
    [({}, 1), ({"label": "y"}, 4), ({"labelled": False}, None), ({"labelled": False, "label": "y"}, None)],
)
def test_field_of_the_label(options: dict[str, Any], label: int | None) -> None:
    (batch,) = read(io.BytesIO(b'{"target": 3, "class": 2, "label": 1, "y": 4}\n'), **options)
    assert batch.y.tolist() == [label]
    left_out = {1: "label", 4: "y", None: options.get("label")}[label]
    assert batch.numbers is not None
    assert batch.numbers.names == [name for name in ("target", "class", "label", "y") if name != left_out]


def test_field_of_the_label_is_that_of_the_first_object() -> None:
    data = b'{"class": 1}\n{"label": 1, "a": 1}\n'
    assert message_of(data).startswith(", line 2, column 1: expected a field 'class'")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"label": 1}\n[1]\n', ", line 2, column 1: expected a JSON object, found '[1]'"),
        (b'{"label": 1}\n{"label": 1,}\n', ", line 2, column "),
        (b'{"label": 1}\n{"label" 1}\n', ", line 2, column 10: expected ':' delimiter, found '1}'"),
        (b'{"label": 1\n', ", line 1, column 12: expected ',' delimiter, found the end of the line"),
        (b'{"label": 1} {}\n', ", line 1, column 14: expected valid JSON (Extra data), found '{}'"),
        (b'{"a": 1}\n', ", line 1, column 1: expected one of the fields label, class, target, found an object without"),
        (b'{"label": null}\n', NO_LABEL + "null"),
        (b'{"label": ["a"]}\n', NO_LABEL + "a list"),
        (b'{"label": NaN}\n', NO_LABEL + "nan"),
        (b'{"label": 1, "a": [1]}\n', NO_VALUE + "a list with other items"),
        (b'{"label": 1, "a": 1e999}\n', ", line 1, column 14: expected a finite number as 'a', found inf"),
        (b'{"label": "\xff"}\n', ", line 1, column 12: expected text in UTF-8, found '\\xff'"),
        (b'{"a": ' + b"[" * 100_000 + b"\n", ", line 1, column 1: expected a JSON object, found more than can be read"),
    ],
)  # fmt: skip
def test_bad_lines(text: bytes, message: str) -> None:
    assert message_of(text, format="jsonl").startswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"user": {"age": 1e999}, "label": 1}', "column 11: expected a finite number as 'user.age', found inf"),
        ('{"a": {"b": {"c": [1]}}, "label": 1}', "a list of strings or an object as 'a.b.c', found a list with other"),
        ('{"label": 1, "a": ' + '{"a": ' * 40 + "1" + "}" * 41, "expected objects within objects at most 32 deep"),
    ],
)
def test_error_within_an_object_names_the_field(line: str, message: str) -> None:
    assert message in message_of(line.encode(), format="jsonl")


def test_the_table_has_examples_of_labels_too() -> None:
    lines = b'{"age": 3, "label": "no"}\n{"age": 4, "label": true}\n{"age": 5, "label": "no"}\n'
    with read(io.BytesIO(lines), format="jsonl") as reader:
        list(reader)
        assert reader.table is not None
        assert [(each.name, each.kind, each.examples) for each in reader.table.columns] == [
            ("age", "number", ("3", "4", "5")),
            ("label", "label", ("no", "true")),
        ]


def test_the_label_is_none_of_the_fields_that_are_left_out() -> None:
    data = b'{"label": 3, "class": "x", "a": true}\n'
    assert points_of(data, format="jsonl", ignore=["label"]) == [({"a": True}, "x")]
    told = message_of(b'{"label": 3, "a": true}\n', format="jsonl", ignore=["label"])
    assert told.endswith("expected one of the fields class, target, found an object without")
    told = message_of(data, format="jsonl", ignore=["label", "class", "target"])
    assert told.endswith("expected a label that is not ignored, found an object without")
