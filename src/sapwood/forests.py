"""Forests of decision trees that learn from a stream of points, sparse or mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.estimators.forest import ForestClassifier
from sapwood.inspect.summary import ForestSummary

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sapwood.parameters.arguments import (
        AdaptiveSizeForestArguments,
        HoeffdingForestArguments,
        StreamingForestArguments,
    )

__all__ = [
    "ADWINBaggingClassifier",
    "ASHTBaggingClassifier",
    "AdaptiveRandomForestClassifier",
    "ForestSummary",
    "LeveragingBaggingClassifier",
    "OnlineBaggingClassifier",
    "StreamingForestClassifier",
    "StreamingRandomPatchesClassifier",
]


class StreamingForestClassifier(ForestClassifier, kind="StreamingForestClassifier"):
    """Many streaming trees over one stream, sparse or mixed, whose answers are mixed.

    Every tree grows as that of `StreamingTreeClassifier`, may split on a share of the features (``max_features``), and
    learns every point once, or as often as a Poisson distribution draws (``lambda_value``: online bagging [OZA]_). The
    models of leaves see all features, and the regressions of the whole stream that they build on are shared by all
    trees. The log-odds of the trees are mixed by a small regression, which learns from what the trees said of a point
    before they learned it; the forest trusts that mix, and each single tree, by Bayes' rule. A detector of change
    watches the error of every tree: at a warning another tree begins to learn in the background, and at a drift takes
    the place, as in adaptive random forests [ARF]_.

    Guarantee:

    - The forest depends on the parameters, the points and their order alone: not on ``n_jobs``, and ``partial_fit`` in
      chunks of any size and ``learn_one`` make the same forest.
    - A forest of one tree with ``lambda_value=0`` and ``max_features=1`` is a `StreamingTreeClassifier` with
      ``half_life=None``: the same nodes, the same probabilities.
    - What is drawn is never evidence: a tree splits on the evidence of distinct points.
    - With ``combining="mixed"``, over n points of weight 1, the logarithmic losses of the forest add up to at most
      ln 2n more than those of the mix of its T trees, and ln 2Tn more than those of the tree in any one place.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Not promised: that ``delta`` bounds false splits of the whole forest; it is that of each tree.

    Examples
    --------
    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = StreamingForestClassifier(random_state=1).fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.9
    True
    >>> len(model.estimators_)
    10
    >>> model.summary().n_trees
    10
    """

    def __init__(self, **parameters: Unpack[StreamingForestArguments]) -> None:
        self._store(parameters)


class OnlineBaggingClassifier(ForestClassifier, kind="OnlineBaggingClassifier"):
    """A bag of Hoeffding trees, each of which learns every point as often as a Poisson distribution draws [OZA]_.

    Every tree has one vote. Nothing watches for change.
    """

    def __init__(self, **parameters: Unpack[HoeffdingForestArguments]) -> None:
        self._store(parameters)


class ADWINBaggingClassifier(ForestClassifier, kind="ADWINBaggingClassifier"):
    """A bag of Hoeffding trees whose worst starts anew when the stream changes [ADB]_.

    As `OnlineBaggingClassifier`; when ADWIN sees the error of any tree rise, the tree with the largest error is
    replaced by a new one.
    """

    def __init__(self, **parameters: Unpack[HoeffdingForestArguments]) -> None:
        self._store(parameters)


class ASHTBaggingClassifier(ForestClassifier, kind="ASHTBaggingClassifier"):
    """A bag of Hoeffding trees of sizes that double from tree to tree: ASHT bagging [ADB]_.

    As `OnlineBaggingClassifier`, of trees that are cut when they have grown too large
    (`AdaptiveSizeHoeffdingTreeClassifier`): small ones follow a change soon, large ones know more where nothing
    changes. The first has at most ``max_size`` inner nodes, and each further one twice as many as the one before. The
    probabilities of a tree count by the inverse of the square of its recent error, an average to which the last point
    adds a hundredth; an error that is smaller than what one wrong answer adds counts as that, so that no weight is
    infinite.
    """

    def __init__(self, **parameters: Unpack[AdaptiveSizeForestArguments]) -> None:
        self._store(parameters)


class LeveragingBaggingClassifier(ForestClassifier, kind="LeveragingBaggingClassifier"):
    """A bag of Hoeffding trees with more weight on every point: leveraging bagging [LEV]_.

    As `ADWINBaggingClassifier`, with a mean weight of 6. The output codes of the paper are not part of it.
    """

    def __init__(self, **parameters: Unpack[HoeffdingForestArguments]) -> None:
        self._store(parameters)


class AdaptiveRandomForestClassifier(ForestClassifier, kind="AdaptiveRandomForestClassifier"):
    """An adaptive random forest of Hoeffding trees [ARF]_.

    Every node draws the features that it may split on. The probabilities of a tree count by its accuracy. At a warning
    of ADWIN a tree begins to learn in the background, and at a drift takes the place.

    The share of features is a rate, as features need not be known beforehand; that of the paper is the root of their
    number, plus one. Models of leaves see all features.
    """

    def __init__(self, **parameters: Unpack[HoeffdingForestArguments]) -> None:
        self._store(parameters)


class StreamingRandomPatchesClassifier(ForestClassifier, kind="StreamingRandomPatchesClassifier"):
    """Streaming random patches: Hoeffding trees that each draw the features to split on [SRP]_.

    The probabilities of a tree count by its accuracy. At a warning of ADWIN a tree with features of its own begins to
    learn in the background, and at a drift takes the place. Models of leaves see all features, which the paper's do
    not.
    """

    def __init__(self, **parameters: Unpack[HoeffdingForestArguments]) -> None:
        self._store(parameters)
