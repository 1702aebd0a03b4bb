"""Changes and queries in any order: the certified search is the exhaustive one to the last bit, and both are right.

A state machine drives the two side by side, with the brute-force twin and a list of the points that are present. The
twin knows the counts alone, as the searches do; the list knows which points may be removed for certain.
"""

from __future__ import annotations

import math
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from oracle import BruteForce, TrueSplit
from streams import MAX_FEATURE, Stream, as_matrix

from sapwood import Split, SplitFinder
from sapwood.parameters import Criterion, Search

SEARCHES: tuple[Search, ...] = ("exhaustive", "certified")
MAX_POINTS = 2**31 - 1
# Few, so that features meet again; from every part of the range that an index may treat in a way of its own.
IDS = (0, 1, 2, 3, 4, 15, 16, 700, 10**6, MAX_FEATURE - 1, MAX_FEATURE)
KINDS = [(criterion, k) for criterion in ("entropy", "gini") for k in (2, 3, 6)] + [("kearns_mansour", 2)]

FEATURES = st.lists(st.sampled_from(IDS), unique=True, max_size=6).map(tuple)
# Ones mostly, so that counts are close to each other; some that move everything; some that leave no room for more.
WEIGHTS = st.one_of(
    st.just(1), st.integers(0, 3), st.integers(0, 1000), st.sampled_from([2**20, 2**29, 2**30, MAX_POINTS])
)
LABELS = st.integers(0, 5)


def bits(splits: list[Split]) -> list[tuple[object, ...]]:
    """Return splits so that equal ones are equal to the last bit, the sign of a zero included."""
    return [(s.feature, s.score.hex(), s.gain.hex(), s.counts) for s in splits]


