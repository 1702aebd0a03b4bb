"""From the kind of a tree to its learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sapwood.learner.dynamic_learner import DynamicLearner
from sapwood.learner.forest_learner import ForestLearner
from sapwood.learner.learner import TreeLearner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sapwood.learner.model import TreeModel
    from sapwood.parameters import TreeKind

__all__ = ["make_learner", "type_of_learner"]


def type_of_learner(kind: TreeKind) -> type[TreeLearner]:
    """Return the class of the learners of a kind."""
    of_core: dict[str, type[TreeLearner]] = {"DynamicTree": DynamicLearner, "Forest": ForestLearner}
    return of_core.get(kind.core, TreeLearner)


def make_learner(
    kind: TreeKind, parameters: Mapping[str, Any], *, owner: str | None = None, model: TreeModel | None = None
) -> TreeLearner:
    """Return a learner of a kind: a tree, a tree that forgets, or many trees."""
    return type_of_learner(kind)(kind, parameters, owner=owner, model=model)
