"""Time per point of a forest of ten, beside one tree and river's adaptive random forest, on the paper's stream."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from matplotlib.figure import Figure

import sapwood
from benchmarks.micro.measure import interleaved, quartiles, significant
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import Stream, synthetic
from benchmarks.trees.learners import rows

TREE, ONE, TWO, ARF = "one tree", "forest, one thread", "forest, two threads", "adaptive random forest, one thread"
# How many times one tree a forest may cost at most.
LIMITS = {ONE: 8.0, TWO: 4.5}
# How many times faster than river's adaptive random forest, which is told what is off too, a forest must be. Of absent
# keys river knows nothing, so that dicts of what is on alone make it another learner: that one has no target.
LEAST_AHEAD = {"dense": 200.0, "sparse": 0.0}
POINTS_OF_RIVER = {"dense": 20, "sparse": 1000}


def run(quick: bool) -> Report:
    """Measure learning."""
    stream = synthetic(1000 if quick else 10_000)
    times = interleaved(_own(stream), 3 if quick else 9)
    micro = {name: 1e6 * seconds / stream.n for name, seconds in times.items()}
    notes = [
        "The paper's stream, sparse(10000, 10, 10000, 0.001), by partial_fit as one CSR matrix; forests of ten.",
        "Medians (quartiles) of interleaved runs, microseconds per point; a ratio is taken within a round.",
    ]
    table: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    for name, each in micro.items():
        ratio, limit = quartiles(each / micro[TREE]), LIMITS.get(name)
        asked = "–" if limit is None else f"≤ {limit:g}: {'met' if ratio.median <= limit else 'MISSED'}"
        table.append((name, quartiles(each).show(), ratio.show(), asked))
        figures.append({"name": name, "microseconds": quartiles(each).median, "times_one_tree": ratio.median})
    if find_spec("river") is None:
        notes.append("Skipped: river, which is not installed.")
    else:
        for dicts, least in LEAST_AHEAD.items():
            of_river = 1e6 * _river(stream, dicts)
            for name in (ONE, ARF):
                ahead = of_river / quartiles(micro[name]).median
                verdict = "–" if least == 0 else f"≥ {least:g}: {'met' if ahead >= least else 'MISSED'}"
                title = f"river, ARF, {dicts} dicts: times {name}"
                table.append((title, significant(of_river), significant(ahead), verdict))
                figures.append({"name": title, "microseconds": of_river, "ahead": ahead})
    return Report(
        "forests-speed",
        "time per point of a forest of ten",
        [Table("microseconds per point", ("learner", "µs", "times one tree", "target"), table)],
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        notes,
    )


def _own(stream: Stream) -> dict[str, Callable[[], float]]:
    X, y = stream.matrix, stream.labels

    def learn(make: Callable[[], Any]) -> Callable[[], float]:
        def once() -> float:
            model = make()
            start = time.perf_counter()
            model.partial_fit(X, y, classes=[0, 1])
            return time.perf_counter() - start

        return once

    return {
        TREE: learn(sapwood.StreamingTreeClassifier),
        ONE: learn(sapwood.StreamingForestClassifier),
        TWO: learn(lambda: sapwood.StreamingForestClassifier(n_jobs=2)),
        ARF: learn(sapwood.AdaptiveRandomForestClassifier),
    }


def _river(stream: Stream, dicts: str) -> float:
    """Return the seconds that river's forest of ten takes to learn a point: a dict of all features, or of those on."""
    from river import forest

    model = forest.ARFClassifier(n_models=10, seed=1)
    off = dict.fromkeys(map(str, range(stream.n_features)), 0) if dicts == "dense" else {}
    some = zip(range(POINTS_OF_RIVER[dicts]), rows(stream), strict=False)
    points = [{**off, **dict.fromkeys(map(str, row), 1)} for _, row in some]
    labels = stream.labels.tolist()
    start = time.perf_counter()
    for x, y in zip(points, labels, strict=False):
        model.learn_one(x, y)
    return (time.perf_counter() - start) / len(points)


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    axes = figure.subplots()
    own = [each for each in figures if "times_one_tree" in each]
    axes.barh([each["name"] for each in own], [each["microseconds"] for each in own])
    axes.set_xlabel("microseconds per point")
