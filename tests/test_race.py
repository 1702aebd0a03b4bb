"""A race gives every search the same points, tells whether each was right, and can be drawn."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_array

from sapwood import CRITERIA, SEARCHES, SplitFinder, _timing
from sapwood.data import binary_batch
from sapwood.datasets import make_sparse
from sapwood.parameters import Criterion
from sapwood.race import RaceResult, plot_race, race
from sapwood.race.contest import Race
from sapwood.race.timing import counting_seconds

POINTS = make_sparse(700, 5, 300, 0.02, seed=3)


def raced(criterion: Criterion = "entropy") -> RaceResult:
    return race(*POINTS, criterion=criterion, checkpoints=20)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_search_runs_over_every_point(criterion: Criterion) -> None:
    result = raced(criterion)
    # The approximate search is for entropy and Gini only.
    expected = [name for name in SEARCHES if name != "approximate" or criterion in ("entropy", "gini")]
    assert [entry.search for entry in result.entries] == expected
    assert (result.criterion, result.alpha, result.every, result.n) == (criterion, 0.1, 1, 700)
    assert result.n_features_seen == np.unique(POINTS[0].indices).size
    assert result.checkpoints.tolist() == list(range(35, 701, 35))
    for entry in result.entries:
        alone = SplitFinder(criterion=criterion, search=entry.search, alpha=0.1)
        alone.add_many(*POINTS, trace=True)
        assert entry.split == alone.best()


def test_times_accumulate() -> None:
    result = raced()
    for seconds in (result.counting, *(entry.seconds for entry in result.entries)):
        assert seconds.shape == result.checkpoints.shape
        assert seconds[0] > 0.0
        assert np.all(np.diff(seconds) >= 0.0)


def test_ratios_are_those_of_the_totals() -> None:
    result = raced()
    total = {entry.search: entry.seconds[-1] for entry in result.entries}
    for entry in result.entries:
        assert entry.times_counting == pytest.approx(total[entry.search] / result.counting[-1])
        assert entry.speed_up == pytest.approx(total["exhaustive"] / total[entry.search])


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_exact_searches_are_optimal(criterion: Criterion) -> None:
    exact = [entry for entry in raced(criterion).entries if entry.search != "approximate"]
    assert [entry.search for entry in exact] == ["exhaustive", "certified"]
    assert all(entry.optimal for entry in exact)
    assert exact[0].split == exact[1].split


def test_a_worse_split_is_not_called_optimal() -> None:
    # With a huge alpha every feature is good enough: over many streams the approximation must sometimes be wrong.
    verdicts = set()
    for seed in range(30):
        X, y = make_sparse(60, 0, 40, 0.2, seed=seed)
        result = race(X, y, criterion="gini", alpha=40.0)
        (approximate,) = (entry for entry in result.entries if entry.search == "approximate")
        (exhaustive,) = (entry for entry in result.entries if entry.search == "exhaustive")
        assert approximate.split is not None
        assert exhaustive.split is not None
        same = bool(np.isclose(approximate.split.score, exhaustive.split.score, rtol=1e-9, atol=0.0))
        assert approximate.optimal == same
        verdicts.add(approximate.optimal)
    assert verdicts == {True, False}


def test_one_search_alone_is_still_judged() -> None:
    result = race(*POINTS, criterion="gini", searches=["approximate"])
    (entry,) = result.entries
    assert entry.speed_up is None
    assert isinstance(entry.optimal, bool)
    assert entry.times_counting > 0.0


@pytest.mark.parametrize("every", [1, 3, 50, 10_000])
def test_every_does_not_change_the_points(every: int) -> None:
    result = race(*POINTS, every=every, checkpoints=[1, 699, 700])
    assert result.every == every
    assert all(entry.split is not None and np.sum(entry.split.counts) == 700 for entry in result.entries)


def test_progress_counts_every_point_of_every_search() -> None:
    told: dict[str, int] = {}

    def progress(search: str, points: int) -> None:
        told[search] = told.get(search, 0) + points

    race(*POINTS, progress=progress)
    assert told == dict.fromkeys(SEARCHES, 700)


@pytest.mark.parametrize("checkpoints", [[1], [5, 6, 7], [70], [700], range(1, 701)])
def test_checkpoints_are_where_asked(checkpoints: list[int]) -> None:
    result = race(*POINTS, checkpoints=checkpoints)
    assert result.checkpoints.tolist() == list(checkpoints)
    assert all(entry.seconds.shape == (len(checkpoints),) for entry in result.entries)


def test_no_points() -> None:
    result = race(*make_sparse(0, 2, 3, 0.5, seed=1))
    assert (result.n, result.n_features_seen, result.checkpoints.size) == (0, 0, 0)
    for entry in result.entries:
        assert entry.split is None
        assert entry.optimal
        assert np.isnan(entry.times_counting)


def test_points_without_features() -> None:
    result = race(np.zeros((3, 2), dtype=int), [0, 1, 1])
    assert result.n == 3
    assert all(entry.split is None and entry.optimal for entry in result.entries)


def test_other_formats_give_the_same_splits() -> None:
    X, y = POINTS
    expected = [entry.split for entry in raced().entries]
    assert [entry.split for entry in race(coo_array(X), y.tolist()).entries] == expected
    assert [entry.split for entry in race(X.toarray(), y.astype(float)).entries] == expected


def test_results_are_frozen() -> None:
    result = raced()
    with pytest.raises(FrozenInstanceError):
        result.n = 1  # type: ignore[misc]  # the point of the test
    with pytest.raises(FrozenInstanceError):
        result.entries[0].optimal = False  # type: ignore[misc]  # the point of the test


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": 0}, "race: every must be at least 1, got 0"),
        ({"checkpoints": 0}, "race: checkpoints must be at least 1, got 0"),
        ({"checkpoints": [2, 2]}, "race: checkpoints must be ascending integers from 1 to 700, got [2, 2]"),
        ({"checkpoints": [701]}, "race: checkpoints must be ascending integers from 1 to 700, got [701]"),
        ({"checkpoints": [0, 5]}, "race: checkpoints must be ascending integers from 1 to 700, got [0, 5]"),
        ({"checkpoints": [0.5]}, "race: checkpoints must be ascending integers from 1 to 700, got [0.5]"),
        ({"searches": []}, "race: searches must be distinct and at least one, got ()"),
        (
            {"searches": ["exhaustive", "exhaustive"]},
            "race: searches must be distinct and at least one, got ('exhaustive', 'exhaustive')",
        ),
    ],
)
def test_bad_values(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        race(*POINTS, **options)  # type: ignore[arg-type]  # the point of the test


def test_bad_types() -> None:
    with pytest.raises(TypeError, match=r"^race: every must be an integer, got 1\.5$"):
        race(*POINTS, every=1.5)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("options", [{"criterion": "luck"}, {"searches": ["psychic"]}, {"alpha": -1.0}])
def test_the_finder_refuses_what_it_does_not_know(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"^SplitFinder: "):
        race(*POINTS, **options)  # type: ignore[arg-type]  # the point of the test


def test_bad_points_are_refused() -> None:
    X, y = POINTS
    with pytest.raises(ValueError, match="label"):
        race(X, y[:-1])


def test_picture(tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image", reason="matplotlib, of the extra `plot`, is not installed")
    results = [raced(criterion) for criterion in CRITERIA]
    one = plot_race(results[0], tmp_path / "one.png")
    both = plot_race(results, str(tmp_path / "both.png"))
    pixels_of_one, pixels_of_both = image.imread(one), image.imread(both)
    assert pixels_of_both.shape[1] > 1.5 * pixels_of_one.shape[1]
    for pixels in (pixels_of_one, pixels_of_both):
        # Lines, labels and axes: many colours, yet mostly white paper.
        assert np.unique(pixels[..., :3] @ np.array([1.0, 256.0, 65536.0])).size > 50
        assert 0.7 < float(np.mean(np.all(pixels[..., :3] == 1.0, axis=-1))) < 0.99


def test_nothing_to_draw(tmp_path: Path) -> None:
    empty = replace(raced(), checkpoints=np.zeros(0, dtype=np.int64))
    for results in ([], [empty]):
        with pytest.raises(ValueError, match=r"^plot_race: results must hold"):
            plot_race(results, tmp_path / "nothing.png")
    assert not (tmp_path / "nothing.png").exists()


def test_the_slowest_point_takes_longer_than_the_mean() -> None:
    points = binary_batch(*POINTS)
    for search in SEARCHES:
        alone, timed = (SplitFinder(search=search) for _ in range(2))
        mean, slowest = _timing.slowest_timed(timed.native, *points.as_numbers(), 3)
        assert 0.0 < mean < slowest < mean * points.y.size
        alone.add_many(*POINTS)
        assert timed.best() == alone.best()


def test_timing_refuses_labels_and_points_beyond_what_can_be_counted() -> None:
    points = binary_batch(*POINTS)
    indptr, indices, labels = points.as_numbers()
    wrong = np.full_like(labels, 2)
    finder = SplitFinder()
    with pytest.raises(ValueError, match=r"^y must hold labels from 0 to 1 only, got 2$"):
        _timing.slowest_timed(finder.native, indptr, indices, wrong, 1)
    with pytest.raises(ValueError, match=r"^y must hold labels from 0 to 1 only, got 2$"):
        _timing.run_timed(finder.native, indptr, indices, wrong, 1, np.array([700]))
    with pytest.raises(ValueError, match=r"^y must have a label for every row of X, 700 in all, got 3$"):
        _timing.slowest_timed(finder.native, indptr, indices, labels[:3], 1)
    assert finder.n == 0
    finder.add([], 0, 2**31 - 1)
    with pytest.raises(OverflowError, match=r"^points must be at most 2147483647 in all, got 700 more than"):
        _timing.slowest_timed(finder.native, indptr, indices, labels, 1)


def test_several_classes() -> None:
    X, y = POINTS
    labels = y.astype(int) + (np.arange(700) % 5 == 0)
    result = race(X, labels, criterion="gini")
    assert result.n_classes == 3
    assert [entry.search for entry in result.entries] == ["exhaustive", "certified"]
    assert all(entry.optimal for entry in result.entries)
    assert np.all(result.counting > 0)
    assert list(result.left_out) == ["approximate"]
    assert "is for two classes" in result.left_out["approximate"]
    alone = SplitFinder(criterion="gini", n_classes=3)
    alone.add_many(X, labels)
    assert result.entries[1].split == alone.best()
    assert race(X, y, n_classes=3).n_classes == 3
    with pytest.raises(ValueError, match=r"^race: y must hold the labels 0 and 1 only, got 2$"):
        race(X, labels, n_classes=2)
    with pytest.raises(ValueError, match=r"^SplitFinder: n_classes must be 2 for the search 'approximate'"):
        race(X, labels, searches=["approximate"])


def test_counting_of_several_classes_is_of_as_many_counters() -> None:
    X, y = POINTS
    points = binary_batch(X, (y.astype(int) + np.arange(700) % 6), 7)
    seconds = counting_seconds(points, 7, np.array([1, 700]))
    assert 0 < seconds[0] < seconds[1]
    with pytest.raises(ValueError, match=r"^race: features times pairs of classes must be at most 2147483647, got "):
        counting_seconds(replace(points, n_features=2**30), 7, np.array([700]))


@pytest.mark.parametrize("size", [1, 7, 19, 20, 21, 64])
def test_a_race_in_parts_is_one(size: int) -> None:
    X, y = POINTS
    points = binary_batch(X, y)
    contest = Race("entropy", 0.1, 1, 2)
    for start in range(0, 700, size):
        contest.feed(points.part(start, start + size))
    result = contest.result()
    assert [entry.split for entry in result.entries] == [entry.split for entry in raced().entries]
    assert result.n == result.checkpoints[-1] == 700
    assert 0 < result.checkpoints.size <= 420
    assert np.all(np.diff(result.checkpoints) > 0)
    for entry in result.entries:
        assert entry.seconds.shape == result.checkpoints.shape
        assert np.all(np.diff(entry.seconds) >= 0)


def test_a_turn_that_is_broken_off_leaves_the_result_of_those_before() -> None:
    X, y = POINTS
    contest = Race("entropy", 0.1, 1, 2)
    contest.feed(binary_batch(X[:400], y[:400], 2))
    before = contest.result()

    def break_off(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        contest.turn(binary_batch(X[400:], y[400:], 2), [300], break_off)
    after = contest.result()
    assert (after.n, after.n_features_seen, after.checkpoints.tolist()) == (
        400,
        before.n_features_seen,
        [*before.checkpoints],
    )
    assert [(entry.search, entry.split, entry.optimal) for entry in after.entries] == [
        (entry.search, entry.split, entry.optimal) for entry in before.entries
    ]
    for entry, was in zip(after.entries, before.entries, strict=True):
        np.testing.assert_array_equal(entry.seconds, was.seconds)
    with pytest.raises(RuntimeError, match="must not have been broken off in the middle of a turn"):
        contest.feed(binary_batch(X[:1], y[:1], 2))
