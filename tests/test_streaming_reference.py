"""The parts of the streaming tree against the reference in plain Python, node for node, after every point.

Evidence with each growth, leaves that mix, inner nodes that count a sample; alone, together, and with what the other
trees have.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from reference_options import Options
from streams import HOSTILE
from tree_twins import Twins, WeightedPoint, assert_same_by_other_ways, drifting, in_order_of_appearance, weighted

GROWTHS = ("hoeffding", "extremely_fast", "streaming")
# Growth, split test and leaf prediction: all that is new, and each of them with what is old.
KINDS = [
    *product(GROWTHS, ("evidence",), ("majority", "mixed")),
    ("streaming", "evidence", "adaptive"),
    ("streaming", "evidence", "logistic"),
    ("streaming", "hoeffding", "adaptive"),
    ("streaming", "gaussian", "mixed"),
    ("hoeffding", "hoeffding", "mixed"),
    ("extremely_fast", "hoeffding", "mixed"),
]
BOLD = Options(delta=0.3, tau=0.3, min_samples_reevaluate=5)


def options_of(kind: tuple[str, str, str]) -> Options:
    """Return bold options of a kind: its growth, split test and leaf prediction."""
    growth, split_test, leaf_prediction = kind
    return replace(BOLD, growth=growth, split_test=split_test, leaf_prediction=leaf_prediction)


def turning(n: int, seed: int, n_classes: int = 2) -> list[WeightedPoint]:
    """Make points whose class shows in one feature for a ninth of the stream, and then in another."""
    rng = np.random.default_rng(seed)
    stream: list[WeightedPoint] = []
    for i in range(n):
        label = int(rng.integers(n_classes))
        says = rng.random(6) < 0.3
        says[0 if i < n // 9 else 1] = label == 0
        stream.append((tuple(map(int, np.flatnonzero(says))), label, 1))
    return in_order_of_appearance(stream)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_every_kind_of_tree(kind: tuple[str, str, str], n_classes: int) -> None:
    """The last of the classes appear late."""
    twins = Twins(options_of(kind))
    stream = drifting(seed=16, n=130, n_classes=n_classes)
    twins.learn(stream)
    for features, _, _ in stream[-10:]:
        twins.compare_models(features)
    assert twins.reference.tally["split"] > 0
    assert twins.core.n_classes() == n_classes


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[2] == "mixed"], ids="-".join)
def test_weights(kind: tuple[str, str, str]) -> None:
    """Heavy points too: weights are no evidence, and a step of the mixer has a longest length."""
    rng = np.random.default_rng(3)
    weights = rng.choice([1, 2, 7, 1000], 120).tolist()
    for n_classes in (2, 3):
        stream = drifting(seed=8, n=120, n_classes=n_classes)
        heavy = [(features, label, weight) for (features, label, _), weight in zip(stream, weights, strict=True)]
        Twins(options_of(kind)).learn(heavy)


def fractional(stream: list[WeightedPoint], seed: int) -> list[WeightedPoint]:
    """Give points weights that are no whole numbers, some near 0, some heavy."""
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.01, 0.5, 1.0, 1.25, 3.7, 200.1], len(stream)).tolist()
    return [(features, label, weight) for (features, label, _), weight in zip(stream, weights, strict=True)]


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_weights_that_are_no_whole_numbers(kind: tuple[str, str, str]) -> None:
    """Counts count a point as often as its weight was rounded to; regressions and mixers use the weight itself."""
    for n_classes in (2, 3):
        twins = Twins(options_of(kind))
        stream = fractional(drifting(seed=8, n=140, n_classes=n_classes), seed=4)
        twins.learn(stream)
        for features, _, _ in stream[-5:]:
            twins.compare_models(features)


def test_evidence_takes_a_point_for_one_point_whatever_its_weight() -> None:
    stream = drifting(seed=5, n=120)
    light, heavy = (
        Twins(options_of(("hoeffding", "evidence", "majority"))),
        Twins(options_of(("hoeffding", "evidence", "majority"))),
    )
    light.learn(stream)
    heavy.learn([(features, label, 6) for features, label, _ in stream])
    assert [node.way for node in light.reference.root.nodes()] == [node.way for node in heavy.reference.root.nodes()]
    assert light.reference.tally["split"] > 0


@pytest.mark.parametrize("growth", ["extremely_fast", "streaming"])
@pytest.mark.parametrize("leaf_prediction", ["majority", "mixed"])
def test_revision_by_the_selection_test(growth: str, leaf_prediction: str) -> None:
    """An inner node takes another split: after some hundred points that it counted."""
    options = Options(growth=growth, split_test="evidence", delta=0.05, leaf_prediction=leaf_prediction)
    # Long streams, where inner nodes count an eighth of them.
    for seed, n in [(2, 2400)] if growth == "streaming" else [(2, 450), (3, 450), (4, 450), (5, 450)]:
        twins = Twins(options)
        twins.learn(turning(n, seed), ask_every=20)
        assert twins.reference.tally["resplit"] > 0
        assert twins.reference.settled < twins.reference.tally["tested"] // 4


def test_nodes_that_have_counted_much_count_less() -> None:
    """The root is split late, and then counts one point in sixteen."""
    rng = np.random.default_rng(3)
    stream: list[WeightedPoint] = []
    for i in range(2400):
        label = int(rng.random() < 0.5)
        tells = label if i > 1040 else int(rng.random() < 0.5)
        stream.append(((0, 1) if tells else (1,), label, 1))
    twins = Twins(options_of(("streaming", "evidence", "majority")))
    twins.learn(in_order_of_appearance(stream), ask_every=100)
    assert 1024 <= twins.reference.root.split_at < 1300
    assert sum(twins.reference.root.counted) < twins.reference.root.split_at + 1200 / 16 * 1.6


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams(name: str) -> None:
    stream = HOSTILE[name]()[:160]
    # Another share of the kinds for every stream; each kind meets several streams.
    start = list(HOSTILE).index(name)
    for kind in KINDS[start % 5 :: 5]:
        Twins(options_of(kind), search="exhaustive").learn(weighted(stream), ask_every=4)


def test_the_best_four_features_may_not_be_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A feature of the first rank has enough evidence; five that tell more, and need more, are looked at instead."""
    options = Options(split_test="evidence", delta=0.05, leaf_prediction="majority")
    # Four hundred features take the ranks between.
    first = [((0,) if i < 3 else tuple(range(100, 500)), i % 2, 1) for i in range(6)]
    copies = (1, 2, 3, 4, 5)
    then = [((), 0, 1) if i % 2 == 0 else (copies if i % 20 == 1 else (*copies, 0), 1, 1) for i in range(60)]
    stream = in_order_of_appearance([*first, *then])
    twins = Twins(options)
    twins.learn(stream, ask_every=20)
    assert twins.reference.tally["split"] > 0
    # A reference that looked at all would have split the tree before.
    monkeypatch.setattr("reference_tree.N_LOOKED_AT", 10**6)
    with pytest.raises(AssertionError):
        Twins(options).learn(stream, ask_every=20)


