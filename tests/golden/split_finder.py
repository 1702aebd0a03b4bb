"""The split finder on hostile streams, and with points changed afterwards."""

from __future__ import annotations

import pickle
import random
from typing import TYPE_CHECKING, Any

from golden.case import enter
from golden.choices import SEARCHES
from golden.digest import digest
from golden.points import drawn, matrix, points_of
from sapwood import SplitFinder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from golden.case import Fields
    from golden.points import Point


LENGTH = 160


def noise(labels: Iterable[int], seed: int, d: int = 18, chance: float = 0.15) -> list[Point]:
    """Return points with these labels whose features say nothing."""
    rng = random.Random(seed)
    return [(drawn(rng, ((j, chance) for j in range(d))), y) for y in labels]


def labels_of(n_classes: int, seed: int, n: int = LENGTH) -> list[int]:
    """Return labels, each as likely as the next."""
    rng = random.Random(seed)
    return [int(rng.random() * n_classes) for _ in range(n)]


def sorted_labels(k: int) -> list[Point]:
    """Come one class after the other."""
    return noise([i * k // LENGTH for i in range(LENGTH)], 31)


def single_class(k: int) -> list[Point]:
    """Come of the last class only."""
    return noise([k - 1] * LENGTH, 32)


def always_on(k: int) -> list[Point]:
    """Have a feature on in every point."""
    return [([*features, 99], y) for features, y in noise(labels_of(k, 33), 34)]


def empty_points(k: int) -> list[Point]:
    """Have no feature in most points, and none at all at first."""
    points = noise(labels_of(k, 35), 36)
    return [(features if i > 20 and i % 3 == 0 else [], y) for i, (features, y) in enumerate(points)]


def ties(k: int) -> list[Point]:
    """Have each feature three times, and its opposite once."""
    points = noise(labels_of(k, 37), 38, d=6, chance=0.3)
    return [
        ([*f, *(j + 100 for j in f), *(j + 50 for j in f), *(200 + j for j in range(6) if j not in f)], y)
        for f, y in points
    ]


def drifting(k: int) -> list[Point]:
    """Have signals that are of the next class from the middle on."""
    points = noise(labels_of(k, 39), 40)
    return [([*f, 40 + (y + (i > LENGTH // 2)) % k], y) for i, (f, y) in enumerate(points)]


def single_point(k: int) -> list[Point]:
    """Come alone."""
    return [([5, 3], k - 1)]


def large_ids(k: int) -> list[Point]:
    """Have the largest and the smallest ids there are, and some that never come again."""
    points = noise(labels_of(k, 41), 42)
    return [([*(2**31 - 1 - j if j % 2 else j for j in f), 1000 + i], y) for i, (f, y) in enumerate(points)]


def grown_stream(k: int) -> list[Point]:
    """Come as those that trees learn from."""
    return [(list(f), y) for f, y in points_of(400, k, 43, drift=200)]


HOSTILE: dict[str, Callable[[int], list[Point]]] = {
    "sorted": sorted_labels,
    "one_class": single_class,
    "always_on": always_on,
    "empty": empty_points,
    "ties": ties,
    "drift": drifting,
    "one_point": single_point,
    "large_ids": large_ids,
    "grown": grown_stream,
}


class Account:
    """What a finder answers along the way."""

    def __init__(self) -> None:
        self.best: list[Any] = []
        self.top: list[Any] = []
        self.margin: list[Any] = []
        self.seen: list[Any] = []

    def ask(self, finder: SplitFinder, i: int) -> None:
        """Ask for the best split; every few points for more."""
        self.best.append(finder.best())
        if i % 7 == 0:
            self.top.append(finder.top(5))
            self.margin.append(finder.margin())
            self.seen.append([finder.n, finder.class_counts, finder.n_features_seen, repr(finder)])

    def fields(self, finder: SplitFinder) -> Fields:
        """Return the account, with the end in plain text."""
        finder.validate()
        best = finder.best()
        end = "none" if best is None else f"feature {best.feature}, gain {best.gain:.6f}"
        return {
            "end": f"{finder.n} points, {finder.n_features_seen} features: {end}",
            "best": digest(self.best),
            "top": digest([*self.top, finder.top(1000)]),
            "margin": digest([*self.margin, finder.margin()]),
            "seen": digest(self.seen),
            "work": digest([finder.work, finder.n_trees]),
        }


def followed(finder: SplitFinder, stream: Sequence[Point]) -> Fields:
    """Ask after every point, and once more by way of a matrix."""
    account = Account()
    again = finder.copy()
    for i, (features, y) in enumerate(stream):
        finder.add(features, y)
        account.ask(finder, i)
    fields = account.fields(finder)
    # Every feature must be a column that scipy has room for.
    if all(j < 10_000 for features, _ in stream for j in features):
        X, y_all = matrix([(sorted(features), y) for features, y in stream])
        trace = again.add_many(X, y_all, trace=True)
        fields["trace"] = digest([trace.feature, trace.score])
    return fields


def removed(finder: SplitFinder, k: int) -> Fields:
    """Take back every point after 40 more, and in the end all but ten."""
    stream = grown_stream(k)
    account = Account()
    for i, (features, y) in enumerate(stream):
        finder.add(features, y, 1 + i % 2)
        if i >= 40:
            old = i - 40
            finder.remove(stream[old][0], stream[old][1], 1 + old % 2)
        account.ask(finder, i)
    for i in range(len(stream) - 40, len(stream) - 10):
        finder.remove(stream[i][0], stream[i][1], 1 + i % 2)
        account.ask(finder, i)
    return account.fields(finder)


def weighed(finder: SplitFinder, k: int) -> Fields:
    """Weigh the points, the first with 0."""
    account = Account()
    for i, (features, y) in enumerate(grown_stream(k)):
        finder.add(features, y, (0, 1, 3, 10_000, 2)[i % 5])
        account.ask(finder, i)
    return account.fields(finder)


def merged(finder: SplitFinder, k: int, over: str) -> Fields:
    """Take in another finder, of other points or of other features, and itself; go on, also after a pickle."""
    stream = grown_stream(k)
    exact = SplitFinder(finder.criterion, "exhaustive", n_classes=k)
    account = Account()
    for i, (features, y) in enumerate(stream[:300]):
        if over == "features":
            finder.add([j for j in features if j % 2], y)
            exact.add([j for j in features if j % 2 == 0], y)
        else:
            (finder, exact)[i % 2].add(features, y)
        account.ask(finder, i)
    finder.merge(exact, over=over)
    account.ask(finder, 0)
    finder.merge(finder)
    account.ask(finder, 0)
    kept: SplitFinder = pickle.loads(pickle.dumps(finder))
    assert pickle.dumps(kept) == pickle.dumps(finder)
    for i, (features, y) in enumerate(stream[300:]):
        kept.add(features, y)
        account.ask(kept, i)
    return account.fields(kept)


def enter_the_finders() -> None:
    """Every search, criterion and number of classes on hostile streams, and with points changed afterwards."""
    for (criterion, k), searches in SEARCHES.items():
        for search in searches:
            kind = f"{criterion}-{search}-{k}"

            def new(a: Any = criterion, b: Any = search, c: int = k, alpha: float = 0.1) -> SplitFinder:
                return SplitFinder(a, b, alpha, c)

            for name, make in HOSTILE.items():
                enter("split-finder", f"{kind}-{name}", lambda a=new, b=make, c=k: followed(a(), b(c)))  # type: ignore[misc]
            enter("split-finder", f"{kind}-weights", lambda a=new, c=k: weighed(a(), c))  # type: ignore[misc]
            for over in ("points", "features"):
                enter(
                    "split-finder",
                    f"{kind}-merge_{over}",
                    lambda a=new, b=over, c=k: merged(a(), c, b),  # type: ignore[misc]
                )
            if search != "approximate":
                enter("split-finder", f"{kind}-remove", lambda a=new, c=k: removed(a(), c))  # type: ignore[misc]
                continue
            for alpha in (1e-3, 0.5, 3.0):
                enter(
                    "split-finder",
                    f"{kind}-alpha_{alpha:g}",
                    lambda a=new, b=alpha: followed(a(alpha=b), grown_stream(2)),  # type: ignore[misc]
                )


enter_the_finders()
