"""What the paper reports of its synthetic data, sparse(10000, 10, 10000, 0.001), holds here."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from sapwood import SplitFinder
from sapwood.datasets import make_sparse
from sapwood.parameters import Criterion

SEEDS = (0, 1, 2, 3)
N = 10_000
CRITERIA = ("entropy", "gini")


@functools.cache
def trees_and_optimality(criterion: Criterion, seed: int, alpha: float) -> tuple[int, int, bool]:
    """Return the trees at n = 500 and at the end, and whether the last answer is optimal.

    The finder is asked after every point, as in the paper.
    """
    X, y = make_sparse(N, 10, 10_000, 0.001, seed=seed)
    finder = SplitFinder(criterion=criterion, search="approximate", alpha=alpha)
    finder.add_many(X[:500], y[:500], trace=True)
    early = finder.n_trees
    finder.add_many(X[500:], y[500:], trace=True)
    exhaustive = SplitFinder(criterion=criterion, search="exhaustive")
    exhaustive.add_many(X, y)
    best, optimum = finder.best(), exhaustive.best()
    assert best is not None
    assert optimum is not None
    optimal = bool(np.isclose(best.score, optimum.score, rtol=1e-9, atol=0.0))
    return early, finder.n_trees, optimal


def mean_trees(criterion: Criterion, alpha: float) -> tuple[float, float]:
    """Return the trees at n = 500 and at the end, averaged over the seeds."""
    early, late = np.mean([trees_and_optimality(criterion, seed, alpha)[:2] for seed in SEEDS], axis=0)
    return float(early), float(late)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_split_after_the_last_point_is_the_optimum(criterion: Criterion, seed: int) -> None:
    assert trees_and_optimality(criterion, seed, 0.1)[2]


# "About 10": over seeds 0 to 5 the number was 9 to 12 for both criteria.
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", SEEDS)
def test_about_ten_trees_remain(criterion: Criterion, seed: int) -> None:
    assert 6 <= trees_and_optimality(criterion, seed, 0.1)[1] <= 16


def test_entropy_needs_fewer_trees_as_the_shares_settle() -> None:
    # The paper's figure falls from about 20 towards 10; here from 16 to 21, to 9 to 12.
    early, late = mean_trees("entropy", 0.1)
    assert 14 <= early <= 26
    assert late < early


def test_gini_needs_as_many_trees_early_as_late() -> None:
    early, late = mean_trees("gini", 0.1)
    assert abs(early - late) <= 3


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_looser_guarantee_needs_fewer_trees(criterion: Criterion) -> None:
    trees = {alpha: mean_trees(criterion, alpha)[1] for alpha in (0.02, 0.1, 1.0, 5.0, 40.0)}
    # Once each of the ten signal features has a tree of its own, a tighter guarantee adds little.
    assert trees[0.02] >= trees[0.1] > trees[1.0] > trees[5.0] >= trees[40.0] >= 1


def test_a_line_that_an_axis_from_zero_would_hide_has_logarithmic_time() -> None:
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

    from sapwood.paper.drawing import label_ends, scaled_time

    hidden, told = Figure().subplots(), Figure().subplots()
    for axis, ends in (
        (hidden, [("exhaustive", 4.0), ("certified", 0.1)]),
        (told, [("exhaustive", 4.0), ("certified", 1.0)]),
    ):
        for _, value in ends:
            axis.plot([1, 2], [value / 2, value])
        scaled_time(axis, ends)
        label_ends(axis, ends)
    assert (hidden.get_yscale(), told.get_yscale()) == ("log", "linear")
    assert told.get_ylim()[0] == 0
    heights = [text.xy[1] for text in hidden.texts if isinstance(text, Annotation)]
    assert heights == sorted(heights)
    assert 0 <= heights[0] < heights[-1] <= 1.05
