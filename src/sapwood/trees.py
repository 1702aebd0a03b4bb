"""Decision trees that learn from a stream of sparse points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.estimators import TreeClassifier
from sapwood.inspect.summary import TreeSummary

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np

    from sapwood.learner import TreeLearner
    from sapwood.parameters import ClassWeight, Criterion, LeafPrediction, Search, SplitTest

__all__ = [
    "ExtremelyFastDecisionTreeClassifier",
    "HoeffdingTreeClassifier",
    "StreamingTreeClassifier",
    "TreeSummary",
    "classifier_of",
    "load_model",
]


class StreamingTreeClassifier(TreeClassifier, kind="StreamingTreeClassifier"):
    """A decision tree for streams of sparse points that splits on evidence and mixes what its leaves know.

    The one to use unless a published tree is wanted. A leaf is split on its best feature once the evidence that some
    feature informs about the class there is enough. Inner nodes count an eighth of the points that pass them, and a
    node is split anew when another feature is better by a test that holds at all times; what was below it is given up.
    Every leaf weights the answers of its models, and those of the whole stream, by a small regression of its own.

    Guarantee:

    - With ``split_test="evidence"`` and probability at least 1 - ``delta``, *no* split of the whole tree, at any time,
      over all features, is made at a node where no feature informs about the class. This assumes that, given the
      features, the labels at a node do not depend on earlier labels, which drift breaks, and that the classes were
      declared or met before the first split. A point counts once, whatever its weight. That a split is on the *best*
      feature is not promised; the test by which a split is revised is asymptotic.
    - The tree depends on the points and their order alone: ``partial_fit`` in chunks of any size and ``learn_one`` make
      the same tree, and so do the two exact searches.
    - A point with m active features is led to its leaf in O(m + depth), and learned in O(m) per node that counts it.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Not promised: that the models follow labels that come sorted by class. They follow the order they are given.

    Parameters take effect when the tree starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    parameters
        The table of `sapwood.parameters`, which is written here when the class is made.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes: sorted if they can be compared, else in the order of their appearance. ``learn_one`` may add to
        them.
    n_features_in_ : int
        The number of columns of the matrices, if there was one.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if the first matrix had names that are all text. The features are known by them.
    features_seen_ : list
        The features that were on in a point, in the order of their appearance.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of each feature in the impurity that the tests took away.
    n_points_ : int
        The number of points learned, counted with their weights, of which fractions are rounded at random.

    References
    ----------
    .. [MCD] L. Rutkowski, L. Pietruczuk, P. Duda and M. Jaworski, *Decision trees for mining data streams based on the
       McDiarmid's bound*, IEEE Transactions on Knowledge and Data Engineering 25(6), 2013.
    .. [GAU] R. Jin and G. Agrawal, *Efficient decision tree construction on streaming data*, KDD 2003.

    Examples
    --------
    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = StreamingTreeClassifier().fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.9
    True
    """

    def __init__(
        self,
        *,
        criterion: Criterion = "entropy",
        search: Search = "certified",
        alpha: float = 0.1,
        split_test: SplitTest = "evidence",
        delta: float = 0.05,
        min_samples_reevaluate: int = 20,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        leaf_prediction: LeafPrediction = "mixed",
        binarize: float | None = 0.0,
        class_weight: ClassWeight | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._store(locals())


class HoeffdingTreeClassifier(TreeClassifier, kind="HoeffdingTreeClassifier"):
    """A decision tree that grows with a stream of sparse points and never revises a split: VFDT [VFDT]_.

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

    Parameters take effect when the tree starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    parameters
        The table of `sapwood.parameters`, which is written here when the class is made.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes: sorted if they can be compared, otherwise in the order of appearance. ``learn_one`` may add
        classes.
    n_features_in_ : int
        The number of columns of the matrices, if the model has seen one.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if those of the first matrix were all text. They name the features.
    features_seen_ : list
        The features that were on in a point, in the order of appearance.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of each feature in the impurity that the splits removed. Only splits count, not the models of the
        leaves; for those see ``top_features``.
    n_points_ : int
        The number of points learned, counted with their weights, of which fractions are rounded at random.

    References
    ----------
    .. [VFDT] P. Domingos and G. Hulten, *Mining high-speed data streams*, KDD 2000.
    .. [MCD] L. Rutkowski, L. Pietruczuk, P. Duda and M. Jaworski, *Decision trees for mining data streams based on the
       McDiarmid's bound*, IEEE Transactions on Knowledge and Data Engineering 25(6), 2013.
    .. [GAU] R. Jin and G. Agrawal, *Efficient decision tree construction on streaming data*, KDD 2003.

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
    >>> for x, y in [({"free": 1, "now": 1}, "spam"), ({"lunch": 1, "now": 1}, "ham")] * 10:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"free": 1})
    'spam'
    >>> model.predict_one({"lunch", "now"})
    'ham'
    """

    def __init__(
        self,
        *,
        criterion: Criterion = "entropy",
        search: Search = "certified",
        alpha: float = 0.1,
        split_test: SplitTest = "hoeffding",
        delta: float = 1e-7,
        tau: float = 0.05,
        grace_period: int = 1,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        leaf_prediction: LeafPrediction = "adaptive",
        binarize: float | None = 0.0,
        class_weight: ClassWeight | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._store(locals())


class ExtremelyFastDecisionTreeClassifier(TreeClassifier, kind="ExtremelyFastDecisionTreeClassifier"):
    """A decision tree that splits early on a stream of sparse points and revises its splits later: EFDT [EFDT]_.

    A leaf is split as soon as its best feature is ahead of not splitting by more than the bound of ``split_test``, or
    once the bound is below ``tau``. Inner nodes keep their statistics. When another feature is ahead of the one in use
    by more than the bound, the node is split anew and its subtree is given up. A split forgets nothing that predicts:
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

    Parameters take effect when the tree starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    parameters
        The table of `sapwood.parameters`, which is written here when the class is made.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes: sorted if they can be compared, otherwise in the order of appearance. ``learn_one`` may add
        classes.
    n_features_in_ : int
        The number of columns of the matrices, if the model has seen one.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if those of the first matrix were all text. They name the features.
    features_seen_ : list
        The features that were on in a point, in the order of appearance.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of each feature in the impurity that the splits removed. Only splits count, not the models of the
        leaves; for those see ``top_features``.
    n_points_ : int
        The number of points learned, counted with their weights, of which fractions are rounded at random.

    References
    ----------
    .. [EFDT] C. Manapragada, G. I. Webb and M. Salehi, *Extremely fast decision tree*, KDD 2018.
    .. [MCD] L. Rutkowski, L. Pietruczuk, P. Duda and M. Jaworski, *Decision trees for mining data streams based on the
       McDiarmid's bound*, IEEE Transactions on Knowledge and Data Engineering 25(6), 2013.
    .. [GAU] R. Jin and G. Agrawal, *Efficient decision tree construction on streaming data*, KDD 2003.

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

    def __init__(
        self,
        *,
        criterion: Criterion = "entropy",
        search: Search = "certified",
        alpha: float = 0.1,
        split_test: SplitTest = "hoeffding",
        delta: float = 1e-7,
        tau: float = 0.05,
        grace_period: int = 1,
        min_samples_reevaluate: int = 20,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        leaf_prediction: LeafPrediction = "adaptive",
        binarize: float | None = 0.0,
        class_weight: ClassWeight | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._store(locals())


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
