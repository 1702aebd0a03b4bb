"""Labelled text: scikit-learn's words, in the order of the text, or hashed as scikit-learn hashes them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from stream_files import Pieces, message_of, points_of

from sapwood.stream import read

# All of Unicode but what ends a line, and zeros, which make a file binary.
LINE = st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]), max_size=40)
LABEL = st.text(st.characters(exclude_characters="\n\r\t\0\ufeff", exclude_categories=["Cs"]), min_size=1, max_size=6)
LABELLED = st.lists(st.tuples(LABEL, LINE), min_size=1, max_size=8).filter(
    lambda lines: all(not f"{label}\t{text}".isspace() for label, text in lines)
)
# Words, that there be some.
WORDS = st.lists(st.sampled_from(["Spam", "spam", "eggs", "a", "Ham!", "näive", "42"]), max_size=8).map(" ".join)


@given(LABELLED, st.lists(st.integers(1, 50), min_size=1), st.integers(1, 3))
def test_words_are_those_of_the_analyser(lines: list[tuple[str, str]], lengths: list[int], batch_size: int) -> None:
    analyze = CountVectorizer().build_analyzer()
    expected = [(list(dict.fromkeys(analyze(text))), label) for label, text in lines]
    for end in ("\n", "\r\n"):
        data = "".join(f"{label}\t{text}{end}" for label, text in lines).encode()
        assert points_of(Pieces(data, lengths), format="text", batch_size=batch_size) == expected


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_features_are_the_columns_that_count_vectorizer_fills(texts: list[str]) -> None:
    vectorizer = CountVectorizer(ngram_range=(1, 2), lowercase=False, token_pattern=r"\S+")
    data = "".join(f"x\t{text}\n" for text in texts).encode()
    points = points_of(data, vectorizer=vectorizer)
    assert len(points) == len(texts)
    if any(features for features, _ in points):
        X = vectorizer.fit_transform(texts)
        names = vectorizer.get_feature_names_out()
        for row, (features, _) in zip(X, points, strict=True):
            assert sorted(features) == sorted(names[row.indices])


@given(st.lists(WORDS, min_size=1, max_size=6), st.sampled_from([1, 3, 1 << 18]))
def test_hashed_words_are_the_columns_of_hashing_vectorizer(texts: list[str], n_features: int) -> None:
    data = "".join(f"x\t{text}\n" for text in texts).encode()
    # Whatever the signs, two words of one column leave it on.
    expected = HashingVectorizer(n_features=n_features, alternate_sign=False, norm=None).transform(texts)
    options: list[dict[str, Any]] = [
        {"n_features": n_features},
        {"vectorizer": HashingVectorizer(n_features=n_features)},
    ]
    for option in options:
        (batch,) = read(io.BytesIO(data), **option)
        assert batch.X.shape == (len(texts), n_features)
        assert np.array_equal(batch.X.toarray(), expected.toarray() > 0)
        assert batch.y.tolist() == ["x"] * len(texts)


def test_order_is_that_of_the_text() -> None:
    data = b"spam\tZebra apple zebra, Mango\n\n \nham\tmango kiwi\n"
    (batch,) = read(io.BytesIO(data))
    assert list(batch.points()) == [(["zebra", "apple", "mango"], "spam"), (["mango", "kiwi"], "ham")]
    assert batch.keys == ["zebra", "apple", "mango", "mango", "kiwi"]
    assert batch.indptr.tolist() == [0, 3, 5]
    assert batch.first_line == 1
    with pytest.raises(ValueError, match="features must be columns, got keys"):
        _ = batch.X


def test_first_line() -> None:
    first, second = read(io.BytesIO(b"\n\na\tb\nc\td\n\ne\tf\n"), format="text", batch_size=2)
    assert (first.first_line, second.first_line) == (3, 6)


def test_text_without_labels() -> None:
    data = b"Hello there\nto\tyou\n"
    assert points_of(data, format="text", labelled=False) == [(["hello", "there"], None), (["to", "you"], None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a\tb\nno label\n", ", line 2, column 9: expected label<TAB>text, found no tab after 'no label'"),
        (b"a\tb\n\tno label\n", ", line 2, column 1: expected a label, found a tab"),
        (b"a\tb\nc\tx\xc3\xa4\xff\n", ", line 2, column 5: expected text in UTF-8, found '\\xff'"),
    ],
)
def test_bad_lines(text: bytes, message: str) -> None:
    assert message_of(text, format="text") == message


def test_byte_order_mark_is_no_part_of_the_label() -> None:
    assert points_of(b"\xef\xbb\xbfspam\thello\n") == [(["hello"], "spam")]


def test_refuses() -> None:
    with pytest.raises(TypeError, match=r"vectorizer must be one of scikit-learn's for text, got 'words'"):
        read(io.BytesIO(b"a\tb\n"), vectorizer="words")
    with pytest.raises(ValueError, match="n_features must be None beside a vectorizer"):
        read(io.BytesIO(b"a\tb\n"), vectorizer=CountVectorizer(), n_features=8)


@pytest.mark.parametrize("kind", [CountVectorizer, HashingVectorizer])
def test_what_is_passed_over_is_not_taken_apart(kind: Any) -> None:
    seen = []

    def words(text: str) -> list[str]:
        seen.append(text)
        return text.split()

    text = b"".join(b"a\ttext %d\n" % i for i in range(100))
    (batch,) = read(io.BytesIO(text), vectorizer=kind(analyzer=words), start=97)
    assert len(batch) == 3
    assert seen == ["text 97", "text 98", "text 99"]
