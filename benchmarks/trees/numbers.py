"""Time of learning numbers by partial_fit, beside river's tree and beside the least that it takes, on elec."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.micro.measure import significant
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import Unavailable, data_file
from sapwood import StreamingTreeClassifier

from .mixed import FILES

# As many as fit into memory together in whatever reads a stream.
ROWS = 2000
# As many as a number has at a node.
BINS = 64
RIVER = "river, HT, learn_one"
MODELS = "the leaf models alone"
COUNTING = "counting bins alone"
OURS = ("partial_fit, array", "partial_fit, DataFrame")
FASTER_THAN_RIVER = 20
SLOWER_THAN_LEAST = 3

Learn = Callable[[slice], None]


def run(quick: bool) -> Report:
    """Measure every contestant on the same rows."""
    notes = [
        f"elec in chunks of {ROWS:,}, one contestant after the other, in rounds; processor time, the least by chunk.",
        "The leaf models alone: a tree that may not split. Counting bins alone: searchsorted and bincount of NumPy.",
    ]
    try:
        table = pd.read_csv(data_file("elec", FILES["elec"]))
    except Unavailable as reason:
        notes.append(f"Skipped: {reason}.")
        return Report("trees-numbers", "time of learning numbers", [], [], lambda _: None, quick, notes)
    if find_spec("river") is None:
        notes.append("Skipped: river, which is not installed.")
    y = table.pop("class").to_numpy()
    micro = _microseconds(table, y, 2 if quick else 5, 5 * ROWS if quick else len(y))
    least = micro[MODELS] + micro[COUNTING]
    rows: list[tuple[str, ...]] = []
    for name, each in micro.items():
        asked = "–"
        if name in OURS:
            asked = f"≤ {SLOWER_THAN_LEAST} × the least: {'met' if each <= SLOWER_THAN_LEAST * least else 'MISSED'}"
            if RIVER in micro:
                met = "met" if micro[RIVER] >= FASTER_THAN_RIVER * each else "MISSED"
                asked = f"≥ {FASTER_THAN_RIVER} × river: {met}; {asked}"
        beside = significant(micro[RIVER] / each) if RIVER in micro else "–"
        rows.append((name, significant(each), beside, significant(each / least), asked))
    header = ("what", "µs per point", "times as fast as river", "times the least", "asked")
    figures = [{"name": name, "microseconds": each} for name, each in micro.items()]
    return Report(
        "trees-numbers",
        "time of learning numbers",
        [Table("learning elec", header, rows)],
        figures,
        lambda figure: _draw(figure, micro),
        quick,
        notes,
    )


def _microseconds(X: pd.DataFrame, y: NDArray[Any], repeats: int, n: int) -> dict[str, float]:
    seconds: dict[str, NDArray[np.float64]] = {}
    chunks = [slice(first, min(first + ROWS, n)) for first in range(0, n, ROWS)]
    for repeat in range(repeats):
        print(f"  run {repeat + 1} of {repeats} ...", file=sys.stderr, flush=True)
        for name, learn in _contestants(X, y).items():
            for i, rows in enumerate(chunks):
                start = time.process_time()
                learn(rows)
                taken = time.process_time() - start
                least = seconds.setdefault(name, np.full(len(chunks), np.inf))
                least[i] = min(least[i], taken)
    return {name: 1e6 * float(least.sum()) / n for name, least in seconds.items()}


def _contestants(X: pd.DataFrame, y: NDArray[Any]) -> dict[str, Learn]:
    values = X.to_numpy()
    edges = np.quantile(values, np.arange(1, BINS) / BINS, axis=0)
    counts = np.zeros((values.shape[1], 2 * BINS), dtype=np.int64)

    def count(rows: slice) -> None:
        labels = y[rows]
        for j in range(values.shape[1]):
            places = 2 * np.searchsorted(edges[:, j], values[rows, j]) + labels
            counts[j] += np.bincount(places, minlength=2 * BINS)

    def by(model: StreamingTreeClassifier, data: Any) -> Learn:
        return lambda rows: _learn(model, data[rows], y[rows])

    contestants = {
        OURS[0]: by(StreamingTreeClassifier(), values),
        OURS[1]: by(StreamingTreeClassifier(), X),
        MODELS: by(StreamingTreeClassifier(max_depth=0), values),
        COUNTING: count,
    }
    if find_spec("river") is not None:
        from river.tree import HoeffdingTreeClassifier

        tree, points = HoeffdingTreeClassifier(), list(zip(X.to_dict("records"), y.tolist(), strict=True))

        def learn_each(rows: slice) -> None:
            for x, label in points[rows]:
                tree.learn_one(x, label)

        contestants[RIVER] = learn_each
    return contestants


def _learn(model: StreamingTreeClassifier, X: Any, y: NDArray[Any]) -> None:
    model.partial_fit(X, y, classes=[0, 1])


def _draw(figure: Figure, micro: dict[str, float]) -> None:
    """Draw a bar for each contestant."""
    axes = figure.subplots()
    axes.barh(list(micro), list(micro.values()))
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("microseconds per point")
