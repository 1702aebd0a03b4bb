"""JSON lines: the encoding of `learn_one`, lists of strings, labels as they are, and what is wrong with a line."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stream_files import Pieces, message_of, points_of

from sapwood import _core
from sapwood.stream import read

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUE = st.one_of(
    st.booleans(), st.integers(-3, 3), st.integers(10**17, 10**30), st.floats(-2, 2), TEXT, st.just(0), st.just(1)
)
OBJECT = st.dictionaries(TEXT.filter(lambda name: name not in {"label", "class", "target"}), VALUE, max_size=6)
NO_LABEL = ", line 1, column 2: expected a string, a finite number or a boolean as the label, found "
NO_VALUE = ", line 1, column 14: expected a number, a boolean, a string, null or a list of strings as 'a', found "
LABEL = st.one_of(st.booleans(), st.integers(), TEXT, st.floats(allow_nan=False, allow_infinity=False))


def keys_of(point: dict[str, Any], binarize: float) -> list[str]:
    """The features that `learn_one` meets in a point, in its order."""
    tree = _core.Tree()
    tree.learn_one(point, 0, binarize=binarize)
    keys: list[str] = tree.keys()
    return keys


@given(
    st.lists(st.tuples(OBJECT, LABEL), min_size=1, max_size=6),
    st.sampled_from([0.0, 1.0, -1.5]),
    st.booleans(),
    st.lists(st.integers(1, 40), min_size=1),
)
def test_encoding_is_that_of_learn_one(
    points: list[tuple[dict[str, Any], Any]], binarize: float, ascii_only: bool, lengths: list[int]
) -> None:
    lines = [json.dumps({**point, "class": label}, ensure_ascii=ascii_only) for point, label in points]
    data = "\n".join(lines).encode()
    read_back = points_of(Pieces(data, lengths), binarize=binarize, batch_size=2)
    seen_twice = [
        len({*keys_with_repeats(point, binarize)}) < len(keys_with_repeats(point, binarize)) for point, _ in points
    ]
    for (keys, label), (point, expected), repeated in zip(read_back, points, seen_twice, strict=True):
        assert (label, type(label)) == (expected, type(expected))
        # A point in which two fields make one feature, which learn_one refuses, has it once.
        assert repeated or keys == keys_of(point, binarize)
        assert len(set(keys)) == len(keys)


def keys_with_repeats(point: dict[str, Any], binarize: float) -> list[str]:
    return [f"{k}={v}" if isinstance(v, str) else k for k, v in point.items() if isinstance(v, str) or v > binarize]


def test_lists_nulls_and_ignored_fields() -> None:
    data = b'{"id": 3, "tags": ["b", "a", "b"], "none": null, "empty": [], "on": true, "label": 2}\n\n{"label": "x"}\n'
    assert points_of(data, ignore=["id"]) == [(["tags=b", "tags=a", "on"], 2), ([], "x")]


@pytest.mark.parametrize(
    ("options", "label"),
    [({}, 1), ({"label": "y"}, 4), ({"labelled": False}, None), ({"labelled": False, "label": "y"}, None)],
)
def test_field_of_the_label(options: dict[str, Any], label: int | None) -> None:
    (batch,) = read(io.BytesIO(b'{"target": 3, "class": 2, "label": 1, "y": 4}\n'), **options)
    assert batch.y.tolist() == [label]
    left_out = {1: "label", 4: "y", None: options.get("label")}[label]
    assert batch.keys == [name for name in ("target", "class", "label", "y") if name != left_out]


def test_field_of_the_label_is_that_of_the_first_object() -> None:
    data = b'{"class": 1}\n{"label": 1, "a": 1}\n'
    assert message_of(data) == ", line 2, column 1: expected a field 'class', found an object without"


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
        (b'{"label": 1, "a": {}}\n', NO_VALUE + "an object"),
        (b'{"label": 1, "a": [1]}\n', NO_VALUE + "a list with other items"),
        (b'{"label": 1, "a": 1e999}\n', ", line 1, column 14: expected a finite number as 'a', found inf"),
        (b'{"label": "\xff"}\n', ", line 1, column 12: expected text in UTF-8, found '\\xff'"),
        (b'{"a": ' + b"[" * 100_000 + b"\n", ", line 1, column 1: expected a JSON object, found more than can be read"),
    ],
)  # fmt: skip
def test_bad_lines(text: bytes, message: str) -> None:
    assert message_of(text, format="jsonl").startswith(message)


def test_values_must_be_0_or_1_without_a_threshold() -> None:
    assert points_of(b'{"a": 1.0, "b": 0, "c": true, "label": 1}', binarize=None) == [(["a", "c"], 1)]
    message = message_of(b'{"a": 0.5, "label": 1}', binarize=None)
    assert message == ", line 1, column 2: expected the value 0 or 1 as 'a', found 0.5"
