"""What a classifier that forgets has beside the others: ids of points, forgetting, and a digest that proves it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from sapwood.data.labels import distinct
from sapwood.data.numbers_as_flags import warns_of_numbers
from sapwood.data.table import is_table
from sapwood.estimators.classifier import TreeClassifier
from sapwood.inspect.summary import DynamicTreeSummary
from sapwood.learner import DynamicLearner, make_learner
from sapwood.learner.learner import REFUSED
from sapwood.model_files.sections import pack

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from numpy.typing import ArrayLike
    from typing_extensions import Self

    from sapwood.data import Batch
    from sapwood.learner import Point, TreeLearner

__all__ = ["ForgettingClassifier", "ForgottenRecord"]


@dataclass(frozen=True)
class ForgottenRecord:
    """What was forgotten, for an audit. It prints as JSON."""

    model: str
    """The class of the model."""
    forgotten: int
    """The number of points forgotten, counted with their weights."""
    held: int
    """The number of points held afterwards."""
    digest_before: str
    digest_after: str
    """The digest of the model before and after. The latter is that of a model that never saw the points."""
    exact: bool
    """Whether that is so: not if a regret is allowed, since then the tree may remember what it was."""

    def __str__(self) -> str:
        return json.dumps(asdict(self))


class ForgettingClassifier(TreeClassifier):
    """A classifier whose points can be forgotten; a base class, not to be used itself."""

    __slots__ = ()

    _learner: DynamicLearner

    @property
    def learner(self) -> DynamicLearner:
        """What learns, forgets and answers."""
        learner = super().learner
        assert isinstance(learner, DynamicLearner)
        return learner

    # ---- learning ---------------------------------------------------------------------------------------------------

    def batch_of(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        learner: TreeLearner | None = None,
        method: str = "partial_fit",
    ) -> Batch:
        """Return the rows of a matrix as points that a learner, by default that of this model, learns next.

        The numbers of a dense array are flags, on above `binarize`. If that is not what they look like, a warning says
        so; tables and single points are looked at as they are learned.
        """
        batch = super().batch_of(X, y, sample_weight, learner=learner, method=method)
        if method != "partial_forget" and not scipy.sparse.issparse(X) and not is_table(X):
            warns_of_numbers(np.unique(np.asarray(X)).tolist(), (learner or self.learner).reading.binarize, levels=4)
        return batch

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        ids: Iterable[Hashable] | None = None,
    ) -> Self:
        """Forget everything, and learn from the rows of a matrix. Their order does not matter.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.
        y : array-like of shape (n_samples,)
            The class of each point.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights, whole numbers: a point of weight w counts w times.
        ids : iterable of hashable objects, default=None
            What the points are called, each once, for `forget`.

        Returns
        -------
        self : object
            The model itself.
        """
        with self._learner.lock:
            fresh = make_learner(self.kind, self.get_params(deep=False), owner=type(self).__name__)
            assert isinstance(fresh, DynamicLearner)
            fresh.fit(self.batch_of(X, y, sample_weight, learner=fresh, method="fit"), _listed(ids))
            self._learner.parameters, self._learner.model = fresh.parameters, fresh.model
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ids: Iterable[Hashable] | None = None,
    ) -> Self:
        """Learn from the rows of a matrix, beside everything learned before. An error changes nothing.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.
        y : array-like of shape (n_samples,)
            The class of each point.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever be passed. Required at the first call unless the model has learned by ``fit`` or
            ``learn_one``; later it may be left out or must be the same.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights, whole numbers: a point of weight w counts w times.
        ids : iterable of hashable objects, default=None
            What the points are called, each once, for `forget`.

        Returns
        -------
        self : object
            The model itself.
        """
        learner = self.learner
        with learner.lock:
            try:
                declared = None if classes is None else distinct(np.asarray(classes).reshape(-1), "classes")[0]
            except REFUSED as error:
                learner.refuse("partial_fit", error)
            learner.learn_with(self.batch_of(X, y, sample_weight), _listed(ids), "partial_fit", declared)
        return self

    def learn_one(self, x: Point, y: Hashable, *, w: float = 1, id: Hashable | None = None) -> None:  # noqa: A002 - the word for it
        """Learn from one point.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point, as those of the other classifiers; its features are None, numbers, text, bytes or tuples of
            these, because their order settles ties.
        y : hashable
            The class, which may be new.
        w : int, default=1
            The weight: the point counts w times.
        id : hashable, default=None
            What the point is called, for `forget`.
        """
        if id is None:
            self.learner.learn_one(x, y, w)
        else:
            self.learner.learn_one_with(x, y, w, id)

    # ---- forgetting -------------------------------------------------------------------------------------------------

    def forget_one(self, x: Point, y: Hashable, *, w: float = 1) -> None:
        """Forget one point that was learned. If it is not held, ValueError is raised and nothing changes.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point, with the same active features as when it was learned, in any order.
        y : hashable
            Its class.
        w : int, default=1
            How often it is forgotten.
        """
        self.learner.forget_one(x, y, w)

    def partial_forget(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, audit: bool = False
    ) -> ForgottenRecord | None:
        """Forget the rows of a matrix, all of which are held. If one is not, ValueError is raised and nothing changes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.
        y : array-like of shape (n_samples,)
            The class of each point.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each point is forgotten.
        audit : bool, default=False
            Whether to return a record. It takes two digests, each as long as saving the model.

        Returns
        -------
        record : ForgottenRecord or None
            What was forgotten.
        """
        learner = self.learner
        with learner.lock:
            batch = self.batch_of(X, y, sample_weight, method="partial_forget")
            return self._forgotten(lambda: learner.forget(batch), audit=audit)

    def forget(self, ids: Iterable[Hashable], *, audit: bool = False) -> ForgottenRecord | None:
        """Forget the points of ids that they were learned with. If one is not held, nothing changes.

        Parameters
        ----------
        ids : iterable of hashable objects
            The ids, each once.
        audit : bool, default=False
            Whether to return a record. It takes two digests, each as long as saving the model.

        Returns
        -------
        record : ForgottenRecord or None
            What was forgotten.
        """
        learner, names = self.learner, _listed(ids)
        assert names is not None
        with learner.lock:
            return self._forgotten(lambda: learner.forget_ids(names), audit=audit)

    def _forgotten(self, forget: Callable[[], None], *, audit: bool) -> ForgottenRecord | None:
        if audit:
            return self.audited(forget)
        forget()
        return None

    def audited(self, forget: Callable[[], None]) -> ForgottenRecord:
        """Call a function that forgets points of this model; return the record of it. Nothing held has no digest."""
        learner = self.learner
        with learner.lock:
            before, n_before = (self.digest(), self.n_points_) if learner.is_fitted else ("", 0)
            forget()
            after, n_after = (self.digest(), self.n_points_) if learner.is_fitted else ("", 0)
        exact = learner.parameters["beta"] == 0
        return ForgottenRecord(type(self).__name__, n_before - n_after, n_after, before, after, exact)

    def rebuild(self) -> None:
        """Build the tree anew from the points held, with the best test at every node.

        With ``beta=0`` nothing changes. Else the tree, too, forgets what it was: after this the digest is that of a
        model that learned the points held and was rebuilt.
        """
        self._learned()
        self.learner.rebuild()

    def summary(self) -> DynamicTreeSummary:  # type: ignore[override]  # a tree that forgets has other things to tell
        """Return the size and the work of the tree in a few numbers, which print as a table."""
        self._learned()
        found = self.learner.summary()
        assert isinstance(found, DynamicTreeSummary)
        return found

    def digest(self) -> str:
        """Return the SHA-256 digest of the bytes that ``save`` writes, in hexadecimal.

        With ``beta=0`` two models have the same digest if, and but for collisions only if, they have the same
        parameters and hold the same points, with the same ids, classes and columns.
        """
        self._learned()
        return hashlib.sha256(pack(self._sections("digest"))).hexdigest()


def _listed(ids: Iterable[Hashable] | None) -> list[Hashable] | None:
    if ids is None:
        return None
    return [name.item() if isinstance(name, np.generic) else name for name in ids]
