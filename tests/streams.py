"""Streams that are hard on a split finder: named hostile ones, and Hypothesis strategies.

A stream is a list of points, a point a tuple of active features and a label. Every stream is
seeded, so that a failure can be repeated by its name alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

Point = tuple[tuple[int, ...], int]
Stream = list[Point]

MAX_FEATURE = 2**31 - 1
LENGTH = 240

HOSTILE: dict[str, Callable[[], Stream]] = {}


def hostile(make: Callable[[], Stream]) -> Callable[[], Stream]:
    """Enter a generator into HOSTILE under its own name."""
    HOSTILE[make.__name__] = make
    return make


def random_points(labels: Iterable[int], *, d: int = 20, q: float = 0.15, seed: int = 0, shift: int = 0) -> Stream:
    """Give each label a point whose d features are on independently of it, with chance q."""
    rng = np.random.default_rng(seed)
    return [(tuple(int(j) + shift for j in rng.permutation(np.flatnonzero(rng.random(d) < q))), y) for y in labels]


def random_labels(chance: float | np.ndarray, *, n: int = LENGTH, seed: int = 1) -> list[int]:
    """Draw n labels that are 1 with the given chance, one chance for all or one for each."""
    return [int(y) for y in np.random.default_rng(seed).random(n) < chance]


def with_feature(stream: Stream, feature: int, on: Iterable[bool]) -> Stream:
    """Switch one more feature on in the points where it is said to be on."""
    return [
        ((*features, feature), y) if active else (features, y) for (features, y), active in zip(stream, on, strict=True)
    ]


def as_matrix(stream: Stream) -> tuple[csr_matrix, np.ndarray]:
    """Return the stream as a CSR matrix with sorted indices, and its labels."""
    indptr = np.cumsum([0] + [len(features) for features, _ in stream])
    indices = np.array([j for features, _ in stream for j in sorted(features)], dtype=np.int64)
    width = int(indices.max()) + 1 if len(indices) else 1
    data = np.ones(len(indices), dtype=np.int8)
    X = csr_matrix((data, indices, indptr), shape=(len(stream), width))
    return X, np.array([y for _, y in stream], dtype=np.int64)


@hostile
def labels_ascending() -> Stream:
    return random_points([0] * (LENGTH // 2) + [1] * (LENGTH // 2), seed=2)


@hostile
def labels_descending() -> Stream:
    return random_points([1] * (LENGTH // 2) + [0] * (LENGTH // 2), seed=3)


@hostile
def only_class_0() -> Stream:
    return random_points([0] * LENGTH, seed=4)


@hostile
def only_class_1() -> Stream:
    return random_points([1] * LENGTH, seed=5)


@hostile
def one_feature_always_on() -> Stream:
    return with_feature(random_points(random_labels(0.4), seed=6), 99, [True] * LENGTH)


@hostile
def every_feature_always_on() -> Stream:
    return [((0, 1, 2), y) for y in random_labels(0.5)]


@hostile
def on_until_the_last_points() -> Stream:
    """Keep a feature on for long, then off for a few points of both classes."""
    on = [i < LENGTH - 6 for i in range(LENGTH)]
    return with_feature(random_points(random_labels(0.5), seed=7), 99, on)


@hostile
def never_repeated() -> Stream:
    return [((3 * i + 1, 3 * i), y) for i, y in enumerate(random_labels(0.3))]


@hostile
def mostly_empty_points() -> Stream:
    points = random_points(random_labels(0.5), seed=8)
    return [(f if i >= 20 and i % 3 == 0 else (), y) for i, (f, y) in enumerate(points)]


@hostile
def duplicated_features() -> Stream:
    points = random_points(random_labels(0.5), d=8, seed=9)
    return [(tuple(j + copy for copy in (200, 0, 100) for j in f), y) for f, y in points]


@hostile
def mirrored_features() -> Stream:
    """Feature j + 100 is on exactly where j is off: both split alike, from opposite sides."""
    points = random_points(random_labels(0.3), d=6, q=0.4, seed=10)
    return [(f + tuple(j + 100 for j in range(6) if j not in f), y) for f, y in points]


@hostile
def abrupt_drift() -> Stream:
    half = LENGTH // 2
    labels = random_labels(0.1, n=half) + random_labels(0.9, n=half, seed=11)
    points = random_points(labels, seed=12)
    on = [(y == 1) if i < half else (y == 0) for i, y in enumerate(labels)]
    return with_feature(points, 99, on)


@hostile
def slow_drift() -> Stream:
    """Let the classes trade places while most features are silent: bins are crossed one by one."""
    labels = random_labels(np.linspace(0.02, 0.98, LENGTH), seed=13)
    return random_points(labels, d=60, q=0.02, seed=14)


@hostile
def silent_feature_carried_across() -> Stream:
    """Features on once at the start; later points move them through every bin, and back."""
    labels = [0] * 60 + [1] * 120 + [0] * 60
    return [((0, 1), 0), ((2,), 1), ((3,), 0)] + [((), y) for y in labels]


@hostile
def swinging_labels() -> Stream:
    """Make runs of doubling length: the share of ones swings between one and two thirds for ever."""
    labels = [run % 2 for run in range(9) for _ in range(2**run)][:LENGTH]
    return random_points(labels, d=60, q=0.02, seed=15)


@hostile
def one_point() -> Stream:
    return [((5, 3), 1)]


@hostile
def huge_ids() -> Stream:
    return random_points(random_labels(0.5), seed=16, shift=MAX_FEATURE - 19)


@hostile
def huge_and_small_ids() -> Stream:
    points = random_points(random_labels(0.5), seed=17)
    return [(tuple(MAX_FEATURE - j if j % 2 else j for j in f), y) for f, y in points]


@hostile
def pure_feature_on_for_1() -> Stream:
    labels = random_labels(0.3)
    return with_feature(random_points(labels, seed=18), 99, [y == 1 for y in labels])


@hostile
def pure_feature_on_for_0() -> Stream:
    labels = random_labels(0.3)
    return with_feature(random_points(labels, seed=19), 99, [y == 0 for y in labels])


@hostile
def two_pure_features() -> Stream:
    labels = random_labels(0.5)
    points = with_feature(random_points(labels, seed=20), 99, [y == 1 for y in labels])
    return with_feature(points, 98, [y == 0 for y in labels])


@hostile
def nearly_pure_feature() -> Stream:
    """Pure until one point breaks it, then one more from the other side."""
    labels = random_labels(0.5)
    on = [(y == 1) != (i in (80, 160)) for i, y in enumerate(labels)]
    return with_feature(random_points(labels, seed=21), 99, on)


@hostile
def late_features() -> Stream:
    """Features first seen after many points they were off in; the last with the last point."""
    labels = random_labels(0.5)
    points = random_points(labels, d=4, seed=22)
    late = random_points(labels, d=12, q=0.3, seed=23, shift=50)
    stream = [(f + late[i][0] if i > LENGTH * 2 // 3 else f, y) for i, (f, y) in enumerate(points)]
    stream[-1] = ((*stream[-1][0], 999), stream[-1][1])
    return stream


@hostile
def balanced_to_one_half() -> Stream:
    """Each point is followed by its twin of the other label: every share is 1/2 in between."""
    return [p for f, _ in random_points([0] * (LENGTH // 2), seed=24) for p in ((f, 0), (f, 1))]


@hostile
def shares_on_bin_borders() -> Stream:
    """Silent features whose share of ones is 1/4, 1/16, 1/2, 3/4 or 15/16 again and again."""
    labels = [i % 4 == 3 for i in range(64)] + [i % 16 == 15 for i in range(192)]
    labels += [True] * 160 + [i % 16 != 15 for i in range(64)]
    head: Stream = [((0, 1), 0), ((1, 2), 1), ((3,), 1)]
    return head + [((4,) if i == 100 else (), int(y)) for i, y in enumerate(labels)]


@hostile
def tempting_rival() -> Stream:
    """Let a feature that is twice as bad look better than the best at the far end of a wide bin.

    Feature 0 is the best, with a share of 95 / 1595 where it is off; feature 1 has a share of 5 / 1205, and more than
    twice the entropy of feature 0. At a centroid of 2^-16 it would seem the better of the two: bins that are
    wider than the guarantee allows fall for it.
    """
    table = [((0, 1), 1, 1400), ((0,), 1, 5), ((1,), 1, 95), ((1,), 0, 300), ((), 0, 1200)]
    points: Stream = [(features, y) for features, y, times in table for _ in range(times)]
    return [points[i] for i in np.random.default_rng(27).permutation(len(points))]


@hostile
def tempting_rival_mirrored() -> Stream:
    return [(features, 1 - y) for features, y in tempting_rival()]


@hostile
def one_in_a_hundred() -> Stream:
    labels = [int(i % 100 == 50) for i in range(400)]
    return random_points(labels, d=30, seed=25)


@hostile
def all_but_one_in_a_hundred() -> Stream:
    labels = [int(i % 100 != 50) for i in range(400)]
    return random_points(labels, d=30, seed=26)


def points(ids: st.SearchStrategy[int], most: int = 5) -> st.SearchStrategy[Point]:
    """Draw single points over the given feature ids."""
    active = st.lists(ids, unique=True, max_size=most).map(tuple)
    return st.tuples(active, st.integers(0, 1))


FEW_IDS = st.integers(0, 6)
ANY_IDS = st.one_of(FEW_IDS, st.integers(0, MAX_FEATURE), st.integers(MAX_FEATURE - 3, MAX_FEATURE))


@st.composite
def runs(draw: st.DrawFn) -> Stream:
    """Streams made of runs of the same point: they drive shares far to one side and back."""
    pieces = draw(st.lists(st.tuples(points(FEW_IDS, most=2), st.integers(1, 25)), min_size=1, max_size=8))
    return [point for point, times in pieces for _ in range(times)]


STREAMS: st.SearchStrategy[Stream] = st.one_of(
    st.lists(points(FEW_IDS), min_size=1, max_size=60),
    st.lists(points(ANY_IDS), min_size=1, max_size=40),
    runs(),
)
