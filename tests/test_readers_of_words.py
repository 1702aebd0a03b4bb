"""The native readers of lines of words equal those in plain Python, on hostile input, in all that is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from readers_compared import BROKEN, HOW, How, compare
from reference_readers.fasttext_reader import FastTextParser as PlainFastText
from reference_readers.vowpal_wabbit_reader import VowpalWabbitParser as PlainVowpalWabbit
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from sapwood.stream._fasttext import FastTextParser
from sapwood.stream._parser import Parser
from sapwood.stream._text import text_parser
from sapwood.stream._vectorized_text import VectorizedTextParser
from sapwood.stream._vowpal_wabbit import VowpalWabbitParser

# ---- text ------------------------------------------------------------------------------------------------------------

WORD = st.one_of(
    st.sampled_from(
        ["Spam", "a", "eggs_1", "İstanbul", "ΟΔΟΣ", "ΣΑΣ", "ǅ", "naïve", "Straße", "x\u0301y", "42", "\u2028"]
    ),
    st.sampled_from(
        ["supercalifragilisticexpialidocious", "exactlysixteenxx", "seventeenletterss", "İ", "Ⱥab", "\u00a0"]
    ),
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=12),
    st.text("ab_Z9-. '", max_size=20),
    # Two blocks of 64, and words that go over their ends.
    st.integers(55, 70).map(lambda n: "x" * n + " end"),
)
LINE_OF_TEXT = st.tuples(
    st.sampled_from(["spam", "ham", "", "a label of many letters", "é", " ", "\u00a0", "x" * 17]),
    st.sampled_from(["\t", "\t", "\t", "", " "]),
    st.lists(WORD, max_size=8).map(" ".join),
    st.sampled_from(["\n", "\r\n", "\r\r\n", "\n\n", "\n \t\n", "\n\u2003\n"]),
).map(lambda parts: "".join(parts).encode())
TEXTS = st.lists(st.one_of(LINE_OF_TEXT, LINE_OF_TEXT, BROKEN), min_size=1, max_size=10).map(b"".join)


@given(TEXTS, HOW, st.booleans(), st.sampled_from([(1, 1), (1, 2), (2, 3)]))
@example(b"a\tb c", How([1], 1), True, (1, 1))
@example("a\tΣ ΑΣ ΑΣΑ İx\r\n".encode(), How([3], 2), True, (1, 2))
@example(b"a\tb\xff\n\xc3", How([3], 2), False, (1, 1))
def test_text(data: bytes, how: How, labelled: bool, runs: tuple[int, int]) -> None:
    compare(
        data,
        lambda _: text_parser(CountVectorizer(ngram_range=runs), None, labelled=labelled),
        lambda _: VectorizedTextParser(CountVectorizer(ngram_range=runs), labelled=labelled),
        how,
    )


@given(TEXTS, HOW, st.sampled_from([1, 2, 7, 1 << 20, 2**31 - 2]), st.integers(1, 2))
def test_hashed_text(data: bytes, how: How, n_features: int, longest: int) -> None:
    vectorizer = HashingVectorizer(n_features=n_features, ngram_range=(1, longest))
    compare(
        data,
        lambda _: text_parser(vectorizer, None, labelled=True),
        lambda _: VectorizedTextParser(vectorizer, labelled=True),
        how,
    )


FAST_WORD = st.one_of(
    WORD, st.sampled_from(["__label__", "__label__a", "__label__b", "x__label__a", "__Label__a", "\0"])
)
LINE_OF_WORDS = st.tuples(
    st.sampled_from(["__label__a ", "__label__bé\t", "", " "]),
    st.lists(st.tuples(FAST_WORD, st.sampled_from([" ", "\t", "\v\f", "\0", "\r", ""])).map("".join), max_size=6).map(
        "".join
    ),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n \t\n", "\n\u2003\n", "\n\x1c\n"]),
).map(lambda parts: "".join(parts).encode())


@given(
    st.lists(st.one_of(LINE_OF_WORDS, LINE_OF_WORDS, BROKEN), min_size=1, max_size=10).map(b"".join), HOW, st.booleans()
)
@example(b"__label__a b b\n__label__a\nb __label__a c", How([1], 1), True)
def test_fasttext(data: bytes, how: How, labelled: bool) -> None:
    compare(data, lambda _: FastTextParser(labelled=labelled), lambda _: PlainFastText(labelled=labelled), how)


@pytest.mark.slow
def test_every_character_is_what_python_says() -> None:
    for first in range(0, 0x110000, 0x1000):
        codes = [code for code in range(first, first + 0x1000) if not 0xD800 <= code < 0xE000 and code not in (0, 10)]
        # By itself, between letters, and twice.
        data = "".join(f"a\tx{chr(code)}y {chr(code)} {chr(code)}{chr(code)}\n" for code in codes).encode()
        if codes:
            compare(
                data,
                lambda _: text_parser(None, None, labelled=True),
                lambda _: VectorizedTextParser(CountVectorizer(), labelled=True),
                How([1 << 16], 1 << 12),
            )


# ---- Vowpal Wabbit ---------------------------------------------------------------------------------------------------

VALUE_OF_NAME = st.one_of(
    st.sampled_from(["", "", "", ":1", ":0", ":2", ":-1", ":.5", ":1e400", ":1e-400", ":1e308", ":x", ":", ":1:2"]),
    st.sampled_from([":+3", ":0.1", ":12345678901234567890123", ":inf", ":\u0661", ":1_0", ":5.", ":-0", ": 1"]),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda value: f":{value!r}"),
)
NAME_IN_LINE = st.one_of(
    st.sampled_from(["a", "b", "c", "word", "exactlysixteenxx", "more than sixteen bytes", "é", "\u00a0", "a^b", ""]),
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=5),
)
WORD_IN_LINE = st.tuples(NAME_IN_LINE, VALUE_OF_NAME).map("".join)
SECTION = st.tuples(
    st.one_of(st.just(""), st.just(" "), WORD_IN_LINE),
    st.lists(st.tuples(st.sampled_from([" ", " ", "  ", "\t", "\v"]), WORD_IN_LINE).map("".join), max_size=5).map(
        "".join
    ),
).map("".join)
HEAD_OF_LINE = st.tuples(
    st.sampled_from(["", " ", "\t"]),
    st.sampled_from(["1", "-1", "2.5", "+3", "1e2", "-0", "", "x", "inf", "1e400", "1e-400", "9007199254740993"]),
    st.sampled_from(["", "", " 2", " 0.5", " 0", " -1", " 1 0.3", " x", " 3000000000", " 2147483647"]),
    st.sampled_from([" ", " ", "  ", " 'tag", " 'tag ", " tag", "\u00a0", " \v", "'", " é", " 'é "]),
).map("".join)
LINE_OF_WEIGHTS = st.tuples(
    HEAD_OF_LINE,
    st.lists(SECTION, max_size=3).map(lambda sections: "".join(f"|{section}" for section in sections)),
    st.sampled_from(["\n", "\r\n", "\r\r\n", "\n\n", "\n \t\n", "\n\u2003\n", " \n"]),
).map(lambda parts: "".join(parts).encode())


@given(
    st.lists(st.one_of(LINE_OF_WEIGHTS, LINE_OF_WEIGHTS, BROKEN), min_size=1, max_size=10).map(b"".join),
    HOW,
    st.sampled_from([None, 0.0, 0.5, 1.0, 3.0]),
    st.booleans(),
    st.booleans(),
)
@example(b"1 | a b a\n-1 2 'tag|n:2 a:.5 b |m a\n| x\n0 |:3 a b", How([1], 1), 0.0, False, True)
@example(b"1 | a\n1 | a a\n1 | b\n1 |n a |m a", How([1], 2), None, False, True)
@example(b"x| a:1e308 a:1e308 b:-1e308 b:-1e308 b:1e308", How([1], 2), 0.0, True, False)
def test_vowpal_wabbit(data: bytes, how: How, binarize: float | None, sparse_numbers: bool, labelled: bool) -> None:
    def make(kind: Any) -> Callable[[str], Parser]:
        return lambda _: kind(binarize, sparse_numbers=sparse_numbers, labelled=labelled)

    compare(data, make(VowpalWabbitParser), make(PlainVowpalWabbit), how)
