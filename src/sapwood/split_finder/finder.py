"""The split search as a Python object."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import numpy as np

from sapwood import _core
from sapwood.data import binary_batch
from sapwood.split_finder.answers import FinderCounts, Trace, split_of
from sapwood.split_finder.arguments import checked_classes, integers, raise_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike

    from sapwood.data import Batch
    from sapwood.parameters import Criterion, Search
    from sapwood.split_finder.answers import Counts, Split

__all__ = ["SplitFinder"]


class SplitFinder:
    """Finds the best split of a stream of points, after every point: of sparse features, numbers and categories.

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

    **Numbers and categories** are searched each in its own way, and the best of all is the best split; with the exact
    searches, exactly so. Of a number it is the best threshold, with the points that lack it on the better side. While
    it has had at most 64 distinct values all thresholds between them count; then values that lie close together are no
    longer told apart, and the thresholds between the 64 intervals that are left count, each with exact counts. Of a
    category it is the best single value and, with two classes, the best set of values. An attribute is in ``top`` with
    its best threshold or set only. A feature's id must then be below 2³⁰.

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

    With numbers and categories:

    >>> finder = SplitFinder(criterion="gini")
    >>> for age, country, label in [(23, "fi", 0), (35, "se", 0), (40, "fi", 1), (61, "no", 1)]:
    ...     finder.add([], label, numbers={"age": age}, categories={"country": country})
    >>> finder.best().feature
    Above(number='age', threshold=37.5, missing_passes=False)
    """

    __slots__ = ("_search",)

    _search: _core.SplitSearch

    def __init__(
        self, criterion: Criterion = "entropy", search: Search = "certified", alpha: float = 0.1, n_classes: int = 2
    ) -> None:
        classes = checked_classes(criterion, search, alpha, n_classes)
        try:
            self._search = _core.SplitSearch(criterion, search, float(alpha), classes)
        except OverflowError:
            raise ValueError(f"SplitFinder: alpha must be a finite number, got {alpha!r}") from None
        except ValueError as error:
            raise_named("SplitFinder", error)

    def add(
        self,
        features: Iterable[int],
        label: int,
        weight: int = 1,
        *,
        numbers: Mapping[str, float | None] | None = None,
        categories: Mapping[str, str | None] | None = None,
    ) -> None:
        """Add one point: the ids of its active features, in any order, and its label, from 0 to n_classes - 1.

        Parameters
        ----------
        features
            The ids of its active features, in any order.
        label
            Its class, from 0 to n_classes - 1.
        weight
            A point of weight w counts as w points. A point of weight 0 is checked and changes nothing.
        numbers
            Its numbers by their names. One that is not there, None or NaN is missing.
        categories
            The values of its categories by their names. One that is not there, or None, is missing.

        Raises
        ------
        ValueError
            If a feature is repeated, negative or above 2³¹ - 1 (2³⁰ - 1 with numbers or categories), if the label is no
            class, the weight is negative, or a number is infinite.
        TypeError
            If a feature or the weight is not an integer, a name or a value of a category is not a string, or a number
            is none.
        OverflowError
            If there would be more than 2³¹ - 1 points.
        """
        try:
            self._search.add(features, label, weight, numbers, categories)
        except (ValueError, TypeError, OverflowError) as error:
            raise_named("SplitFinder.add", error)

    def remove(
        self,
        features: Iterable[int],
        label: int,
        weight: int = 1,
        *,
        numbers: Mapping[str, float | None] | None = None,
        categories: Mapping[str, str | None] | None = None,
    ) -> None:
        """Remove a point that was added: the same features, in any order, the same label, numbers and categories.

        The answers are then those of a finder that never saw the point, except that its features stay seen, and that
        values of a number that are no longer told apart stay so. A finder keeps counts, not points. It refuses a point
        if there are no points of its class, if one of its features, numbers or values is in none of them, or if a
        feature that it lacks is on in all of them.

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
            self._search.remove(features, label, weight, numbers, categories)
        except (ValueError, TypeError) as error:
            raise_named("SplitFinder.remove", error)

    def merge(self, other: SplitFinder, over: str = "points") -> None:
        """Add what another finder has seen; the other does not change.

        The answers are then those of one finder that saw everything. The criterion and the number of classes must be
        the same; the searches may differ. The other must have neither numbers nor categories. The time is proportional
        to the number of features seen by both.

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
            raise_named("SplitFinder.merge", error)

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
            raise_named("SplitFinder.add_many", error)
        return None if found is None else Trace(*found)

    def add_batch(self, points: Batch) -> None:
        """Add points whose features are columns and whose labels are the numbers of classes, in order.

        They are checked, as ``add_many`` does, before the first is added.
        """
        try:
            self._search.add_csr(*points.as_numbers(), points.n_features or 0, False)
        except (ValueError, OverflowError) as error:
            raise_named("SplitFinder.add_batch", error)

    def all_counts(self) -> FinderCounts:
        """Return all that was counted, from which another finder can go on: see ``add_counts``.

        A finder that has numbers or categories has counted more than that, and refuses with a ValueError.

        Examples
        --------
        >>> finder = SplitFinder()
        >>> finder.add([7, 2], 1)
        >>> finder.add([7], 0)
        >>> class_counts, features, on = finder.all_counts()
        >>> class_counts.tolist(), features.tolist(), on.tolist()
        ([1, 1], [2, 7], [[0, 1], [1, 1]])
        """
        if self._search.has_attributes():
            raise ValueError(
                "SplitFinder.all_counts: the finder must have neither numbers nor categories, got one that has:"
                " there is more to them than how often each feature is on"
            )
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
                integers("class_counts", class_counts, 1), integers("features", features, 1), integers("on", on, 2)
            )
        except (ValueError, TypeError, OverflowError) as error:
            raise_named("SplitFinder.add_counts", error)

    @property
    def native(self) -> _core.SplitSearch:
        """The native search, for measurements without Python."""
        return self._search

    def best(self) -> Split | None:
        """Return the best split; None until a feature has been seen."""
        found = self._search.best()
        return None if found is None else split_of(found)

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
        return [split_of(found) for found in self._search.top(min(wanted, 2**31))]

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
            raise_named("SplitFinder.counts", error)

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
        """The number of features that were ever on in a point, even if all such points have been removed.

        A number counts as one, and so does each value of a category.
        """
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

        The exhaustive search reports ``examined``, the approximate search all of ``work``. With numbers or categories
        there are also ``numbers``, those that have differed, and ``attributes_examined``.

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
            f" {self.n} {'point' if self.n == 1 else 'points'},"
            f" {self.n_features_seen} {'feature' if self.n_features_seen == 1 else 'features'} seen>"
        )
