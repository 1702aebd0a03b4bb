"""Points for trees that forget, and what such a tree tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from reference_dynamic import Point, Tests

from sapwood import DynamicTreeClassifier


def ways_of(model: DynamicTreeClassifier) -> Tests:
    """Return the test of each node, by the way to it."""
    view = model.learner.view()
    ways: dict[int, Any] = {0: ()}
    found: Tests = {}
    for node in view.nodes:
        way = ways[node.number]
        found[way] = node.key
        if node.off is not None and node.on is not None:
            ways[node.off] = (*way, (node.key, False))
            ways[node.on] = (*way, (node.key, True))
    return found


def random_point(random: np.random.Generator, d: int, m: int, n_classes: int) -> Point:
    features = frozenset(random.integers(0, d, size=random.integers(0, m + 1)).tolist())
    noisy = random.random() < 0.2
    label = int(random.integers(n_classes)) if noisy else ((0 in features) + (1 in features)) % n_classes
    return features, label


def learned(points: Sequence[Point], **parameters: Any) -> DynamicTreeClassifier:
    model = DynamicTreeClassifier(**parameters)
    for features, label in points:
        model.learn_one(features, label)
    return model
