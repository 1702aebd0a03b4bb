"""A tree of the core and the reference in plain Python side by side, and streams for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from reference_models import BAYES_SCALE, MODELS, Bayes, LeafModels, Mixing, TrunkWeights, Weights
from reference_options import Options
from reference_tree import ReferenceTree, Way
from streams import Stream

from sapwood._core import Tree

# For the rounding of sums of logarithms.
ROUNDING = 1e-9

WeightedPoint = tuple[tuple[int, ...], int, float]


def arrays_of(
    points: Sequence[WeightedPoint],
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return points as the core takes them: where rows begin, the features, the labels and the weights."""
    indptr = np.cumsum([0] + [len(features) for features, _, _ in points], dtype=np.int64)
    ids = np.array([j for features, _, _ in points for j in features], dtype=np.int32)
    labels = np.array([label for _, label, _ in points], dtype=np.uint16)
    return indptr, ids, labels, np.array([weight for _, _, weight in points], dtype=np.float64)


def in_order_of_appearance(stream: Sequence[WeightedPoint]) -> list[WeightedPoint]:
    """Name features and classes by the numbers of their first appearance."""
    slots: dict[int, int] = {}
    classes: dict[int, int] = {}
    return [
        (tuple(slots.setdefault(j, len(slots)) for j in features), classes.setdefault(label, len(classes)), weight)
        for features, label, weight in stream
    ]


def weighted(stream: Stream, weight: float = 1) -> list[WeightedPoint]:
    """Give every point of a stream the same weight."""
    return in_order_of_appearance([(features, label, weight) for features, label in stream])


@dataclass
class AsTheCoreDid:
    """Settles ties of the reference by what the core did with the point."""

    nodes: dict[str, Any]
    features: tuple[int, ...]

    def feature(self, way: Way) -> int | None:
        at = 0
        for feature, is_on in way:
            if self.nodes["feature"][at] != feature:
                return None
            at = int(self.nodes["on" if is_on else "off"][at])
        found = int(self.nodes["feature"][at])
        return None if found < 0 else found

    def was_right(self, model: int, before: int) -> bool:
        at = 0
        while self.nodes["feature"][at] >= 0:
            at = int(self.nodes["on" if self.nodes["feature"][at] in self.features else "off"][at])
        return int(self.nodes["right"][at, model]) > before


def are_near(found: Sequence[float], true: Sequence[float], rounding: float = ROUNDING) -> bool:
    """Whether two lists are equal but for rounding; NumPy's own answer takes too long to ask after every point."""
    return all(a == b or abs(a - b) <= rounding for a, b in zip(found, true, strict=True))


@dataclass
class After:
    """Where trees differ, put into words only if they do."""

    reference: ReferenceTree

    def __str__(self) -> str:
        return f"{self.reference.options} after {self.reference.n} points"


class Twins:
    """A tree of the core and the reference, which learn the same points and must never differ."""

    def __init__(self, options: Options, search: str = "certified") -> None:
        self.core = Tree(**options.of_core(), search=search)
        self.reference = ReferenceTree(options)

    def learn(self, stream: Sequence[WeightedPoint], ask_every: int = 1) -> None:
        """Learn from points, and compare the trees after each, and what they predict after every so many."""
        for i, (features, label, weight) in enumerate(stream):
            self.core.learn(*arrays_of([(features, label, weight)]))
            nodes = self.core.nodes()
            self.reference.learn(features, label, weight, AsTheCoreDid(nodes, features))
            self.compare_nodes(nodes)
            for asked in (features, (), features[:1]) if i % ask_every == 0 else ():
                self.compare_predictions(asked)

    def compare_nodes(self, nodes: dict[str, Any]) -> None:
        reference = self.reference
        expected = reference.root.nodes()
        where = After(reference)
        assert [-1 if node.feature is None else node.feature for node in expected] == nodes["feature"].tolist(), where
        assert [len(node.way) for node in expected] == nodes["depth"].tolist(), where
        assert [node.born for node in expected] == nodes["born"].tolist(), where
        assert [node.split_at for node in expected] == nodes["split_at"].tolist(), where
        assert [node.of_class for node in expected] == nodes["counts"].tolist(), where
        assert [sum(node.counted) for node in expected] == nodes["n_counted"].tolist(), where
        assert are_near(nodes["gain"].tolist(), [node.gain for node in expected]), where
        assert are_near(nodes["margin"].tolist(), [node.margin for node in expected]), where
        for at, node in enumerate(expected):
            if node.models is None:
                assert nodes["model"][at] == -1, where
                continue
            assert (*MODELS, "mixed")[nodes["model"][at]] == reference.model_of(node), where
            assert nodes["right"][at].tolist() == node.models.right, where
        tally = self.core.tally()
        assert {name: tally[name] for name in reference.tally} == reference.tally, where

    def compare_predictions(self, features: tuple[int, ...]) -> None:
        indptr, ids, _, _ = arrays_of([(features, 0, 1)])
        found = self.core.predict_proba(indptr, ids)[0]
        true = self.reference.predict_proba(features)
        assert are_near(found.tolist(), true), f"{self.reference.options}: {features}"

    def compare_models(self, features: Sequence[int]) -> None:
        """Compare the weights and the counts that the leaf of a point has for its features."""
        reference = self.reference
        slots, trunk, correction, shares, *intercepts = self.core.evidence(np.array(features, dtype=np.int32))
        assert slots.tolist() == list(features)
        leaf = reference.path(features)[-1]
        assert leaf.models is not None
        if reference.options.leaf_prediction == "mixed":
            expected = mixed_contributions(reference.mixing, leaf.models, features)
            for found, true in zip((trunk, correction, *intercepts), expected, strict=True):
                np.testing.assert_allclose(found, np.reshape(true, found.shape), rtol=1e-9, atol=ROUNDING)
            return
        for intercept, regression in zip(intercepts, (reference.trunk, leaf.models.correction), strict=True):
            assert len(intercept) == trunk.shape[1]
            if len(intercept) > 0:
                np.testing.assert_allclose(intercept, regression.intercept.of, rtol=1e-6, atol=1e-6)
        for row, slot in enumerate(features):
            for found, regression in ((trunk, reference.trunk), (correction, leaf.models.correction)):
                if found.shape[1] > 0:
                    weights = regression.features.get(slot)
                    true = [0.0] * found.shape[1] if weights is None else weights.of
                    np.testing.assert_allclose(found[row], true, rtol=1e-6, atol=1e-6)
            if shares.shape[1] > 0:
                prior = leaf.models.bayes.scores([], [0] * reference.n_classes)
                score = leaf.models.bayes.scores([slot], [0] * reference.n_classes)
                assert shares[row].tolist() == pytest.approx(np.subtract(score, prior), abs=ROUNDING)


