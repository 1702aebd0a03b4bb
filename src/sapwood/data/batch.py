"""The type for several points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sapwood import _core
from sapwood.data.category import Category
from sapwood.data.labels import as_label
from sapwood.data.placed_keys import PlacedKeys

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from sapwood.data.kinds import Kinds

__all__ = ["Batch", "Coding", "Columns", "Numbers", "as_dict", "as_objects", "flagged", "unlabelled"]


class Columns(NamedTuple):
    """The columns of the matrices of a model."""

    n: int
    names: NDArray[np.object_] | None
    """The names, if all of them are text; otherwise each column is named by its number."""
    kinds: Kinds = "flag"
    """What the columns hold, as the first matrix said: a word for all of them, or one for each."""


class Numbers(NamedTuple):
    """The numbers of successive points, as compressed rows. A number that a point lacks is missing."""

    indptr: NDArray[np.int64]
    """Where the numbers of each point begin, and where the last ones end."""
    columns: NDArray[np.int32]
    """The attribute of each number: its place in `names`, or its column if there are none."""
    values: NDArray[np.float64]
    """The numbers, which are finite."""
    names: Sequence[Hashable] | None = None
    """What the attributes are called, if they are not columns of a matrix."""

    def part(self, start: int, stop: int) -> Numbers:
        """Return the numbers of the points from `start` to `stop - 1`."""
        indptr = self.indptr[start : stop + 1]
        within = slice(int(indptr[0]), int(indptr[-1]))
        return self._replace(indptr=indptr - indptr[0], columns=self.columns[within], values=self.values[within])

    def taken(self, rows: NDArray[np.intp]) -> Numbers:
        """Return the numbers of the points of these numbers, in this order."""
        indptr, places = _places(self.indptr, rows)
        return self._replace(indptr=indptr, columns=self.columns[places], values=self.values[places])

    def of_points(self) -> Iterator[dict[Any, float]]:
        """Yield the numbers of each point by attribute."""
        columns, values = self.columns.tolist(), self.values.tolist()
        keys = columns if self.names is None else [self.names[column] for column in columns]
        for start, end in pairwise(self.indptr.tolist()):
            yield dict(zip(keys[start:end], values[start:end], strict=True))


class Coding(NamedTuple):
    """Labels by number."""

    classes: NDArray[Any]
    """The distinct labels of the points."""
    codes: NDArray[np.intp]
    """The number of the label of each point in `classes`."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Successive points with their labels and weights: compressed rows of active features, and of numbers.

    The features of point i are the entries ``indptr[i]`` to ``indptr[i + 1]`` of `indices` or of `keys`. Features are
    columns in `indices` (matrices, svmlight files and hashed text), or places in `names` (tables), and any hashable
    objects in `keys`; the other of the two is None. The value of a category is a feature that knows its attribute
    (`Category`). `points` yields each point as ``learn_one`` takes it, with the features in the same order, so a
    learner meets new features in the same order either way.
    """

    y: NDArray[Any]
    """The labels: those of a matrix in their own type; whole numbers as int64 and others as float64 from svmlight
    files, else objects as the file has them; None throughout if there are no labels."""
    indptr: NDArray[np.int64]
    """Where the features of each point begin, and where the last ones end."""
    indices: NDArray[np.int32] | None
    """The active columns of each point, ascending; or, if there are `names`, places in those."""
    keys: list[Any] | PlacedKeys | None
    """The active features of each point, no feature twice in one; those of a reader as places in a list."""
    n_features: int | None
    """The number of columns."""
    first_line: int
    """The line of the first point in the file; of a part, that of the batch."""
    weights: NDArray[np.float64] | None = None
    """The weight of each point; None if each counts once."""
    columns: Columns | None = None
    """The columns of the matrix, if the points are its rows."""
    coding: Coding | None = None
    """The labels by number, if they are known already; see `coded`."""
    numbers: Numbers | None = None
    """The numbers of each point; None if no point can have one."""
    names: Sequence[Hashable] | None = None
    """What each of `indices` stands for, where that is no column."""

    @classmethod
    def of_points(cls, points: Iterable[Any], labels: Sequence[Hashable]) -> Batch:
        """Return a batch of single points, each as ``learn_one`` takes it.

        A feature that a point has twice counts once. Raises TypeError or ValueError if a point or a label is invalid.
        """
        keys: list[Hashable] = []
        place: dict[Hashable, int] = {}
        columns: list[int] = []
        values: list[float] = []
        indptr, number_indptr = [0], [0]
        for x in points:
            flags, numbers = _core.encoded(x)
            keys += dict.fromkeys(flags)
            indptr.append(len(keys))
            columns += [place.setdefault(name, len(place)) for name in numbers]
            values += numbers.values()
            number_indptr.append(len(values))
        if len(indptr) - 1 != len(labels):
            raise ValueError(f"y must have a label for every point, {len(indptr) - 1:,} in all, got {len(labels)}")
        y = as_objects([as_label(label) for label in labels])
        found = Numbers(
            np.array(number_indptr, dtype=np.int64),
            np.array(columns, dtype=np.int32),
            np.array(values, dtype=np.float64),
            list(place),
        )
        return cls(
            y=y,
            indptr=np.array(indptr, dtype=np.int64),
            indices=None,
            keys=keys,
            n_features=None,
            first_line=0,
            numbers=found if values else None,
        )

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def X(self) -> csr_array:  # noqa: N802 - the name scikit-learn users expect of a matrix of points
        """The points as a matrix of ones; raises ValueError where features are keys."""
        if self.indices is None or self.n_features is None or self.names is not None:
            raise ValueError("Batch.X: features must be columns, got keys; use points(), or indptr and keys")
        if self.numbers is not None:
            raise ValueError("Batch.X: points must have no numbers, which a matrix of ones lacks; use points()")
        from scipy.sparse import csr_array

        ones = np.ones(len(self.indices), dtype=np.int8)
        X = csr_array((ones, self.indices, self.indptr), shape=(len(self), self.n_features))
        X.has_canonical_format = True
        return X

    def part(self, start: int, stop: int) -> Batch:
        """Return the points from `start` to `stop - 1`."""
        indptr = self.indptr[start : stop + 1]
        first, last = int(indptr[0]), int(indptr[-1])
        return replace(
            self,
            y=self.y[start:stop],
            indptr=indptr - first,
            indices=None if self.indices is None else self.indices[first:last],
            keys=None if self.keys is None else self.keys[first:last],
            weights=None if self.weights is None else self.weights[start:stop],
            coding=None if self.coding is None else self.coding._replace(codes=self.coding.codes[start:stop]),
            numbers=None if self.numbers is None else self.numbers.part(start, stop),
        )

    def taken(self, rows: NDArray[np.intp]) -> Batch:
        """Return the points of these numbers, in this order."""
        indptr, places = _places(self.indptr, rows)
        classes, codes = self.coded
        return replace(
            self,
            y=self.y[rows],
            indptr=indptr,
            indices=None if self.indices is None else self.indices[places],
            keys=_taken(self.keys, places),
            weights=None if self.weights is None else self.weights[rows],
            coding=Coding(classes, codes[rows]),
            numbers=None if self.numbers is None else self.numbers.taken(rows),
        )

    def features(self) -> Iterator[list[Any]]:
        """Yield the active features of each point."""
        flat: list[Any] = self.indices.tolist() if self.indices is not None else list(self.keys or ())
        if self.names is not None:
            flat = [self.names[place] for place in flat]
        for start, end in pairwise(self.indptr.tolist()):
            yield flat[start:end]

    def labels(self) -> list[Any]:
        """Return the label of each point as a Python object; whole numbers are integers."""
        labels: list[Any] = self.y.tolist()
        if self.y.dtype.kind == "f":
            labels = [int(label) if label.is_integer() else label for label in labels]
        return labels

    def points(self) -> Iterator[tuple[Any, Any]]:
        """Yield each point as ``learn_one`` takes it, and its label, as Python objects.

        A point is the list of its active features or, where points may have numbers, a dict: of an attribute its
        number or the text of its category, of any other active feature True.
        """
        if self.numbers is None:
            return zip(self.features(), self.labels(), strict=True)
        mixed = map(as_dict, self.features(), self.numbers.of_points())
        return zip(mixed, self.labels(), strict=True)

    # ---- for learners -----------------------------------------------------------------------------------------------

    @cached_property
    def coded(self) -> Coding:
        """The labels by number. Raises TypeError or ValueError if a label is invalid."""
        if self.coding is not None:
            return self.coding
        if self.y.dtype.kind in "iu":
            found, codes = np.unique(self.y, return_inverse=True)
            return Coding(found, codes.reshape(-1))
        labels = self.labels()
        number = {as_label(label): code for code, label in enumerate(dict.fromkeys(labels))}
        return Coding(as_objects(list(number)), np.fromiter(map(number.__getitem__, labels), np.intp, len(labels)))

    def order(self, rows: slice | NDArray[np.intp] = slice(None)) -> list[Hashable]:
        """Return the distinct labels of all points, or of these rows, by first appearance; weight 0 is left out."""
        classes, codes = self.coded
        codes = codes[rows]
        if self.weights is not None:
            codes = codes[self.weights[rows] > 0]
        found, first = np.unique(codes, return_index=True)
        names = classes.tolist()
        return [names[code] for code in found[np.argsort(first)].tolist()]

    def rows_of(self, n_points: int) -> int:
        """Return the number of rows passed when `n_points` points of a weight above 0 have been learned."""
        if self.weights is None:
            return n_points
        return int(np.searchsorted(np.cumsum(self.weights > 0), n_points, side="right"))

    def as_numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16]]:
        """Return offsets, columns and labels as the split searches take them.

        Features must be columns, and labels the numbers of classes, as those of `binary_batch` are.
        """
        if self.indices is None or self.y.dtype != np.uint16:
            raise ValueError("Batch.as_numbers: features must be columns and labels numbers of classes, got others")
        return self.indptr, self.indices, self.y


def _places(indptr: NDArray[np.int64], rows: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where some of the rows begin when they stand alone, in this order, and where each of their entries was."""
    sizes = np.diff(indptr)[rows]
    begins = np.concatenate(([0], np.cumsum(sizes)))
    # Where its row began, and how far it is from there.
    return begins, np.arange(begins[-1]) + np.repeat(indptr[rows] - begins[:-1], sizes)


