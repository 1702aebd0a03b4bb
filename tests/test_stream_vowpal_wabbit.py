"""Vowpal Wabbit's lines: against a plain reading of them, character by character, and what is wrong with a line."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import done
from hypothesis import given
from hypothesis import strategies as st
from stream_files import Pieces, message_of, points_of

from sapwood.stream import read

NAME = st.text(st.sampled_from("abß_é0"), min_size=1, max_size=3)
VALUE = st.sampled_from(["", ":1", ":0", ":2", ":-3", ":0.25", ":1e1", ":.5"])
BLANK = st.sampled_from([" ", "  ", "\t"])
FEATURES = st.lists(st.tuples(BLANK, NAME, VALUE), max_size=5)
SECTION = st.tuples(st.one_of(st.just(""), NAME), VALUE, FEATURES)
HEAD = st.tuples(
    st.sampled_from(["1", "-1", "2.5", "+3"]),
    st.sampled_from(["", " 2", " 0.5", " 0"]),
    st.sampled_from([" ", "  ", " 'tag ", " 'tag", " tag"]),
)
LINES = st.lists(st.tuples(HEAD, st.lists(SECTION, min_size=1, max_size=3)), min_size=1, max_size=5)


def written(lines: list[Any]) -> str:
    return "".join(
        "".join(head)
        + "".join("|" + ns + (scale if ns else "") + "".join(map("".join, fs)) for ns, scale, fs in sections)
        + "\n"
        for head, sections in lines
    )


def plain(lines: list[Any], binarize: float) -> tuple[list[Any], list[float]]:
    """What the lines say, by the parts that they were written from."""
    points, weights = [], []
    for (label, weight, _), sections in lines:
        values: dict[str, float] = {}
        for ns, scale, features in sections:
            for _, name, value in features:
                key = f"{ns}^{name}" if ns else name
                times = float(scale[1:] or 1) if ns else 1.0
                values[key] = values.get(key, 0.0) + times * float(value[1:] or 1)
        points.append(([key for key, value in values.items() if value > binarize], float(label)))
        weights.append(float(weight or 1))
    return points, weights


@given(LINES, st.sampled_from([0.0, 1.0]), st.integers(1, 3), st.lists(st.integers(1, 40), min_size=1))
def test_lines_say_what_they_were_written_from(
    lines: list[Any], binarize: float, batch_size: int, lengths: list[int]
) -> None:
    source = Pieces(written(lines).encode(), lengths)
    batches = list(read(source, format="vw", binarize=binarize, batch_size=batch_size))
    points, weights = plain(lines, binarize)
    assert [point for batch in batches for point in batch.points()] == points
    found = [batch.weights if batch.weights is not None else np.ones(len(batch)) for batch in batches]
    assert np.concatenate(found).tolist() == weights


@given(LINES)
def test_without_labels_the_head_is_left_out(lines: list[Any]) -> None:
    found = points_of(written(lines).encode(), format="vw", labelled=False)
    assert found == [(x, None) for x, _ in plain(lines, 0.0)[0]]
    bare = "".join(line[line.index("|") :] + "\n" for line in written(lines).splitlines())
    assert points_of(bare.encode(), format="vw", labelled=False) == found


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 a b", "column 6: expected label | feature feature:value, found no bar after '1 a b'"),
        ("| a", "column 1: expected a number as the label, found none"),
        ("1|a b", "column 1: expected a number as the label, found the tag '1', between which and the bar there is no"),
        ("x | a", "column 1: expected a number as the label, found 'x'"),
        ("1,2 | a", "column 1: expected a number as the label, found '1,2'"),
        ("1 x | a", "column 3: expected an importance from 0 to 2147483647, found 'x'"),
        ("1 -1 | a", "column 3: expected an importance from 0 to 2147483647, found '-1'"),
        ("1 1 0.5 | a", "column 5: expected a label and an importance, and no prediction to begin with, found '0.5'"),
        ("1 | a:x", "column 7: expected a number as the value of 'a', found 'x'"),
        ("1 | a:1e999", "column 7: expected a finite number as the value of 'a', found '1e999'"),
        ("1 |n a |m:y b", "column 11: expected a number as the value of 'm', found 'y'"),
        ("1 | :2", "column 5: expected a feature before its value, found ':2'"),
    ],
)
def test_bad_lines(line: str, message: str) -> None:
    assert message in message_of(f"1 | good\n{line}\n".encode(), format="vw")
    assert "line 2, " in message_of(f"1 | good\n{line}\n".encode(), format="vw")


def test_values_must_be_flags_if_binarize_is_none() -> None:
    assert points_of(b"1 | a b:0 c:1\n", format="vw", binarize=None) == [(["a", "c"], 1)]
    assert "expected values of 0 or 1, found 2 as 'a'" in message_of(b"1 | a a\n", format="vw", binarize=None)
    with pytest.raises(ValueError, match="binarize must be at least 0 for a Vowpal Wabbit file"):
        read(io.BytesIO(b"1 | a\n"), format="vw", binarize=-1.0)


def test_sizes_count_with_sparse_numbers() -> None:
    (batch,) = read(io.BytesIO(b"1 | a:3 b\n0 | b b\n"), format="vw", sparse_numbers=True)
    assert [list(map(str, x)) for x, _ in batch.points()] == [["a", "a > 1", "a > 2", "b"], ["b", "b > 1"]]


@pytest.mark.parametrize("line", ["1 |a b", "1 2 |a b:3", "-1 'x|a b", "0 1 t|a", "1 | a:1 b:2 c,d"])
def test_recognised(line: str) -> None:
    assert read(io.BytesIO(f"{line}\n".encode())).format == "vw"


@pytest.mark.parametrize(
    ("line", "format_name"),
    [("a|b|c", "csv"), ("|a|b", "csv"), ("1|2|3", "csv"), ("1\tyes|no", "text"), ("1 1:2", "svmlight")],
)
def test_others_are_not(line: str, format_name: str) -> None:
    assert read(io.BytesIO(f"{line}\n".encode())).format == format_name


def test_importances_are_weights(tmp_path: Path) -> None:
    # Nothing to split by, so that the answer is the share of the weights.
    data = b"".join(b"%d %d |w a\n" % (i % 2, 3 if i % 2 else 1) for i in range(400))
    (tmp_path / "t.vw").write_bytes(data)
    done("train", tmp_path / "t.vw", "-m", tmp_path / "m", "-q", "--leaf-prediction", "majority")
    answers = done("predict", "-", "-m", tmp_path / "m", "--proba", "-q", stdin=b"|w a\n|w c\n")
    assert answers == "label\t0\t1\n1\t0.25\t0.75\n1\t0.25\t0.75\n"
