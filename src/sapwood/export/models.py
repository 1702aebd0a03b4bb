"""What can be exported: anything that has a learner with a single tree."""

from __future__ import annotations

from typing import Any

from sapwood.learner import ForestLearner, TreeLearner

__all__ = ["learner_of"]


def learner_of(model: Any, owner: str, tree: int | None = None) -> TreeLearner:
    """Return the learner of a tree classifier, of scikit-learn's or river's interface, or a learner itself.

    Of a forest, that of the tree of a number. Raises TypeError, under the name `owner`, for anything else, and
    ValueError before the first point and for a number that no tree has.
    """
    learner = model if isinstance(model, TreeLearner) else getattr(model, "learner", None)
    if not isinstance(learner, TreeLearner):
        raise TypeError(f"{owner}: model must be a tree classifier of sapwood, got a {type(model).__name__}")
    name = type(model).__name__
    is_forest = isinstance(learner, ForestLearner)
    if is_forest and tree is None:
        raise TypeError(f"{owner}: model must be a single tree, got a {name}; its trees are its estimators_")
    if not is_forest and tree is not None:
        raise ValueError(f"{owner}: tree must be None for a single tree, got {tree!r} for a {name}")
    if not learner.is_fitted:
        raise ValueError(f"{owner}: model must have learned a point, got one that has learned none")
    return learner.member(tree) if isinstance(learner, ForestLearner) else learner