class Changes(RuleBasedStateMachine):
    """Applies every change to an exhaustive finder, a certified one and the twin."""

    def __init__(self, criterion: Criterion, n_classes: int) -> None:
        super().__init__()
        self.criterion, self.n_classes = criterion, n_classes
        self.finders = [self.make(search) for search in SEARCHES]
        self.twin = BruteForce(criterion, n_classes)
        self.present: Counter[tuple[frozenset[int], int]] = Counter()
        self.heaviest = 1

    @initialize(heaviest=st.sampled_from([1, 1, 3, 1000, MAX_POINTS]))
    def limit_the_weights(self, heaviest: int) -> None:
        """Let no point outweigh all others in most runs: certificates come of many points that are alike."""
        self.heaviest = heaviest

    def make(self, search: Search) -> SplitFinder:
        """Return a finder that has seen nothing."""
        return SplitFinder(self.criterion, search, n_classes=self.n_classes)

    def count(self, features: tuple[int, ...], label: int, weight: int) -> None:
        """Note that a point was added."""
        if weight:
            self.twin.add(features, label, weight)
            self.present[frozenset(features), label] += weight

    @rule(features=FEATURES, label=LABELS, weight=WEIGHTS)
    def add(self, features: tuple[int, ...], label: int, weight: int) -> None:
        label, weight = label % self.n_classes, min(weight, self.heaviest)
        if self.twin.n + weight > MAX_POINTS:
            for finder in self.finders:
                with pytest.raises(OverflowError, match="points must be at most 2147483647 in all"):
                    finder.add(features, label, weight)
            self.counts_agree()
            return
        for finder in self.finders:
            finder.add(features, label, weight)
        self.count(features, label, weight)

    @rule(seed=st.integers(0, 2**32 - 1), n=st.sampled_from([5, 50, 300]), trace=st.booleans(), signal=st.booleans())
    def add_many(self, seed: int, n: int, trace: bool, signal: bool) -> None:
        """Add random points, in which a feature may follow the label: enough of them for certificates to be made."""
        if self.twin.n + n > MAX_POINTS:
            return
        rng = np.random.default_rng(seed)
        rates, labels = rng.random(40) ** 3, rng.integers(self.n_classes, size=n).tolist()
        stream: Stream = []
        for y in labels:
            on = rng.random(40) < rates
            on[7] = y == 0 if signal else on[7]
            stream.append((tuple(np.flatnonzero(on).tolist()), y))
        traces = [finder.add_many(*as_matrix(stream), trace=trace) for finder in self.finders]
        for features, y in stream:
            self.count(features, y, 1)
        if trace:
            exhaustive, certified = traces
            assert exhaustive is not None
            assert certified is not None
            assert certified.feature.tolist() == exhaustive.feature.tolist()
            assert certified.score.tobytes() == exhaustive.score.tobytes()

    @precondition(lambda self: bool(self.present))
    @rule(data=st.data())
    def remove_a_point_that_is_present(self, data: st.DataObject) -> None:
        (features, label), held = data.draw(
            st.sampled_from(sorted(self.present.items(), key=lambda item: (sorted(item[0][0]), item[0][1])))
        )
        weight = data.draw(st.one_of(st.just(held), st.integers(1, held)))
        for finder in self.finders:
            finder.remove(features, label, weight)
        self.twin.remove(features, label, weight)
        self.present[features, label] -= weight
        self.present += Counter()

    @rule(features=FEATURES, label=LABELS, weight=st.one_of(st.just(1), WEIGHTS.filter(bool)))
    def remove_a_point_that_cannot_be_present(self, features: tuple[int, ...], label: int, weight: int) -> None:
        """Only counts are kept: a point that is absent, but that they leave room for, is not told from others."""
        label %= self.n_classes
        if self.twin.may_remove(features, label, weight):
            return
        assert self.present[frozenset(features), label] < weight
        for finder in self.finders:
            with pytest.raises(ValueError, match=r"^SplitFinder\.remove: the point must have been added"):
                finder.remove(features, label, weight)
        self.counts_agree()

    @rule(
        points=st.lists(st.tuples(FEATURES, LABELS, WEIGHTS), max_size=8),
        search=st.sampled_from(SEARCHES),
        asked=st.booleans(),
    )
    def merge_over_points(self, points: list[tuple[tuple[int, ...], int, int]], search: Search, asked: bool) -> None:
        other, twin = self.make(search), BruteForce(self.criterion, self.n_classes)
        kept = []
        for features, any_label, any_weight in points:
            label, weight = any_label % self.n_classes, min(any_weight, self.heaviest)
            if weight and twin.n + weight <= MAX_POINTS:
                other.add(features, label, weight)
                twin.add(features, label, weight)
                kept.append(((frozenset(features), label), weight))
        if asked:
            other.best()
        if self.twin.n + twin.n > MAX_POINTS:
            for finder in self.finders:
                with pytest.raises(OverflowError, match="points must be at most 2147483647 in all"):
                    finder.merge(other)
            self.counts_agree()
            return
        for finder in self.finders:
            finder.merge(other)
        self.twin.merge(twin)
        for point, weight in kept:
            self.present[point] += weight
        assert other.class_counts == twin.class_counts

    @precondition(lambda self: not set(IDS) <= set(self.twin.features))
    @rule(data=st.data(), search=st.sampled_from(SEARCHES))
    def merge_over_features(self, data: st.DataObject, search: Search) -> None:
        """Unite with a finder that saw the same points by features that this one has not seen."""
        unseen = sorted(set(IDS) - set(self.twin.features))
        other, twin = self.make(search), BruteForce(self.criterion, self.n_classes)
        united: Counter[tuple[frozenset[int], int]] = Counter()
        for (features, label), weight in self.present.items():
            more = data.draw(st.lists(st.sampled_from(unseen), unique=True, max_size=2))
            other.add(more, label, weight)
            twin.add(more, label, weight)
            united[features.union(more), label] += weight
        for finder in self.finders:
            finder.merge(other, over="features")
        self.twin.merge(twin, over="features")
        self.present = united

    @precondition(lambda self: bool(self.twin.features))
    @rule(search=st.sampled_from(SEARCHES))
    def merge_over_features_that_does_not_fit(self, search: Search) -> None:
        same = [finder.copy() for finder in self.finders]
        fewer = self.make(search)
        for finder, twin in zip(self.finders, same, strict=True):
            with pytest.raises(ValueError, match=r"^SplitFinder\.merge: other must have seen other features"):
                finder.merge(twin, over="features")
            if self.twin.n:
                with pytest.raises(ValueError, match=r"^SplitFinder\.merge: other must have the class counts"):
                    finder.merge(fewer, over="features")
        self.counts_agree()

    @rule()
    def copy(self) -> None:
        """Go on with copies; what becomes of the originals is nothing to them."""
        originals, self.finders = self.finders, [finder.copy() for finder in self.finders]
        for original in originals:
            original.add([0, 5], 0, min(1, MAX_POINTS - original.n))
            original.best()

    @rule()
    def pickle(self) -> None:
        """Go on with what was pickled, which can be pickled again to the same bytes."""
        pickled = [pickle.dumps(finder) for finder in self.finders]
        self.finders = [pickle.loads(each) for each in pickled]
        assert [pickle.dumps(finder) for finder in self.finders] == pickled
        self.counts_agree()

    @rule()
    def best(self) -> None:
        exhaustive, certified = ([split] if (split := finder.best()) else [] for finder in self.finders)
        assert bits(certified) == bits(exhaustive)
        self.follow_the_twin(certified, self.twin.top(1))

    @rule(k=st.integers(1, len(IDS) + 45))
    def top(self, k: int) -> None:
        exhaustive, certified = (finder.top(k) for finder in self.finders)
        assert bits(certified) == bits(exhaustive)
        self.follow_the_twin(certified, self.twin.top(k))

    @rule()
    def margin(self) -> None:
        exhaustive, certified = (finder.margin() for finder in self.finders)
        assert certified == exhaustive
        gains = [split.gain for split in self.twin.top(2)]
        if not gains:
            assert certified is None
            return
        assert certified is not None
        assert math.isclose(certified, gains[0] - sum(gains[1:]), rel_tol=1e-9, abs_tol=self.rounding() + 1e-13)

    @rule()
    def validate(self) -> None:
        for finder in self.finders:
            finder.validate()

    def rounding(self) -> float:
        """Return how far the gain of a point, a difference of sums of n ln n, may be off by rounding alone."""
        return 2.0**-50 * (self.n_classes + 1) * math.log(self.twin.n + 2)

    def follow_the_twin(self, found: list[Split], true: list[TrueSplit]) -> None:
        """Check that each split tells the truth about its feature, and has the value of the true i-th."""
        n, gain_off = self.twin.n, self.rounding() + 1e-13
        assert len(found) == len(true)
        assert len({split.feature for split in found}) == len(found)
        for split, rival in zip(found, true, strict=True):
            truth = self.twin.judge(split.feature_id)
            assert split.counts == truth.counts
            assert math.isclose(split.score, truth.score, rel_tol=1e-9, abs_tol=1e-9 + n * gain_off)
            assert math.isclose(split.score, rival.score, rel_tol=1e-9, abs_tol=1e-9 + n * gain_off)
            assert math.isclose(split.gain, truth.gain, rel_tol=1e-9, abs_tol=gain_off)
        if found:
            counts = found[0].counts
            assert found[0].feature == min(j for j in self.twin.features if self.twin.counts(j) == counts)

    def counts_agree(self) -> None:
        """Check everything that is counted."""
        for finder in self.finders:
            assert finder.n == self.twin.n
            assert finder.class_counts == self.twin.class_counts
            assert finder.n_features_seen == self.twin.n_features_seen
            for feature in {*IDS, *self.twin.features}:
                assert finder.counts(feature) == self.twin.counts(feature)

    def teardown(self) -> None:
        """Check all once more, whatever was asked last."""
        self.counts_agree()
        self.validate()
        self.top(len(IDS) + 45)
        self.best()
        self.margin()


