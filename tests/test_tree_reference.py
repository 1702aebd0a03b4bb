"""The trees of the core against the reference in plain Python: node for node, after every point."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from reference_options import Options
from streams import HOSTILE, random_labels, random_points, with_feature
from tree_twins import Twins, WeightedPoint, assert_same_by_other_ways, drifting, in_order_of_appearance, weighted

GROWTHS = ("hoeffding", "extremely_fast")
CRITERIA = ("entropy", "gini", "kearns_mansour")
SPLIT_TESTS = ("hoeffding", "mcdiarmid", "gaussian")
LEAF_PREDICTIONS = ("majority", "naive_bayes", "logistic", "adaptive")

KINDS = [
    (growth, criterion, split_test, leaf_prediction)
    for growth, criterion, split_test, leaf_prediction in product(GROWTHS, CRITERIA, SPLIT_TESTS, LEAF_PREDICTIONS)
    if (criterion, split_test) != ("kearns_mansour", "mcdiarmid")
]
# Short streams decide nothing at the usual delta. The bound of McDiarmid is far above the largest gain for as long as
# a Python test lasts, unless points weigh much.
BOLD = Options(delta=0.3, tau=0.3, min_samples_reevaluate=5)
HEAVY = 200_000


def options_of(kind: tuple[str, str, str, str]) -> Options:
    """Return bold options of a kind: its growth, criterion, split test and leaf prediction."""
    growth, criterion, split_test, leaf_prediction = kind
    return replace(BOLD, growth=growth, criterion=criterion, split_test=split_test, leaf_prediction=leaf_prediction)


def weight_for(options: Options, otherwise: int = 1) -> int:
    """Return a weight that makes points count in a short stream."""
    return HEAVY if options.split_test == "mcdiarmid" else otherwise


def chain(length: int) -> list[WeightedPoint]:
    """Make one feature after the other tell the classes apart: the tree grows on the side where all are off."""
    return [point for j in range(length) for _ in range(3) for point in (((j,), 1, 1), ((), 0, 1))]


# ---- tests -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_every_kind_of_tree(kind: tuple[str, str, str, str]) -> None:
    options = options_of(kind)
    # More than two classes where the criterion has them.
    for n_classes in (2,) if options.criterion == "kearns_mansour" else (2, 4):
        twins = Twins(options)
        stream = drifting(seed=5, n_classes=n_classes, weight=weight_for(options, otherwise=3))
        twins.learn(stream)
        for features, _, _ in stream[-10:]:
            twins.compare_models(features)
        tally = twins.reference.tally
        assert tally["split"] > 0
        assert options.growth == "hoeffding" or tally["resplit"] > 0
        assert twins.core.n_classes() == n_classes


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams(name: str) -> None:
    stream = HOSTILE[name]()[:240]
    # Another share of the kinds for every stream; each kind meets several streams.
    start = list(HOSTILE).index(name)
    for kind in KINDS[start % 17 :: 17]:
        options = options_of(kind)
        Twins(options, search="exhaustive").learn(weighted(stream, weight_for(options)))


@pytest.mark.parametrize("growth", GROWTHS)
def test_random_streams_do_split(growth: str) -> None:
    rng = np.random.default_rng(11)
    split = resplit = settled = tested = 0
    n_streams = 60
    for seed in range(n_streams):
        criterion, split_test, leaf_prediction = (
            str(rng.choice(names)) for names in (CRITERIA, SPLIT_TESTS[::2], LEAF_PREDICTIONS)
        )
        options = Options(
            growth=growth,
            criterion=criterion,
            split_test=split_test,
            leaf_prediction=leaf_prediction,
            delta=float(rng.uniform(0.01, 0.4)),
            tau=float(rng.choice([0.0, 0.05, 0.3, 1.0])),
            grace_period=int(rng.choice([1, 1, 3, 20])),
            min_samples_reevaluate=int(rng.choice([1, 5, 20])),
            min_gain=float(rng.choice([0.0, 0.0, 0.05])),
            max_depth=(None, None, 0, 1, 3)[int(rng.integers(5))],
            max_leaves=(None, None, 1, 2, 5)[int(rng.integers(5))],
        )
        n_classes = 2 if criterion == "kearns_mansour" else int(rng.integers(2, 6))
        twins = Twins(options)
        stream = drifting(seed, n=int(rng.integers(40, 120)), n_classes=n_classes)
        twins.learn([(features, label, int(rng.integers(1, 4))) for features, label, _ in stream])
        split += twins.reference.tally["split"] > 0
        resplit += twins.reference.tally["resplit"] > 0
        tested += twins.reference.tally["tested"]
        settled += twins.reference.settled
    assert split > n_streams // 2
    assert resplit > (n_streams // 4 if growth == "extremely_fast" else -1)
    # The arbiter decides little, or nothing would be compared.
    assert settled < tested // 4


@st.composite
def trees(draw: st.DrawFn) -> Options:
    """Draw options, bold enough for trees to grow on few points."""
    growth, criterion, split_test, leaf_prediction = draw(st.sampled_from(KINDS))
    some = st.one_of(st.none(), st.integers(1, 4))
    return Options(
        growth=growth,
        criterion=criterion,
        split_test=split_test,
        leaf_prediction=leaf_prediction,
        delta=draw(st.sampled_from([1e-7, 0.05, 0.2, 0.4])),
        tau=draw(st.sampled_from([0.0, 0.05, 0.5, 1.0, 200.0])),
        grace_period=draw(st.integers(1, 4)),
        min_samples_reevaluate=draw(st.integers(1, 6)),
        min_gain=draw(st.sampled_from([0.0, 0.1])),
        max_depth=draw(st.one_of(some, st.just(0))),
        max_leaves=draw(some),
    )


@st.composite
def small_streams(draw: st.DrawFn) -> list[WeightedPoint]:
    """Draw short streams over few features, in runs of the same point: ties, one class, no feature, flips."""
    n_classes = draw(st.integers(1, 5))
    features = st.lists(st.integers(0, 5), unique=True, max_size=4).map(tuple)
    weights = st.one_of(st.integers(1, 3), st.sampled_from([50, 10**6]))
    point = st.tuples(features, st.integers(0, n_classes - 1), weights)
    pieces = draw(st.lists(st.tuples(point, st.integers(1, 6)), min_size=1, max_size=20))
    flip = draw(st.booleans())
    stream = [each for each, times in pieces for _ in range(times)]
    half = len(stream) // 2 if flip else len(stream)
    return in_order_of_appearance(stream[:half] + [(f, n_classes - 1 - label, w) for f, label, w in stream[half:]])


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(trees(), small_streams(), st.sampled_from(["exhaustive", "certified"]))
def test_drawn_streams(options: Options, stream: list[WeightedPoint], search: str) -> None:
    if options.criterion == "kearns_mansour":
        stream = [(features, min(label, 1), weight) for features, label, weight in stream]
    twins = Twins(options, search)
    twins.learn(stream)
    event("split" if twins.reference.tally["split"] else "no split")
    event("split anew" if twins.reference.tally["resplit"] else "not split anew")


@pytest.mark.parametrize("growth", GROWTHS)
def test_a_chain(growth: str) -> None:
    twins = Twins(replace(BOLD, growth=growth, tau=1.0, min_samples_reevaluate=10**6))
    twins.learn(chain(40))
    assert max(len(node.way) for node in twins.reference.root.nodes()) >= 40


def test_one_point() -> None:
    twins = Twins(BOLD)
    twins.compare_predictions(())
    twins.learn([((0, 1), 0, 1)])
    assert twins.reference.tally["tested"] == 0


@pytest.mark.parametrize("leaf_prediction", LEAF_PREDICTIONS)
def test_a_class_that_appears_late(leaf_prediction: str) -> None:
    """Two classes become three, later five, in a tree that has grown."""
    early = weighted(with_feature(random_points(random_labels(0.5), seed=3), 99, [y == 1 for y in random_labels(0.5)]))
    twins = Twins(replace(BOLD, growth="extremely_fast", leaf_prediction=leaf_prediction))
    twins.learn(early[:100])
    assert twins.reference.tally["split"] > 0
    assert twins.core.n_classes() == 2
    twins.learn([(features, 2, 2) for features, _, _ in early[100:120]])
    assert twins.core.n_classes() == 3
    twins.learn([(features, (3, 4, 0)[i % 3], 1) for i, (features, _, _) in enumerate(early[120:180])])
    assert twins.core.n_classes() == 5


# A feature that is on in the same share of each class has no gain, whatever sums of logarithms come to.


def test_rounding_is_no_rival() -> None:
    """A rare rival would put off the split by the Gaussian test."""
    for times in range(8, 60):
        twins = Twins(Options(split_test="gaussian", delta=0.3, tau=0.0, grace_period=6 * times))
        on_1 = [((0, 1), 0, 1), ((1,), 1, 2)]
        twins.learn([*on_1, ((0,), 0, 2 * times - 1), ((0,), 1, 3), ((), 1, 4 * times - 5)])
        assert twins.reference.tally["split"] == 1


def test_rounding_is_no_reason_to_split_anew() -> None:
    for p, q in product(range(20, 60, 3), range(20, 60, 7)):
        first = [((0,), 0, 3 * p), ((), 1, 2 * q)]
        # With these, the classes are p to q wherever the two features are on or off.
        others = [((0,), 1, 3 * q), ((), 0, 2 * p), ((1,), 0, 2 * p), ((1,), 1, 2 * q), ((0, 1), 0, p), ((0, 1), 1, q)]
        until_the_last = sum(weight for _, _, weight in others)
        options = Options(growth="extremely_fast", split_test="gaussian", delta=0.3)
        twins = Twins(replace(options, min_samples_reevaluate=until_the_last))
        twins.learn(first)
        assert twins.reference.tally["split"] == 1
        twins.learn(others)
        assert twins.reference.root.tested_at == twins.reference.n
        assert twins.reference.tally["resplit"] == 0


# ---- the same tree by other ways -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_exact_searches_and_chunks_of_any_size_give_the_identical_tree(kind: tuple[str, str, str, str]) -> None:
    options = options_of(kind)
    n_classes = 2 if options.criterion == "kearns_mansour" else 4
    stream = drifting(seed=8, n=400, n_classes=n_classes, weight=weight_for(options))
    assert_same_by_other_ways(options, stream)
