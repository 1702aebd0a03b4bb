"""From columns of Arrow to the points that workers count: compressed rows of ids, and labels by their numbers.

An Arrow list *is* compressed rows: offsets and values, which are read in place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sapwood import _core
from sapwood.data.weights import LARGEST_WEIGHT
from sapwood.spark.mixed import flags_of, numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sapwood.spark.mixed import Numbers, Rows

__all__ = ["Columns", "Given", "Labelled", "SparkDataError"]

T = TypeVar("T")


class Given(NamedTuple):
    """What rows hold: offsets and ids of the features that are on, and of numbers with their values."""

    indptr: NDArray[np.int64]
    ids: NDArray[np.uint64]
    numbers: Numbers | None = None


class Labelled(NamedTuple):
    """Rows that are learned: what they hold, their labels and how often each counts."""

    given: Given
    labels: NDArray[np.uint16]
    weights: NDArray[np.int32] | None


class SparkDataError(ValueError):
    """A row that cannot be learned; the message names the batch, the column and the value."""


@dataclass(frozen=True)
class Columns:
    """Which columns hold the points, and how they are called in errors.

    Attributes
    ----------
    features
        The column of features: Spark ML's vectors, arrays of integers, or arrays of texts. Or several columns, whose
        types say what each is: numbers, texts, which are categories, booleans, which are flags, or such a column.
    label
        The column of labels; None to predict.
    weight
        The column of weights; None if every row counts once.
    classes
        All labels, in the order of their numbers.
    owner
        The method that is named in errors.
    batch
        The number of the batch, if there are several.
    """

    features: str | tuple[str, ...]
    label: str | None
    classes: tuple[Hashable, ...]
    owner: str
    batch: int | None = None
    weight: str | None = None

    @property
    def names(self) -> list[str]:
        """The columns, in the order in which workers are given them: features, label, weight."""
        return [*self.feature_names, *(name for name in (self.label, self.weight) if name is not None)]

    @property
    def feature_names(self) -> list[str]:
        """The columns of features."""
        return [self.features] if isinstance(self.features, str) else list(self.features)

    def given(self, batch: pa.RecordBatch) -> Given:
        """Return what rows hold, whose columns of features come first."""
        if isinstance(self.features, str):
            return Given(*self.rows(self.features, batch.column(0)))
        columns = [(name, batch.column(i)) for i, name in enumerate(self.features)]
        flags = flags_of(columns, self.rows, batch.num_rows)
        return Given(*flags, numbers_of(columns, self.refuse, batch.num_rows))

    def rows(self, name: str, column: pa.Array) -> Rows:
        """Return the ids of the features that are on in each point, of one column."""
        self._refuse_nulls(column, name)
        if pa.types.is_struct(column.type):
            return self._vectors(name, column)
        if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
            self._refuse_type(name, column.type)
        indptr = column.offsets.to_numpy().astype(np.int64)
        # A slice of an array begins anywhere in its values.
        values = column.values.slice(int(indptr[0]), int(indptr[-1] - indptr[0]))
        indptr = indptr - indptr[0]
        self._refuse_nulls(values, name)
        if pa.types.is_integer(values.type):
            return indptr, self._columns_of(name, values)
        if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
            self._refuse_type(name, column.type)
        return indptr, text_ids(values)

    def labels(self, column: pa.Array) -> NDArray[np.uint16]:
        """Return the number of the class of each point."""
        assert self.label is not None
        self._refuse_nulls(column, self.label)
        encoded = column.dictionary_encode()
        number = {label: i for i, label in enumerate(self.classes)}
        codes = []
        for label in encoded.dictionary.to_pylist():
            if label not in number:
                self.refuse(self.label, f"hold the classes {listed(self.classes)} only", repr(label))
            codes.append(number[label])
        found: NDArray[np.uint16] = np.array(codes, dtype=np.uint16)[encoded.indices.to_numpy()]
        return found

    def weights(self, column: pa.Array) -> NDArray[np.int32]:
        """Return how often each point counts."""
        assert self.weight is not None
        self._refuse_nulls(column, self.weight)
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            self.refuse(self.weight, "hold whole numbers", str(column.type))
        numbers = column.to_numpy(zero_copy_only=False)
        # NaN is in no range.
        wrong = ~((numbers >= 0) & (numbers <= LARGEST_WEIGHT) & (np.floor(numbers) == numbers))
        if wrong.any():
            constraint = f"hold whole numbers from 0 to {LARGEST_WEIGHT}"
            self.refuse(self.weight, constraint, repr(numbers[wrong][0].item()))
        found: NDArray[np.int32] = numbers.astype(np.int32)
        return found

    def points(self, batch: pa.RecordBatch) -> Labelled:
        """Return rows of `names` as they are learned."""
        at = len(self.feature_names)
        weights = None if self.weight is None else self.weights(batch.column(at + 1))
        return Labelled(self.given(batch), self.labels(batch.column(at)), weights)

    def naming_errors(self, call: Callable[..., T], *arguments: Any) -> T:
        """Call what refuses points by a ValueError, which is raised again with the batch and the column."""
        try:
            return call(*arguments)
        except SparkDataError:
            raise
        except ValueError as error:
            where = self.features if isinstance(self.features, str) else ", ".join(self.features)
            raise SparkDataError(f"{self.owner}: {self._where(where)}: {error}") from None

    def _columns_of(self, name: str, values: pa.Array) -> NDArray[np.uint64]:
        ids = values.to_numpy(zero_copy_only=False)
        wrong = (ids < 0) | (ids >= _core.MAX_COLUMNS)
        if wrong.any():
            which = int(ids[wrong][0])
            self.refuse(name, f"hold features from 0 to {_core.MAX_COLUMNS - 1}", str(which))
        found: NDArray[np.uint64] = ids.astype(np.uint64)
        return found

    def _vectors(self, name: str, column: pa.Array) -> Rows:
        """Return what is on in vectors of Spark ML: above 0, in the sparse ones (0) and the dense ones (1)."""
        parts = {field.name for field in column.type}
        if parts != {"type", "size", "indices", "values"}:
            self._refuse_type(name, column.type)
        kinds, indices, values = (column.field(part) for part in ("type", "indices", "values"))
        numbers = values.flatten().to_numpy(zero_copy_only=False)
        if np.isnan(numbers).any():
            self.refuse(name, "hold numbers", "nan")
        ends = np.cumsum([0, *values.value_lengths().to_pylist()], dtype=np.int64)
        # A dense vector has no indices: its numbers stand where they stand.
        places = np.arange(len(numbers), dtype=np.int64) - np.repeat(ends[:-1], np.diff(ends))
        is_sparse = np.repeat(kinds.to_numpy(zero_copy_only=False) == 0, np.diff(ends))
        places[is_sparse] = indices.flatten().to_numpy(zero_copy_only=False)
        on = numbers > 0
        indptr = np.concatenate(([0], np.cumsum(on)))[ends].astype(np.int64)
        return indptr, places[on].astype(np.uint64)

    def _refuse_type(self, name: str, got: pa.DataType) -> NoReturn:
        if isinstance(self.features, str):
            constraint = "hold vectors, or arrays of integers or texts; a list of columns may hold numbers and texts"
        else:
            constraint = "hold numbers, texts, booleans, vectors, or arrays of integers or texts"
        self.refuse(name, constraint, str(got))

    def _refuse_nulls(self, column: pa.Array, name: str) -> None:
        if column.null_count:
            row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            self.refuse(name, "hold no null", f"null (item {row} of a part)")

    def _where(self, column: str) -> str:
        return f"column {column!r}" if self.batch is None else f"batch {self.batch}, column {column!r}"

    def refuse(self, column: str, constraint: str, got: str) -> NoReturn:
        """Raise SparkDataError with the batch, the column, what it must do, and what it does."""
        raise SparkDataError(f"{self.owner}: {self._where(column)} must {constraint}, got {got}")


def text_ids(values: pa.Array) -> NDArray[np.uint64]:
    """Return the ids of texts, read where Arrow has them."""
    texts = pc.cast(values, pa.large_string())
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return _core.ids_of_texts(np.ascontiguousarray(ends), text)


def listed(labels: Sequence[Hashable], most: int = 10) -> str:
    """Return labels as text, the first few of many."""
    shown = ", ".join(map(repr, labels[:most]))
    return shown if len(labels) <= most else f"{shown}, …"