def mixed_contributions(mixing: Mixing, models: LeafModels, features: Sequence[int]) -> list[Any]:
    """Return what each feature adds to the mix by the trunk and by the leaf, and the same of the intercepts."""
    _, leaf_bayes, middle, fast, slow, corrected, trunk_bayes, *_ = mixing.weights(models)
    # The leaf corrects the first regression, and so speaks through it as well.
    of_trunks = (middle + corrected, fast, slow)

    def of_regressions(weights: TrunkWeights) -> Any:
        return np.tensordot(of_trunks, weights.of, 1)

    def of_bayes(bayes: Bayes, slot: int) -> Any:
        nothing = [0] * mixing.n_classes
        scores = np.subtract(bayes.scores([slot], nothing), bayes.scores([], nothing))
        return BAYES_SCALE * (scores if mixing.n_classes > 2 else scores[1:] - scores[:1])

    nothing = Weights.zero(mixing.n_outputs)
    correction = models.correction
    return [
        [
            of_regressions(mixing.features.get(j, TrunkWeights.zero(mixing.n_outputs)))
            + trunk_bayes * of_bayes(mixing.bayes, j)
            for j in features
        ],
        [
            corrected * np.array(correction.features.get(j, nothing).of) + leaf_bayes * of_bayes(models.bayes, j)
            for j in features
        ],
        of_regressions(mixing.intercept),
        corrected * np.array(correction.intercept.of),
    ]


# ---- the same tree by other ways -------------------------------------------------------------------------------------


def learned(options: Options, stream: Sequence[WeightedPoint], search: str, chunks: Sequence[int]) -> dict[str, Any]:
    """Return all that can be seen of a tree that has learned a stream in chunks of the given sizes, in turn."""
    tree = Tree(**options.of_core(), search=search)
    start = turn = 0
    while start < len(stream):
        size = chunks[turn % len(chunks)]
        tree.learn(*arrays_of(stream[start : start + size]))
        start, turn = start + size, turn + 1
    indptr, ids, _, _ = arrays_of(stream)
    seen = {**tree.nodes(), **tree.tally(), "proba": tree.predict_proba(indptr, ids)}
    for features, _, _ in stream[-5:]:
        for i, part in enumerate(tree.evidence(np.array(features, dtype=np.int32))):
            seen[f"evidence {i} of {features}"] = part
    # The bytes name the search, and so are the same for one search only.
    seen[f"bytes with {search}"] = tree.to_bytes()
    return seen


def assert_identical(one: dict[str, Any], other: dict[str, Any]) -> None:
    common = one.keys() & other.keys()
    assert {"feature", "counts", "gain", "margin", "right", "proba", "tested"} <= common
    for name in common:
        assert np.array_equal(one[name], other[name]), name


def assert_same_by_other_ways(options: Options, stream: Sequence[WeightedPoint]) -> None:
    """Check that exact searches, and chunks of any size, give the identical tree, which has split."""
    whole = learned(options, stream, "certified", [len(stream)])
    assert whole["split"] > 0
    assert_identical(whole, learned(options, stream, "exhaustive", [1]))
    in_chunks = learned(options, stream, "certified", [7, 1, 64])
    assert_identical(whole, in_chunks)
    assert in_chunks["bytes with certified"] == whole["bytes with certified"]


# ---- streams ---------------------------------------------------------------------------------------------------------


def drifting(seed: int, n: int = 160, n_classes: int = 2, weight: float = 1) -> list[WeightedPoint]:
    """Make points whose labels show in half of the features, soon in the other half, and are flipped for a while.

    Some points are empty, and in some streams a feature is always on.
    """
    rng = np.random.default_rng(seed)
    stream: list[WeightedPoint] = []
    d = int(rng.integers(4, 9))
    noise = rng.choice([0.0, 0.1, 0.3])
    turn = int(rng.integers(n // 5, n // 3))
    for i in range(n):
        # All classes appear in time, the last of them late.
        label = int(rng.integers(min(n_classes, 2 + i // 20)))
        shown = label if rng.random() > noise else int(rng.integers(n_classes))
        if seed % 4 == 1 and i > 0.9 * n:
            shown = n_classes - 1 - shown
        rates = [
            (0.95 if j // 2 % n_classes == shown else 0.05) if (j % 2 == 1) == (i >= turn) else 0.3 for j in range(d)
        ]
        features = [j for j in rng.permutation(d) if rng.random() < rates[j]] if rng.random() > 0.1 else []
        stream.append((tuple(map(int, features)) + ((d,) if seed % 3 == 0 else ()), label, weight))
    return in_order_of_appearance(stream)
