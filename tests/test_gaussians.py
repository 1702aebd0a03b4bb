"""Leaves that see numbers as numbers: what is saved of it, what is refused, and what an explanation shows."""

from __future__ import annotations

import random
import struct
from typing import Any

import numpy as np
import pytest
from reference_gaussians import Gaussians

import sapwood
from sapwood.exceptions import ModelFormatError
from sapwood.model_files import tree_file
from sapwood.model_files.sections import pack, unpack

SECTION = b"\x09gaussians"


def clouds(n: int, seed: int = 1, n_classes: int = 2) -> list[tuple[dict[str, Any], int]]:
    """Return points of classes whose numbers lie around different centres."""
    draw = random.Random(seed)
    points: list[tuple[dict[str, Any], int]] = []
    for _ in range(n):
        label = draw.randrange(n_classes)
        point: dict[str, Any] = {f"x{i}": draw.gauss((label + i) % n_classes, 1) for i in range(4)}
        if draw.random() < 0.1:
            del point["x2"]
        points.append((point, label))
    return points


def tree_of(points: list[tuple[dict[str, Any], int]], **options: Any) -> sapwood.StreamingTreeClassifier:
    tree = sapwood.StreamingTreeClassifier(**options)
    for x, label in points:
        tree.learn_one(x, label)
    return tree


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_tree_that_was_read_goes_on_byte_for_byte(n_classes: int) -> None:
    points = clouds(900, n_classes=n_classes)
    whole, half = tree_of(points), tree_of(points[:400])
    assert SECTION in unpack(half.to_bytes())["tree"]
    again = sapwood.StreamingTreeClassifier.from_bytes(half.to_bytes())
    for x, label in points[400:]:
        again.learn_one(x, label)
    assert again.to_bytes() == whole.to_bytes()


def test_a_tree_without_numbers_has_nothing_of_it() -> None:
    tree = tree_of([({"a": True, "colour": "red"}, 0), ({"b": True}, 1)] * 20)
    assert SECTION not in unpack(tree.to_bytes())["tree"]


def test_a_file_from_before_is_read_and_learns() -> None:
    points = clouds(300)
    sections = unpack(tree_of(points).to_bytes())
    tree = sections["tree"]
    at = tree.index(SECTION)
    (size,) = struct.unpack_from("<Q", tree, at + len(SECTION))
    before = pack({**sections, "tree": tree[:at] + tree[at + len(SECTION) + 8 + size :]})
    old = sapwood.StreamingTreeClassifier.from_bytes(before)
    assert old.to_bytes() == before
    for x, label in points:
        old.learn_one(x, label)
    assert SECTION in unpack(old.to_bytes())["tree"]


# Where the parts of the only leaf are: its weight, how many numbers, then an attribute and the clouds of two classes.
WEIGHT, SIZE, NUMBER, N, MEAN, SQUARES = 0, 8, 12, 16, 24, 32


@pytest.mark.parametrize(
    ("at", "form", "value", "words"),
    [
        (WEIGHT, "<d", float("nan"), "the weight of an expert on numbers must be finite"),
        (WEIGHT, "<d", 1e30, "at most 2\\^31 in absolute value"),
        (SIZE, "<I", 2**31, "the numbers of a leaf"),
        (NUMBER, "<i", -1, "different numbers of the model"),
        (NUMBER, "<i", 99, "different numbers of the model"),
        (NUMBER, "<i", 1, "different numbers of the model"),
        (N, "<d", -1.0, "must be a count of at most"),
        (N, "<d", 0.5, "must be a count of at most"),
        (N, "<d", 1e6, "must be a count of at most"),
        (MEAN, "<d", float("inf"), "the mean of a number must be finite"),
        (MEAN, "<d", 1e200, "must be those of values"),
        (SQUARES, "<d", -1.0, "must be those of values"),
        (SQUARES, "<d", 1e300, "must be those of values"),
    ],
)
def test_what_no_tree_has_is_refused(at: int, form: str, value: float, words: str) -> None:
    model = tree_of(clouds(40), max_leaves=1)
    assert model.get_n_leaves() == 1
    sections = unpack(model.to_bytes())
    tree = bytearray(sections["tree"])
    start = tree.index(SECTION) + len(SECTION) + 8
    assert struct.unpack_from("<I", tree, start + SIZE) == (4,)
    struct.pack_into(form, tree, start + at, value)
    with pytest.raises(ModelFormatError, match=words):
        tree_file.from_bytes(pack({**sections, "tree": bytes(tree)}))


def test_an_explanation_has_what_numbers_say() -> None:
    """A number adds the log-odds of its densities, times the weight of the expert, and all adds up to the answer."""
    model = tree_of(clouds(2000), max_leaves=1)
    sections = unpack(model.to_bytes())
    tree = bytearray(sections["tree"])
    start = tree.index(SECTION) + len(SECTION) + 8
    (weight,) = struct.unpack_from("<d", tree, start)
    assert weight > 0.05
    struct.pack_into("<d", tree, start, 0.0)
    without = sapwood.StreamingTreeClassifier.from_bytes(pack({**sections, "tree": bytes(tree)}))
    x = {"x0": 0.25, "x1": 0.5, "x2": 0.75}
    explained = model.explain_one(x)
    told = np.log(explained.probabilities)
    assert explained.log_odds(1, 0) == pytest.approx(told[1] - told[0], abs=1e-9)
    learned = Gaussians()
    for point, label in clouds(2000)[1:]:  # a number is learned from the point on that was the first to differ
        learned.learn({int(name[1]): value for name, value in point.items()}, label, 1)
    for name, value in x.items():
        densities = learned.scores({int(name[1]): value}, [0, 0])
        added = log_odds_of(model, x, name) - log_odds_of(without, x, name)
        assert added == pytest.approx(weight * (densities[1] - densities[0]), rel=1e-6, abs=1e-9)


def log_odds_of(model: sapwood.StreamingTreeClassifier, x: dict[str, Any], name: str) -> float:
    """Return what all that is made of a number adds to the log-odds of the second class."""
    return sum(each.scores[1] - each.scores[0] for each in model.explain_one(x).evidence if each.key == name)