def test_twin_on_changes_worked_out_by_hand() -> None:
    entropy, gini, rest = BruteForce("entropy", 3), BruteForce("gini", 3), BruteForce("entropy", 3)
    for twin in (entropy, gini):
        twin.add([4, 9], 0, 3)
        twin.add([4], 1, 2)
        twin.add([], 2, 5)
        twin.add([9], 2)
        twin.remove([4, 9], 0)
    assert entropy.class_counts == (2, 2, 6)
    assert entropy.counts(4) == ((0, 0, 6), (2, 2, 0))
    assert entropy.counts(9) == ((0, 2, 5), (2, 0, 1))
    assert entropy.score(4) == pytest.approx(4 * math.log(2), rel=1e-14)
    assert gini.score(9) == pytest.approx(7 - (4 + 25) / 7 + 3 - (4 + 1) / 3, rel=1e-14)
    assert gini.gain(9) == pytest.approx((10 - 44 / 10 - gini.score(9)) / 10, rel=1e-12)
    # Enough points must have the features of a point, and enough must lack the others.
    assert entropy.may_remove([4, 9], 0, 2)
    assert not entropy.may_remove([4, 9], 0, 3)
    assert not entropy.may_remove([4], 0)
    assert not entropy.may_remove([4, 8], 0)
    assert entropy.may_remove([], 2, 5)
    assert not entropy.may_remove([], 2, 6)
    rest.add([4, 1], 1, 7)
    entropy.merge(rest)
    assert entropy.class_counts == (2, 9, 6)
    assert entropy.counts(4) == ((0, 0, 6), (2, 9, 0))
    assert entropy.counts(1) == ((2, 2, 6), (0, 7, 0))
    others = BruteForce("entropy", 3)
    others.add([30], 1, 9)
    entropy.merge(others, over="features")
    assert entropy.class_counts == (2, 9, 6)
    assert entropy.counts(30) == ((2, 0, 6), (0, 9, 0))
    assert entropy.n_features_seen == 4


@pytest.mark.parametrize(("criterion", "n_classes"), KINDS)
def test_any_changes_in_any_order(criterion: Criterion, n_classes: int) -> None:
    class Kind(Changes):
        def __init__(self) -> None:
            super().__init__(criterion, n_classes)

    # Seven kinds, each with long runs: half of the profile's examples are plenty.
    fewer = settings(max_examples=settings().max_examples // 2, stateful_step_count=40)
    run_state_machine_as_test(Kind, settings=fewer)
