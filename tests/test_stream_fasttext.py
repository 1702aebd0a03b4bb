"""fastText's lines: words as they are, one label, and what is wrong with a line."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stream_files import Pieces, message_of, points_of

from sapwood.stream import read

# Blanks of other scripts are parts of words, as for the program.
WORD = st.text(st.sampled_from("aAß_.,\u00a0\u2003é|:%#"), min_size=1, max_size=4).filter(
    lambda word: not word.isspace()
)
BLANK = st.sampled_from([" ", "\t", "  ", "\v", "\f"])


@given(
    st.lists(st.tuples(WORD, st.lists(st.tuples(BLANK, WORD), max_size=6), st.integers(0, 6)), min_size=1, max_size=5),
    st.integers(1, 3),
    st.lists(st.integers(1, 30), min_size=1),
    st.booleans(),
)
def test_words_are_what_is_between_blanks(
    lines: list[tuple[str, list[tuple[str, str]], int]], batch_size: int, lengths: list[int], labelled: bool
) -> None:
    text, expected = "", []
    for label, words, place in lines:
        parts = [blank + word for blank, word in words]
        parts.insert(min(place, len(parts)), f" __label__{label}")
        text += "".join(parts) + " \n"
        expected.append((list(dict.fromkeys(word for _, word in words)), label if labelled else None))
    found = points_of(Pieces(text.encode(), lengths), format="fasttext", batch_size=batch_size, labelled=labelled)
    assert found == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a b", "line 2, column 1: expected a label, __label__x, found none in 'a b'"),
        ("a b__label__x", "line 2, column 1: expected a label, __label__x, found none in 'a b__label__x'"),
        (
            "__label__x a __label__y",
            "line 2, column 14: expected one label, found 2, of which '__label__y' is the second",
        ),
        ("a __label__ b", "line 2, column 3: expected a label behind __label__, found '__label__'"),
    ],
)
def test_bad_lines(line: str, message: str) -> None:
    assert message in message_of(f"__label__x a\n{line}\n".encode())


def test_recognised_and_passed_over() -> None:
    data = b"__label__a Win win\n\n__label__b see you\n"
    assert read(io.BytesIO(data)).format == "fasttext"
    assert points_of(data) == [(["Win", "win"], "a"), (["see", "you"], "b")]
    assert points_of(data, start=1) == [(["see", "you"], "b")]
    with pytest.raises(ValueError, match="label must be left out for the format fasttext"):
        read(io.BytesIO(data), label="x")
