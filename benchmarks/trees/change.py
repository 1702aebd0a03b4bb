"""Streams that change: how accurate the trees are, how soon they recover, and what following a stream costs.

`python -m benchmarks.trees.change` takes the sizes as options, for those who have less time than the whole takes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from benchmarks.micro.report import OUTPUT, Report, Table
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


# What is asked: accuracy on a stream that changes, how much may be lost on one that does not, and how many times the
# points that a new tree needs it may take to be back.
LEAST_ON_ELEC = 0.85
MOST_LOST = 0.002
MOST_TIMES = 1.5
# To make one of CapyMOA's sparse instances takes some microseconds per feature that there is, whether it is on or not:
# 5 ms for 20,000 features.
CAPYMOA_CELLS = 20_000_000
PLAIN, FOLLOWING = "StreamingTree", "StreamingTree, drift"
FOLLOWERS = (FOLLOWING, "HAT", "window")


def run(quick: bool) -> Report:
    """Measure every learner on every stream."""
    if quick:
        return measure(12_000, 2.0, 2.0, n_streams=2, n_to_recover=12_000, quick=True)
    return measure(300_000, 600.0, 60.0, n_streams=N_STREAMS, n_to_recover=60_000)


def main(arguments: list[str] | None = None) -> int:
    """Measure as the options say, print and save; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trees.change", description=__doc__)
    parser.add_argument("--points", type=int, default=300_000, help="the most points of a stream (300,000)")
    parser.add_argument("--seconds", type=float, default=600.0, help="of the processor, per tree and stream (600)")
    parser.add_argument("--peer-seconds", type=float, default=60.0, help="the same for other libraries' (60)")
    parser.add_argument("--streams", type=int, default=N_STREAMS, help=f"streams of the recovery ({N_STREAMS})")
    parser.add_argument("--recovery-points", type=int, default=60_000, help="the points of each of them (60,000)")
    options = parser.parse_args(arguments)
    report = measure(
        options.points,
        options.seconds,
        options.peer_seconds,
        n_streams=options.streams,
        n_to_recover=options.recovery_points,
    )
    OUTPUT.mkdir(parents=True, exist_ok=True)
    report.print()
    for path in report.save():
        print(f"saved {path}")
    return 0


def measure(
    n: int, seconds: float, peer_seconds: float, *, n_streams: int, n_to_recover: int, quick: bool = False
) -> Report:
    """Measure every learner on the first `n` points of every stream, and its recovery on `n_streams` texts."""
    notes = [
        (
            "Accuracy in per cent, each point predicted before it is learned; parameters are each library's defaults, "
            f"except that the sliding window has {WINDOW:,} points."
        ),
        (
            f"A learner has {seconds:g} seconds of the processor per stream, one of another library {peer_seconds:g}; "
            "where it did not finish, its points are in brackets."
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
    beside: list[tuple[str, ...]] = []
    asked: list[tuple[str, ...]] = []
    for stream in _streams(n, notes):
        runs: dict[str, Run] = {}
        for name, make in LEARNERS.items():
            print(f"  {stream.name}: {name} ...", file=sys.stderr, flush=True)
            try:
                runs[name] = prequential(make, _given(name, stream), _time_of(name, seconds, peer_seconds))
            except Unavailable as reason:
                notes.append(f"Skipped: {name} on {stream.name}: {reason}.")
        figures += [
            {"stream": stream.name, "learner": name, "accuracy": run.accuracy, "points": run.right.size,
             "learning": run.learning, "predicting": run.predicting}
            for name, run in runs.items()
        ]  # fmt: skip
        accuracy.append((stream.name, *(_cell(runs.get(name), stream.n) for name in LEARNERS)))
        beside.append((stream.name, *(_beside(runs, name) for name in LEARNERS if _is_peer(name))))
        asked += _asked(stream.name, runs)
        cost.append((stream.name, *(f"{1e6 * runs[name].learning:.1f}" if name in runs else "–" for name in LEARNERS)))
    for name, make in LEARNERS.items():
        print(f"  recovery: {name} ...", file=sys.stderr, flush=True)
        # Other libraries' would not finish.
        back = [] if _is_peer(name) or not n_streams else _recovery(make, n_streams, n_to_recover, seconds)
        cells = [f"{_count(needed)} ({_count(fresh)})" for needed, fresh in back] or ["–", "–"]
        ratios = [needed / fresh if needed and fresh else None for needed, fresh in back]
        recovery.append((name, *cells, ", ".join("–" if ratio is None else f"{ratio:.2f}" for ratio in ratios) or "–"))
        if name in FOLLOWERS:
            worst = max((ratio or float("inf") for ratio in ratios), default=float("inf"))
            asked.append(
                _verdict(f"{name}, back after a change", f"{worst:.2f} ×", f"≤ {MOST_TIMES:g}", worst <= MOST_TIMES)
            )
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
            Table("what is asked", ("what", "found", "asked"), asked),
            Table(
                f"other libraries' accuracy / that of {FOLLOWING} / of HAT, per cent, over the points that each had",
                ("stream", *filter(_is_peer, LEARNERS)),
                beside,
            ),
            Table("microseconds per point learned", ("stream", *LEARNERS), cost),
        ],
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        notes,
    )


def _is_peer(name: str) -> bool:
    return name.startswith(("river", "CapyMOA"))


def _given(name: str, stream: Stream | Rows) -> Stream | Rows:
    """Return the points that a learner is given: CapyMOA's has the first, made before its clock starts."""
    if name.startswith("CapyMOA") and isinstance(stream, Stream):
        return stream.prefix(CAPYMOA_CELLS // stream.n_features)
    return stream


def _time_of(name: str, seconds: float, peer_seconds: float) -> float:
    return peer_seconds if _is_peer(name) else seconds


def _verdict(what: str, found: str, limit: str, holds: bool) -> tuple[str, ...]:
    return what, found, f"{limit}: {'met' if holds else 'MISSED'}"


def _asked(stream: str, runs: dict[str, Run]) -> list[tuple[str, ...]]:
    """Return what is asked of the accuracy on a stream, and what was found."""
    if stream == "elec":
        return [
            _verdict(f"{name} on elec", f"{run.accuracy:.4f}", f"≥ {LEAST_ON_ELEC}", run.accuracy >= LEAST_ON_ELEC)
            for name, run in runs.items()
            if name in FOLLOWERS
        ]
    if stream in STATIONARY and {PLAIN, FOLLOWING} <= runs.keys():
        lost = runs[PLAIN].accuracy - runs[FOLLOWING].accuracy
        return [_verdict(f"{FOLLOWING}, lost on {stream}", f"{lost:.4f}", f"≤ {MOST_LOST}", lost <= MOST_LOST)]
    return []


def _beside(runs: dict[str, Run], peer: str) -> str:
    """Return the accuracy of another library's learner and of two of sapwood's over the same points."""
    if peer not in runs:
        return "–"
    n = runs[peer].right.size
    shown = (f"{100 * runs[name].right[:n].mean():.1f}" for name in (peer, FOLLOWING, "HAT"))
    return f"{' / '.join(shown)} ({n:,})"


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


# Those below that do not change.
STATIONARY = ("text, stationary", "synthetic")


def _streams(n: int, notes: list[str]) -> Iterator[Stream | Rows]:
    """Yield the streams, or their first n points; note those that there are not."""
    yield _text("text, two abrupt changes", n, drift="abrupt")
    yield _text("text, gradual", n, drift="gradual")
    yield _text("text, stationary", n, drift="none")
    yield _hyperplane(n)
    yield _sea(n)
    yield synthetic(n)
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


if __name__ == "__main__":
    sys.exit(main())
