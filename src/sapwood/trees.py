"""Decision trees that learn from a stream of sparse points."""

from __future__ import annotations

from typing import ClassVar

from sapwood._tree_classifier import StreamingTreeClassifier, load_model
from sapwood._tree_parameters import ExtremelyFastParameters, HoeffdingParameters
from sapwood._tree_summary import TreeSummary

__all__ = ["ExtremelyFastDecisionTreeClassifier", "HoeffdingTreeClassifier", "TreeSummary", "load_model"]


class HoeffdingTreeClassifier(HoeffdingParameters, StreamingTreeClassifier):
    """A decision tree that grows with a stream of sparse points and never looks back: VFDT [VFDT]_.

    A leaf is split on its best feature once that is ahead of the second best, and of not splitting, by more than the
    bound of ``split_test``, or once the bound is below ``tau``. Unlike in the original, a split forgets nothing that
    predicts: its leaves start with the classes that the split implies and with the models of the leaf that was split.

    Guarantee:

    - With an exact ``search`` every test was the best of all features seen at its leaf when it was made, and its
      margin exactly what the split test was asked about, after every point if ``grace_period`` is 1.
    - The tree depends on the points and their order alone: ``fit``, ``partial_fit`` in chunks of any size and
      ``learn_one`` make the same tree, and so do the two exact searches.
    - A point with m active features is led to its leaf in O(m + depth); an absent feature costs nothing.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Not promised: that the tree errs with probability ``delta``, which is for a single test of a split, under the
    assumptions of the test; nor that it follows a stream that drifts.

    Parameters take effect when the tree starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    criterion : {"entropy", "gini", "kearns_mansour"}, default="entropy"
        The impurity that splits are judged by; gains of entropy are in bits. The last is for two classes.
    search : {"certified", "exhaustive", "approximate"}, default="certified"
        How the best split of a leaf is found. The first two are exact and make the same tree; the last, for two
        classes, finds one whose impurity is within a factor 1 + alpha of the best.
    alpha : float, default=0.1
        How far from the best an approximate split may be. Other searches do not use it.
    split_test : {"hoeffding", "mcdiarmid", "gaussian"}, default="hoeffding"
        What says that a split is better than another. Hoeffding's bound is the classic, though a gain is not the mean
        that it is about; McDiarmid's [MCD]_ holds for the gains of entropy and Gini, and takes far more points; the
        Gaussian one [GAU]_ follows from the variances of the two gains.
    delta : float, default=1e-7
        The probability with which a single test may err, between 0 and 0.5.
    tau : float, default=0.05
        A bound below this lets the better of two splits that are as good as equal be taken.
    grace_period : int, default=1
        The points between two looks at a leaf: 1 looks after every point.
    min_gain : float, default=0.0
        A split whose gain is not above this is not made.
    max_depth : int, default=None
        A leaf so many tests below the root is not split.
    max_leaves : int, default=None
        With so many leaves none is split.
    max_bytes : int, default=None
        The memory that the tree may take, held after every point: the nodes with the least to win stop learning about
        splits, and leaves begin again when there is room. The names of the features are not counted.
    leaf_prediction : {"adaptive", "majority", "naive_bayes", "logistic"}, default="adaptive"
        What answers for a leaf: the classes of its points, naive Bayes over the active features, a logistic regression,
        or whichever has been right most often there.
    binarize : float, default=0.0
        A value greater than this is on, in matrices and in dictionaries; True is on and False is off. None: every value
        must be 0 or 1. Below 0 all that is not stored would be on: then only dense matrices can be learned from.
    random_state : int or RandomState, default=None
        Chooses among splits that are exactly equally good. None: the feature that was seen first is taken.

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
        The points learned, each as often as its weight says.

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

    _growth: ClassVar[str] = "hoeffding"


class ExtremelyFastDecisionTreeClassifier(ExtremelyFastParameters, StreamingTreeClassifier):
    """A decision tree that grows early with a stream of sparse points, and mends its tests later: EFDT [EFDT]_.

    A leaf is split as soon as its best feature is ahead of not splitting by more than the bound of ``split_test``, or
    once the bound is below ``tau``. Inner nodes keep their statistics; when another feature is ahead of the one in use
    by more than the bound, the node is split anew and what was below it is given up. A split forgets nothing that
    predicts: new leaves start with the classes that it implies, and with the models of the leaf before it, or of the
    fullest one that was given up.

    Guarantee:

    - With an exact ``search`` every test was the best of all features seen at its node when it was made; at every
      later look no other feature was ahead of it by more than the bound, or it was made anew.
    - The tree depends on the points and their order alone: ``fit``, ``partial_fit`` in chunks of any size and
      ``learn_one`` make the same tree, and so do the two exact searches.
    - A point with m active features is led to its leaf in O(m + depth), and counted in every node on its way.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Not promised: that the tree errs with probability ``delta``, which is for a single test of a split, under the
    assumptions of the test.

    Parameters take effect when the tree starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    criterion : {"entropy", "gini", "kearns_mansour"}, default="entropy"
        The impurity that splits are judged by; gains of entropy are in bits. The last is for two classes.
    search : {"certified", "exhaustive", "approximate"}, default="certified"
        How the best split of a leaf is found. The first two are exact and make the same tree; the last, for two
        classes, finds one whose impurity is within a factor 1 + alpha of the best.
    alpha : float, default=0.1
        How far from the best an approximate split may be. Other searches do not use it.
    split_test : {"hoeffding", "mcdiarmid", "gaussian"}, default="hoeffding"
        What says that a split is better than another. Hoeffding's bound is the classic, though a gain is not the mean
        that it is about; McDiarmid's [MCD]_ holds for the gains of entropy and Gini, and takes far more points; the
        Gaussian one [GAU]_ follows from the variances of the two gains.
    delta : float, default=1e-7
        The probability with which a single test may err, between 0 and 0.5.
    tau : float, default=0.05
        A bound below this lets the better of two splits that are as good as equal be taken.
    grace_period : int, default=1
        The points between two looks at a leaf: 1 looks after every point.
    min_samples_reevaluate : int, default=20
        The points between two looks at whether an inner node has the right test.
    min_gain : float, default=0.0
        A split whose gain is not above this is not made.
    max_depth : int, default=None
        A leaf so many tests below the root is not split.
    max_leaves : int, default=None
        With so many leaves none is split.
    max_bytes : int, default=None
        The memory that the tree may take, held after every point: the nodes with the least to win stop learning about
        splits, and leaves begin again when there is room. The names of the features are not counted.
    leaf_prediction : {"adaptive", "majority", "naive_bayes", "logistic"}, default="adaptive"
        What answers for a leaf: the classes of its points, naive Bayes over the active features, a logistic regression,
        or whichever has been right most often there.
    binarize : float, default=0.0
        A value greater than this is on, in matrices and in dictionaries; True is on and False is off. None: every value
        must be 0 or 1. Below 0 all that is not stored would be on: then only dense matrices can be learned from.
    random_state : int or RandomState, default=None
        Chooses among splits that are exactly equally good. None: the feature that was seen first is taken.

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
        The points learned, each as often as its weight says.

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

    _growth: ClassVar[str] = "extremely_fast"
