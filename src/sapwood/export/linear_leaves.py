"""The answers of leaves as linear functions of flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sapwood.data import Category
from sapwood.data.core_rows import CoreRows
from sapwood.inspect.explain import scores_at
from sapwood.inspect.view import places_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from sapwood.inspect import NodeView, TreeView
    from sapwood.learner import TreeLearner

__all__ = ["LinearLeaves", "linear_leaves", "why_not_linear"]


class LinearLeaves(NamedTuple):
    """The scores of each class at each leaf: an intercept plus the weights of the flags that are on.

    The probabilities are the exponentials of the scores, divided by their sum.
    """

    intercepts: NDArray[np.float64]
    """By leaf and class."""
    weights: NDArray[np.float64] | None
    """By flag, leaf and class; None if all leaves answer by the shares of their classes."""
    flags: list[Hashable]
    """The features that the weights are of."""


def why_not_linear(learner: TreeLearner) -> str | None:
    """Return in a sentence why the answers of a tree are no linear functions of flags; None if they are."""
    answers = learner.parameters["leaf_prediction"]
    has_numbers = bool(learner.fitted().tree.number_keys())
    if answers == "mixed":
        others = "'majority'" if has_numbers else "'adaptive', 'logistic', 'naive_bayes' or 'majority'"
        return (
            "leaf_prediction must not be 'mixed', whose leaves weigh the opinions of their models by how sure these "
            f"are, which is no linear function; train with {others}"
        )
    if answers != "majority" and has_numbers:
        return (
            f"leaf_prediction must be 'majority' for points with numbers, got {answers!r}, whose models of the leaves "
            "see numbers in ranges"
        )
    return None


def linear_leaves(learner: TreeLearner, view: TreeView) -> LinearLeaves:
    """Return the answers of a tree for which `why_not_linear` has no reason."""
    tree = learner.fitted().tree
    leaves = [node for node in view.nodes if node.is_leaf]
    n_classes = len(view.classes)
    intercepts = np.empty((len(leaves), n_classes))
    if all(leaf.model == "majority" for leaf in leaves):
        with np.errstate(divide="ignore"):
            intercepts[:] = np.log([leaf.shares for leaf in leaves])
        return LinearLeaves(intercepts, None, [])
    keys = tree.keys()
    places = places_of(learner.labels.order, view.classes)
    weights = np.zeros((len(keys), len(leaves), n_classes))
    for i, leaf in enumerate(leaves):
        # Every feature that a point in this leaf can have: what a feature adds does not depend on the others.
        off = _off_at(view, leaf)
        point = CoreRows.of_one(*tree.typed_point([key for key in keys if key not in off]))
        slots, scores, intercept = scores_at(tree, point, leaf, places)
        weights[slots, i] = scores
        intercepts[i] = intercept
    return LinearLeaves(intercepts, weights, keys)


def _off_at(view: TreeView, leaf: NodeView) -> set[Hashable]:
    """Return the features that no point in a leaf has on."""
    off: set[Hashable] = set()
    node = leaf
    while node.parent is not None:
        parent = view.nodes[node.parent]
        assert parent.test is not None
        if node.number == parent.off:
            if parent.test.kind == "is_among":
                off.update(Category(parent.key, str(value)) for value in parent.test.categories)
            else:
                off.add(parent.key)
        node = parent
    return off
