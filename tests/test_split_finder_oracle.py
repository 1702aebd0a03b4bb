"""SplitFinder against brute force, after every point: exhaustive and certified equal, approximate within."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import BruteForce, TrueSplit
from streams import HOSTILE, STREAMS, Stream, as_matrix, random_labels, random_points

from sapwood import Split, SplitFinder
from sapwood.parameters import Criterion, Search

CRITERIA = ("entropy", "gini", "kearns_mansour")
EXACT: tuple[Search, ...] = ("exhaustive", "certified")
ALPHAS = (0.001, 0.01, 0.1, 0.5, 1.0, 5.0, 40.0)
# For the rounding of sums of logarithms, and for nothing else.
ROUNDING = 1e-9
# A score that is not 0 is at least 1 (Gini), 2 ln 2 (entropy) or 2 (Kearns and Mansour): the slack hides nothing.
ZERO = 1e-9

every_criterion = pytest.mark.parametrize("criterion", CRITERIA)
every_hostile_stream = pytest.mark.parametrize("name", HOSTILE)
# Each example is followed by up to nine finders after every point: a third of the profile's examples is plenty.
fewer = settings(max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.too_slow])


def make_finders(criterion: Criterion) -> list[SplitFinder]:
    """Return the exhaustive finder, the certified one and, where there is one, an approximate one for each alpha."""
    exact = [SplitFinder(criterion=criterion, search=search) for search in EXACT]
    if criterion == "kearns_mansour":
        return exact
    return exact + [SplitFinder(criterion=criterion, search="approximate", alpha=alpha) for alpha in ALPHAS]


def factor_of(finder: SplitFinder) -> float:
    """Return how many times the optimum an answer may be."""
    return 1.0 if finder.search in EXACT else 1.0 + finder.alpha


def assert_close(found: float, true: float, what: str) -> None:
    assert math.isclose(found, true, rel_tol=ROUNDING, abs_tol=ZERO), f"{what}: got {found!r}, true {true!r}"


def check_split(finder: SplitFinder, oracle: BruteForce, split: Split, optimum: float) -> None:
    """Check that a split tells the truth about its feature, and that it is good enough."""
    where = f"{finder!r} after {oracle.n} points, feature {split.feature}"
    true = oracle.judge(split.feature_id)
    assert split.counts == true.counts, f"{where}: counts"
    assert sum(split.counts[1]) > 0, f"{where}: never seen"
    assert_close(split.score, true.score, f"{where}: score")
    assert_close(split.gain, true.gain, f"{where}: gain")
    assert split.score >= 0.0, f"{where}: negative score {split.score!r}"
    if optimum == 0.0:
        assert split.score <= ZERO, f"{where}: optimum is 0, got {split.score!r}"
    else:
        bound = factor_of(finder) * optimum * (1.0 + ROUNDING)
        assert split.score <= bound, f"{where}: {split.score!r} > {bound!r}, optimum {optimum!r}"


def check_ties(oracle: BruteForce, split: Split) -> None:
    """Check that no smaller feature has the very same counts, hence the very same score."""
    smallest = min(j for j in oracle.features if oracle.counts(j) == split.counts)
    assert split.feature == smallest, f"feature {split.feature} chosen over its twin {smallest}"


def check_best(finder: SplitFinder, oracle: BruteForce, optimum: TrueSplit | None) -> None:
    """Check the answer of best() against the optimum."""
    split = finder.best()
    if optimum is None:
        assert split is None
        return
    assert split is not None
    check_split(finder, oracle, split, optimum.score)
    if finder.search in EXACT:
        check_ties(oracle, split)


def check_all(finders: list[SplitFinder], oracle: BruteForce) -> None:
    """Check the answer of best() of every finder, and that the certified one is the exhaustive one to the last bit."""
    optimum = oracle.best()
    for finder in finders:
        check_best(finder, oracle, optimum)
        finder.validate()
    exhaustive, certified, *_ = finders
    assert certified.best() == exhaustive.best()


def check_top(finder: SplitFinder, oracle: BruteForce, k: int) -> None:
    """Check that the i-th of top(k) is within the guarantee of the true i-th."""
    found, true = finder.top(k), oracle.top(k)
    assert len(found) == len(true)
    assert len({split.feature for split in found}) == len(found), "a feature came twice"
    assert all(a.score <= b.score for a, b in pairwise(found)), "not sorted by score"
    for split, optimum in zip(found, true, strict=True):
        check_split(finder, oracle, split, optimum.score)


def check_tops(finders: list[SplitFinder], oracle: BruteForce, k: int) -> None:
    """Check top(k) of every finder, and that the certified one is the exhaustive one to the last bit."""
    for finder in finders:
        check_top(finder, oracle, k)
    exhaustive, certified, *_ = finders
    assert certified.top(k) == exhaustive.top(k)


def check_counters(finder: SplitFinder, oracle: BruteForce) -> None:
    """Check everything that is counted, feature by feature."""
    assert finder.n == oracle.n
    assert finder.class_counts == oracle.class_counts
    assert finder.n_features_seen == oracle.n_features_seen
    for feature in oracle.features:
        assert finder.counts(feature) == oracle.counts(feature)


def check_stream(stream: Stream, criterion: Criterion) -> None:
    """Follow a stream with every finder, checking each after every point."""
    finders, oracle = make_finders(criterion), BruteForce(criterion)
    for features, label in stream:
        oracle.add(features, label)
        for finder in finders:
            finder.add(features, label)
        check_all(finders, oracle)
    for finder in finders:
        check_counters(finder, oracle)


def test_oracle_on_a_split_worked_out_by_hand() -> None:
    # Feature 4: on for labels 1, 1, 0; off for 0, 0, 1, 0. Feature 9: on for 1 only.
    stream: Stream = [
        ((4,), 1),
        ((9, 4), 1),
        ((4,), 0),
        ((), 0),
        ((), 0),
        ((), 1),
        ((), 0),
    ]
    entropy, gini = BruteForce("entropy"), BruteForce("gini")
    assert entropy.best() is None
    entropy.add_many(stream)
    gini.add_many(stream)
    assert entropy.counts(4) == ((3, 1), (1, 2))
    assert entropy.counts(9) == ((4, 2), (0, 1))
    assert entropy.counts(1000) == ((4, 3), (0, 0))
    on = 2 * math.log(3 / 2) + math.log(3)
    off = 3 * math.log(4 / 3) + math.log(4)
    assert entropy.score(4) == pytest.approx(on + off, rel=1e-14)
    assert gini.score(4) == pytest.approx(2 * 2 / 3 + 2 * 3 / 4, rel=1e-14)
    assert gini.score(9) == pytest.approx(2 * 8 / 6, rel=1e-14)
    whole = 4 * math.log(7 / 4) + 3 * math.log(7 / 3)
    assert entropy.gain(4) == pytest.approx((whole - on - off) / 7, rel=1e-12)
    assert gini.gain(9) == pytest.approx((2 * 12 / 7 - 2 * 8 / 6) / 7, rel=1e-12)
    best = gini.best()
    assert best is not None
    assert best.feature == 9


@every_criterion
@every_hostile_stream
def test_oracle_counts_what_the_points_say(name: str, criterion: Criterion) -> None:
    """The oracle's counters and scores, recounted from the raw points with math.log."""
    stream, oracle = HOSTILE[name](), BruteForce(criterion)
    oracle.add_many(stream)
    features, scores = oracle.scores()
    assert features.tolist() == sorted({j for f, _ in stream for j in f})
    for feature, score in list(zip(features.tolist(), scores.tolist(), strict=True))[:40]:
        expected = 0.0
        for on in (False, True):
            labels = [y for f, y in stream if (feature in f) == on]
            if criterion == "kearns_mansour":
                expected += 2.0 * math.sqrt(labels.count(0) * labels.count(1))
                continue
            for label in (0, 1):
                c = labels.count(label)
                if c == 0:
                    continue
                p = c / len(labels)
                expected -= c * math.log(p) if criterion == "entropy" else c * (p - 1.0)
        assert score == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert oracle.score(feature) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_oracle_scores_a_pure_split_exactly_zero_and_breaks_ties_to_the_smallest() -> None:
    for criterion in CRITERIA:
        oracle = BruteForce(criterion)
        oracle.add_many([((8, 2), 1), ((5,), 0), ((2, 8), 1), ((), 0)])
        assert [split.feature for split in oracle.top(9)] == [2, 8, 5]
        assert [math.copysign(1.0, s.score) * s.score for s in oracle.top(2)] == [0.0, 0.0]


