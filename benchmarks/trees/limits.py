"""Trees with a tenth of the memory that they would take, on streams that change: how much accuracy it costs."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.sparse import csr_array

import sapwood
from benchmarks.micro.report import Report, Table
from sapwood.datasets import make_text

MOST_LOST = 0.01
IN_BATCH = 200
# The least that a tree takes for a limit.
LEAST = 1 << 16
LEARNERS: dict[str, Any] = {
    "tree": sapwood.StreamingTreeClassifier,
    "VFDT": sapwood.HoeffdingTreeClassifier,
    "EFDT": sapwood.ExtremelyFastDecisionTreeClassifier,
}


class Stream(NamedTuple):
    """Points and their labels."""

    X: csr_array
    y: NDArray[Any]


def run(quick: bool) -> Report:
    """Measure every learner without a limit, then with a tenth of what it took."""
    n = 6_000 if quick else 60_000
    rows: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    for name, stream in {"text": _text(n), "concepts": _concepts(n)}.items():
        for learner, make in LEARNERS.items():
            print(f"  {name}: {learner} ...", file=sys.stderr, flush=True)
            free = make()
            best = _accuracy(free, stream)
            limit = max(LEAST, free.summary().tree_bytes // 10)
            bounded = make(max_bytes=limit)
            found = _accuracy(bounded, stream)
            figures.append({"stream": name, "learner": learner, "limit": limit, "free": best, "bounded": found})
            rows.append(
                (
                    name,
                    learner,
                    f"{free.summary().tree_bytes / 1e6:.2f}",
                    f"{limit / 1e6:.2f}",
                    f"{100 * best:.2f}",
                    f"{100 * found:.2f}",
                    f"≥ −{100 * MOST_LOST:.0f}: {'met' if found >= best - MOST_LOST else 'MISSED'}",
                )
            )
    header = ("stream", "learner", "MB", "max_bytes, MB", "accuracy, per cent", "within max_bytes", "asked")
    return Report(
        "trees-limits",
        "a tenth of the memory on streams that change",
        [Table("accuracy", header, rows)],
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        [
            f"{n:,} points, {IN_BATCH} at a time, predicted before they are learned; defaults.",
            "Everything changes twice, at once. text: texts of 20,000 words; concepts: a tree of five tests of 16",
            "features tells the label, beside 15 of 5,000 other features.",
        ],
    )


def _text(n: int) -> Stream:
    X, y = make_text(n, d=20_000, topical=0.3, contrast=0.9, drift="abrupt", n_changes=2, seed=1)
    return Stream(csr_array(X), np.asarray(y))


def _concepts(n: int, telling: int = 16, depth: int = 5, others: int = 5_000) -> Stream:
    """Return points whose label a random tree of tests tells, another one in every third of the stream."""
    random = np.random.default_rng(1)
    on = random.random((n, telling)) < 0.4
    y = np.empty(n, dtype=np.int64)
    for rows in np.array_split(np.arange(n), 3):
        # Each level tests features of its own, any node one of three; the votes of tests count less further down.
        of_level = random.permutation(telling)[: depth * 3].reshape(depth, 3)
        at = np.zeros(len(rows), dtype=np.int64)
        votes = np.zeros(len(rows))
        for level in range(depth):
            passed = on[rows, random.choice(of_level[level], 1 << level)[at]]
            votes += np.where(passed, 0.6, -0.4) * random.choice([-1, 1], 1 << level)[at] * 0.8**level
            at = 2 * at + passed
        y[rows] = votes > 0
    y ^= random.random(n) < 0.02
    weights = 1 / (np.arange(others) + 10)
    noise = telling + random.choice(others, (n, 15), p=weights / weights.sum())
    points = [np.unique(np.concatenate([np.flatnonzero(on[i]), noise[i]])) for i in range(n)]
    indptr = np.concatenate([[0], np.cumsum([len(point) for point in points])])
    columns = np.concatenate(points)
    return Stream(csr_array((np.ones(len(columns)), columns, indptr), shape=(n, telling + others)), y)


def _accuracy(model: Any, stream: Stream) -> float:
    """Return the share of points predicted right, each batch before it is learned."""
    right, n = 0, len(stream.y)
    for start in range(0, n, IN_BATCH):
        rows = slice(start, start + IN_BATCH)
        if start:
            right += int((model.predict(stream.X[rows]) == stream.y[rows]).sum())
        model.partial_fit(stream.X[rows], stream.y[rows], classes=np.unique(stream.y))
    return right / (n - IN_BATCH)


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    axes = figure.subplots()
    names = [f"{entry['stream']}, {entry['learner']}" for entry in figures]
    axes.barh(names, [100 * (entry["bounded"] - entry["free"]) for entry in figures], color="0.4")
    axes.axvline(-100 * MOST_LOST, color="0.7")
    axes.invert_yaxis()
    axes.set_xlabel("accuracy with a tenth of the memory, less that without a limit, in per cent")
