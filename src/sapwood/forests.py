"""Forests of decision trees that learn from a stream of points, sparse or mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.estimators.forest import ForestClassifier
from sapwood.inspect.summary import ForestSummary

if TYPE_CHECKING:
    import numpy as np

    from sapwood.parameters import (
        ClassWeight,
        Combining,
        Criterion,
        LeafPrediction,
        OnDrift,
        Search,
        SplitTest,
        Subspace,
    )

__all__ = [
    "ADWINBaggingClassifier",
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
    before they learned it. A detector of change watches the error of every tree: at a warning another tree begins to
    learn in the background, and at a drift takes the place, as in adaptive random forests [ARF]_.

    Guarantee:

    - The forest depends on the parameters, the points and their order alone: not on ``n_jobs``, and ``partial_fit`` in
      chunks of any size and ``learn_one`` make the same forest.
    - A forest of one tree with ``lambda_value=0`` and ``max_features=1`` is a `StreamingTreeClassifier` with
      ``half_life=None``: the same nodes, the same probabilities.
    - What is drawn is never evidence: a tree splits on the evidence of distinct points.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Not promised: that ``delta`` bounds false splits of the whole forest; it is that of each tree.

    Parameters take effect when the forest starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    parameters
        The table of `sapwood.parameters`, which is written here when the class is made.

    Attributes
    ----------
    attributes
        Those of every tree classifier, which are written here when the class is made.

    References
    ----------
    .. [OZA] N. Oza and S. Russell, *Online bagging and boosting*, AISTATS 2001.
    .. [ARF] H. M. Gomes et al., *Adaptive random forests for evolving data stream classification*, Machine Learning
       106, 2017.
    .. [MCD] L. Rutkowski, L. Pietruczuk, P. Duda and M. Jaworski, *Decision trees for mining data streams based on the
       McDiarmid's bound*, IEEE Transactions on Knowledge and Data Engineering 25(6), 2013.
    .. [GAU] R. Jin and G. Agrawal, *Efficient decision tree construction on streaming data*, KDD 2003.

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

    def __init__(
        self,
        *,
        n_estimators: int = 10,
        lambda_value: float = 0.0,
        max_features: float = 0.6,
        subspace: Subspace = "tree",
        combining: Combining = "mixed",
        on_drift: OnDrift = "swap",
        warning_delta: float = 0.01,
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
        drift_delta: float = 0.001,
        binarize: float | None = 0.0,
        sparse_numbers: bool = False,
        class_weight: ClassWeight | None = None,
        shuffle: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._store(locals())


class OnlineBaggingClassifier(ForestClassifier, kind="OnlineBaggingClassifier"):
    """A bag of Hoeffding trees, each of which learns every point as often as a Poisson distribution draws [OZA]_.

    Every tree has one vote. Nothing watches for change.

    Guarantee:

    - The forest depends on the parameters, the points and their order alone, as that of `StreamingForestClassifier`
      does.
    - What is drawn is no evidence: a bound takes the number of points, not their weight.
    - The detectors see what a tree answered before it learned a point.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Parameters take effect when the forest starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    parameters
        The table of `sapwood.parameters`, which is written here when the class is made.

    Attributes
    ----------
    attributes
        Those of every tree classifier, which are written here when the class is made.

    References
    ----------
    .. [OZA] N. Oza and S. Russell, *Online bagging and boosting*, AISTATS 2001.
    .. [MCD] L. Rutkowski, L. Pietruczuk, P. Duda and M. Jaworski, *Decision trees for mining data streams based on the
       McDiarmid's bound*, IEEE Transactions on Knowledge and Data Engineering 25(6), 2013.
    .. [GAU] R. Jin and G. Agrawal, *Efficient decision tree construction on streaming data*, KDD 2003.

    Examples
    --------
    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = OnlineBaggingClassifier(random_state=1).fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.9
    True
    """

    def __init__(
        self,
        *,
        n_estimators: int = 10,
        lambda_value: float = 1.0,
        max_features: float = 1.0,
        subspace: Subspace = "tree",
        combining: Combining = "votes",
        on_drift: OnDrift = "nothing",
        warning_delta: float = 0.01,
        criterion: Criterion = "entropy",
        search: Search = "certified",
        alpha: float = 0.1,
        split_test: SplitTest = "hoeffding",
        delta: float = 1e-7,
        tau: float = 0.05,
        grace_period: int = 200,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        leaf_prediction: LeafPrediction = "adaptive",
        drift_delta: float = 0.002,
        binarize: float | None = 0.0,
        sparse_numbers: bool = False,
        class_weight: ClassWeight | None = None,
        shuffle: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._store(locals())


class ADWINBaggingClassifier(ForestClassifier, kind="ADWINBaggingClassifier"):
    """A bag of Hoeffding trees whose worst starts anew when the stream changes [ADB]_.

    As `OnlineBaggingClassifier`; when ADWIN sees the error of any tree rise, the tree with the largest error is
    replaced by a new one.

    Guarantee:

    - The forest depends on the parameters, the points and their order alone, as that of `StreamingForestClassifier`
      does.
    - What is drawn is no evidence: a bound takes the number of points, not their weight.
    - The detectors see what a tree answered before it learned a point.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Parameters take effect when the forest starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    parameters
        The table of `sapwood.parameters`, which is written here when the class is made.

    Attributes
    ----------
    attributes
        Those of every tree classifier, which are written here when the class is made.

    References
    ----------
    .. [ADB] A. Bifet, G. Holmes, B. Pfahringer, R. Kirkby and R. Gavaldà, *New ensemble methods for evolving data
       streams*, KDD 2009.
    .. [MCD] L. Rutkowski, L. Pietruczuk, P. Duda and M. Jaworski, *Decision trees for mining data streams based on the
       McDiarmid's bound*, IEEE Transactions on Knowledge and Data Engineering 25(6), 2013.
    .. [GAU] R. Jin and G. Agrawal, *Efficient decision tree construction on streaming data*, KDD 2003.

    Examples
    --------
    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = ADWINBaggingClassifier(random_state=1).fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.9
    True
    """

    def __init__(
        self,
        *,
        n_estimators: int = 10,
        lambda_value: float = 1.0,
        max_features: float = 1.0,
        subspace: Subspace = "tree",
        combining: Combining = "votes",
        on_drift: OnDrift = "reset_worst",
        warning_delta: float = 0.01,
        criterion: Criterion = "entropy",
        search: Search = "certified",
        alpha: float = 0.1,
        split_test: SplitTest = "hoeffding",
        delta: float = 1e-7,
        tau: float = 0.05,
        grace_period: int = 200,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        leaf_prediction: LeafPrediction = "adaptive",
        drift_delta: float = 0.002,
        binarize: float | None = 0.0,
        sparse_numbers: bool = False,
        class_weight: ClassWeight | None = None,
        shuffle: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._store(locals())


class LeveragingBaggingClassifier(ForestClassifier, kind="LeveragingBaggingClassifier"):
    """A bag of Hoeffding trees with more weight on every point: leveraging bagging [LEV]_.

    As `ADWINBaggingClassifier`, with a mean weight of 6. The output codes of the paper are not part of it.

    Guarantee:

    - The forest depends on the parameters, the points and their order alone, as that of `StreamingForestClassifier`
      does.
    - What is drawn is no evidence: a bound takes the number of points, not their weight.
    - The detectors see what a tree answered before it learned a point.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Parameters take effect when the forest starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    parameters
        The table of `sapwood.parameters`, which is written here when the class is made.

    Attributes
    ----------
    attributes
        Those of every tree classifier, which are written here when the class is made.

    References
    ----------
    .. [LEV] A. Bifet, G. Holmes and B. Pfahringer, *Leveraging bagging for evolving data streams*, ECML PKDD 2010.
    .. [MCD] L. Rutkowski, L. Pietruczuk, P. Duda and M. Jaworski, *Decision trees for mining data streams based on the
       McDiarmid's bound*, IEEE Transactions on Knowledge and Data Engineering 25(6), 2013.
    .. [GAU] R. Jin and G. Agrawal, *Efficient decision tree construction on streaming data*, KDD 2003.

    Examples
    --------
    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = LeveragingBaggingClassifier(random_state=1).fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.9
    True
    """

    def __init__(
        self,
        *,
        n_estimators: int = 10,
        lambda_value: float = 6.0,
        max_features: float = 1.0,
        subspace: Subspace = "tree",
        combining: Combining = "votes",
        on_drift: OnDrift = "reset_worst",
        warning_delta: float = 0.01,
        criterion: Criterion = "entropy",
        search: Search = "certified",
        alpha: float = 0.1,
        split_test: SplitTest = "hoeffding",
        delta: float = 1e-7,
        tau: float = 0.05,
        grace_period: int = 200,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        leaf_prediction: LeafPrediction = "adaptive",
        drift_delta: float = 0.002,
        binarize: float | None = 0.0,
        sparse_numbers: bool = False,
        class_weight: ClassWeight | None = None,
        shuffle: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._store(locals())


class AdaptiveRandomForestClassifier(ForestClassifier, kind="AdaptiveRandomForestClassifier"):
    """An adaptive random forest of Hoeffding trees [ARF]_.

    Every node draws the features that it may split on. The probabilities of a tree count by its accuracy. At a warning
    of ADWIN a tree begins to learn in the background, and at a drift takes the place.

    The share of features is a rate, as features need not be known beforehand; that of the paper is the root of their
    number, plus one. Models of leaves see all features.

    Guarantee:

    - The forest depends on the parameters, the points and their order alone, as that of `StreamingForestClassifier`
      does.
    - What is drawn is no evidence: a bound takes the number of points, not their weight.
    - The detectors see what a tree answered before it learned a point.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Parameters take effect when the forest starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    parameters
        The table of `sapwood.parameters`, which is written here when the class is made.

    Attributes
    ----------
    attributes
        Those of every tree classifier, which are written here when the class is made.

    References
    ----------
    .. [ARF] H. M. Gomes et al., *Adaptive random forests for evolving data stream classification*, Machine Learning
       106, 2017.
    .. [MCD] L. Rutkowski, L. Pietruczuk, P. Duda and M. Jaworski, *Decision trees for mining data streams based on the
       McDiarmid's bound*, IEEE Transactions on Knowledge and Data Engineering 25(6), 2013.
    .. [GAU] R. Jin and G. Agrawal, *Efficient decision tree construction on streaming data*, KDD 2003.

    Examples
    --------
    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = AdaptiveRandomForestClassifier(random_state=1).fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.9
    True
    """

    def __init__(
        self,
        *,
        n_estimators: int = 10,
        lambda_value: float = 6.0,
        max_features: float = 0.6,
        subspace: Subspace = "node",
        combining: Combining = "accuracy",
        on_drift: OnDrift = "swap",
        warning_delta: float = 0.01,
        criterion: Criterion = "entropy",
        search: Search = "certified",
        alpha: float = 0.1,
        split_test: SplitTest = "hoeffding",
        delta: float = 0.01,
        tau: float = 0.05,
        grace_period: int = 50,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        leaf_prediction: LeafPrediction = "adaptive",
        drift_delta: float = 0.001,
        binarize: float | None = 0.0,
        sparse_numbers: bool = False,
        class_weight: ClassWeight | None = None,
        shuffle: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._store(locals())


class StreamingRandomPatchesClassifier(ForestClassifier, kind="StreamingRandomPatchesClassifier"):
    """Streaming random patches: Hoeffding trees that each draw the features to split on [SRP]_.

    The probabilities of a tree count by its accuracy. At a warning of ADWIN a tree with features of its own begins to
    learn in the background, and at a drift takes the place. Models of leaves see all features, which the paper's do
    not.

    Guarantee:

    - The forest depends on the parameters, the points and their order alone, as that of `StreamingForestClassifier`
      does.
    - What is drawn is no evidence: a bound takes the number of points, not their weight.
    - The detectors see what a tree answered before it learned a point.
    - An error changes nothing. Many threads may read one object, and one at a time change it.

    Parameters take effect when the forest starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``.

    Parameters
    ----------
    parameters
        The table of `sapwood.parameters`, which is written here when the class is made.

    Attributes
    ----------
    attributes
        Those of every tree classifier, which are written here when the class is made.

    References
    ----------
    .. [SRP] H. M. Gomes, J. Read and A. Bifet, *Streaming random patches for evolving data stream classification*, ICDM
       2019.
    .. [MCD] L. Rutkowski, L. Pietruczuk, P. Duda and M. Jaworski, *Decision trees for mining data streams based on the
       McDiarmid's bound*, IEEE Transactions on Knowledge and Data Engineering 25(6), 2013.
    .. [GAU] R. Jin and G. Agrawal, *Efficient decision tree construction on streaming data*, KDD 2003.

    Examples
    --------
    >>> from sapwood.datasets import make_sparse
    >>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
    >>> model = StreamingRandomPatchesClassifier(random_state=1).fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.9
    True
    """

    def __init__(
        self,
        *,
        n_estimators: int = 10,
        lambda_value: float = 6.0,
        max_features: float = 0.6,
        subspace: Subspace = "tree",
        combining: Combining = "accuracy",
        on_drift: OnDrift = "swap",
        warning_delta: float = 1e-4,
        criterion: Criterion = "entropy",
        search: Search = "certified",
        alpha: float = 0.1,
        split_test: SplitTest = "hoeffding",
        delta: float = 0.01,
        tau: float = 0.05,
        grace_period: int = 50,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        leaf_prediction: LeafPrediction = "adaptive",
        drift_delta: float = 1e-5,
        binarize: float | None = 0.0,
        sparse_numbers: bool = False,
        class_weight: ClassWeight | None = None,
        shuffle: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._store(locals())