@every_criterion
@every_hostile_stream
def test_every_answer_on_a_hostile_stream(name: str, criterion: Criterion) -> None:
    check_stream(HOSTILE[name](), criterion)


@every_criterion
@fewer
@given(stream=STREAMS)
def test_every_answer_on_a_random_stream(criterion: Criterion, stream: Stream) -> None:
    check_stream(stream, criterion)


@every_criterion
@every_hostile_stream
def test_top_on_a_hostile_stream(name: str, criterion: Criterion) -> None:
    finders, oracle = make_finders(criterion), BruteForce(criterion)
    for i, (features, label) in enumerate(HOSTILE[name]()):
        oracle.add(features, label)
        for finder in finders:
            finder.add(features, label)
        if i % 40 in (0, 1, 39):
            d = oracle.n_features_seen
            for k in sorted({1, 2, 3, 7, max(1, d - 1), max(1, d), d + 1}):
                check_tops(finders, oracle, k)
            for finder in finders:
                finder.validate()


@every_criterion
@fewer
@given(stream=STREAMS, k=st.integers(1, 12))
def test_top_on_a_random_stream(criterion: Criterion, stream: Stream, k: int) -> None:
    finders, oracle = make_finders(criterion), BruteForce(criterion)
    for features, label in stream:
        oracle.add(features, label)
        for finder in finders:
            finder.add(features, label)
    for size in {k, oracle.n_features_seen + 1}:
        check_tops(finders, oracle, size)
    for finder in finders:
        assert finder.top(k) == finder.top(k)


