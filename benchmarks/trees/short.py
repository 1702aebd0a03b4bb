"""Prequential accuracy on the first points of streams of numbers, beside river's tree."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.micro.report import Report, Table
from sapwood import StreamingTreeClassifier

from .mixed import Points, streams

AFTER = (250, 500, 1000)
SYNTHETIC = 4000
SEEDS = 3


def run(quick: bool) -> Report:
    """Measure both learners on every stream."""
    notes = [
        "Each point predicted before it is learned; parameters are each library's defaults; the last is of all points."
    ]
    learners: dict[str, Callable[[], Any]] = {"tree": StreamingTreeClassifier}
    if find_spec("river") is None:
        notes.append("Skipped: river, which is not installed.")
    else:
        from river.tree import HoeffdingTreeClassifier

        learners["river, HT"] = HoeffdingTreeClassifier
    figures: list[dict[str, Any]] = []
    rows = []
    for name, of_name in _families(1000 if quick else None, notes):
        cells = []
        for learner, make in learners.items():
            print(f"  {name}: {learner} ...", file=sys.stderr, flush=True)
            right = np.mean([_right(make(), points) for points in of_name], axis=0)
            figures.append({"stream": name, "learner": learner, "accuracy": right.tolist()})
            cells.append(" ".join(f"{100 * share:.1f}" for share in right))
        rows.append((name, f"{len(of_name[0]):,}", *cells))
    after = ", ".join(map(str, AFTER))
    return Report(
        "trees-short",
        "the first points of streams of numbers",
        [Table(f"accuracy, per cent, of the first {after} and of all points", ("stream", "points", *learners), rows)],
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        notes,
    )


def _right(model: Any, points: Points) -> list[float]:
    """Return the share of right predictions among the first points and among all."""
    right = np.zeros(len(points))
    for i, (x, y) in enumerate(points):
        right[i] = model.predict_one(x) == y
        model.learn_one(x, y)
    return [float(right[:n].mean()) for n in (*AFTER, len(points))]


def _families(most: int | None, notes: list[str]) -> Iterator[tuple[str, list[Points]]]:
    """Yield the streams of files and of river, and of the synthetic ones those that differ by the seed only."""
    for name, points in streams(most, notes):
        yield name, [points]
    for name, make in SHAPES.items():
        made = []
        for seed in range(SEEDS):
            X, y = make(np.random.default_rng(seed), most or SYNTHETIC)
            keys = [str(j) for j in range(X.shape[1])]
            made.append(
                [(dict(zip(keys, row, strict=True)), label) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
            )
        yield name, made


Made = tuple[NDArray[Any], NDArray[Any]]


def _clusters(width: int) -> Callable[[np.random.Generator, int], Made]:
    def make(rng: np.random.Generator, n: int) -> Made:
        centres = 0.8 * rng.normal(size=(3, width))
        y = rng.integers(3, size=n)
        return centres[y] + rng.normal(size=(n, width)), y

    return make


def _hyperplane(rng: np.random.Generator, n: int) -> Made:
    X = rng.random((n, 10))
    score = (X - 0.5) @ rng.normal(size=10)
    return X, (score > 0) ^ (rng.random(n) < 0.05)


def _sine(rng: np.random.Generator, n: int) -> Made:
    X = rng.random((n, 4))
    return X, X[:, 1] > 0.5 + 0.3 * np.sin(3 * np.pi * X[:, 0])


def _skewed(rng: np.random.Generator, n: int) -> Made:
    logarithm = 2 * rng.normal(size=(n, 6))
    return np.exp(logarithm), (logarithm @ rng.normal(size=6) > 0) ^ (rng.random(n) < 0.05)


def _radial(rng: np.random.Generator, n: int) -> Made:
    centres, label, spread = rng.random((20, 5)), rng.integers(2, size=20), 0.15 * rng.random(20)
    of = rng.integers(20, size=n)
    return centres[of] + spread[of][:, None] * rng.normal(size=(n, 5)), label[of]


def _exclusive_or(rng: np.random.Generator, n: int) -> Made:
    X = rng.random((n, 4))
    return X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)


def _whole(rng: np.random.Generator, n: int) -> Made:
    X = rng.integers(12, size=(n, 6)).astype(float)
    return X, X[:, 0] + X[:, 1] - X[:, 2] + 2 * rng.normal(size=n) > 6


def _mostly_zero(rng: np.random.Generator, n: int) -> Made:
    X = rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.15)
    return X, X @ rng.normal(size=6) + 0.2 * rng.normal(size=n) > 0


def _walk(rng: np.random.Generator, n: int) -> Made:
    y = rng.integers(2, size=n)
    X = 0.1 * np.cumsum(rng.normal(size=(n, 4)), axis=0) + rng.normal(size=(n, 4))
    X[:, 0] += 1.5 * y
    return X, y


SHAPES: dict[str, Callable[[np.random.Generator, int], Made]] = {
    "clusters of 5": _clusters(5),
    "clusters of 10": _clusters(10),
    "clusters of 20": _clusters(20),
    "hyperplane": _hyperplane,
    "sine": _sine,
    "skewed": _skewed,
    "radial": _radial,
    "exclusive or": _exclusive_or,
    "whole numbers": _whole,
    "mostly zero": _mostly_zero,
    "walk": _walk,
}


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    """Draw the accuracy of the first points for each stream."""
    names = list(dict.fromkeys(entry["stream"] for entry in figures))
    axes = figure.subplots()
    for marker, learner in zip("ox", dict.fromkeys(entry["learner"] for entry in figures), strict=False):
        mine = [entry for entry in figures if entry["learner"] == learner]
        places = [names.index(entry["stream"]) for entry in mine]
        axes.scatter([100 * entry["accuracy"][0] for entry in mine], places, marker=marker, label=learner, alpha=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(f"accuracy on the first {AFTER[0]} points, per cent")
    axes.legend(fontsize="x-small", loc="lower left")
