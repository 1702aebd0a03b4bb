"""SplitFinder under threads and interrupts: no crash, no deadlock, no half-added point."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable

import numpy as np
import pytest
from many_threads import run_all
from oracle import BruteForce
from scipy.sparse import csr_matrix
from streams import as_matrix, random_labels, random_points

from sapwood import SEARCHES, SplitFinder
from sapwood.parameters import Criterion, Search

CRITERIA: tuple[Criterion, ...] = ("entropy", "gini")
KINDS = [(c, s) for c in CRITERIA for s in SEARCHES]
every_kind = pytest.mark.parametrize(("criterion", "search"), KINDS)


def answers(finder: SplitFinder) -> tuple[object, ...]:
    """Return all that a finder says about its points and its best features."""
    counters = (finder.n, finder.class_counts, finder.n_features_seen)
    return (*counters, finder.best(), finder.top(1000), finder.n_trees)


@every_kind
def test_a_query_while_another_thread_adds(criterion: Criterion, search: Search) -> None:
    """Each answer is that of some moment of the stream; nothing crashes and nothing hangs."""
    stream = random_points(random_labels(0.5, n=4000), d=100, q=0.03, seed=3)
    X, y = as_matrix(stream)
    finder = SplitFinder(criterion=criterion, search=search)
    done = threading.Event()
    seen: list[int] = []

    def add() -> None:
        try:
            for start in range(0, len(y), 400):
                finder.add_many(X[start : start + 400], y[start : start + 400], trace=True)
        finally:
            done.set()

    def ask() -> None:
        while not done.is_set():
            split = finder.best()
            if split is not None:
                seen.append(sum(map(sum, split.counts)))
            finder.top(3)
            finder.counts(1)
            repr(finder)
            finder.copy().validate()

    run_all([add, ask, ask])
    assert all(0 < n <= len(y) for n in seen)
    assert finder.n == len(y)
    finder.validate()
    alone = SplitFinder(criterion=criterion, search="exhaustive")
    alone.add_many(X, y)
    best, optimum = finder.best(), alone.best()
    assert best is not None
    assert optimum is not None
    assert best.score <= 1.1 * optimum.score * (1 + 1e-9)


@every_kind
def test_two_threads_may_add_to_the_same_finder(criterion: Criterion, search: Search) -> None:
    X, y = as_matrix(random_points(random_labels(0.5, n=2000), d=50, q=0.05, seed=4))
    finder = SplitFinder(criterion=criterion, search=search)

    def add() -> None:
        finder.add_many(X, y, trace=True)

    run_all([add] * 3)
    assert finder.n == 3 * len(y)
    assert finder.class_counts == (3 * int((y == 0).sum()), 3 * int((y == 1).sum()))
    finder.validate()


@every_kind
def test_finders_may_be_merged_crosswise(criterion: Criterion, search: Search) -> None:
    """Each thread needs both locks, and they ask for them in opposite order; one takes the same lock twice."""
    left, right = (SplitFinder(criterion=criterion, search=search) for _ in range(2))
    left.add([3, 5], 1)
    right.add([5, 8], 0)

    def crosswise(into: SplitFinder, other: SplitFinder) -> Callable[[], None]:
        def run() -> None:
            for _ in range(300):
                # The counts double at every step, and so soon are as large as they may be.
                with contextlib.suppress(OverflowError):
                    into.merge(other)
                into.best()

        return run

    run_all([crosswise(left, right), crosswise(right, left), crosswise(left, left)])
    # Merging with itself alone has doubled it until it could not be doubled.
    assert 2**30 <= left.n <= 2**31 - 1
    for finder in (left, right):
        assert finder.n == sum(finder.class_counts)
        finder.validate()


def test_finders_in_parallel_threads_do_not_disturb_each_other() -> None:
    X, y = as_matrix(random_points(random_labels(0.5, n=1500), d=80, q=0.04, seed=5))
    alone, together = ([SplitFinder(criterion=c, search=s) for c, s in KINDS * 2] for _ in range(2))
    for finder in alone:
        finder.add_many(X, y, trace=True)

    def task(finder: SplitFinder) -> Callable[[], None]:
        def run() -> None:
            for start in range(0, len(y), 100):
                finder.add_many(X[start : start + 100], y[start : start + 100], trace=True)

        return run

    run_all([task(finder) for finder in together])
    assert [answers(f) for f in together] == [answers(f) for f in alone]


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one's own process there")
def test_an_interrupted_add_many_keeps_the_points_it_added() -> None:
    """Ctrl-C in a long call: the points so far are kept whole, and the finder goes on."""
    rng = np.random.default_rng(6)
    n, d, m = 40_000, 30_000, 20
    indices = np.sort(rng.integers(0, d // m, size=(n, m)) + np.arange(m) * (d // m), axis=1)
    X = csr_matrix((np.ones(n * m), indices.ravel(), np.arange(0, n * m + 1, m)), shape=(n, d))
    y = rng.integers(0, 2, size=n)
    finder = SplitFinder(search="exhaustive")
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    # A process started in the background ignores SIGINT: ask for Python's own handler.
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            finder.add_many(X, y, trace=True)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, previous)
    kept = finder.n
    assert 0 < kept < n, "the call was not interrupted midway"
    finder.validate()
    oracle = BruteForce("entropy")
    for i in range(kept):
        oracle.add(indices[i].tolist(), int(y[i]))
    assert finder.class_counts == oracle.class_counts
    assert finder.n_features_seen == oracle.n_features_seen
    assert all(finder.counts(j) == oracle.counts(j) for j in range(0, d, 7))
    finder.add_many(X[kept : kept + 5], y[kept : kept + 5])
    oracle.add_many((indices[i].tolist(), int(y[i])) for i in range(kept, kept + 5))
    best, optimum = finder.best(), oracle.best()
    assert best is not None
    assert optimum is not None
    assert best.score == pytest.approx(optimum.score, rel=1e-9)
