"""Decision trees that learn from a stream of points, sparse or mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.estimators import ForgettingClassifier, ForgottenRecord, TreeClassifier
from sapwood.inspect.summary import DynamicTreeSummary, TreeSummary

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Unpack

    from sapwood.learner import TreeLearner
    from sapwood.parameters.arguments import (
        AdaptiveSizeTreeArguments,
        AdaptiveTreeArguments,
        DynamicTreeArguments,
        HoeffdingTreeArguments,
        RevisingTreeArguments,
        StreamingTreeArguments,
        WindowTreeArguments,
    )

__all__ = [
    "AdaptiveSizeHoeffdingTreeClassifier",
    "DynamicTreeClassifier",
    "DynamicTreeSummary",
    "ExtremelyFastDecisionTreeClassifier",
    "ForgottenRecord",
    "HoeffdingAdaptiveTreeClassifier",
    "HoeffdingTreeClassifier",
    "SlidingWindowTreeClassifier",
    "StreamingTreeClassifier",
    "TreeSummary",
    "classifier_of",
    "load_model",
]


class StreamingTreeClassifier(TreeClassifier, kind="StreamingTreeClassifier"):
    """A decision tree for streams, sparse or mixed, that splits on evidence and mixes what its leaves know.

    Use it unless you want a published tree. A leaf is split on its best feature once there is enough evidence that some
    feature informs about the class there. Inner nodes count a sample of the points that pass them. A node is split
    anew when another feature is better by a test that holds at all times; what was below the node is given up, or
    restructured (``revision``). Every leaf weights the answers of its own models, and of the models of the whole
    stream, by a small regression.

    With ``drift`` the tree follows a stream that changes. Every node watches the error of the points that pass it with
    a detector of change (`sapwood.drift.ADWIN`). When that error has risen, an alternate tree begins beside the node,
    learns the points since then, and takes the place of the node when it predicts better. ``drift`` is not the
    default: with it a tree takes points sorted by class for a change, needs up to a sixth more time per point, and
    shares the memory of ``max_bytes`` with its alternates.

    Guarantee:

    - With ``split_test="evidence"`` and probability at least 1 - ``delta``, *no* split of the whole tree, at any time,
      over all features, is made at a node where no feature informs about the class. This assumes that, given the
      features, the labels at a node do not depend on earlier labels, which drift breaks, and that the classes were
      declared or met before the first split. A point counts once, whatever its weight. That a split is on the *best*
      feature is not promised; the test by which a split is revised is asymptotic. Tests that are copied with
      ``revision="restructure"`` are not tested anew.
    - The tree depends on the points and their order alone: ``partial_fit`` in chunks of any size and ``learn_one`` make
      the same tree, and so do the two exact searches.
    - An alternate changes nothing of the tree, nor of its predictions, before it wins (unless ``max_bytes`` is set,
      which they share). One that is no better ever wins with a probability of at most ``swap_delta``, however often it
      is looked at; this assumes that the points of a contest do not change in kind. Where labels come in runs, points
      count as fewer.
    - A model that was saved goes on as if it had never stopped, byte for byte, alternates and detectors included.
    - A point with m active features is led to its leaf in O(m + depth), and learned in O(m) per node that counts it. It
      is learned at most twice: in the tree, and in an alternate on its way.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Not promised: that the models follow labels that come sorted by class. They follow the order they are given.

    Examples
    --------
    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = StreamingTreeClassifier().fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.9
    True
    """

    def __init__(self, **parameters: Unpack[StreamingTreeArguments]) -> None:
        self._store(parameters)


class HoeffdingTreeClassifier(TreeClassifier, kind="HoeffdingTreeClassifier"):
    """A decision tree that grows with a stream, sparse or mixed, and never revises a split: VFDT [VFDT]_.

    A leaf is split on its best feature once that is ahead of the second best, and of not splitting, by more than the
    bound of ``split_test``, or once the bound is below ``tau``. Unlike in the original, a split forgets nothing that
    predicts: the new leaves start with the class counts that the split implies and with the models of their parent.

    Guarantee:

    - With an exact ``search`` every split was the best of all features seen at its leaf when it was made, and the split
      test was given its exact margin, after every point if ``grace_period`` is 1.
    - The tree depends only on the points, their weights and their order: ``fit`` with ``shuffle=False``,
      ``partial_fit`` in chunks of any size and ``learn_one`` make the same tree, and so do the two exact searches.
    - A point with m active features reaches its leaf in O(m + depth); an absent feature costs nothing.
    - An error changes nothing. Many threads may read one object at once; one at a time may change it.

    Not promised: an error probability for the whole tree, since ``delta`` is that of a single split test under its
    assumptions; nor that the tree follows a stream that drifts.

    Examples
    --------
    From a sparse matrix, at once or in chunks:

    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = HoeffdingTreeClassifier().fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.9
    True
    >>> model.partial_fit(X[1000:], y[1000:]).n_points_
    2000

    From points, as they come:

    >>> model = HoeffdingTreeClassifier()
    >>> for x, y in [({"free": True, "length": 12}, "spam"), ({"lunch": True, "length": 80}, "ham")] * 10:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"free": True, "length": 10})
    'spam'
    >>> model.predict_one({"lunch", "now"})
    'ham'
    """

    def __init__(self, **parameters: Unpack[HoeffdingTreeArguments]) -> None:
        self._store(parameters)


class ExtremelyFastDecisionTreeClassifier(TreeClassifier, kind="ExtremelyFastDecisionTreeClassifier"):
    """A decision tree that splits early on a stream, sparse or mixed, and revises its splits later: EFDT [EFDT]_.

    A leaf is split as soon as its best feature is ahead of not splitting by more than the bound of ``split_test``, or
    once the bound is below ``tau``. Inner nodes keep their statistics. When another feature is ahead of the one in use
    by more than the bound, the node is split anew and its subtree is given up, or, with ``revision="restructure"``,
    kept on both sides of the new test. A split forgets nothing that predicts:
    the new leaves start with the class counts that it implies, and with the models of their parent, or of the leaf
    below the node that most points had reached.

    Guarantee:

    - With an exact ``search`` every split was the best of all features seen at its node when it was made. At every
      later check no other feature was ahead of it by more than the bound, or the node was split anew.
    - The tree depends only on the points, their weights and their order: ``fit`` with ``shuffle=False``,
      ``partial_fit`` in chunks of any size and ``learn_one`` make the same tree, and so do the two exact searches.
    - A point with m active features reaches its leaf in O(m + depth), and is counted in every node on its way.
    - An error changes nothing. Many threads may read one object at once; one at a time may change it.

    Not promised: an error probability for the whole tree, since ``delta`` is that of a single split test under its
    assumptions.

    Examples
    --------
    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = ExtremelyFastDecisionTreeClassifier(max_depth=5).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> model.summary().n_splits_remade >= 0
    True
    """

    def __init__(self, **parameters: Unpack[RevisingTreeArguments]) -> None:
        self._store(parameters)


class DynamicTreeClassifier(ForgettingClassifier, kind="DynamicTreeClassifier"):
    """A decision tree that holds its points and can forget them: the tree of the points held, whatever their order.

    With ``beta=0`` it is ID5R [ID5R]_, put right when it is asked, as ITI [ITI]_ is: after any points learned and
    forgotten it is, node for node, the tree that ID3 builds from the points that remain. With ``beta`` above 0 it is a
    fully dynamic tree [FDT]_: every test is within ``beta`` of the best gain, and a node is built anew only when it is
    not.

    Guarantee:

    - ``beta=0``: the tree, its answers and its saved bytes are a function of the points held. After `forget_one`,
      `partial_forget` or `forget` they are those of a model that never saw the points, which `digest` proves.
    - ``beta`` above 0: at every query, every inner node has a test whose gain is within ``beta`` of the best of all
      features, and every leaf that the stopping rule does not make has no test with a gain above ``min_gain + beta``.
      `rebuild` makes the tree that of ``beta=0``.
    - Ties go to the feature that comes first: columns by number, names by type and then by value.
    - A point with m active features is added to, or taken from, the counts of a node on its way in O(m). With Gini and
      ``beta`` above 0, an update costs O(m h² / beta) amortised for a tree of depth h, whatever the number of features.
    - An error changes nothing: a point that is not held cannot be forgotten.

    Not promised: that ``stopping="evidence"`` splits on noise with probability at most ``delta`` for the whole tree:
    that holds for one look at a node that was fixed beforehand. Nor that the memory of the process keeps no name of a
    forgotten feature; what is saved or pickled does not.

    Leaves answer by the classes of their points or by naive Bayes, which are counts. Models that are trained step by
    step cannot forget exactly, and are refused. Weights are whole numbers. Features are on or off.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes of the points held, and those declared: sorted if they can be compared.
    n_features_in_ : int
        The number of columns of the matrices, if the model has seen one.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if those of the first matrix were all text. They name the features.
    features_seen_ : list
        The features that are on in a point held, in their order.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of each feature in the impurity that the splits removed.
    n_points_ : int
        The number of points held, counted with their weights.

    Examples
    --------
    >>> model = DynamicTreeClassifier(stopping="none")
    >>> for number, (words, label) in enumerate(
    ...     [("win cash now", "spam"), ("lunch at noon", "ham"), ("cash prize", "spam"), ("cash for lunch", "ham")]
    ... ):
    ...     model.learn_one(words.split(), label, id=number)
    >>> model.predict_one(["cash"])
    'spam'
    >>> without = DynamicTreeClassifier(stopping="none")
    >>> without.learn_one(["lunch", "at", "noon"], "ham", id=1)
    >>> without.learn_one(["cash", "prize"], "spam", id=2)
    >>> record = model.forget([3, 0], audit=True)
    >>> record.forgotten, record.digest_after == without.digest() == model.digest()
    (2, True)
    >>> model.forget_one(["cash", "prize"], "ham")
    Traceback (most recent call last):
    ValueError: DynamicTreeClassifier.forget_one: the point must be held: learned more often than it was forgotten, ...
    """

    def __init__(self, **parameters: Unpack[DynamicTreeArguments]) -> None:
        self._store(parameters)


class SlidingWindowTreeClassifier(TreeClassifier, kind="SlidingWindowTreeClassifier"):
    """The decision tree of the most recent points of a stream that changes: CVFDT [CVFDT]_.

    A leaf is split as in `HoeffdingTreeClassifier`. Every point is counted in every node on its way, and taken back
    when ``window_size`` newer points have come. When another feature is better than that of an inner node by the bound
    of ``split_test``, an alternate tree with that feature at its root begins beside the node. When the error of the
    whole tree has risen, as a detector of change (`sapwood.drift.ADWIN`) sees, an alternate begins beside the root; its
    models learn the points since then. An alternate takes the place of its node when it predicts better.

    Guarantee:

    - After every point, the statistics of every node, and the classes of every leaf, are those of the points of the
      window that reach it, exactly; those of alternates too. (Under ``max_bytes`` the window may hold fewer points, and
      a node that was paused begins again with the next point.)
    - An alternate changes nothing of the tree, nor of its predictions, before it wins. One that is no better ever wins
      with a probability of at most ``swap_delta``, however often it is looked at; the test compares the two on the same
      points, of which fewer count where labels come in runs, and assumes that these do not change in kind.
    - The tree depends only on the points, their weights and their order. A model that was saved goes on as if it had
      never stopped, byte for byte.
    - A point with m active features is counted, and taken back, in O(m) per node on its way, and in the alternates.
    - An error changes nothing. Many threads may read one object at once; one at a time may change it.

    Unlike in the original, inner nodes are checked after every point, new leaves and alternates begin with the points
    of the window instead of none, the root can be replaced like any other node, and swaps are decided by a test. Since
    leaves begin with many points, ``tau`` is 0: else a tie would split them at once, one below the other. The models of
    leaves learn from points and do not unlearn them, so that errors are watched too, which the original does not.

    Not promised: an error probability for the whole tree. Evidence, which has one, does not hold for points that are
    forgotten, so ``split_test`` must be a bound; and the approximate search cannot forget.

    Examples
    --------
    >>> from sapwood.datasets import make_text
    >>> X, y = make_text(4000, d=300, drift="abrupt", n_changes=1, seed=1)
    >>> model = SlidingWindowTreeClassifier(window_size=1000, shuffle=False).fit(X, y)
    >>> model.summary().recent_bytes > 0
    True
    """

    def __init__(self, **parameters: Unpack[WindowTreeArguments]) -> None:
        self._store(parameters)


class HoeffdingAdaptiveTreeClassifier(TreeClassifier, kind="HoeffdingAdaptiveTreeClassifier"):
    """A Hoeffding tree that watches its errors and replaces what has become wrong: HAT [HAT]_.

    The tree grows as `HoeffdingTreeClassifier` does. Every node watches the error of the points that pass it with a
    detector of change (`sapwood.drift.ADWIN`): a window over the errors, which becomes shorter when their mean has
    changed. A leaf then forgets the points that are no longer in the window. When the error of a node has risen, an
    alternate tree begins beside it with the points of the new window. It takes the place of the node when it predicts
    better.

    Guarantee:

    - After every point, the statistics of every leaf are those of its own window: the points that reached it since it
      began, or since the last change of its error, and are among the last ``window_size``.
    - An alternate changes nothing of the tree, nor of its predictions, before it wins. One that is no better ever wins
      with a probability of at most ``swap_delta``, however often it is looked at; the test compares the two on the same
      points, of which fewer count where labels come in runs, and assumes that these do not change in kind.
    - The tree depends only on the points, their weights and their order. A model that was saved goes on as if it had
      never stopped, byte for byte, detectors included.
    - A point with m active features costs what it does in a Hoeffding tree, and O(1) per node on its way; and at most
      as much again in an alternate on its way.
    - An error changes nothing. Many threads may read one object at once; one at a time may change it.

    Unlike in the implementations of MOA and river, an alternate has a place of its own, there is at most one on the way
    of a point, it is swapped by a test that holds at all times, that of the root has a trunk of its own, and points get
    no random weights.

    Not promised: an error probability for the whole tree. Evidence, which has one, does not hold for points that are
    forgotten, so ``split_test`` must be a bound; and the approximate search cannot forget.

    Examples
    --------
    >>> from sapwood.datasets import make_text
    >>> X, y = make_text(4000, d=300, drift="abrupt", n_changes=1, seed=1)
    >>> model = HoeffdingAdaptiveTreeClassifier(shuffle=False).fit(X, y)
    >>> model.summary().n_drifts > 0
    True
    """

    def __init__(self, **parameters: Unpack[AdaptiveTreeArguments]) -> None:
        self._store(parameters)


class AdaptiveSizeHoeffdingTreeClassifier(TreeClassifier, kind="AdaptiveSizeHoeffdingTreeClassifier"):
    """A Hoeffding tree that is cut when it has grown too large: ASHT [ADB]_.

    It grows as `HoeffdingTreeClassifier` does. When a split gives it more than ``max_size`` inner nodes, it gives up
    its root, and everything below the root except the subtree in which the split was made; or it starts over
    (``when_full``). So a small tree soon forgets, which helps where a stream changes and hurts where it does not.
    `ASHTBaggingClassifier` has trees of many sizes.

    Guarantee:

    - After every point there are at most ``max_size`` inner nodes: those that there are, not those ever made.
    - The tree depends only on the points, their weights and their order, and not on which exact ``search`` is used.
    - Until it is first cut it is a `HoeffdingTreeClassifier`, node for node.
    - An error changes nothing. Many threads may read one object at once; one at a time may change it.

    Not promised: that what is given up is what has become wrong; the oldest split goes, whatever it is worth. The
    regressions of the whole stream, on which the models of leaves build, are kept.

    Examples
    --------
    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = AdaptiveSizeHoeffdingTreeClassifier(max_size=3).fit(X, y)
    >>> model.get_n_leaves() <= 4
    True
    """

    def __init__(self, **parameters: Unpack[AdaptiveSizeTreeArguments]) -> None:
        self._store(parameters)


def classifier_of(learner: TreeLearner) -> TreeClassifier:
    """Return a learner as the classifier of its kind. The two share what they have learned."""
    return TreeClassifier.of(learner)


def load_model(path: str | PathLike[str]) -> TreeClassifier:
    """Return the model that ``save`` wrote to a file, whatever its class.

    Raises
    ------
    ModelFormatError
        If the file holds no model. Files may come from anyone: reading one runs no code.
    OSError
        If the file cannot be read.
    """
    return TreeClassifier.load(path)
