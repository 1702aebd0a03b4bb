"""The tree classifiers with the river interface, for its pipelines, metrics and evaluation.

Needs river, which the extra `river` installs.

>>> from river import evaluate, feature_extraction, metrics
>>> from sapwood.river import HoeffdingTreeClassifier
>>> model = feature_extraction.BagOfWords(lowercase=True) | HoeffdingTreeClassifier()
>>> messages = [("Win a free prize now", "spam"), ("Lunch at noon?", "ham")] * 50
>>> evaluate.progressive_val_score(messages, model, metrics.Accuracy())
Accuracy: 98.99%
"""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from sapwood.data import Batch
from sapwood.inspect.inspectable import Inspectable
from sapwood.learner import TreeLearner
from sapwood.learner.learner import REFUSED
from sapwood.parameters import refuse_unknown, tree_called

try:
    from river import base
except ModuleNotFoundError as error:
    if error.name != "river":
        raise
    raise ImportError(
        "sapwood.river: river must be installed; install it with: pip install 'sapwood[river]'"
    ) from error

if TYPE_CHECKING:
    import pandas as pd

    from sapwood.estimators import TreeClassifier
    from sapwood.inspect.explain import Explanation
    from sapwood.inspect.names import FeatureNames
    from sapwood.inspect.summary import TreeSummary
    from sapwood.inspect.top_features import TopFeatures
    from sapwood.inspect.view import TreeView
    from sapwood.parameters import TreeKind

__all__ = ["ExtremelyFastDecisionTreeClassifier", "HoeffdingTreeClassifier", "StreamingTreeClassifier"]


class _RiverTree(Inspectable, base.MiniBatchClassifier):
    """A tree classifier with river's interface, which hands everything to its learner.

    A class that names its kind, by ``class Name(_RiverTree, kind="Name")``, has the parameters of that row of
    `sapwood.parameters.TREES`.
    """

    kind: ClassVar[TreeKind]
    _learner: TreeLearner

    def __init_subclass__(cls, *, kind: str, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.kind = tree_called(kind)

        # river reads parameters off the signature of the constructor.
        def __init__(self: _RiverTree, **parameters: Any) -> None:  # noqa: N807 - it becomes one
            _RiverTree.__init__(self, **parameters)

        own = [
            inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default)
            for each in cls.kind.parameters_of_streams
        ]
        first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        __init__.__signature__ = inspect.Signature([first, *own])  # type: ignore[attr-defined]  # what inspect looks for
        cls.__init__ = __init__  # type: ignore[method-assign]

    def __init__(self, **parameters: Any) -> None:
        known = {each.name: each.default for each in self.kind.parameters_of_streams}
        refuse_unknown(type(self).__name__, parameters, known)
        for name, default in known.items():
            setattr(self, name, parameters.get(name, default))
        self._learner = TreeLearner(self.kind, {}, owner=type(self).__name__)

    @property
    def learner(self) -> TreeLearner:
        """What learns and answers, with the parameters as they are now unless the tree has begun."""
        learner = self._learner
        if learner.model is None:
            learner.parameters = {each.name: getattr(self, each.name) for each in self.kind.parameters_of_streams}
        return learner

    @property
    def classifier(self) -> TreeClassifier:
        """The same model as a scikit-learn classifier. The two share what they have learned."""
        from sapwood.trees import classifier_of

        return classifier_of(self.learner)

    # ---- one point at a time ----------------------------------------------------------------------------------------

    def learn_one(self, x: dict[Any, Any], y: Hashable, *, w: float = 1) -> None:
        """Learn from one point.

        Parameters
        ----------
        x
            The point: a number is on where it is greater than `binarize`, text is the feature "key=text", and an absent
            key is off.
        y
            The class, which may be new.
        w
            The weight, a non-negative number: the point counts w times.
        """
        self.learner.learn_one(x, y, w)

    def predict_proba_one(self, x: dict[Any, Any], **_kwargs: Any) -> dict[Any, float]:
        """Return the probability of each class, in order; an empty dict before the first point.

        The classes are sorted if they can be compared, otherwise in the order of appearance.

        Parameters
        ----------
        x
            The point.
        """
        return self._learner.predict_proba_one(x)

    def predict_one(self, x: dict[Any, Any], **_kwargs: Any) -> Any:
        """Return the most probable class, of several the first in order; None before the first point.

        Parameters
        ----------
        x
            The point.
        """
        return self._learner.predict_one(x)

    # ---- many at a time ---------------------------------------------------------------------------------------------

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        """Learn from the rows of a table in order, exactly as `learn_one` would.

        If a row or a label is invalid, nothing is learned.

        Parameters
        ----------
        X
            The points. The columns may differ from table to table.
        y
            The classes.
        """
        learner = self.learner
        with learner.lock:
            try:
                if len(X) != len(y):
                    raise ValueError(f"y must have a label for each of the {len(X)} rows of X, got {len(y)}")
                batch = Batch.of_points(_points(X), list(y), learner.binarize)
                learner.check_number_of_classes(len({*learner.labels.order, *batch.order()}))
            except REFUSED as error:
                learner.refuse("learn_many", error)
            learner.learn(batch, "learn_many")

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return a table with the probability of each class for each row; it is empty before the first point.

        Parameters
        ----------
        X
            The points.
        """
        import pandas as pd

        return pd.DataFrame([self.predict_proba_one(x) for x in _points(X)], index=X.index)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Return the class of each row.

        Parameters
        ----------
        X
            The points.
        """
        import pandas as pd

        return pd.Series([self.predict_one(x) for x in _points(X)], index=X.index)

    # ---- looking inside ---------------------------------------------------------------------------------------------

    def _view(self, feature_names: FeatureNames, owner: str) -> TreeView:
        return self.learner.view(feature_names, owner)

    def _top_features(self, k: int, feature_names: FeatureNames) -> TopFeatures:
        return self.learner.top_features(k, feature_names)

    def _explain(self, x: Any, feature_names: FeatureNames) -> Explanation:
        return self.classifier.explain_one(x, feature_names=feature_names)

    def summary(self) -> TreeSummary:
        """Return the size and the history of the tree in a few numbers, which print as a table."""
        return self.learner.summary()

    def debug_one(self, x: dict[Any, Any]) -> str | None:
        """Return an explanation of the prediction for a point, as text; None before the first point.

        Parameters
        ----------
        x
            The point.
        """
        return str(self.explain_one(x)) if self._learner.is_fitted else None

    # ---- what river asks --------------------------------------------------------------------------------------------

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _raw_memory_usage(self) -> int:
        """The bytes of the model, most of which are in the core, where river does not see them."""
        if not self._learner.is_fitted:
            return 0
        summary = self._learner.summary()
        return summary.tree_bytes + summary.vocabulary_bytes


