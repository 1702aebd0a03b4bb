"""The split search as a Python object."""

from __future__ import annotations

from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, cast, overload

import numpy as np

from sapwood import _core
from sapwood.data import binary_batch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from sapwood.data import Batch
    from sapwood.parameters import Criterion, Search

CRITERIA: tuple[Criterion, ...] = _core.CRITERIA
"""The impurity measures that score a split."""

SEARCHES: tuple[Search, ...] = _core.SEARCHES
"""The searches for the best split. Not every search takes every criterion: see SplitFinder."""

Counts = tuple[tuple[int, ...], tuple[int, ...]]
"""``counts[v][k]``: the number of points of class k in which a feature has the value v."""


class Split(NamedTuple):
    """A feature and how well it splits the points seen."""

    feature: int
    """The id of the feature."""
    score: float
    """n · impurity(D | feature), in nats for entropy. Smaller is better."""
    gain: float
    """The impurity that the split removes per point: impurity(D) - impurity(D | feature). Larger is better."""
    counts: Counts
    """``counts[v][k]``: the number of points of class k in which the feature has the value v."""


class Trace(NamedTuple):
    """The best split after each of a series of points."""

    feature: NDArray[np.int64]
    """The feature; -1 where no feature had been seen."""
    score: NDArray[np.float64]
    """The score; NaN where no feature had been seen."""


class FinderCounts(NamedTuple):
    """All that a finder has counted."""

    class_counts: NDArray[np.int32]
    """The number of points of each class."""
    features: NDArray[np.int32]
    """The features seen, ascending."""
    on: NDArray[np.int32]
    """``on[k][i]``: the number of points of class k in which ``features[i]`` is on."""


