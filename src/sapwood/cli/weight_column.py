"""The column of a table that holds the weights of its points."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sapwood.cli.readers import TABLES

if TYPE_CHECKING:
    from sapwood.data import Batch
    from sapwood.stream import Encoding, Reader, StreamError

__all__ = ["as_told", "check_weights_apply", "opened_with", "read_with", "saved_with", "weighted_by"]


def check_weights_apply(file: str, format_read: str | None) -> None:
    """Raise ValueError if a stream has no columns."""
    if format_read not in (None, *TABLES):
        raise ValueError(f"--weight-column must be left out for {file}: {format_read} has no columns")


def read_with(encoding: Encoding, column: str | None) -> Encoding:
    """Return how the lines are read: the column with the weights as a number."""
    if column is None:
        return encoding
    ignore = tuple(name for name in encoding.ignore if name != column)
    types = tuple(pair for pair in encoding.types if pair[0] != column)
    return replace(encoding, ignore=ignore, types=(*types, (column, "number")))


def opened_with(encoding: Encoding, column: str | None, file: str, **how: Any) -> Reader:
    """Open a stream with the column of the weights; raise ValueError if it has no columns."""
    try:
        return read_with(encoding, column).open(file, **how)
    except ValueError as error:
        # The type of the column is ours, and what does not apply is the column.
        refused = re.match(r"read: types must be left out for the format (\w+)", str(error))
        if column is not None and refused is not None and not encoding.types:
            check_weights_apply(file, refused.group(1))
        raise


def as_told(error: StreamError, column: str | None) -> StreamError:
    """Return an error of a stream in the words of the user, who named the column of the weights and gave no type."""
    own = f"{column!r}, which types names"
    if column is None or not error.expected.endswith(own):
        return error
    expected = error.expected.removesuffix(own) + f"{column!r}, which --weight-column names"
    return type(error)(error.file, expected, error.found, error.line, error.column)


def saved_with(encoding: Encoding, column: str | None) -> Encoding:
    """Return how other points are read: without the column, which says nothing of their class."""
    if column is None:
        return encoding
    ignore = encoding.ignore if column in encoding.ignore else (*encoding.ignore, column)
    return replace(encoding, ignore=ignore, types=tuple(pair for pair in encoding.types if pair[0] != column))


def weighted_by(batch: Batch, column: str, file: str) -> Batch:
    """Return the points with the numbers of a column as their weights, and without that number.

    Raises StreamError if a point has none, or one that is no weight.
    """
    import numpy as np

    from sapwood.data.weights import LARGEST_WEIGHT
    from sapwood.stream import StreamError

    numbers = batch.numbers
    names = [] if numbers is None or numbers.names is None else list(numbers.names)
    if numbers is None or column not in names:
        raise StreamError(file, f"a column {column!r} of numbers, which --weight-column names", "none")
    place = names.index(column)
    here = numbers.columns == place
    before = np.concatenate(([0], np.cumsum(here)))
    counts = np.diff(before[numbers.indptr])
    if not counts.all():
        at = int(np.flatnonzero(counts == 0)[0])
        where = f"the {at + 1:,}. point from line {batch.first_line:,} on"
        raise StreamError(file, f"a weight in column {column!r} of every point", f"none in {where}")
    weights = numbers.values[here]
    wrong = np.flatnonzero(~((weights >= 0) & (weights <= LARGEST_WEIGHT)))
    if len(wrong):
        raise StreamError(
            file, f"weights from 0 to {LARGEST_WEIGHT} in column {column!r}", f"{weights[int(wrong[0])]:g}"
        )
    del names[place]
    columns = numbers.columns[~here]
    rest = numbers._replace(
        indptr=numbers.indptr - before[numbers.indptr],
        columns=np.where(columns > place, columns - 1, columns).astype(np.int32),
        values=numbers.values[~here],
        names=names,
    )
    return replace(batch, numbers=rest, weights=weights)
