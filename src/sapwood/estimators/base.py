"""What makes an estimator of a learner: its parameters, its points, and saving it."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sapwood.estimators.checks import labelled_batch, unlabelled_batch
from sapwood.estimators.docs import completed
from sapwood.exceptions import ModelFormatError
from sapwood.learner import make_learner
from sapwood.learner.learner import REFUSED
from sapwood.model_files import tree_file
from sapwood.model_files.files import write_atomically
from sapwood.model_files.sections import pack, parts
from sapwood.parameters import MAY_CHANGE, refuse_unknown, signature, tree_called

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from numpy.typing import ArrayLike
    from typing_extensions import Self

    from sapwood.data import Batch
    from sapwood.learner import TreeLearner, TreeModel
    from sapwood.model_files.sections import Section
    from sapwood.parameters import TreeKind

__all__ = ["TreeEstimator"]

_of_kind: dict[str, type[TreeEstimator]] = {}
"""The estimator of each kind of tree, by the name of the kind."""


def _estimator_of(kind: str) -> type[TreeEstimator]:
    """Return the estimator of a kind of tree, whose module need not have been loaded yet."""
    if kind not in _of_kind:
        for module in ("sapwood.trees", "sapwood.forests"):
            import_module(module)
    return _of_kind[kind]


class TreeEstimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no annotations
    """An estimator that has a learner.

    A class that names its kind, by ``class Name(TreeClassifier, kind="Name")``, is the estimator of that row
    of `sapwood.parameters.TREES`: the signature of its constructor is written from there, and so are the sections of
    its docstring that it does not write itself (`sapwood.estimators.docs`).
    """

    # Not in the dictionary of the object, which scikit-learn takes for parameters and results.
    __slots__ = ("_learner",)

    kind: ClassVar[TreeKind]
    _learner: TreeLearner

    def __init_subclass__(cls, *, kind: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if kind is not None:
            cls.kind = tree_called(kind)
            _of_kind[kind] = cls
            # scikit-learn reads the parameters off the signature of the constructor.
            cls.__init__.__signature__ = signature(cls.kind.parameters)  # type: ignore[attr-defined]  # what inspect reads
            if cls.__doc__ is not None:
                cls.__doc__ = completed(cls.__doc__, cls.kind)
        # Otherwise that of __new__ is taken for it, also in a class of the user's own.
        own = inspect.signature(cls.__init__)
        cls.__signature__ = own.replace(parameters=list(own.parameters.values())[1:])

    def __new__(cls, *_args: Any, **_given: Any) -> Self:
        """Make an object that has learned nothing."""
        self: Self = super().__new__(cls)
        self._learner = make_learner(cls.kind, {}, owner=cls.__name__)
        return self

    def _store(self, parameters: Mapping[str, Any]) -> None:
        """Keep what a constructor was given, and the defaults, as scikit-learn wants it: each as an attribute."""
        refuse_unknown(type(self).__name__, parameters, [each.name for each in self.kind.parameters])
        for each in self.kind.parameters:
            setattr(self, each.name, parameters.get(each.name, each.default))

    @property
    def learner(self) -> TreeLearner:
        """What learns and answers, with the parameters as they are now unless the tree has begun.

        Those that nothing learned depends on are as they are now.
        """
        learner = self._learner
        if learner.model is None:
            learner.parameters = self.get_params(deep=False)
            return learner
        for name in MAY_CHANGE:
            if name in learner.parameters:
                learner.parameters[name] = getattr(self, name)
        return learner

    # ---- points -----------------------------------------------------------------------------------------------------

    def _learned(self) -> TreeModel:
        """Return what was learned; raise NotFittedError before there is anything."""
        check_is_fitted(self)
        return self._learner.fitted()

    def batch_of(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        learner: TreeLearner | None = None,
        method: str = "partial_fit",
    ) -> Batch:
        """Return the rows of a matrix as points that a learner, by default that of this model, learns next."""
        learner = learner or self.learner
        # Read once, here and below: another thread may be learning from the first matrix.
        columns, reading = learner.columns, learner.reading
        try:
            return labelled_batch(
                X,
                y,
                sample_weight,
                owner=type(self).__name__,
                columns=columns,
                reading=reading,
                takes_numbers=self.kind.takes_numbers,
            )
        except REFUSED as error:
            learner.refuse(method, error)

    def _answerable(self, method: str, X: Any) -> tuple[TreeModel, Batch]:
        """Return what was learned, and the rows of a matrix as points to answer."""
        check_is_fitted(self)
        model = self._learner.fitted()
        owner, has_numbers = type(self).__name__, bool(model.tree.number_keys())
        try:
            return model, unlabelled_batch(
                X, owner=owner, columns=model.columns, reading=model.reading, has_numbers=has_numbers
            )
        except REFUSED as error:
            self._learner.refuse(method, error)

    # ---- keeping it -------------------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Return the model as bytes, in the format that ``save`` writes.

        Raises
        ------
        NotFittedError
            If nothing was learned.
        TypeError, ValueError
            If a parameter is invalid, or if a label or a feature is not None, a boolean, a number, text, bytes or a
            tuple of these. Pickle keeps every label and feature that can be pickled.
        """
        self._learned()
        return pack(self._sections("to_bytes"))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the model that ``to_bytes`` was called on. It continues exactly as that one would.

        Raises
        ------
        ModelFormatError
            If the bytes are no model of this class. They may come from anyone: reading them runs no code.
        """
        return cls._read("from_bytes", data)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, replacing it as a whole: at any time the old or the new file is there.

        A RandomState as ``random_state`` is kept as the seed that was drawn from it.

        Raises
        ------
        NotFittedError
            If nothing was learned.
        TypeError, ValueError
            As ``to_bytes`` does.
        OSError
            If the file cannot be written.
        """
        self._learned()
        write_atomically(path, parts(self._sections("save")))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Return the model that ``save`` wrote. It continues exactly as that one would.

        Raises
        ------
        ModelFormatError
            If the file holds no model of this class. Files may come from anyone: reading one runs no code.
        OSError
            If the file cannot be read.
        """
        return cls._read("load", Path(path).read_bytes())

    def _sections(self, method: str) -> dict[str, Section]:
        learner = self._learner
        with learner.lock:
            assert learner.model is not None
            parameters = {each.name: getattr(self, each.name) for each in self.kind.parameters}
            if "max_name_bytes" in parameters:
                # Which names have a feature of their own is a matter of the limit that there was when they came.
                parameters["max_name_bytes"] = learner.parameters["max_name_bytes"]
            try:
                return tree_file.sections_of(self.kind, parameters, learner.model)
            except REFUSED as error:
                learner.refuse(method, error)

    @classmethod
    def _read(cls, method: str, data: bytes) -> Self:
        if not isinstance(data, bytes):
            raise TypeError(f"{cls.__name__}.{method}: data must be bytes, got {type(data).__name__}")
        try:
            saved = tree_file.from_bytes(data)
            estimator = _estimator_of(saved.kind.name)
            if not (issubclass(cls, estimator) or issubclass(estimator, cls)):
                raise ModelFormatError(f"the model must be a {cls.__name__}, got a {saved.kind.name}")
        except ModelFormatError as error:
            raise ModelFormatError(f"{cls.__name__}.{method}: {error}") from None
        return (cls if issubclass(cls, estimator) else estimator).of(saved)

    @classmethod
    def of(cls, learner: TreeLearner) -> Self:
        """Return the face of a learner: the estimator of its kind, or of this class if that is derived from it.

        What the one learns the other has learned.
        """
        estimator = _estimator_of(learner.kind.name)
        made: Self = (cls if issubclass(cls, estimator) else estimator)(**learner.parameters)
        learner.owner = type(made).__name__
        made._learner = learner
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {"attributes": self.__dict__.copy(), "learner": self._learner.__getstate__()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["attributes"])
        self._learner.__setstate__(state["learner"])

    # ---- what scikit-learn asks -------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return self._learner.is_fitted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        # The checks measure it on a few hundred points, for which a tree that waits until it is sure makes no split.
        tags.classifier_tags.poor_score = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """Return the tags as scikit-learn before 1.6 asks for them."""
        return {"allow_nan": True, "poor_score": True}