@every_criterion
@fewer
@given(stream=STREAMS, data=st.data())
def test_queries_at_any_moment_keep_the_guarantee(criterion: Criterion, stream: Stream, data: st.DataObject) -> None:
    """Asked often, rarely or at random: each answer is within, and asking twice is harmless."""
    length = len(stream)
    random = data.draw(st.lists(st.booleans(), min_size=length, max_size=length))
    often, rarely = [True] * length, [i == length - 1 for i in range(length)]
    for asked in (random, often, rarely):
        finders, oracle = make_finders(criterion), BruteForce(criterion)
        for ask, (features, label) in zip(asked, stream, strict=True):
            oracle.add(features, label)
            for finder in finders:
                finder.add(features, label)
            if ask:
                check_all(finders, oracle)
                for finder in finders:
                    assert finder.best() == finder.best()
                    finder.validate()


@every_criterion
@every_hostile_stream
def test_rare_queries_on_a_hostile_stream(name: str, criterion: Criterion) -> None:
    """Maintenance that was put off for 50 points is still made good by the next query."""
    finders, oracle = make_finders(criterion), BruteForce(criterion)
    stream = HOSTILE[name]()
    for i, (features, label) in enumerate(stream):
        oracle.add(features, label)
        for finder in finders:
            finder.add(features, label)
        if i % 50 == 49 or i == len(stream) - 1:
            check_all(finders, oracle)


@every_criterion
@every_hostile_stream
def test_trace_is_best_after_each_point(name: str, criterion: Criterion) -> None:
    stream = HOSTILE[name]()
    X, y = as_matrix(stream)
    for stepwise, traced in zip(make_finders(criterion), make_finders(criterion), strict=True):
        trace = traced.add_many(X, y, trace=True)
        assert trace is not None
        assert trace.feature.dtype == np.int64
        assert trace.score.dtype == np.float64
        assert trace.feature.shape == trace.score.shape == (len(stream),)
        for i, (features, label) in enumerate(stream):
            stepwise.add(sorted(features), label)
            split = stepwise.best()
            if split is None:
                assert trace.feature[i] == -1
                assert math.isnan(trace.score[i])
            else:
                assert (trace.feature[i], trace.score[i]) == (split.feature, split.score)
        assert traced.best() == stepwise.best()
        assert traced.n_trees == stepwise.n_trees


def all_answers(finder: SplitFinder) -> tuple[object, ...]:
    """Return what a finder says of itself; the work first, because the queries add to it."""
    counters = (finder.work, finder.n, finder.class_counts, finder.n_features_seen)
    return (*counters, finder.best(), finder.top(5), finder.n_trees)


@every_criterion
@every_hostile_stream
def test_one_by_one_all_at_once_and_in_chunks_agree(name: str, criterion: Criterion) -> None:
    stream = HOSTILE[name]()
    X, y = as_matrix(stream)
    trios = zip(*(make_finders(criterion) for _ in range(3)), strict=True)
    for singly, whole, chunked in trios:
        for features, label in stream:
            singly.add(sorted(features), label)
        assert whole.add_many(X, y) is None
        for start in range(0, len(stream), 37):
            chunked.add_many(X[start : start + 37], y[start : start + 37])
        expected = all_answers(singly)
        assert all_answers(whole) == expected
        assert all_answers(chunked) == expected
        whole.validate()
        chunked.validate()


@every_criterion
def test_the_order_of_features_within_a_point_does_not_matter_to_the_guarantee(
    criterion: Criterion,
) -> None:
    stream = random_points(random_labels(0.5), q=0.4, seed=31)
    check_stream([(tuple(sorted(f, reverse=True)), y) for f, y in stream], criterion)
