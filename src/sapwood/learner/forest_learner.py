"""A learner with many trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from sapwood.learner.forest_model import ForestModel
from sapwood.learner.learner import TreeLearner
from sapwood.learner.make_tree import n_threads
from sapwood.learner.model import TreeModel
from sapwood.parameters import parameter, tree_grown_by
from sapwood.parameters.values import LARGEST_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sapwood.data import Batch, Labels
    from sapwood.data.core_rows import CoreRows
    from sapwood.inspect.explain import Explanation
    from sapwood.inspect.names import FeatureNames
    from sapwood.inspect.strongest_features import TopFeatures
    from sapwood.inspect.summary import ForestSummary
    from sapwood.inspect.view import TreeView

__all__ = ["ForestLearner"]

T = TypeVar("T")


class ForestLearner(TreeLearner):
    """Many trees that learn from batches and single points, and predict. Estimators and commands each have one.

    Guarantee, beside that of `TreeLearner`: what is learned depends on neither the number of threads nor the batches
    that the points come in.
    """

    __slots__ = ()

    type_of_model: ClassVar[type[TreeModel]] = ForestModel
    model: ForestModel | None

    def fitted(self) -> ForestModel:
        """Return the model; raise ValueError before the first point."""
        model = super().fitted()
        assert isinstance(model, ForestModel)
        return model

    def _learn_or_undo(self, model: TreeModel, labels: Labels, batch: Batch, learn: Callable[[Batch], T]) -> T:
        # It may have changed since the last points.
        n_jobs: Any = parameter("n_jobs").value.check("n_jobs", self.parameters.get("n_jobs"))
        model.tree.n_jobs = n_threads(n_jobs)  # type: ignore[union-attr]  # it is a forest
        return super()._learn_or_undo(model, labels, batch, learn)

    def member(self, tree: Any = 0, *, may_learn: bool = False) -> TreeLearner:
        """Return a learner that has a copy of a tree; raise ValueError if there is none of the number.

        So it does if the tree has drawn no point so far, unless it is to learn: there is nothing to look at.
        """
        model = self.fitted()
        n_trees = model.forest.n_trees()
        if isinstance(tree, bool) or not isinstance(tree, (int, np.integer)) or not 0 <= tree < n_trees:
            raise ValueError(f"{self.owner}: tree must be an integer from 0 to {n_trees - 1}, got {tree!r}")
        kind = tree_grown_by(self.kind.growth)
        parameters: dict[str, Any] = {
            each.name: self.parameters.get(each.name, each.default) for each in kind.parameters
        }
        if "max_size" in parameters:
            # As the core has it: twice that of the tree before, within 63 bits.
            parameters["max_size"] = min(parameters["max_size"] << int(tree), LARGEST_LIMIT)
        with self.lock:
            found = model.of_tree(int(tree), may_learn=may_learn)
        if not may_learn and found.tree.n_met() == 0:
            raise ValueError(f"{self.owner}: tree must be one that has drawn a point, got {tree}, which has drawn none")
        return TreeLearner(kind, parameters, owner=self.owner, model=found)

    def has_drawn(self, tree: int = 0) -> bool:
        """Return whether a tree has drawn a point, so that there is something to look at in it."""
        with self.lock:
            return self.model is not None and self.model.of_tree(tree).tree.n_met() > 0

    # ---- looking inside: one tree, by default the first -------------------------------------------------------------

    def view(self, feature_names: FeatureNames = None, owner: str = "TreeView.of", tree: int = 0) -> TreeView:
        """Return a view of a tree in its current state; `owner` is the function named in errors."""
        return self.member(tree).view(feature_names, owner)

    def explain(self, point: CoreRows, feature_names: FeatureNames, owner: str, tree: int = 0) -> Explanation:
        """Explain the prediction of a tree for a point, a single row."""
        return self.member(tree).explain(point, feature_names, owner)

    def explain_batch(self, batch: Batch, feature_names: FeatureNames = None, tree: int = 0) -> Iterator[Explanation]:
        """Yield why a tree predicts each point of a batch as it does."""
        return self.member(tree).explain_batch(batch, feature_names)

    def html(self, title: str) -> str:
        """Return the forest in its current state as a small piece of HTML."""
        from sapwood.inspect.forest_html import forest_html

        model = self.fitted()
        with self.lock:
            return forest_html(model.forest, title)

    # ---- looking inside: all trees ----------------------------------------------------------------------------------

    def top_features(self, k: int = 10, feature_names: FeatureNames = None, owner: str | None = None) -> TopFeatures:
        """Return for each class the features with the largest weights for it in the leaves, the mean over the trees."""
        from sapwood.inspect import top_features

        model = self.fitted()
        owner = owner or f"{self.owner}.top_features"
        self.require_feature_weights(owner)
        with self.lock:
            labels = model.labels
            return top_features(
                model.forest,
                k,
                classes=labels.order,
                feature_names=feature_names,
                in_order=labels.in_order,
                owner=owner,
            )

    def summary(self) -> ForestSummary:
        """Return the size and the history of the forest in a few numbers."""
        from sapwood.inspect.summary import ForestSummary

        model = self.fitted()
        with self.lock:
            return ForestSummary.of(model.forest, len(model.labels.classes))
