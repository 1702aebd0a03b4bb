"""The tree classifiers with the river interface, for its pipelines, metrics and evaluation.

Needs river, which the extra `river` installs.

>>> from river import evaluate, feature_extraction, metrics
>>> from sapwood.river import HoeffdingTreeClassifier
>>> model = feature_extraction.BagOfWords(lowercase=True) | HoeffdingTreeClassifier()
>>> messages = [("Win a free prize now", "spam"), ("Lunch at noon?", "ham")] * 50
>>> evaluate.progressive_val_score(messages, model, metrics.Accuracy()).get() > 0.95
True
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar

from sapwood.data import Batch
from sapwood.exceptions import ModelFormatError
from sapwood.inspect.inspectable import Inspectable
from sapwood.learner import DynamicLearner, TreeLearner, make_learner
from sapwood.parameters import refuse_unknown, signature, tree_called
from sapwood.stream.texts import are_texts, as_list, text_batch

try:
    from river import base
except ModuleNotFoundError as error:
    if error.name != "river":
        raise
    raise ImportError(
        "sapwood.river: river must be installed; install it with: pip install 'sapwood[river]'"
    ) from error

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd
    from typing_extensions import Self

    from sapwood.estimators import TreeClassifier
    from sapwood.inspect.explain import Explanation
    from sapwood.inspect.names import FeatureNames
    from sapwood.inspect.strongest_features import TopFeatures
    from sapwood.inspect.summary import Summary
    from sapwood.inspect.view import TreeView
    from sapwood.parameters import TreeKind

__all__ = [
    "ADWINBaggingClassifier",
    "ASHTBaggingClassifier",
    "AdaptiveRandomForestClassifier",
    "AdaptiveSizeHoeffdingTreeClassifier",
    "DynamicTreeClassifier",
    "ExtremelyFastDecisionTreeClassifier",
    "HoeffdingAdaptiveTreeClassifier",
    "HoeffdingTreeClassifier",
    "LeveragingBaggingClassifier",
    "OnlineBaggingClassifier",
    "SlidingWindowTreeClassifier",
    "StreamingForestClassifier",
    "StreamingRandomPatchesClassifier",
    "StreamingTreeClassifier",
]


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
        if cls.__doc__ is not None:
            cls.__doc__ = _completed(cls.__doc__, cls.kind)

        def __init__(self: _RiverTree, **parameters: Any) -> None:  # noqa: N807 - it becomes one
            _RiverTree.__init__(self, **parameters)

        # river reads parameters off the signature of the constructor.
        __init__.__signature__ = signature(cls.kind.parameters_of_streams)  # type: ignore[attr-defined]  # what inspect looks for
        cls.__init__ = __init__  # type: ignore[method-assign]

    def __init__(self, **parameters: Any) -> None:
        known = {each.name: each.default for each in self.kind.parameters_of_streams}
        refuse_unknown(type(self).__name__, parameters, known)
        for name, default in known.items():
            setattr(self, name, parameters.get(name, default))
        self._learner = make_learner(self.kind, {}, owner=type(self).__name__)

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
            The point: a boolean is a flag, a number a number, and text the value of a category; an absent key, None
            and NaN are missing.
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

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from the rows of a table, or from texts, in order, exactly as `learn_one` would.

        If a row or a label is invalid, nothing is learned.

        Parameters
        ----------
        X
            The points: a DataFrame, whose columns may differ from table to table; or texts, whose words are flags as
            `sapwood.stream.text_batch` finds them: a list of strings, a Series, or an array of Arrow.
        y
            The classes.
        """

        def points() -> Batch:
            texts = are_texts(X)
            found = X if texts else _points(X)
            if not hasattr(y, "__len__"):
                raise TypeError(f"y must be a sequence of labels, got {type(y).__name__}")
            if len(X) != len(y):
                raise ValueError(f"y must have a label for every row of X, {len(X):,} in all, got {len(y)}")
            labels = as_list(y)
            return text_batch(found, labels) if texts else Batch.of_points(found, labels)

        self.learner.learn_many(points)

    def predict_proba_many(self, X: Any) -> pd.DataFrame:
        """Return a table with the probability of each class for each row; it is empty before the first point.

        Parameters
        ----------
        X
            The points, as `learn_many` takes them.
        """
        import pandas as pd

        if are_texts(X):
            learner = self.learner
            index = getattr(X, "index", None) if hasattr(X, "iloc") else None
            if not learner.is_fitted:
                return pd.DataFrame(index=range(len(X)) if index is None else index)
            shares = learner.predict_proba(text_batch(X))
            return pd.DataFrame(shares, columns=learner.labels.classes.tolist(), index=index)
        return pd.DataFrame([self.predict_proba_one(x) for x in _points(X)], index=X.index)

    def predict_many(self, X: Any) -> pd.Series:
        """Return the class of each row.

        Parameters
        ----------
        X
            The points, as `learn_many` takes them.
        """
        import pandas as pd

        if are_texts(X):
            learner = self.learner
            index = getattr(X, "index", None) if hasattr(X, "iloc") else None
            answers = learner.predict(text_batch(X)) if learner.is_fitted else [None] * len(X)
            return pd.Series(answers, index=index, dtype=object)
        return pd.Series([self.predict_one(x) for x in _points(X)], index=X.index)

    # ---- looking inside ---------------------------------------------------------------------------------------------

    def _view(self, feature_names: FeatureNames, owner: str) -> TreeView:
        return self.learner.view(feature_names, owner)

    def _html(self) -> str:
        return self.learner.html(type(self).__name__)

    def _top_features(self, k: int, feature_names: FeatureNames) -> TopFeatures:
        return self.learner.top_features(k, feature_names)

    def _explain(self, x: Any, feature_names: FeatureNames) -> Explanation:
        return self.classifier.explain_one(x, feature_names=feature_names)

    def summary(self) -> Summary:
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

    # ---- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Save the model in the documented format, which the sapwood class of the same name and the commands read too.

        Parameters
        ----------
        path
            The file, which is replaced as a whole.
        """
        self.classifier.save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Return the model that `save`, or the sapwood class of the same name, has written.

        Parameters
        ----------
        path
            The file.
        """
        from sapwood.trees import load_model

        learner = load_model(path).learner
        if learner.kind is not cls.kind:
            raise ModelFormatError(
                f"{cls.__name__}.load: the model must be a {cls.kind.name}, got a {learner.kind.name}"
            )
        known = {each.name for each in cls.kind.parameters_of_streams}
        model = cls(**{name: value for name, value in learner.parameters.items() if name in known})
        learner.owner = cls.__name__
        model._learner = learner
        return model

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
    """Yield the rows of a table as dicts; raise TypeError if it is none."""
    if not hasattr(X, "columns"):
        raise TypeError(f"X must be a DataFrame, or texts as strings, got {type(X).__name__}")
    columns = list(X.columns)
    return (dict(zip(columns, row, strict=True)) for row in X.itertuples(index=False, name=None))


