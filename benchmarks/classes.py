"""Many classes: the certified search against the exhaustive one: ``python -m benchmarks.classes``.

Three shapes of streams, with 100, 1,000 and 3,000 classes: one in which a feature tells each class, one in which
nothing tells anything, and one whose classes come one after the other, which is the worst for proofs about a region of
class counts. The best split is asked for after every point, and after every twentieth. Time is that of the processor,
of both searches in turn, so that what else the machine does matters little.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import numpy.typing as npt

from sapwood import SplitFinder

MOST = 1.75
FEATURES = 400
PER_POINT = 12
POINTS = {100: 2_000, 1_000: 800, 3_000: 400}
SHAPES = ("signal", "noise", "sorted")

Point = tuple[list[int], int]


def stream(shape: str, n_classes: int, n: int, seed: int = 1) -> list[Point]:
    """Return points of which a few features are on, the frequent ones more often."""
    random = np.random.default_rng(seed)
    shares: npt.NDArray[np.float64] = 1 / (np.arange(FEATURES) + 5)
    shares /= shares.sum()
    labels = random.integers(n_classes, size=n)
    if shape == "sorted":
        labels = np.sort(labels)
    points = []
    for label in labels.tolist():
        on = set(random.choice(FEATURES, PER_POINT, replace=False, p=shares).tolist())
        if shape != "noise" and random.random() < 0.9:
            on.add(label % FEATURES)
        points.append((sorted(on), label))
    return points


def seconds(search: str, points: list[Point], n_classes: int, gap: int) -> tuple[float, list[object]]:
    """Return the processor time to learn a stream, and to ask for the best split every `gap` points; the splits."""
    finder = SplitFinder(search=search, n_classes=n_classes)  # type: ignore[arg-type]  # one of the searches
    answers: list[object] = []
    begin = time.process_time()
    for i, (features, label) in enumerate(points):
        finder.add(features, label)
        if i % gap == gap - 1:
            answers.append(finder.best())
    return time.process_time() - begin, answers


def main() -> int:
    """Print the ratios; the exit status is 1 if one is too large."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a quarter of the points, and one repetition")
    quick = parser.parse_args().quick
    worst = 0.0
    print("certified over exhaustive search, processor time:")
    print(f"{'classes':>8s} {'points':>7s}  {'stream':8s} {'every':>5s} {'ratio':>6s}")
    for n_classes, n in POINTS.items():
        for shape in SHAPES:
            points = stream(shape, n_classes, n // 4 if quick else n)
            for gap in (1, 20):
                taken: dict[str, list[float]] = {"certified": [], "exhaustive": []}
                told: dict[str, list[object]] = {}
                for _ in range(1 if quick else 3):
                    for search, each in taken.items():
                        spent, told[search] = seconds(search, points, n_classes, gap)
                        each.append(spent)
                if told["certified"] != told["exhaustive"]:
                    raise RuntimeError(f"classes: both searches must give one answer, got two for {shape}")
                ratio = min(taken["certified"]) / min(taken["exhaustive"])
                worst = max(worst, ratio)
                print(f"{n_classes:8,} {len(points):7,}  {shape:8s} {gap:5d} {ratio:6.2f}", flush=True)
    print(f"at most {worst:.2f}; promised: {MOST}")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
