"""ID4 and ID5: what they promise, and what ID4 does not."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from sapwood.classic import ID4Classifier, ID5Classifier

NAMES = ["a0", "a1", "d0", "d1", "d2", "d3"]


def multiplexer() -> list[tuple[list[str], int]]:
    bits = itertools.product([0, 1], repeat=6)
    return [([n for n, on in zip(NAMES, b, strict=True) if on], b[2 + 2 * b[0] + b[1]]) for b in bits]


@pytest.mark.parametrize("seed", range(3))
def test_the_multiplexer(seed: int) -> None:
    points, order = multiplexer(), random.Random(seed)
    id4, id5 = ID4Classifier(level=None), ID5Classifier()
    for _ in range(5):
        order.shuffle(points)
        for x, y in points:
            id4.learn_one(x, y)
            id5.learn_one(x, y)
    assert sum(id5.predict_one(x) == y for x, y in points) == 64
    assert sum(id4.predict_one(x) == y for x, y in points) < 50
    assert id4.n_subtrees_lost > 50


@pytest.mark.parametrize("classifier", [ID4Classifier, ID5Classifier])
def test_what_is_simple_is_learned(classifier: Any) -> None:
    model, order = classifier(), random.Random(1)
    assert model.predict_one(["x"]) is None
    for _ in range(300):
        x = [name for name in NAMES if order.random() < 0.5]
        model.learn_one(x, "yes" if "d0" in x else "no")
    assert model.predict_one(["d0", "a1"]) == "yes"
    assert model.predict_one(["a0"]) == "no"
    assert model.n_nodes >= 3


def test_noise_is_not_significant() -> None:
    model, order = ID4Classifier(level=0.001), random.Random(2)
    for _ in range(300):
        model.learn_one([name for name in NAMES if order.random() < 0.5], order.randrange(2))
    assert model.n_nodes == 1
    with pytest.raises(ValueError, match="ID4Classifier: level must be between 0 and 1, or None, got 2"):
        ID4Classifier(level=2)


def test_id5_keeps_every_point_and_counts_them() -> None:
    model, order = ID5Classifier(), random.Random(3)
    n = 0
    for _ in range(400):
        x = [name for name in NAMES if order.random() < 0.5]
        model.learn_one(x, (("d0" in x) + ("a0" in x) + (order.random() < 0.1)) % 2)
        n += 1
        for node in model._root.below():
            if node.children is None:
                assert sum(node.classes.values()) == len(node.points)
            else:
                assert node.classes == node.children[0].classes + node.children[1].classes
    assert sum(len(node.points) for node in model._root.below()) == n