def test_a_class_that_appears_late() -> None:
    """Two classes become three, later five, in a tree that has grown."""
    twins = Twins(options_of(("streaming", "evidence", "mixed")))
    stream = drifting(seed=5, n=150)
    twins.learn(stream[:90])
    assert twins.reference.tally["split"] > 0
    assert twins.core.n_classes() == 2
    twins.learn([(features, 2, 2) for features, _, _ in stream[90:110]])
    assert twins.core.n_classes() == 3
    twins.learn([(features, (3, 4, 0)[i % 3], 1) for i, (features, _, _) in enumerate(stream[110:])])
    assert twins.core.n_classes() == 5


@st.composite
def trees(draw: st.DrawFn) -> Options:
    """Draw options, bold enough for trees to grow on few points."""
    some = st.one_of(st.none(), st.integers(1, 4))
    return replace(
        options_of(draw(st.sampled_from(KINDS))),
        delta=draw(st.sampled_from([1e-7, 0.05, 0.2, 0.4])),
        tau=draw(st.sampled_from([0.0, 0.05, 1.0])),
        grace_period=draw(st.integers(1, 4)),
        min_samples_reevaluate=draw(st.integers(1, 6)),
        min_gain=draw(st.sampled_from([0.0, 0.1])),
        max_depth=draw(st.one_of(some, st.just(0))),
        max_leaves=draw(some),
    )


@st.composite
def small_streams(draw: st.DrawFn) -> list[WeightedPoint]:
    """Draw short streams over few features, in runs of the same point: ties, one class, no feature."""
    n_classes = draw(st.integers(1, 5))
    features = st.lists(st.integers(0, 6), unique=True, max_size=5).map(tuple)
    weights = st.one_of(st.integers(1, 3), st.sampled_from([50, 10**6]))
    point = st.tuples(features, st.integers(0, n_classes - 1), weights)
    pieces = draw(st.lists(st.tuples(point, st.integers(1, 12)), min_size=1, max_size=12))
    return in_order_of_appearance([each for each, times in pieces for _ in range(times)])


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(trees(), small_streams(), st.sampled_from(["exhaustive", "certified"]))
def test_drawn_streams(options: Options, stream: list[WeightedPoint], search: str) -> None:
    twins = Twins(options, search)
    twins.learn(stream)
    event("split" if twins.reference.tally["split"] else "no split")
    event("split anew" if twins.reference.tally["resplit"] else "not split anew")


def test_random_streams_do_split() -> None:
    rng = np.random.default_rng(11)
    split = settled = tested = 0
    n_streams = 24
    for seed in range(n_streams):
        options = replace(
            options_of(KINDS[seed % len(KINDS)]),
            delta=float(rng.uniform(0.01, 0.4)),
            min_samples_reevaluate=int(rng.choice([1, 5, 20])),
        )
        twins = Twins(options)
        stream = drifting(seed, n=int(rng.integers(60, 120)), n_classes=int(rng.integers(2, 6)))
        twins.learn([(features, label, int(rng.integers(1, 4))) for features, label, _ in stream], ask_every=3)
        split += twins.reference.tally["split"] > 0
        tested += twins.reference.tally["tested"]
        settled += twins.reference.settled
    assert split > n_streams // 2
    # The arbiter decides little, or nothing would be compared.
    assert settled < tested // 4


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_exact_searches_and_chunks_of_any_size_give_the_identical_tree(kind: tuple[str, str, str]) -> None:
    assert_same_by_other_ways(options_of(kind), drifting(seed=8, n=400, n_classes=4))