def _points(X: pd.DataFrame) -> Iterator[dict[Any, Any]]:
    """Yield the rows of a table as dicts."""
    columns = list(X.columns)
    return (dict(zip(columns, row, strict=True)) for row in X.itertuples(index=False, name=None))


class StreamingTreeClassifier(_RiverTree, kind="StreamingTreeClassifier"):
    """`sapwood.StreamingTreeClassifier` for river: the same parameters, the same tree from the same points.

    An absent key is 0 and is counted as such. Numbers are on or off, by `binarize`: it is for bags of words, clicks,
    logs and the like.

    The parameters are those of sapwood's class, with the same meaning; they are read when the first point is learned.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> model = StreamingTreeClassifier(binarize=0.5)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 87.75%
    """


class HoeffdingTreeClassifier(_RiverTree, kind="HoeffdingTreeClassifier"):
    """`sapwood.HoeffdingTreeClassifier` (VFDT) for river: the same parameters, the same tree from the same points.

    Unlike in the river class of this name, an absent key is off and is counted as such, and a split forgets nothing
    that predicts. Numbers are on or off, by `binarize`: the tree is for bags of words, clicks, logs and the like.

    The parameters are those of the sapwood class, with the same meaning, except those of `fit`. They are read when the
    first point is learned.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> model = HoeffdingTreeClassifier(binarize=0.5)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 87.67%
    """


class ExtremelyFastDecisionTreeClassifier(_RiverTree, kind="ExtremelyFastDecisionTreeClassifier"):
    """`sapwood.ExtremelyFastDecisionTreeClassifier` (EFDT) for river: the same parameters, the same tree.

    Unlike in the river class of this name, an absent key is off and is counted as such, and a split forgets nothing
    that predicts. Numbers are on or off, by `binarize`: the tree is for bags of words, clicks, logs and the like.

    The parameters are those of the sapwood class, with the same meaning, except those of `fit`. They are read when the
    first point is learned.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> model = ExtremelyFastDecisionTreeClassifier(binarize=0.5)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 87.67%
    """