def as_dict(features: Iterable[Any], numbers: Mapping[Any, float]) -> dict[Any, Any]:
    """Return a point of active features and numbers as a dict of the same meaning."""
    values: dict[Any, Any] = {}
    for feature in features:
        if isinstance(feature, Category):
            values[feature.attribute] = feature.value
        else:
            values[feature] = True
    return values | dict(numbers)


def flagged(batch: Batch, threshold: float | None) -> Batch:
    """Return points with a flag in place of each number, on where it is greater; without a threshold it is 0 or 1.

    The value of a category is a flag like any other.
    """
    if batch.numbers is None:
        plain = None if batch.names is None else [_plain(name) for name in batch.names]
        return replace(batch, names=plain, keys=_plain_keys(batch.keys))
    indptr, columns, values, names = batch.numbers
    on = values == 1 if threshold is None else values > threshold
    if threshold is None and not (on | (values == 0)).all():
        raise ValueError(f"numbers must be 0 or 1 if binarize is None, got {values[~on & (values != 0)][0]}")
    if names is None:
        assert batch.columns is not None
        names = range(batch.columns.n) if batch.columns.names is None else batch.columns.names.tolist()
    above = [names[column] for column in columns[on].tolist()]
    ends = np.concatenate(([0], np.cumsum(on)))[indptr]
    rows = [[*flags, *above[a:b]] for flags, (a, b) in zip(batch.features(), pairwise(ends.tolist()), strict=True)]
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    keys = [_plain(key) for row in rows for key in row]
    return replace(batch, indptr=starts, indices=None, names=None, keys=keys, numbers=None)


def _taken(keys: list[Any] | PlacedKeys | None, places: NDArray[np.int64]) -> list[Any] | PlacedKeys | None:
    """Return the keys of these numbers, in this order."""
    if keys is None or isinstance(keys, PlacedKeys):
        return None if keys is None else keys.taken(places)
    return [keys[place] for place in places.tolist()]


def _plain_keys(keys: list[Any] | PlacedKeys | None) -> list[Any] | PlacedKeys | None:
    if isinstance(keys, PlacedKeys):
        return PlacedKeys([_plain(key) for key in keys.names], keys.places)
    return None if keys is None else [_plain(key) for key in keys]


def _plain(key: Any) -> Any:
    return str(key) if type(key) is Category else key


def as_objects(labels: Sequence[Any]) -> NDArray[np.object_]:
    """Return labels as they are, in an array: of strings NumPy would cut the zeros at the end."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def unlabelled(n: int) -> NDArray[np.object_]:
    """Return the labels of n points that have none, in no memory."""
    return np.broadcast_to(np.array(None, dtype=object), (n,))
