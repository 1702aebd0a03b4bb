"""What scikit-learn's vectorizers for text do with a text, without importing it where nobody else has."""

from __future__ import annotations

import re
import sys
from typing import Any, NamedTuple

__all__ = ["Words", "plain_words", "words_of"]

# That of scikit-learn: two and more letters, digits or underscores.
_TOKEN_PATTERN = r"(?u)\b\w\w+\b"
_TOKEN = re.compile(_TOKEN_PATTERN)
# What a vectorizer must say of itself for its features to be words in lower case and runs of these.
_PLAIN = {
    "input": "content",
    "encoding": "utf-8",
    "strip_accents": None,
    "lowercase": True,
    "preprocessor": None,
    "tokenizer": None,
    "stop_words": None,
    "token_pattern": _TOKEN_PATTERN,
    "analyzer": "word",
}


class Words(NamedTuple):
    """Which words and runs of words of a text are features, and the number of columns that they are hashed into."""

    shortest: int = 1
    longest: int = 1
    n_columns: int | None = None


def plain_words(vectorizer: Any) -> Words | None:
    """Return what a vectorizer of scikit-learn does, if that is what the core does; None if it does more.

    Of a class of the user's own nothing is known.
    """
    text = sys.modules.get("sklearn.feature_extraction.text")
    if text is None or type(vectorizer) not in (text.CountVectorizer, text.TfidfVectorizer, text.HashingVectorizer):
        return None
    options = vectorizer.get_params(deep=False)
    if any(options[name] != value for name, value in _PLAIN.items()):
        return None
    shortest, longest = options["ngram_range"]
    if not (isinstance(shortest, int) and isinstance(longest, int) and 1 <= shortest <= longest):
        return None
    return Words(shortest, longest, options.get("n_features"))


def words_of(text: str, words: Words) -> list[str]:
    """Return the features of a text in order: words, then runs of two, and so on; one may come more than once."""
    tokens: list[str] = _TOKEN.findall(text.lower())
    found = []
    for n in range(words.shortest, min(words.longest, len(tokens)) + 1):
        found += [" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
    return found