_PARAMETERS = """\
The parameters are those of the sapwood class, with the same meaning, except those of `fit` and of matrices. They
are read when the first point is learned."""
_HEADING = "\n\nExamples\n--------\n"
_OF_FORESTS = "What shows one tree shows the first; `classifier` has the others."
_EXAMPLES = """\
>>> from river import datasets, evaluate, metrics
>>> model = {name}()
>>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy()).get() > 0.8
True"""


def _completed(doc: str, kind: TreeKind) -> str:
    """Return the docstring of a class with what all have in common, and with an example if it has none."""
    lead, _, examples = cleandoc(doc).partition(_HEADING)
    paragraphs = [lead, *([_OF_FORESTS] if kind.core == "Forest" else []), _PARAMETERS]
    return "\n\n".join(paragraphs) + _HEADING + (examples or _EXAMPLES.format(name=kind.name))


class StreamingTreeClassifier(_RiverTree, kind="StreamingTreeClassifier"):
    """`sapwood.StreamingTreeClassifier` for river: the same parameters, the same tree from the same points.

    A flag that is absent is off and is counted as such: bags of words, clicks and logs cost what is active in them.
    """


class StreamingForestClassifier(_RiverTree, kind="StreamingForestClassifier"):
    """`sapwood.StreamingForestClassifier` for river: the same parameters, the same forest from the same points."""


