"""SplitFinder on numbers and categories against a brute force over all points, after every operation."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import Counts, worth

from sapwood import Above, Among, Present, Split, SplitFinder
from sapwood.parameters import Criterion, Search

NEAR = 1e-9  # for the rounding of sums of logarithms
KINDS: list[tuple[Criterion, Search, int]] = [
    ("entropy", "certified", 2),
    ("entropy", "exhaustive", 2),
    ("entropy", "approximate", 2),
    ("entropy", "certified", 3),
    ("gini", "certified", 2),
    ("gini", "exhaustive", 4),
    ("gini", "approximate", 2),
    ("kearns_mansour", "certified", 2),
]


@dataclass(frozen=True)
class Mixed:
    """A point."""

    features: tuple[int, ...]
    label: int
    weight: int = 1
    numbers: dict[str, float] = field(default_factory=dict)
    categories: dict[str, str] = field(default_factory=dict)

    def passes(self, asked: Any) -> bool:
        if isinstance(asked, Above):
            value = self.numbers.get(asked.number)
            return asked.missing_passes if value is None else value > asked.threshold
        if isinstance(asked, Among):
            return self.categories.get(asked.category) in asked.values
        if isinstance(asked, Present):
            return asked.number in self.numbers
        return asked in self.features

    def to(self, method: Any) -> None:
        method(self.features, self.label, self.weight, numbers=self.numbers, categories=self.categories)


@dataclass
class Points:
    """The points themselves, and all that was ever seen in them."""

    criterion: Criterion
    n_classes: int
    points: list[Mixed] = field(default_factory=list)
    seen: dict[Any, None] = field(default_factory=dict)
    values: dict[str, set[float]] = field(default_factory=dict)

    def add(self, point: Mixed) -> None:
        self.points.append(point)
        self.seen |= dict.fromkeys(point.features)
        self.seen |= {Present(name): None for name in point.numbers}
        self.seen |= {Among(name, (value,)): None for name, value in point.categories.items()}
        for name, number in point.numbers.items():
            self.values.setdefault(name, set()).add(number)

    def counts(self, asked: Any) -> Counts:
        sides = [[0] * self.n_classes, [0] * self.n_classes]
        for point in self.points:
            sides[point.passes(asked)][point.label] += point.weight
        return tuple(sides[0]), tuple(sides[1])

    def score(self, asked: Any) -> float:
        return worth(self.counts(asked), self.criterion).score

    def best_of_numbers(self) -> Iterator[float]:
        """Yield the score of the best threshold of each number that has one."""
        for name in self.values:
            here = sorted({point.numbers[name] for point in self.points if name in point.numbers})
            scores = [self.score(Above(name, low, side)) for low in here[:-1] for side in (False, True)]
            if scores:
                yield min(scores)

    def best_sets(self) -> Iterator[float]:
        """Yield the score of the best set of each category that is better than each value alone."""
        if self.n_classes != 2:
            return
        for name in {asked.category for asked in self.seen if isinstance(asked, Among)}:
            values = sorted({point.categories[name] for point in self.points if name in point.categories})
            of_size = {
                size: [self.score(Among(name, some)) for some in combinations(values, size)]
                for size in range(1, len(values) + 1)
            }
            best = min((score for size, scores in of_size.items() if size > 1 for score in scores), default=math.inf)
            if of_size and best < min(of_size[1]) - NEAR:
                yield best

    def all_scores(self) -> list[float]:
        """Return the scores of all splits that a finder must know of, best first."""
        return sorted([*map(self.score, self.seen), *self.best_of_numbers(), *self.best_sets()])


def check(finder: SplitFinder, twin: Points, k: int = 6) -> None:
    expected = twin.all_scores()
    factor = 1 + finder.alpha if finder.search == "approximate" else 1
    best = finder.best()
    found = finder.top(k)
    assert (best is None) == (not expected)
    assert len(found) >= min(k, len(expected))
    assert best == (found[0] if found else None)
    assert len({split.feature for split in found}) == len(found)
    assert [split.score for split in found] == sorted(split.score for split in found)
    for split, score in zip(found, expected, strict=False):
        where = f"{finder!r}, {split}"
        assert split.score <= factor * score + NEAR, f"{where}: the true one has {score}"
        assert split.counts == twin.counts(split.feature), where
        true = worth(split.counts, twin.criterion)
        assert math.isclose(split.score, true.score, abs_tol=NEAR), where
        assert math.isclose(split.gain, true.gain, abs_tol=NEAR), where
    assert finder.n == sum(point.weight for point in twin.points)
    finder.validate()


def drawn(rng: np.random.Generator, i: int, n_classes: int) -> Mixed:
    label = int(rng.integers(n_classes))
    numbers = {
        "tells": float(rng.integers(30) + 8 * label),
        "few": float(rng.integers(3)),
        "same": 7.0,
        "rises": float(i),
        "hostile": float(rng.choice([-1.7e308, 1.7e308, 5e-324, 0.0])),
    }
    categories = {"kind": "abcd"[int(rng.integers(3)) + (label % 2)], "other": "xy"[int(rng.integers(2))]}
    keep = rng.random(8) > 0.15
    return Mixed(
        tuple(np.flatnonzero(rng.random(5) < (0.3, 0.5)[label % 2]).tolist()),
        label,
        int(rng.integers(1, 4)),
        {name: value for (name, value), kept in zip(numbers.items(), keep, strict=False) if kept},
        {name: value for (name, value), kept in zip(categories.items(), keep[5:], strict=False) if kept},
    )


@pytest.mark.parametrize(("criterion", "search", "n_classes"), KINDS)
def test_best_and_top_after_every_operation(criterion: Criterion, search: Search, n_classes: int) -> None:
    rng = np.random.default_rng(len(criterion) + len(search) + n_classes)
    finder = SplitFinder(criterion, search, n_classes=n_classes)
    twin = Points(criterion, n_classes)
    for i in range(60):
        if twin.points and search != "approximate" and rng.random() < 0.3:
            gone = twin.points.pop(int(rng.integers(len(twin.points))))
            gone.to(finder.remove)
        else:
            # The first points have features alone.
            point = drawn(rng, i, n_classes) if i > 5 else Mixed((i % 3,), i % n_classes)
            point.to(finder.add)
            twin.add(point)
        check(finder, twin)
    if search != "approximate":
        while twin.points:
            twin.points.pop().to(finder.remove)
            check(finder, twin, 3)
        assert finder.class_counts == (0,) * n_classes


HOSTILE: dict[str, list[Mixed]] = {
    "one value": [Mixed((), i % 2, numbers={"x": 3.0}) for i in range(20)],
    "one that differs late": [Mixed((1,), i % 2, numbers={"x": 3.0 if i < 15 else 4.0}) for i in range(20)],
    "sorted": [Mixed((), int(i > 20), numbers={"x": float(i)}) for i in range(40)],
    "falling": [Mixed((), i % 2, numbers={"x": -float(i)}) for i in range(40)],
    "presence tells": [Mixed((), i % 2, numbers={"x": float(i % 5)} if i % 2 else {}) for i in range(20)],
    "missing tells": [Mixed((), i % 2, categories={"k": "ab"[i % 3 > 0]} if i % 2 else {}) for i in range(20)],
    "neighbours": [Mixed((), i % 2, numbers={"x": math.nextafter(1.0, 2.0) if i % 2 else 1.0}) for i in range(9)],
    "zeros": [Mixed((), i % 2, numbers={"x": -0.0 if i % 2 else 0.0}) for i in range(9)],
    "a name for both": [Mixed((), i % 2, numbers={"x": float(i)}, categories={"x": str(i % 3)}) for i in range(12)],
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("search", ["certified", "exhaustive"])
def test_hostile_points(name: str, search: Search) -> None:
    finder, twin = SplitFinder("entropy", search), Points("entropy", 2)
    for point in HOSTILE[name]:
        point.to(finder.add)
        twin.add(point)
        check(finder, twin)
    for point in HOSTILE[name]:
        point.to(finder.remove)
        twin.points.remove(point)
        check(finder, twin)


POINTS = st.builds(
    Mixed,
    st.lists(st.integers(0, 3), max_size=3, unique=True).map(tuple),
    st.integers(0, 1),
    st.integers(1, 3),
    st.dictionaries(st.sampled_from("xy"), st.sampled_from([-1.0, 0.0, 0.5, 2.0, 1e300])),
    st.dictionaries(st.sampled_from("kl"), st.sampled_from("abcd")),
)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=30)
@given(st.sampled_from(["certified", "exhaustive"]), st.lists(st.tuples(POINTS, st.booleans()), max_size=25))
def test_drawn_points(search: Search, steps: list[tuple[Mixed, bool]]) -> None:
    finder, twin = SplitFinder("gini", search), Points("gini", 2)
    for point, removes in steps:
        if removes and twin.points:
            twin.points.pop(0).to(finder.remove)
        else:
            point.to(finder.add)
            twin.add(point)
        check(finder, twin)


def test_more_than_64_values_have_exact_counts_and_the_same_answers_whatever_the_search() -> None:
    rng = np.random.default_rng(1)
    finders = [SplitFinder(search="certified"), SplitFinder(search="exhaustive")]
    twin = Points("entropy", 2)
    for i in range(700):
        label = int(rng.integers(2))
        point = Mixed((), label, 1, {"x": float(rng.normal() + label), "y": float(i)})
        twin.add(point)
        for finder in finders:
            point.to(finder.add)
        found = [finder.best() for finder in finders]
        assert found[0] == found[1]
        if i % 50 == 0:
            assert found[0] is not None
            assert found[0].counts == twin.counts(found[0].feature)
    best = finders[0].best()
    assert best is not None
    # A 64th of the points is what a threshold may be off by.
    assert best.score <= min(twin.best_of_numbers()) * 1.02


def numbers_finder() -> SplitFinder:
    finder = SplitFinder()
    rng = np.random.default_rng(5)
    for i in range(90):
        drawn(rng, i, 2).to(finder.add)
    return finder


@pytest.mark.parametrize(
    "again", [copy.copy, lambda finder: pickle.loads(pickle.dumps(finder))], ids=["copy", "pickle"]
)
def test_copies_and_pickles_go_on_alone(again: Any) -> None:
    first = numbers_finder()
    other = again(first)
    alone = numbers_finder()
    rng = np.random.default_rng(6)
    for i in range(90, 140):
        point = drawn(rng, i, 2)
        new = Mixed((), 1, numbers={f"new {i}": 1.0, "same": 8.0}, categories={"kind": "z"})
        new.to(first.add)
        point.to(other.add)
        point.to(alone.add)
        assert other.top(30) == alone.top(30)
        other.validate()
        first.validate()
    assert first.n == numbers_finder().n + 50


def test_features_and_numbers_of_one_finder_that_first_had_features_alone() -> None:
    finder, twin = SplitFinder(), Points("entropy", 2)
    finder.add_many(np.array([[1, 0], [0, 1], [1, 1]]), [0, 1, 1])
    for features, label in [((0,), 0), ((1,), 1), ((0, 1), 1)]:
        twin.add(Mixed(features, label))
    point = Mixed((1,), 0, numbers={"x": 2.0}, categories={"k": "a"})
    point.to(finder.add)
    twin.add(point)
    finder.add_many(np.array([[1, 0]]), [0])
    twin.add(Mixed((0,), 0))
    finder.add_counts([1, 0], [1], [[1], [0]])
    twin.add(Mixed((1,), 0))
    other = SplitFinder()
    other.add([0], 1, 2)
    finder.merge(other)
    twin.add(Mixed((0,), 1, 2))
    check(finder, twin)


def test_missing_is_none_or_nan_or_not_there() -> None:
    finders = [SplitFinder() for _ in range(3)]
    for i in range(12):
        missing = i % 3 == 0
        absent: list[tuple[dict[str, Any], dict[str, Any]]] = [
            ({}, {}),
            ({"x": None}, {"k": None}),
            ({"x": math.nan}, {}),
        ]
        for finder, (numbers, categories) in zip(finders, absent, strict=True):
            if missing:
                finder.add([], i % 2, numbers=numbers, categories=categories)
            else:
                finder.add([], i % 2, numbers={"x": i}, categories={"k": "ab"[i % 2]})
    assert finders[0].top(9) == finders[1].top(9) == finders[2].top(9)


def test_what_a_split_asks() -> None:
    finder = SplitFinder("gini")
    for label, country in [(0, "fi"), (0, "se"), (1, "no"), (1, "dk"), (0, "fi")]:
        finder.add([], label, categories={"country": country})
    best = finder.best()
    assert best is not None
    assert best.feature in (Among("country", ("fi", "se")), Among("country", ("no", "dk")))
    assert isinstance(best, Split)
    for _ in range(4):
        finder.add([], 1, numbers={"age": 1})
    assert Present("age") in [split.feature for split in finder.top(20)]


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "infinite": ({"numbers": {"x": math.inf}}, ValueError, r"numbers must be finite, got inf for 'x'"),
    "text as a number": ({"numbers": {"x": "3"}}, TypeError, r"numbers must be numbers.*'x', got '3'"),
    "no mapping": ({"numbers": 3}, TypeError, r"numbers must be a mapping of names to numbers, got 3"),
    "a list": ({"categories": ["a"]}, TypeError, r"categories must be a mapping of names to values, got \['a'\]"),
    "name of a number": ({"numbers": {3: 3.0}}, TypeError, r"names of numbers must be strings, got 3"),
    "name of a category": ({"categories": {3: "a"}}, TypeError, r"names of categories must be strings, got 3"),
    "value": ({"categories": {"k": 3}}, TypeError, r"values of categories must be strings, got 3"),
    "surrogate": ({"categories": {"k": "\ud800"}}, ValueError, r"values of categories must be text without half"),
    "large id": ({"features": [2**30], "numbers": {"x": 1}}, ValueError, r"features must be below 1073741824"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("method", ["add", "remove"])
def test_what_is_refused_changes_nothing(name: str, method: str) -> None:
    given_, error, text = REFUSED[name]
    finder = numbers_finder()
    before = finder.top(40)
    with pytest.raises(error, match=rf"^SplitFinder\.{method}: {text}"):
        getattr(finder, method)(**{"features": [], "label": 0, **given_})
    assert finder.top(40) == before
    assert finder.n_features_seen == numbers_finder().n_features_seen


@pytest.mark.parametrize(
    ("given_", "text"),
    [
        ({"numbers": {"never": 1.0}}, "got the number 'never', which no point had"),
        ({"categories": {"never": "a"}}, "got the category 'never', which no point had"),
        ({"categories": {"kind": "never"}}, "got 'never' for the category 'kind', which no point had"),
        ({"numbers": {"tells": 0.25}}, "the point must have been added, got 0.25"),
    ],
)
def test_points_that_were_not_added_are_not_removed(given_: dict[str, Any], text: str) -> None:
    finder = numbers_finder()
    before = finder.top(40)
    with pytest.raises(ValueError, match=text):
        finder.remove([], 0, **given_)
    assert finder.top(40) == before


def test_a_finder_without_numbers_has_none_to_remove() -> None:
    finder = SplitFinder()
    finder.add([1], 0)
    with pytest.raises(ValueError, match="the number 'x', which no point had"):
        finder.remove([1], 0, numbers={"x": 1})
    assert finder.n == 1


def test_large_ids_that_were_there_first() -> None:
    finder = SplitFinder()
    finder.add([2**31 - 1], 0)
    with pytest.raises(ValueError, match="features must be below 1073741824 in a finder that has numbers"):
        finder.add([], 0, numbers={"x": 1})
    assert (finder.n, finder.n_features_seen) == (1, 1)
    finder.add([2**31 - 1], 1)


def test_what_is_of_features_alone() -> None:
    finder, plain = numbers_finder(), SplitFinder()
    plain.add([2**30], 0)
    before = finder.top(40)
    with pytest.raises(ValueError, match="merge: other must have neither numbers nor categories"):
        plain.merge(finder)
    with pytest.raises(ValueError, match="merge: other must have neither numbers nor categories"):
        finder.merge(finder)
    with pytest.raises(ValueError, match="merge: features must be below"):
        finder.merge(plain)
    with pytest.raises(ValueError, match="add_many: trace must be False"):
        finder.add_many(np.array([[1]]), [0], trace=True)
    with pytest.raises(ValueError, match="all_counts: the finder must have neither numbers nor categories"):
        finder.all_counts()
    with pytest.raises(ValueError, match="counts: features must be below"):
        finder.counts(2**30)
    with pytest.raises(ValueError, match="add_counts: features must be below"):
        finder.add_counts([1, 0], [2**30], [[1], [0]])
    assert finder.top(40) == before


def test_a_weight_of_0_changes_nothing() -> None:
    finder = SplitFinder()
    finder.add([], 0, 0, numbers={"x": 1}, categories={"k": "a"})
    assert finder.best() is None
    assert finder.n_features_seen == 0


def test_counters() -> None:
    finder = numbers_finder()
    finder.best()
    counters = finder.stats()
    assert counters["numbers"] == 4  # one of five has always been the same
    assert counters["attributes_examined"] > 0
    assert finder.n_bytes > SplitFinder().n_bytes
