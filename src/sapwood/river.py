"""The tree classifiers as river knows classifiers: for its pipelines, metrics and evaluation.

Needs river, which the extra `river` installs.

>>> from river import evaluate, feature_extraction, metrics
>>> from sapwood.river import HoeffdingTreeClassifier
>>> model = feature_extraction.BagOfWords(lowercase=True) | HoeffdingTreeClassifier()
>>> messages = [("Win a free prize now", "spam"), ("Lunch at noon?", "ham")] * 50
>>> evaluate.progressive_val_score(messages, model, metrics.Accuracy())
Accuracy: 98.99%
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from sapwood import _core, trees
from sapwood._inspect import Inspectable
from sapwood._labels import as_label
from sapwood._tree_parameters import ExtremelyFastParameters, HoeffdingParameters

try:
    from river import base
except ModuleNotFoundError as error:
    if error.name != "river":
        raise
    raise ImportError(
        "sapwood.river: river must be installed, got nothing by that name; install with: pip install 'sapwood[river]'"
    ) from error

if TYPE_CHECKING:
    import pandas as pd

    from sapwood._feature_names import FeatureNames
    from sapwood._tree_classifier import StreamingTreeClassifier
    from sapwood._tree_summary import TreeSummary
    from sapwood.explain import Explanation
    from sapwood.tree_view import TreeView

__all__ = ["ExtremelyFastDecisionTreeClassifier", "HoeffdingTreeClassifier"]


class _RiverTree(Inspectable, base.MiniBatchClassifier):
    """A tree classifier with river's interface, which hands everything to one of sapwood's own, `classifier`."""

    _kind: ClassVar[type[StreamingTreeClassifier]]

    def __init__(self) -> None:
        self.classifier = self._kind(**self._get_params())

    # ---- one point at a time ----------------------------------------------------------------------------------------

    def learn_one(self, x: dict[Any, Any], y: Hashable, *, w: float = 1) -> None:
        """Learn from one point.

        Parameters
        ----------
        x
            The point: numbers are on where they are greater than `binarize`, text is the feature "key=text", and an
            absent key is 0.
        y
            Its class, which may be a new one.
        w
            How often it counts, a non-negative integer.
        """
        self.classifier.learn_one(x, y, w=w)

    def predict_proba_one(self, x: dict[Any, Any], **_kwargs: Any) -> dict[Any, float]:
        """Return the probability of each class; of none before the first point.

        Parameters
        ----------
        x
            The point.
        """
        return self.classifier.predict_proba_one(x)

    def predict_one(self, x: dict[Any, Any], **_kwargs: Any) -> Any:
        """Return the class of the largest probability, of several that which was met first; None before any.

        Parameters
        ----------
        x
            The point.
        """
        return self.classifier.predict_one(x)

    # ---- many at a time ---------------------------------------------------------------------------------------------

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        """Learn from the rows of a table in their order, exactly as `learn_one` would.

        If a row or a label cannot be read, nothing is learned.

        Parameters
        ----------
        X
            The points. Columns may come and go from table to table.
        y
            Their classes.
        """
        points = list(_points(X))
        try:
            if len(points) != len(y):
                raise ValueError(f"y must have a label for each of the {len(points)} rows of X, got {len(y)}")
            labels = [as_label(label) for label in y]
            reader = _core.Tree()
            for x in points:
                reader.point(x, self.classifier.binarize)
            model = self.classifier._model
            met = set() if model is None else set(model.labels.order)
            self.classifier._check_number_of_classes(len(met | set(labels)))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{type(self).__name__}.learn_many: {error}") from None
        for x, label in zip(points, labels, strict=True):
            self.classifier.learn_one(x, label)

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return a table of the probability of each class for each row; it is empty before the first point.

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
        return self.classifier._view(feature_names, owner)

    def _explain(self, x: Any, feature_names: FeatureNames) -> Explanation:
        return self.classifier._explain(x, feature_names)

    def summary(self) -> TreeSummary:
        """Return what the tree is and what it has done, in a few numbers; it prints as a table."""
        return self.classifier.summary()

    def debug_one(self, x: dict[Any, Any]) -> str | None:
        """Return why a point is predicted as it is, to be read; None before the first point.

        Parameters
        ----------
        x
            The point.
        """
        return str(self.explain_one(x)) if self.classifier.__sklearn_is_fitted__() else None

    # ---- what river asks --------------------------------------------------------------------------------------------

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _raw_memory_usage(self) -> int:
        """The bytes of the model, most of which are in the core, where river does not see them."""
        if not self.classifier.__sklearn_is_fitted__():
            return 0
        summary = self.summary()
        return summary.tree_bytes + summary.vocabulary_bytes


def _points(X: pd.DataFrame) -> Iterator[dict[Any, Any]]:
    """Yield the rows of a table as dicts."""
    columns = list(X.columns)
    return (dict(zip(columns, row, strict=True)) for row in X.itertuples(index=False, name=None))


class HoeffdingTreeClassifier(HoeffdingParameters, _RiverTree):
    """`sapwood.HoeffdingTreeClassifier` (VFDT) for river: the same parameters, the same tree from the same points.

    Unlike in river's own class of this name, an absent key is 0 and is counted as such, and a split forgets nothing
    that predicts. Numbers are on or off, by `binarize`: it is for bags of words, clicks, logs and the like.

    The parameters are those of sapwood's class, with the same meaning; they are read when the first point is learned.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> model = HoeffdingTreeClassifier(binarize=0.5)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 87.75%
    """

    _kind = trees.HoeffdingTreeClassifier


class ExtremelyFastDecisionTreeClassifier(ExtremelyFastParameters, _RiverTree):
    """`sapwood.ExtremelyFastDecisionTreeClassifier` (EFDT) for river: the same parameters, the same tree.

    Unlike in river's own class of this name, an absent key is 0 and is counted as such, and a split forgets nothing
    that predicts. Numbers are on or off, by `binarize`: it is for bags of words, clicks, logs and the like.

    The parameters are those of sapwood's class, with the same meaning; they are read when the first point is learned.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> model = ExtremelyFastDecisionTreeClassifier(binarize=0.5)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 87.75%
    """

    _kind = trees.ExtremelyFastDecisionTreeClassifier