class HoeffdingTreeClassifier(_RiverTree, kind="HoeffdingTreeClassifier"):
    """`sapwood.HoeffdingTreeClassifier` (VFDT) for river: the same parameters, the same tree from the same points.

    Unlike in the river class of this name, a flag that is absent is off and is counted as such, and a split forgets
    nothing that predicts.
    """


class ExtremelyFastDecisionTreeClassifier(_RiverTree, kind="ExtremelyFastDecisionTreeClassifier"):
    """`sapwood.ExtremelyFastDecisionTreeClassifier` (EFDT) for river: the same parameters, the same tree.

    Unlike in the river class of this name, a flag that is absent is off and is counted as such, and a split forgets
    nothing that predicts.
    """


class DynamicTreeClassifier(_RiverTree, kind="DynamicTreeClassifier"):
    """`sapwood.DynamicTreeClassifier` for river: a tree that can forget the points it has learned.

    The same parameters, the same tree from the same points, whatever their order. `classifier` has the rest of the
    sapwood class: ids of points, the digest, saving.

    Examples
    --------
    >>> from river import datasets
    >>> model = DynamicTreeClassifier(binarize=0.5)
    >>> window = list(datasets.Phishing().take(300))
    >>> for x, y in window:
    ...     model.learn_one(x, y)
    >>> for x, y in window[:100]:
    ...     model.forget_one(x, y)
    >>> model.summary().n_points
    200
    """

    def forget_one(self, x: dict[Any, Any], y: Hashable, *, w: float = 1) -> None:
        """Forget one point that was learned. If it is not held, ValueError is raised and nothing changes.

        Parameters
        ----------
        x
            The point.
        y
            Its class.
        w
            How often it is forgotten.
        """
        learner = self.learner
        assert isinstance(learner, DynamicLearner)
        learner.forget_one(x, y, w)


class SlidingWindowTreeClassifier(_RiverTree, kind="SlidingWindowTreeClassifier"):
    """`sapwood.SlidingWindowTreeClassifier` (CVFDT) for river: the same parameters, the same tree.

    The tree of the most recent points. An absent key is off and is counted as such.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> model = SlidingWindowTreeClassifier(window_size=500)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 91.99%
    """


class HoeffdingAdaptiveTreeClassifier(_RiverTree, kind="HoeffdingAdaptiveTreeClassifier"):
    """`sapwood.HoeffdingAdaptiveTreeClassifier` (HAT) for river: the same parameters, the same tree.

    Unlike in the river class of this name, an absent key is off and is counted as such, an alternate never touches the
    tree before it wins, and points get no random weights.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> model = HoeffdingAdaptiveTreeClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 91.59%
    """


class OnlineBaggingClassifier(_RiverTree, kind="OnlineBaggingClassifier"):
    """`sapwood.OnlineBaggingClassifier` for river: the same parameters, the same forest from the same points."""


class ADWINBaggingClassifier(_RiverTree, kind="ADWINBaggingClassifier"):
    """`sapwood.ADWINBaggingClassifier` for river: the same parameters, the same forest from the same points."""


class LeveragingBaggingClassifier(_RiverTree, kind="LeveragingBaggingClassifier"):
    """`sapwood.LeveragingBaggingClassifier` for river: the same parameters, the same forest from the same points."""


class AdaptiveRandomForestClassifier(_RiverTree, kind="AdaptiveRandomForestClassifier"):
    """`sapwood.AdaptiveRandomForestClassifier` for river: the same parameters, the same forest from the same points."""


class StreamingRandomPatchesClassifier(_RiverTree, kind="StreamingRandomPatchesClassifier"):
    """`sapwood.StreamingRandomPatchesClassifier` for river: the same parameters, the same forest."""


class AdaptiveSizeHoeffdingTreeClassifier(_RiverTree, kind="AdaptiveSizeHoeffdingTreeClassifier"):
    """`sapwood.AdaptiveSizeHoeffdingTreeClassifier` (ASHT) for river: the same parameters, the same tree."""


class ASHTBaggingClassifier(_RiverTree, kind="ASHTBaggingClassifier"):
    """`sapwood.ASHTBaggingClassifier` for river: the same parameters, the same forest from the same points."""
