"""Incremental trees of the eighties, ID4 and ID5: plain, slow, and for comparison.

Both keep the counts of all features at every node, and look at them after every point. They differ in what becomes of a
subtree when its node gets another test: ID4 deletes it, ID5 rearranges it. `sapwood.DynamicTreeClassifier` is what came
after them, ID5R. docs/multiplexer.md shows why.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

__all__ = ["ID4Classifier", "ID5Classifier"]

_LEAST_GAIN = 1e-9  # what rounding can make of none


class _Node:
    """Counts of the points that have passed, a test with two children, or the points themselves."""

    def __init__(self) -> None:
        self.classes: Counter[Hashable] = Counter()
        self.on: dict[Hashable, Counter[Hashable]] = {}
        self.test: Hashable | None = None
        self.children: tuple[_Node, _Node] | None = None
        self.points: list[tuple[frozenset[Hashable], Hashable]] = []

    def add(self, x: frozenset[Hashable], y: Hashable) -> None:
        self.classes[y] += 1
        for feature in x:
            self.on.setdefault(feature, Counter())[y] += 1

    def gain(self, feature: Hashable) -> float:
        """Return the information gain of a feature in bits."""
        n, on = self.classes.total(), self.on.get(feature, Counter())
        return _entropy(self.classes) - (_weighted(on) + _weighted(self.classes - on)) / n

    def best(self) -> Hashable | None:
        """Return the feature of the largest gain; of several the first in order, None if no feature has any."""
        gains = {feature: self.gain(feature) for feature in sorted(self.on, key=_order)}
        best = max(gains, key=gains.__getitem__, default=None)
        return None if best is None or gains[best] <= _LEAST_GAIN else best

    def child(self, x: frozenset[Hashable]) -> _Node:
        assert self.children is not None
        return self.children[self.test in x]

    def below(self) -> Iterator[_Node]:
        yield self
        for child in self.children or ():
            yield from child.below()


class _Classifier:
    """What the two trees share: points come one by one, and the class of most points of a leaf is its answer."""

    def __init__(self) -> None:
        self._root = _Node()
        self.n_subtrees_lost = 0
        """How often a node with a subtree got another test, and its subtree was deleted or rearranged."""

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return sum(1 for _ in self._root.below())

    def predict_one(self, x: Iterable[Hashable]) -> Any:
        """Return the most frequent class where a point, given by its active features, ends; None before the first.

        Where no point has ended yet it is that of the node above.
        """
        features, node, answer = frozenset(x), self._root, None
        while node.classes:
            answer = node.classes.most_common(1)[0][0]
            if node.children is None:
                break
            node = node.child(features)
        return answer


class ID4Classifier(_Classifier):
    """A tree that gives a node another test as soon as another is better, and then *deletes* its subtree: ID4 [ID4]_.

    A leaf is split on its best feature once that is significant by the chi-squared test.

    Parameters
    ----------
    level : float or None
        The level of the test, divided by the number of features at the leaf; None makes every gain significant.

    References
    ----------
    .. [ID4] J. C. Schlimmer and D. Fisher, *A case study of incremental concept induction*, AAAI 1986.

    Examples
    --------
    >>> model = ID4Classifier(level=None)
    >>> for words, label in [(["win", "cash"], "spam"), (["lunch"], "ham"), (["cash"], "spam")]:
    ...     model.learn_one(words, label)
    >>> model.predict_one(["cash", "now"])
    'spam'
    """

    def __init__(self, level: float | None = 0.05) -> None:
        super().__init__()
        if level is not None and not 0 < level < 1:
            raise ValueError(f"ID4Classifier: level must be between 0 and 1, or None, got {level!r}")
        self.level = level

    def learn_one(self, x: Iterable[Hashable], y: Hashable) -> None:
        """Learn one point, given by its active features."""
        features, node = frozenset(x), self._root
        while True:
            node.add(features, y)
            best = node.best()
            if node.test is None:
                if best is None or not self._is_significant(node, best):
                    return
                node.test, node.children = best, (_Node(), _Node())
            elif best is not None and node.gain(best) > node.gain(node.test) + _LEAST_GAIN:
                self.n_subtrees_lost += 1
                node.test, node.children = best, (_Node(), _Node())
            node = node.child(features)

    def _is_significant(self, node: _Node, feature: Hashable) -> bool:
        if self.level is None:
            return True
        from scipy.stats import chi2

        n, on = node.classes.total(), node.on[feature]
        statistic = 0.0
        for label, count in node.classes.items():
            for size, seen in ((on.total(), on[label]), (n - on.total(), count - on[label])):
                expected = size * count / n
                statistic += (seen - expected) ** 2 / expected if expected else 0.0
        return bool(chi2.sf(statistic, len(node.classes) - 1) < self.level / len(node.on))


class ID5Classifier(_Classifier):
    """A tree that gives a node another test by *pulling it up* from below, so that nothing is lost: ID5 [ID5]_.

    Points are kept in the leaves. The subtrees below a node that was rearranged are not put right until a point passes
    them, so that the tree need not be the one that a batch learner builds; ID5R is.

    References
    ----------
    .. [ID5] P. E. Utgoff, *ID5: an incremental ID3*, ICML 1988.

    Examples
    --------
    >>> model = ID5Classifier()
    >>> for words, label in [(["win", "cash"], "spam"), (["lunch"], "ham"), (["cash"], "spam")]:
    ...     model.learn_one(words, label)
    >>> model.predict_one(["cash", "now"])
    'spam'
    """

    def learn_one(self, x: Iterable[Hashable], y: Hashable) -> None:
        """Learn one point, given by its active features."""
        features, node = frozenset(x), self._root
        while True:
            node.add(features, y)
            if node.children is None:
                node.points.append((features, y))
            best = node.best()
            if best is not None:
                if node.children is None:
                    _expand(node, best)
                    return
                if node.gain(best) > node.gain(node.test) + _LEAST_GAIN:
                    self.n_subtrees_lost += 1
                    _pull_up(node, best)
            if node.children is None:
                return
            node = node.child(features)


def _expand(leaf: _Node, feature: Hashable) -> None:
    """Split a leaf on a feature: its points go to two new leaves."""
    leaf.test, leaf.children = feature, (_Node(), _Node())
    for x, y in leaf.points:
        side = leaf.children[feature in x]
        side.add(x, y)
        side.points.append((x, y))
    leaf.points = []


def _pull_up(node: _Node, feature: Hashable) -> None:
    """Make a feature the test of a node, by exchanging the levels below it."""
    if node.children is None:
        _expand(node, feature)
        return
    if node.test == feature:
        return
    for child in node.children:
        _pull_up(child, feature)
    old, (off, on) = node.test, node.children
    assert off.children is not None
    assert on.children is not None
    node.test = feature
    node.children = (
        _joined(old, off.children[0], on.children[0]),
        _joined(old, off.children[1], on.children[1]),
    )


def _joined(test: Hashable, off: _Node, on: _Node) -> _Node:
    """Return a node of a test with two children, whose counts are theirs; one of a single class is a leaf."""
    node = _Node()
    node.classes = off.classes + on.classes
    for child in (off, on):
        for feature, counts in child.on.items():
            node.on.setdefault(feature, Counter()).update(counts)
    if len(node.classes) > 1:
        node.test, node.children = test, (off, on)
    else:
        node.points = [point for child in (off, on) for each in child.below() for point in each.points]
    return node


def _weighted(counts: Counter[Hashable]) -> float:
    return counts.total() * _entropy(counts)


def _entropy(counts: Counter[Hashable]) -> float:
    n = counts.total()
    return -math.fsum(count / n * math.log2(count / n) for count in sorted(counts.values()) if count) if n else 0.0


def _order(feature: Hashable) -> tuple[str, Any]:
    return type(feature).__name__, feature if isinstance(feature, (int, str)) else repr(feature)
