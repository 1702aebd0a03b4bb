"""The split search as a Python object."""

from __future__ import annotations

from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, overload

from sapwood import _core
from sapwood._points import as_points

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

CRITERIA: tuple[str, ...] = _core.CRITERIA
"""The impurities that a split can be judged by."""

SEARCHES: tuple[str, ...] = _core.SEARCHES
"""The ways to search for the best split, from the plainest on."""


class Split(NamedTuple):
    """A feature and how well it splits the points seen."""

    feature: int
    """The id of the feature."""
    score: float
    """n · H(D | feature) in nats, or n · G(D | feature): the smaller the better."""
    gain: float
    """Impurity of the points less their impurity given the feature, a point: the larger the better."""
    counts: tuple[tuple[int, int], tuple[int, int]]
    """``counts[v][k]``: the points of class k in which the feature has the value v."""


class Trace(NamedTuple):
    """The best split after each of a series of points."""

    feature: NDArray[np.int64]
    """Its feature, -1 where none had been seen."""
    score: NDArray[np.float64]
    """Its score, NaN where no feature had been seen."""


class SplitFinder:
    """Keeps the feature that best splits a stream of sparse binary points with binary labels.

    Guarantee, after every point, for the score n · H(D | j) or n · G(D | j) of the returned feature:

    - ``search="exhaustive"`` (the paper's BaseEnt and BaseGini) is exact; a query takes O(d) for d features seen.
    - ``search="approximate"`` (UpdEnt and UpdGini) is within a factor 1 + alpha of the smallest score; a point with m
      active features takes amortised O(α⁻¹ (1 + m log d) log log n) for entropy and O(α⁻¹ + m log d) for Gini.

    The factor bounds the score, not the gain. Equal scores go to the smaller feature id: always in the exhaustive
    search, among the features it looks at in the approximate one. Memory grows with the features seen. At most
    2³¹ - 1 points can be added. An object may be used from several threads; each call is atomic.

    The algorithms are Nikolaj Tatti's, *Approximating splits for decision trees quickly in sparse data streams*,
    SDM 2025.

    Parameters
    ----------
    criterion
        ``"entropy"`` or ``"gini"``.
    search
        ``"approximate"`` or ``"exhaustive"``.
    alpha
        How far from the best an approximate split may be, at least 1e-6. Other searches do not use it.

    Examples
    --------
    >>> finder = SplitFinder(criterion="gini")
    >>> finder.add([3, 17, 42], 1)
    >>> finder.add([3, 5], 0)
    >>> finder.best()
    Split(feature=5, score=0.0, gain=0.5, counts=((0, 1), (1, 0)))
    """

    __slots__ = ("_search",)

    _search: _core.SplitSearch

    def __init__(self, criterion: str = "entropy", search: str = "approximate", alpha: float = 0.1) -> None:
        for name, word in (("criterion", criterion), ("search", search)):
            if not isinstance(word, str):
                raise TypeError(f"SplitFinder: {name} must be a string, got {word!r}")
        if not isinstance(alpha, Real):
            raise TypeError(f"SplitFinder: alpha must be a number, got {alpha!r}")
        try:
            self._search = _core.SplitSearch(criterion, search, float(alpha))
        except OverflowError:
            raise ValueError(f"SplitFinder: alpha must be a finite number, got {alpha!r}") from None
        except ValueError as error:
            _raise_named("SplitFinder", error)

    def add(self, features: Iterable[int], label: int) -> None:
        """Add one point: the ids of its active features, in any order, and its label, 0 or 1.

        Raises
        ------
        ValueError
            If a feature is repeated, negative or above 2³¹ - 1, or the label is neither 0 nor 1.
        TypeError
            If a feature is not an integer.
        OverflowError
            If 2³¹ - 1 points have been added.
        """
        try:
            self._search.add(features, label)
        except (ValueError, TypeError, OverflowError) as error:
            _raise_named("SplitFinder.add", error)

    @overload
    def add_many(self, X: Any, y: ArrayLike, trace: Literal[False] = False) -> None: ...
    @overload
    def add_many(self, X: Any, y: ArrayLike, trace: Literal[True]) -> Trace: ...
    @overload
    def add_many(self, X: Any, y: ArrayLike, trace: bool) -> Trace | None: ...

    def add_many(self, X: Any, y: ArrayLike, trace: bool = False) -> Trace | None:
        """Add the rows of a matrix of 0 and 1, in order, and report the best split after each if asked to.

        All rows are checked before the first is added, so that a matrix with an error changes nothing. The
        interpreter is free for other threads meanwhile; they must not write to the arrays. An interrupt (Ctrl-C)
        keeps the rows added so far, of which ``n`` tells how many there are.

        Parameters
        ----------
        X
            A scipy sparse matrix or array, best in CSR format with sorted indices, which is read in place; or a dense
            array. A column is a feature.
        y
            The labels, 0 or 1, one for every row.
        trace
            Whether to query after every row and return what was found.

        Examples
        --------
        >>> import numpy as np
        >>> finder = SplitFinder(search="exhaustive")
        >>> finder.add_many(np.array([[1, 0], [1, 1], [0, 1]]), [0, 1, 1], trace=True).feature.tolist()
        [0, 1, 1]
        """
        try:
            points = as_points(X, y)
            found = self._search.add_csr(points.indptr, points.indices, points.labels, points.n_columns, trace)
        except (ValueError, TypeError, OverflowError) as error:
            _raise_named("SplitFinder.add_many", error)
        return None if found is None else Trace(*found)

    def best(self) -> Split | None:
        """Return the best split, or None before any feature was seen."""
        found = self._search.best()
        return None if found is None else Split(*found)

    def top(self, k: int) -> list[Split]:
        """Return the k best splits, best first; fewer if fewer features were seen.

        Exhaustive: exact. Approximate: the i-th score is within a factor 1 + alpha of the true i-th.
        """
        try:
            wanted = index(k)
        except TypeError:
            raise TypeError(f"SplitFinder.top: k must be an integer, got {k!r}") from None
        if wanted < 1:
            raise ValueError(f"SplitFinder.top: k must be at least 1, got {k}")
        # More than there are features is the same as all of them, however large the number.
        return [Split(*found) for found in self._search.top(min(wanted, 2**31))]

    def counts(self, feature: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return ``counts[v][k]``, the points of class k in which the feature has the value v."""
        try:
            return self._search.counts(feature)
        except (ValueError, TypeError) as error:
            _raise_named("SplitFinder.counts", error)

    @property
    def criterion(self) -> str:
        """The impurity that splits are judged by."""
        return self._search.criterion

    @property
    def search(self) -> str:
        """How the best split is searched for."""
        return self._search.search

    @property
    def alpha(self) -> float:
        """How far from the best an approximate split may be."""
        return self._search.alpha

    @property
    def n(self) -> int:
        """The number of points added."""
        return sum(self.class_counts)

    @property
    def class_counts(self) -> tuple[int, int]:
        """The number of points of each class."""
        return self._search.class_counts()

    @property
    def n_features_seen(self) -> int:
        """The number of features that were on in at least one point."""
        return self._search.n_features_seen()

    @property
    def n_trees(self) -> int:
        """The number of search trees that hold features: the paper's "# of Ts". 0 if the search has no trees."""
        return self._search.n_trees()

    @property
    def n_bytes(self) -> int:
        """The memory held by the search, in bytes."""
        return self._search.n_bytes()

    @property
    def work(self) -> dict[str, int]:
        """Counters of the work done so far.

        ``moves``: times a feature was put into a tree in which it was not; ``key_updates``: keys written into trees;
        ``examined``: features whose score was computed to answer a query.
        """
        return self._search.work()

    def validate(self) -> None:
        """Check every invariant of the structure against the counts; raise RuntimeError saying what is broken.

        For tests: it takes time proportional to all that is held.
        """
        self._search.validate()

    def copy(self) -> SplitFinder:
        """Return an independent copy that continues exactly as this object would."""
        other = SplitFinder.__new__(SplitFinder)
        other._search = self._search.copy()
        return other

    def __copy__(self) -> SplitFinder:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> SplitFinder:
        return self.copy()

    def __repr__(self) -> str:
        alpha = f", alpha={self.alpha:g}" if self.search == "approximate" else ""
        return (
            f"<SplitFinder(criterion={self.criterion!r}, search={self.search!r}{alpha}):"
            f" {self.n} points, {self.n_features_seen} features seen>"
        )


def _raise_named(owner: str, error: Exception) -> NoReturn:
    """Raise an error of the core again, under the name that the user called."""
    raise type(error)(f"{owner}: {error}") from None
