"""Points from texts that are in memory: lists, and columns of strings of Arrow and pandas."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core
from sapwood.data.batch import Batch, as_objects
from sapwood.data.labels import as_label
from sapwood.data.placed_keys import PlacedKeys
from sapwood.stream._analyser import Words, words_of
from sapwood.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["are_texts", "as_list", "text_batch"]

# The types of Arrow whose texts stand one after the other, and how wide their offsets are.
_OFFSETS = {"string": np.int32, "utf8": np.int32, "large_string": np.int64, "large_utf8": np.int64}


def are_texts(texts: Any) -> bool:
    """Whether something is a list of strings, or a column of pandas, polars or Arrow, which has one dimension."""
    if isinstance(texts, (list, tuple)):
        return all(isinstance(text, str) for text in texts)
    return _is_arrow(texts) or _is_of_polars(texts) or getattr(texts, "ndim", None) == 1


def as_list(values: Any) -> list[Any]:
    """Return the values of a sequence, or of a column of pandas or Arrow, as Python has them."""
    return list(values.to_pylist() if hasattr(values, "to_pylist") else values)


def text_batch(
    texts: Any, labels: Iterable[Any] | None = None, *, ngrams: int = 1, n_features: int | None = None
) -> Batch:
    """Return texts as points, whose features are their words as scikit-learn's CountVectorizer finds them.

    Parameters
    ----------
    texts
        A list of strings, a Series of pandas or polars, or an Array or a ChunkedArray of Arrow, of which no text is
        copied.
    labels
        The class of each text; None if there are none.
    ngrams
        Features are words and runs of up to `ngrams` words.
    n_features
        Hash the features into this number of columns.

    Raises
    ------
    TypeError
        If something is no string.
    ValueError
        If there are not as many labels as texts, or a label is invalid.

    Examples
    --------
    >>> from sapwood.stream import text_batch
    >>> list(text_batch(["Win a prize, win now!", "See you"], ["spam", "ham"]).points())
    [(['win', 'prize', 'now'], 'spam'), (['see', 'you'], 'ham')]
    """
    words = Words(1, ngrams, n_features)
    native = _core.TextLines(False, *words)
    for part in _parts(texts):
        if _is_arrow(part):
            _add_column(native, part, words)
        else:
            _add_list(native, part, words)
    first_line, indptr, indices, names, _, _ = native.take()
    n = len(indptr) - 1
    given = [None] * n if labels is None else [as_label(label) for label in labels]
    if len(given) != n:
        raise ValueError(f"labels must be as many as the {counted(n, 'text')}, got {len(given)}")
    return Batch(
        y=as_objects(given),
        indptr=indptr,
        indices=None if n_features is None else indices,
        keys=PlacedKeys(names, indices) if n_features is None else None,
        n_features=n_features,
        first_line=first_line,
    )


def _is_arrow(texts: Any) -> bool:
    """Whether something is an array of Arrow, which need not be installed."""
    return hasattr(texts, "type") and hasattr(texts, "to_pylist")


def _is_of_polars(texts: Any) -> bool:
    """Whether something is a column of polars."""
    polars: Any = sys.modules.get("polars")
    return polars is not None and isinstance(texts, polars.Series)


def _parts(texts: Any) -> Sequence[Any]:
    """Return the arrays of Arrow that texts are in, or lists."""
    if _is_of_polars(texts):
        return [texts.to_list()]
    array = getattr(texts, "array", None)
    if array is not None and hasattr(array, "__arrow_array__") and find_spec("pyarrow") is not None:
        # The strings of pandas are Arrow's, where that is installed.
        texts = array.__arrow_array__()
    chunks: Sequence[Any] = getattr(texts, "chunks", [texts])
    return [
        part if not _is_arrow(part) or str(part.type) in _OFFSETS else part.to_pylist() for part in chunks if len(part)
    ]


def _add_list(native: _core.TextLines, texts: Any, words: Words) -> None:
    items = texts if isinstance(texts, list) else list(texts)
    at = 0
    while (at := native.add_texts(items, at)) < len(items):
        text = items[at]
        if not isinstance(text, str):
            raise TypeError(f"texts must be strings, got {text!r}")
        native.add("", words_of(text, words))
        at += 1


def _add_column(native: _core.TextLines, column: Any, words: Words) -> None:
    if column.null_count:
        raise TypeError("texts must be strings, got null")
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, dtype=_OFFSETS[str(column.type)])[column.offset : column.offset + len(column) + 1]
    ends = ends.astype(np.int64)
    text = np.frombuffer(data, dtype=np.uint8) if data is not None else np.empty(0, dtype=np.uint8)
    at = 0
    while (at := native.add_column(text, ends, at)) < len(column):
        native.add("", words_of(text[ends[at] : ends[at + 1]].tobytes().decode(), words))
        at += 1