class SplitFinder:
    """Finds the best split of a stream of sparse binary points, after every point.

    Guarantee, after every point, for the score n · impurity(D | j) of the returned feature:

    - ``search="exhaustive"`` (the paper's BaseEnt and BaseGini) is exact; a query takes O(d) for d features seen.
    - ``search="certified"`` is exact: it returns what the exhaustive search returns, to the last bit and with the same
      ties. ``add`` takes O(m) for m active features. A query takes O(candidates); a stream with a signal has a few
      candidates. At worst, all queries together take less than twice what exhaustive ones would.
    - ``search="approximate"`` (UpdEnt and UpdGini) is within a factor 1 + alpha of the smallest score. A point with m
      active features takes amortised O(α⁻¹ (1 + m log d) log log n) for entropy and O(α⁻¹ + m log d) for Gini. It
      takes two classes, entropy or Gini, and no removals.

    The factor bounds the score, not the gain. Among equal scores the smaller feature id wins: always in the exact
    searches, and among the candidates in the approximate one. Memory grows with the number of features seen. At most
    2³¹ - 1 points can be held. An object may be used from several threads; each call is atomic.

    BaseEnt, BaseGini, UpdEnt and UpdGini are from Nikolaj Tatti, *Approximating splits for decision trees quickly in
    sparse data streams*, SDM 2025.

    Parameters
    ----------
    criterion
        The impurity measure: ``"entropy"``, ``"gini"`` or, for two classes, ``"kearns_mansour"``, 2 √(p (1 - p)).
    search
        The search: ``"certified"``, ``"exhaustive"`` or ``"approximate"``.
    alpha
        The relative error allowed to the approximate search, from 1e-6 to 1e9; other searches ignore it.
    n_classes
        The number of classes, at least 2. Labels are 0, …, n_classes - 1.

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

    def __init__(
        self, criterion: Criterion = "entropy", search: Search = "certified", alpha: float = 0.1, n_classes: int = 2
    ) -> None:
        for name, word in (("criterion", criterion), ("search", search)):
            if not isinstance(word, str):
                raise TypeError(f"SplitFinder: {name} must be a string, got {word!r}")
        if not isinstance(alpha, Real):
            raise TypeError(f"SplitFinder: alpha must be a number, got {alpha!r}")
        try:
            classes = index(n_classes)
        except TypeError:
            raise TypeError(f"SplitFinder: n_classes must be an integer, got {n_classes!r}") from None
        if not 2 <= classes <= _core.MAX_CLASSES:  # noqa: PLR2004 - with one class there is nothing to split
            raise ValueError(f"SplitFinder: n_classes must be from 2 to {_core.MAX_CLASSES}, got {classes}")
        try:
            self._search = _core.SplitSearch(criterion, search, float(alpha), classes)
        except OverflowError:
            raise ValueError(f"SplitFinder: alpha must be a finite number, got {alpha!r}") from None
        except ValueError as error:
            _raise_named("SplitFinder", error)

    def add(self, features: Iterable[int], label: int, weight: int = 1) -> None:
        """Add one point: the ids of its active features, in any order, and its label, from 0 to n_classes - 1.

        A point of weight w counts as w points. A point of weight 0 is checked and changes nothing.

        Raises
        ------
        ValueError
            If a feature is repeated, negative or above 2³¹ - 1, if the label is no class, or if the weight is negative.
        TypeError
            If a feature or the weight is not an integer.
        OverflowError
            If there would be more than 2³¹ - 1 points.
        """
        try:
            self._search.add(features, label, weight)
        except (ValueError, TypeError, OverflowError) as error:
            _raise_named("SplitFinder.add", error)

    def remove(self, features: Iterable[int], label: int, weight: int = 1) -> None:
        """Remove a point that was added: the same features, in any order, and the same label.

        The answers are then those of a finder that never saw the point, except that its features stay seen. A finder
        keeps counts, not points. It refuses a point if there are no points of its class, if one of its features is on
        in none of them, or if a feature that it lacks is on in all of them.

        The approximate search cannot remove points: its bins rely on counts that never fall.

        Raises
        ------
        ValueError
            If the point cannot have been added ``weight`` times, if ``add`` would not take it, or if the search is
            approximate.
        TypeError
            If a feature or the weight is not an integer.

        Examples
        --------
        A window over the last two points:

        >>> points = [([1], 0), ([2], 1), ([1, 2], 1), ([2], 0)]
        >>> finder = SplitFinder()
        >>> for i, (features, label) in enumerate(points):
        ...     finder.add(features, label)
        ...     if i >= 2:
        ...         finder.remove(*points[i - 2])
        >>> finder.class_counts
        (1, 1)
        >>> finder.best().feature
        1
        """
        try:
            self._search.remove(features, label, weight)
        except (ValueError, TypeError) as error:
            _raise_named("SplitFinder.remove", error)

    def merge(self, other: SplitFinder, over: str = "points") -> None:
        """Add what another finder has seen; the other does not change.

        The answers are then those of one finder that saw everything. The criterion and the number of classes must be
        the same; the searches may differ. The time is proportional to the number of features seen by both.

        Parameters
        ----------
        other
            The other finder. Merging a finder with itself counts every point twice.
        over
            ``"points"`` if the other saw other points: all counts are added. ``"features"`` if the other saw other
            features of the same points: the features are joined, and the class counts must agree.

        Raises
        ------
        ValueError
            If the finders do not fit, or if a feature is seen by both and ``over`` is ``"features"``.
        OverflowError
            If there would be more than 2³¹ - 1 points.

        Examples
        --------
        >>> here, there = SplitFinder(), SplitFinder()
        >>> here.add([1], 0)
        >>> there.add([2], 1)
        >>> here.merge(there)
        >>> here.n, here.n_features_seen
        (2, 2)
        """
        if not isinstance(other, SplitFinder):
            raise TypeError(f"SplitFinder.merge: other must be a SplitFinder, got {other!r}")
        if not isinstance(over, str):
            raise TypeError(f"SplitFinder.merge: over must be a string, got {over!r}")
        try:
            self._search.merge(other._search, over)
        except (ValueError, OverflowError) as error:
            _raise_named("SplitFinder.merge", error)

    @overload
    def add_many(self, X: Any, y: ArrayLike, trace: Literal[False] = False) -> None: ...
    @overload
    def add_many(self, X: Any, y: ArrayLike, trace: Literal[True]) -> Trace: ...
    @overload
    def add_many(self, X: Any, y: ArrayLike, trace: bool) -> Trace | None: ...

    def add_many(self, X: Any, y: ArrayLike, trace: bool = False) -> Trace | None:
        """Add the rows of a matrix of 0 and 1 in order; with ``trace``, return the best split after each.

        All rows are checked before the first is added, so a matrix with an error changes nothing. The interpreter lock
        is released meanwhile; other threads must not write to the arrays. An interrupt (Ctrl-C) keeps the rows added so
        far, which ``n`` counts.

        Parameters
        ----------
        X
            A scipy sparse matrix or array, or a dense array, with one column per feature. CSR with sorted indices is
            read in place.
        y
            The labels, from 0 to n_classes - 1, one per row.
        trace
            Whether to return the best split after every row.

        Examples
        --------
        >>> import numpy as np
        >>> finder = SplitFinder(search="exhaustive")
        >>> finder.add_many(np.array([[1, 0], [1, 1], [0, 1]]), [0, 1, 1], trace=True).feature.tolist()
        [0, 1, 1]
        """
        try:
            points = binary_batch(X, y, self.n_classes)
            found = self._search.add_csr(*points.as_numbers(), points.n_features or 0, bool(trace))
        except (ValueError, TypeError, OverflowError) as error:
            _raise_named("SplitFinder.add_many", error)
        return None if found is None else Trace(*found)

    def add_batch(self, points: Batch) -> None:
        """Add points whose features are columns and whose labels are the numbers of classes, in order.

        They are checked, as ``add_many`` does, before the first is added.
        """
        try:
            self._search.add_csr(*points.as_numbers(), points.n_features or 0, False)
        except (ValueError, OverflowError) as error:
            _raise_named("SplitFinder.add_batch", error)

    def all_counts(self) -> FinderCounts:
        """Return all that was counted, from which another finder can go on: see ``add_counts``.

        Examples
        --------
        >>> finder = SplitFinder()
        >>> finder.add([7, 2], 1)
        >>> finder.add([7], 0)
        >>> class_counts, features, on = finder.all_counts()
        >>> class_counts.tolist(), features.tolist(), on.tolist()
        ([1, 1], [2, 7], [[0, 1], [1, 1]])
        """
        state = self._search.__getstate__()
        order = np.argsort(state[5], kind="stable")
        return FinderCounts(state[4], state[5][order], state[6][:, order])

    def add_counts(self, class_counts: ArrayLike, features: ArrayLike, on: ArrayLike) -> None:
        """Add many points by their counts, as if each had been added.

        With the exact searches it takes O(counts), whatever the finder has seen.

        Parameters
        ----------
        class_counts
            The number of points of each class.
        features
            The ids of features, in any order, each once.
        on
            For each class a row with the number of its points in which each feature is on.

        Raises
        ------
        ValueError
            If no points have such counts, or a feature is repeated or negative.
        TypeError
            If a count or a feature is not an integer.
        OverflowError
            If there would be more than 2³¹ - 1 points.

        Examples
        --------
        >>> finder = SplitFinder()
        >>> finder.add_counts([2, 1], [4, 9], [[2, 0], [0, 1]])
        >>> finder.n, finder.counts(4)
        (3, ((0, 1), (2, 0)))
        """
        try:
            self._search.add_counts(
                _counts("class_counts", class_counts, 1), _counts("features", features, 1), _counts("on", on, 2)
            )
        except (ValueError, TypeError, OverflowError) as error:
            _raise_named("SplitFinder.add_counts", error)

    @property
    def native(self) -> _core.SplitSearch:
        """The native search, for measurements without Python."""
        return self._search

    def best(self) -> Split | None:
        """Return the best split; None until a feature has been seen."""
        found = self._search.best()
        return None if found is None else Split(*found)

    def top(self, k: int) -> list[Split]:
        """Return the k best splits, best first; fewer if fewer features were seen.

        The exact searches return the true k best. In the approximate one the i-th score is within a factor 1 + alpha of
        the true i-th.
        """
        try:
            wanted = index(k)
        except TypeError:
            raise TypeError(f"SplitFinder.top: k must be an integer, got {k!r}") from None
        if wanted < 1:
            raise ValueError(f"SplitFinder.top: k must be at least 1, got {k}")
        # More than there are features is the same as all of them, however large the number.
        return [Split(*found) for found in self._search.top(min(wanted, 2**31))]

    def margin(self) -> float | None:
        """Return the gain of the best split minus that of the second best, as a split test needs it.

        With a single feature seen, it is the gain of that feature, since not splitting is then the alternative. It is
        None until a feature has been seen. With the approximate search it is the difference between the two splits that
        ``top(2)`` returns, which does not bound the true margin.

        Examples
        --------
        >>> finder = SplitFinder(criterion="gini")
        >>> finder.margin() is None
        True
        >>> for features, label in [([3], 1), ([3, 5], 1), ([], 0), ([], 0)]:
        ...     finder.add(features, label)
        >>> [round(split.gain, 3) for split in finder.top(2)]
        [0.5, 0.167]
        >>> round(finder.margin(), 3)
        0.333
        """
        gains = [split.gain for split in self.top(2)]
        if not gains:
            return None
        return gains[0] - gains[1] if len(gains) > 1 else gains[0]

    def counts(self, feature: int) -> Counts:
        """Return ``counts[v][k]``: the number of points of class k in which the feature has the value v."""
        try:
            return self._search.counts(feature)
        except (ValueError, TypeError) as error:
            _raise_named("SplitFinder.counts", error)

    @property
    def criterion(self) -> Criterion:
        """The impurity measure."""
        return cast("Criterion", self._search.criterion)

    @property
    def search(self) -> Search:
        """The search."""
        return cast("Search", self._search.search)

    @property
    def alpha(self) -> float:
        """The relative error allowed to the approximate search."""
        return self._search.alpha

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self._search.n_classes

    @property
    def n(self) -> int:
        """The number of points added and not removed, counted with their weights."""
        return self._search.n()

    @property
    def class_counts(self) -> tuple[int, ...]:
        """The number of points per class."""
        return self._search.class_counts()

    @property
    def n_features_seen(self) -> int:
        """The number of features that were ever on in a point, even if all such points have been removed."""
        return self._search.n_features_seen()

    @property
    def n_trees(self) -> int:
        """The number of search trees that hold features, the paper's "# of Ts"; 0 if the search has no trees."""
        return self._search.n_trees()

    @property
    def n_bytes(self) -> int:
        """The memory held by the search, in bytes."""
        return self._search.n_bytes()

    @property
    def work(self) -> dict[str, int]:
        """Counters of the work done so far.

        ``moves`` counts features put into a tree in which they were not; ``key_updates`` counts keys written into
        trees; ``examined`` counts scores computed to answer queries.
        """
        return self._search.work()

    def stats(self) -> dict[str, int]:
        """Return counters by name that explain why a stream is fast or slow. They depend on the search.

        The certified search reports its current state: ``candidates`` (features without a certificate, which every
        query looks at), ``certificates`` (features with a certificate of their own) and ``rare_limit`` (a feature with
        at most this number of occurrences needs none). It also counts, since the finder was made: ``checks`` of whether
        a certificate holds, scores computed in ``scans``, ``exhaustive_scans`` of all features, ``renewals`` of the
        certificates with their causes (the share of the classes shifted, or the best gain fell), the ``slices`` of
        these renewals, and ``reviews`` of the candidates. A copy goes on counting; a pickle or a merge starts afresh.

        The exhaustive search reports ``examined``, the approximate search all of ``work``.

        Examples
        --------
        >>> finder = SplitFinder()
        >>> finder.add([1, 2], 0)
        >>> finder.add([2], 1)
        >>> finder.best().feature
        1
        >>> sorted(finder.stats())  # doctest: +ELLIPSIS
        ['candidates', 'certificates', 'checks', ...]
        >>> SplitFinder(search="exhaustive").stats()
        {'examined': 0}
        """
        return self._search.stats()

    def validate(self) -> None:
        """Check every invariant of the structure against the counts; raise RuntimeError if one is broken.

        For tests: it takes time proportional to the size of the structure.
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
        classes = f", n_classes={self.n_classes}" if self.n_classes != 2 else ""  # noqa: PLR2004 - the default
        return (
            f"<SplitFinder(criterion={self.criterion!r}, search={self.search!r}{alpha}{classes}):"
            f" {self.n} points, {self.n_features_seen} features seen>"
        )


def _counts(name: str, values: ArrayLike, n_dimensions: int) -> NDArray[np.int32]:
    """Return integers as the core has them."""
    array = np.asarray(values)
    if array.size == 0 and array.ndim == n_dimensions:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, got an array of {array.dtype}")
    if array.ndim != n_dimensions:
        raise ValueError(f"{name} must have {n_dimensions} dimensions, got {array.ndim}")
    limit = np.iinfo(np.int32).max
    if array.size and not (array.min() >= 0 and array.max() <= limit):
        wrong = array.min() if array.min() < 0 else array.max()
        raise ValueError(f"{name} must hold numbers from 0 to {limit}, got {wrong}")
    return np.ascontiguousarray(array, dtype=np.int32)


def _raise_named(owner: str, error: Exception) -> NoReturn:
    """Raise an error of the core again, under the name that the user called."""
    raise type(error)(f"{owner}: {error}") from None
