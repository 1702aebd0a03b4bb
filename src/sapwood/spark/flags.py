"""Columns of numbers, categories and flags as one column of texts, which is what trees on Spark learn from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - as everyone calls it
from pyspark.sql.types import BooleanType, DoubleType, FloatType, NumericType, StringType

from sapwood.parameters import Whole

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["flags", "quantiles"]

_MOST_PARTS = 1 << 16  # each is a text of every row that exceeds it
_EXACT = 2**53  # below, whole numbers and doubles are the same


def flags(frame: DataFrame, columns: Sequence[str], thresholds: Mapping[str, Sequence[float]] | None = None) -> Column:
    """Return a column of texts, for ``frame.withColumn("features", flags(frame, ["country", "age"], …))``.

    The texts of a row are a function of that row alone, so that a stream, any partition and any batch make the same.

    - A flag is its name, ``"active"``, where it is true.
    - A category is its name and value, ``"country=fi"``.
    - A number is ``"age > 18"``, ``"age > 37.5"`` and so on, for every threshold that it exceeds.
    - What is missing, null or NaN, has no text.

    Parameters
    ----------
    frame
        The DataFrame, whose types say what each column is. It may be a stream.
    columns
        The columns: booleans are flags, texts are categories, and all other must be numbers.
    thresholds
        For each number where it is asked about: those that you know, or ``quantiles`` of a sample.

    Raises
    ------
    ValueError
        If a column is not there, or is of another type, or a number is without thresholds, or the other way round.
    """
    given = dict(thresholds or {})
    texts: list[Column] = []
    _check_names("flags", columns)
    for name in columns:
        if name not in frame.columns:
            raise ValueError(f"flags: columns must be of the frame, {', '.join(frame.columns)}, got {name!r}")
        kind, value = frame.schema[name].dataType, F.col(f"`{name}`")
        if isinstance(kind, NumericType):
            known = ~F.isnan(value) if isinstance(kind, (FloatType, DoubleType)) else F.lit(True)
            texts += [
                F.when(known & (value > each), F.lit(f"{name} > {_shown(each)}"))
                for each in _checked(name, given.pop(name, None))
            ]
        elif isinstance(kind, BooleanType):
            texts.append(F.when(value, F.lit(name)))
        elif isinstance(kind, StringType):
            texts.append(F.concat(F.lit(f"{name}="), value))
        else:
            raise ValueError(f"flags: column {name!r} must hold booleans, texts or numbers, got {kind.simpleString()}")
    if given:
        raise ValueError(f"flags: thresholds must be of numbers among the columns, got those of {next(iter(given))!r}")
    # A when without its condition, and a concat with a null, are null.
    return F.array_compact(F.array(*texts))


def quantiles(frame: DataFrame, columns: Sequence[str], n: int = 16) -> dict[str, list[float]]:
    """Return thresholds for ``flags``: of each number those that divide its values into n parts of about equal size.

    Exact, so that they do not depend on partitions; in one pass over a frame at rest. Nulls and NaN are left out; equal
    ones are one, and a column without a value has none, which ``flags`` refuses.
    """
    _check_names("quantiles", columns)
    Whole(2, _MOST_PARTS).check("quantiles: n", n)
    shares = [i / n for i in range(1, n)]
    found = frame.approxQuantile([f"`{name}`" for name in columns], shares, 0.0)
    return {name: sorted(set(values)) for name, values in zip(columns, found, strict=True)}


def _check_names(function: str, columns: Sequence[str]) -> None:
    if isinstance(columns, str) or not columns:
        raise ValueError(f"{function}: columns must be a list of names, got {columns!r}")
    for i, name in enumerate(columns):
        if name in columns[:i]:
            raise ValueError(f"{function}: columns must be named once each, got {name!r} again")


def _checked(name: str, thresholds: Sequence[float] | None) -> list[float]:
    if thresholds is None or len(thresholds) == 0:
        raise ValueError(f"flags: thresholds must have those of the number {name!r}, got none")
    for each in thresholds:
        if not math.isfinite(each):
            raise ValueError(f"flags: thresholds of {name!r} must be finite, got {each!r}")
    return sorted({float(each) for each in thresholds})


def _shown(number: float) -> str:
    """Return a number as text: the shortest that is this number, without a fraction that is 0."""
    return repr(int(number)) if number.is_integer() and abs(number) < _EXACT else repr(number)
