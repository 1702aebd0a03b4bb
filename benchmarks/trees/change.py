"""Streams that change: how accurate the trees are, how soon they recover, and what following a stream costs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import Stream, Unavailable, data_file, stored, synthetic
from sapwood.datasets import make_text
from sapwood.stream import read

from .learners import MakeOfAny, Rows, Run, capymoa_tree, prequential, river_adwin_bagging, river_tree, sapwood_tree

WINDOW = 10_000
LEARNERS: dict[str, MakeOfAny] = {
    "StreamingTree": sapwood_tree("streaming"),
    "StreamingTree, drift": sapwood_tree("streaming", drift=True),
    "EFDT": sapwood_tree("extremely_fast"),
    "EFDT, restructured": sapwood_tree("extremely_fast", revision="restructure"),
    "VFDT, mixed": sapwood_tree("hoeffding", leaf_prediction="mixed"),
    "VFDT, majority": sapwood_tree("hoeffding", leaf_prediction="majority"),
    "HAT": sapwood_tree("adaptive"),
    "HAT, majority": sapwood_tree("adaptive", leaf_prediction="majority"),
    "window": sapwood_tree("windowed", window_size=WINDOW),
    "window, majority": sapwood_tree("windowed", window_size=WINDOW, leaf_prediction="majority"),
    "river, HAT": river_tree("HoeffdingAdaptiveTreeClassifier", dense=False),
    "river, EFDT": river_tree("ExtremelyFastDecisionTreeClassifier", dense=False),
    "river, ADWIN bagging": river_adwin_bagging,
    "CapyMOA, HAT": capymoa_tree("HoeffdingAdaptiveTree"),
    "CapyMOA, EFDT": capymoa_tree("EFDT"),
}
# Recovery is looked at over this many points, on so many streams that differ in their seed: where one stream of 1,000
# points has an accuracy of .94 +- .0075, the mean of eight has +- .0027.
SPAN = 1000
N_STREAMS = 8


def run(quick: bool) -> Report:
    """Measure every learner on every stream."""
    if quick:
        return measure(12_000, 2.0, n_streams=2, n_to_recover=12_000, quick=True)
    return measure(300_000, 60.0, n_streams=N_STREAMS, n_to_recover=60_000)


def measure(n: int, seconds: float, *, n_streams: int, n_to_recover: int, quick: bool = False) -> Report:
    """Measure every learner on the first `n` points of every stream, and its recovery on `n_streams` texts."""
    notes = [
        (
            "Accuracy in per cent, each point predicted before it is learned; parameters are each library's defaults, "
            f"except that the sliding window has {WINDOW:,} points."
        ),
        (
            f"A learner has {seconds:g} seconds of the processor per stream; where it did not finish, its points are "
            "in brackets."
        ),
        (
            "Back after a change: the points until the accuracy of the last 1,000 is within 1 % of what a tree of the "
            "same kind, started at the change, has in the end; in brackets, what that one needs. The accuracies are "
            f"means over {n_streams} streams of {n_to_recover:,} points, the text of `make demo` with other seeds."
        ),
        "Microseconds per point: learning alone, one point at a time from Python.",
    ]
    figures: list[dict[str, Any]] = []
    accuracy: list[tuple[str, ...]] = []
    recovery: list[tuple[str, ...]] = []
    cost: list[tuple[str, ...]] = []
    for stream in _streams(n, notes):
        runs: dict[str, Run] = {}
        for name, make in LEARNERS.items():
            print(f"  {stream.name}: {name} ...", file=sys.stderr, flush=True)
            try:
                runs[name] = prequential(make, stream, seconds)
            except Unavailable as reason:
                notes.append(f"Skipped: {name} on {stream.name}: {reason}.")
        figures += [
            {"stream": stream.name, "learner": name, "accuracy": run.accuracy, "points": run.right.size,
             "learning": run.learning, "predicting": run.predicting}
            for name, run in runs.items()
        ]  # fmt: skip
        accuracy.append((stream.name, *(_cell(runs.get(name), stream.n) for name in LEARNERS)))
        cost.append((stream.name, *(f"{1e6 * runs[name].learning:.1f}" if name in runs else "–" for name in LEARNERS)))
    for name, make in LEARNERS.items():
        print(f"  recovery: {name} ...", file=sys.stderr, flush=True)
        back = _recovery(make, n_streams, n_to_recover, seconds) if n_streams else []
        cells = [f"{_count(needed)} ({_count(fresh)})" for needed, fresh in back] or ["–", "–"]
        ratios = [needed / fresh if needed and fresh else None for needed, fresh in back]
        recovery.append((name, *cells, ", ".join("–" if ratio is None else f"{ratio:.2f}" for ratio in ratios) or "–"))
        figures += [{"learner": name, "back": list(pair)} for pair in back]
    return Report(
        "trees-change",
        "trees on streams that change, beside other libraries'",
        [
            Table("accuracy, per cent", ("stream", *LEARNERS), accuracy),
            Table(
                "points until back after an abrupt change",
                ("learner", "first change", "second change", "times what a new tree needs"),
                recovery,
            ),
            Table("microseconds per point learned", ("stream", *LEARNERS), cost),
        ],
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        notes,
    )


def _recovery(make: MakeOfAny, n_streams: int, n: int, seconds: float) -> list[tuple[int | None, int | None]]:
    """Return, for each change, the points until a learner is as good as one that starts there, and what that one needs.

    Nothing for a learner that is not there, or has not the time.
    """
    third = n // 3
    starts = (third, 2 * third)
    right = np.zeros(n)
    fresh = [np.zeros(third) for _ in starts]
    for seed in range(1, n_streams + 1):
        stream = _stream("text", *_demo(n, "abrupt", seed))
        try:
            run = prequential(make, stream, seconds)
        except Unavailable:
            return []
        if run.right.size < n:
            return []
        right += run.right / n_streams
        for i, start in enumerate(starts):
            fresh[i] += prequential(make, _part(stream, start, start + third), seconds).right / n_streams
    levels = [mean[mean.size // 2 :].mean() - 0.01 for mean in fresh]
    return [
        (_first_at(right[start : start + third], level), _first_at(mean, level))
        for start, mean, level in zip(starts, fresh, levels, strict=True)
    ]


def _first_at(right: npt.NDArray[np.float64], level: float) -> int | None:
    """Return the number of points after which the last ones are predicted as well as a level; None if never."""
    sums = np.concatenate([[0], np.cumsum(right)])
    ends = np.arange(SPAN, right.size + 1)
    good = np.flatnonzero((sums[ends] - sums[ends - SPAN]) / SPAN >= level)
    return int(ends[good[0]]) if good.size else None


def _part(stream: Stream, start: int, stop: int) -> Stream:
    indptr = stream.indptr[start : stop + 1]
    return stream._replace(
        indptr=indptr - indptr[0], indices=stream.indices[indptr[0] : indptr[-1]], labels=stream.labels[start:stop]
    )


# ---- streams ---------------------------------------------------------------------------------------------------------


def _streams(n: int, notes: list[str]) -> Iterator[Stream | Rows]:
    """Yield the streams, or their first n points; note those that there are not."""
    yield _text("text, two abrupt changes", n, drift="abrupt")
    yield _text("text, gradual", n, drift="gradual")
    yield _text("text, stationary", n, drift="none")
    yield _hyperplane(n)
    yield _sea(n)
    yield synthetic().prefix(n)
    try:
        yield stored("author-gender.orig", "author-gender/author-gender.orig.svm.gz", None).prefix(n)
        for name in ("elec", "weather"):
            yield _rows(name, n)
    except Unavailable as reason:
        notes.append(f"Skipped: {reason}.")


def _rows(name: str, n: int) -> Rows:
    with read(data_file(name, f"{name}/{name}.csv.gz")) as reader:
        points = [point for batch in reader for point in batch.points()][:n]
    classes = sorted({label for _, label in points})
    return Rows(name, [x for x, _ in points], np.array([classes.index(y) for _, y in points], dtype=np.uint16))


def _stream(name: str, X: csr_array, y: npt.NDArray[Any]) -> Stream:
    return Stream(name, X.indptr.astype(np.int64), X.indices.astype(np.int32), y.astype(np.uint16), X.shape[1])


def _text(name: str, n: int, drift: str) -> Stream:
    """Return the text of `make demo`, with two changes if any."""
    return _stream(name, *_demo(n, drift, seed=1))


def _demo(n: int, drift: str, seed: int) -> tuple[csr_array, npt.NDArray[Any]]:
    n_changes = 1 if drift == "none" else 2
    X, y = make_text(n, d=20_000, topical=0.3, contrast=0.9, drift=drift, n_changes=n_changes, seed=seed)
    return csr_array(X), y


def _bits(values: npt.NDArray[np.float64], edges: int = 10) -> csr_array:
    """Return numbers from 0 to 1 as features: one for each of them that is above each of some edges."""
    above = values[:, :, np.newaxis] > np.arange(1, edges) / edges
    return csr_array(above.reshape(values.shape[0], -1))


def _hyperplane(n: int) -> Stream:
    """Return a hyperplane in ten dimensions that turns: its weights change slowly, 5 % of the labels are noise."""
    rng = np.random.default_rng(1)
    values = rng.random((n, 10))
    start, end = rng.random(10), rng.random(10)
    share = np.linspace(0, 1, n)[:, np.newaxis]
    weights = (1 - share) * start + share * end
    labels = (values * weights).sum(axis=1) > weights.sum(axis=1) / 2
    return _stream("rotating hyperplane", _bits(values), labels ^ (rng.random(n) < 0.05))


def _sea(n: int) -> Stream:
    """Return the SEA concepts (Street and Kim, KDD 2001): four thresholds on the sum of two of three numbers."""
    rng = np.random.default_rng(2)
    values = rng.random((n, 3))
    threshold = np.repeat([8.0, 9.0, 7.0, 9.5], -(-n // 4))[:n]
    labels = 10 * (values[:, 0] + values[:, 1]) <= threshold
    return _stream("SEA", _bits(values), labels ^ (rng.random(n) < 0.1))


# ---- cells and picture -----------------------------------------------------------------------------------------------


def _count(points: int | None) -> str:
    return "never" if points is None else f"{points:,}"


def _cell(run: Run | None, n: int) -> str:
    if run is None:
        return "–"
    text = f"{100 * run.accuracy:.1f}"
    return text if run.right.size == n else f"{text} ({run.right.size:,})"


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    """Draw a row of dots for each stream."""
    streams = list(dict.fromkeys(entry["stream"] for entry in figures if "stream" in entry))
    axes = figure.subplots()
    for marker, learner in zip("os^vDPX*<>hd8pH", LEARNERS, strict=True):
        mine = [entry for entry in figures if entry["learner"] == learner and "stream" in entry]
        axes.scatter(
            [100 * entry["accuracy"] for entry in mine],
            [streams.index(entry["stream"]) for entry in mine],
            marker=marker,
            label=learner,
            alpha=0.8,
        )
    axes.set_yticks(range(len(streams)), streams)
    axes.set_xlabel("accuracy, per cent")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
