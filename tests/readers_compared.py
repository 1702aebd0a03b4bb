"""Comparing a native reader with one in plain Python: all that is seen of a stream, however it comes."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st
from stream_files import Pieces

from sapwood.data import Batch
from sapwood.stream import Reader, StreamError
from sapwood.stream._parser import Parser
from sapwood.stream._source import Source


class How(NamedTuple):
    """How a stream is read: the pieces that it comes in, the points per batch, the points that are passed over."""

    lengths: list[int]
    batch_size: int = 3
    start: int = 0


HOW = st.builds(How, st.lists(st.integers(1, 60), min_size=1, max_size=4), st.integers(1, 4), st.integers(0, 2))
# What does not arrive as text is cut, so that a character may be.
BROKEN = st.binary(max_size=3)


def told(value: Any) -> Any:
    """A value with its type, and for the value of a category the attribute that it is of."""
    return type(value).__name__, repr(value), getattr(value, "attribute", None)


def seen(batch: Batch) -> tuple[Any, ...]:
    """All that a batch says."""
    features = [[told(feature) for feature in point] for point in batch.features()]
    numbers = None if batch.numbers is None else (list(batch.numbers.of_points()), batch.numbers.names)
    labels = [told(label) for label in batch.y.tolist()]
    classes: Any = None
    if None not in batch.y.tolist():
        classes = [told(label) for label in batch.order()], [batch.coded.classes[code] for code in batch.coded.codes]
    weights = None if batch.weights is None else batch.weights.tolist()
    return features, repr(numbers), labels, repr(classes), batch.first_line, batch.n_features, weights


def outcome(data: bytes, make: Callable[[str], Parser], how: How) -> Any:
    """All that a reader says of a stream: its batches, the lines that are bad, the error at the end, the columns."""
    source = Source(Pieces(data, how.lengths))
    parser = make(source.name)
    reader = Reader(source, parser, format_name="x", batch_size=how.batch_size, on_error="skip", start=how.start)
    given: list[Any] = []
    error = ""
    try:
        given.extend(seen(batch) for batch in reader)
    except StreamError as problem:
        error = str(problem)
    return given, reader.errors, error, reader.n_lines, repr(reader.table)


def compare(data: bytes, native: Callable[[str], Parser], plain: Callable[[str], Parser], how: How) -> None:
    try:
        Source(io.BytesIO(data))
    except StreamError:
        return  # it is refused before a parser sees it
    expected = outcome(data, plain, how)
    assert outcome(data, native, how) == expected
