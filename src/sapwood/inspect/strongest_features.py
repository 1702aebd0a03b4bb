"""The features with the largest weights for each class in the models of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sapwood.inspect.core_tree import CoreModel
from sapwood.inspect.model_features import ModelFeatures
from sapwood.inspect.names import FeatureNames
from sapwood.inspect.view import places_of

__all__ = ["TopFeatures", "check_k", "evidence_of_features", "top_features"]

TopFeatures = dict[Any, list[tuple[str, float]]]


def evidence_of_features(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return what features add to the log-odds of each class, from what they add to its score.

    A row is a feature, a column a class. The log-odds are of the class against the geometric mean of the others, for
    two classes against the other: the score of the class minus the mean of the scores of the others.
    """
    n_classes = scores.shape[1]
    others = (scores.sum(axis=1, keepdims=True) - scores) / max(1, n_classes - 1)
    found: npt.NDArray[np.float64] = scores - others
    return found


def top_features(
    tree: CoreModel,
    k: int = 10,
    *,
    classes: Sequence[Any],
    feature_names: FeatureNames = None,
    in_order: Sequence[Any] | None = None,
    owner: str = "top_features",
) -> TopFeatures:
    """Return for each class the features with the largest weights for it, the largest first.

    The weight of a feature for a class is what it adds to the log-odds of the class when it is on (see
    `evidence_of_features`), in the model that predicts in a leaf; the mean over the leaves, weighted by their points.
    `_core.Tree.feature_scores` computes it. Only positive weights are returned; where leaves predict by majority, there
    is none.

    Parameters
    ----------
    tree : _core.Tree, _core.DynamicTree or _core.Forest
        The tree, or a forest, of whose trees it is the mean.
    k : int
        The number of features per class.
    classes, feature_names, in_order, owner
        As in `TreeView.of`.
    """
    check_k(owner, k)
    places = places_of(classes, in_order)
    found: TopFeatures = {classes[place]: [] for place in places}
    if len(classes) < 2:  # noqa: PLR2004 - no class to tell it from
        return found
    features = ModelFeatures(tree, feature_names, owner)
    evidence = evidence_of_features(tree.feature_scores()[:, places])
    for label, column in zip(found, evidence.T, strict=True):
        positive = np.flatnonzero(column > 0)
        # Stable: of equal weights, the feature that was met first.
        best = positive[np.argsort(-column[positive], kind="stable")[:k]]
        found[label] = [(features.name(slot), float(column[slot])) for slot in best.tolist()]
    return found


def check_k(owner: str, k: object) -> None:
    """Raise ValueError unless `k`, a parameter of `owner`, is an integer of at least 1."""
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise ValueError(f"{owner}: k must be an integer of at least 1, got {k!r}")
