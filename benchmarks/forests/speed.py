"""Time per point and memory of a forest of ten, beside one tree and the adaptive random forests of others."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import sapwood
from benchmarks.micro.measure import interleaved, quartiles, significant, verdict
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import Stream, synthetic
from benchmarks.trees.learners import rows

CLOCK = "one tree, by the clock"
TREE, ONE, TWO, ARF = "one tree", "forest, one thread", "forest, two threads", "adaptive random forest, one thread"
# How many times one tree a forest may cost at most.
LIMITS = {ONE: 8.0, TWO: 4.5}
# How many times faster than the adaptive random forests of others, which are told what is off too, a forest must be. Of
# absent keys river knows nothing, so that dicts of what is on alone make it another learner: that one has no target.
DENSE, SPARSE, CAPYMOA = "river, ARF, dense dicts", "river, ARF, sparse dicts", "CapyMOA, ARF"
LEAST_AHEAD = {DENSE: 200.0, SPARSE: 0.0, CAPYMOA: 200.0}
POINTS_OF_PEERS = {DENSE: 20, SPARSE: 1000, CAPYMOA: 100}


def run(quick: bool) -> Report:
    """Measure learning, and what has been learned."""
    stream = synthetic(1000 if quick else 10_000)
    times = interleaved(_own(stream), 3 if quick else 9)
    micro = {name: 1e6 * seconds / stream.n for name, seconds in times.items()}
    notes = [
        "The paper's stream, sparse(10000, 10, 10000, 0.001), by partial_fit as one CSR matrix; forests of ten.",
        "Medians (quartiles) of interleaved runs, microseconds per point; a ratio is taken within a round.",
        "Processor times, which other load hardly changes; two threads by the clock, which needs two free cores.",
    ]
    table: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    for name, each in micro.items():
        ratio, limit = quartiles(each / micro[CLOCK if name in (CLOCK, TWO) else TREE]), LIMITS.get(name)
        asked = "–" if limit is None else f"≤ {limit:g}: {'met' if ratio.median <= limit else 'MISSED'}"
        table.append((name, quartiles(each).show(), ratio.show(), asked))
        figures.append({"name": name, "microseconds": quartiles(each).median, "times_one_tree": ratio.median})
    for peer, seconds in _peers(stream, notes).items():
        of_peer, least = 1e6 * seconds, LEAST_AHEAD[peer]
        for name in (ONE, ARF):
            ahead = of_peer / quartiles(micro[name]).median
            asked = "–" if least == 0 else f"≥ {least:g}: {'met' if ahead >= least else 'MISSED'}"
            title = f"{peer}: times {name}"
            table.append((title, significant(of_peer), significant(ahead), asked))
            figures.append({"name": title, "microseconds": of_peer, "ahead": ahead})
    memory, of_memory = _memory(stream)
    figures.append(of_memory)
    return Report(
        "forests-speed",
        "time per point and memory of a forest of ten",
        [
            Table("microseconds per point", ("learner", "µs", "times one tree, or the forest", "target"), table),
            Table("megabytes", ("what", "MB", "target"), memory),
        ],
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        notes,
    )


def _memory(stream: Stream) -> tuple[list[tuple[str, ...]], dict[str, Any]]:
    """Return the memory of a tree of the forest beside that of one tree, and of what the trees share."""
    X, y = stream.matrix, stream.labels
    one = sapwood.StreamingTreeClassifier().partial_fit(X, y, classes=[0, 1]).summary().tree_bytes
    forest = sapwood.StreamingForestClassifier().partial_fit(X, y, classes=[0, 1]).summary()
    shared = forest.shared_bytes
    of_forest = (forest.tree_bytes - shared) / forest.n_trees
    rows = [
        ("one tree", one / 1e6, "–"),
        ("what all trees share", shared / 1e6, "–"),
        ("a tree of the forest", of_forest / 1e6, verdict(of_forest / 1e6, round((one - shared) / 1e6, 3))),
    ]
    told: list[tuple[str, ...]] = [(what, significant(size), asked) for what, size, asked in rows]
    return told, {"name": "memory", "one_tree": one, "shared": shared, "tree_of_forest": of_forest}


def _own(stream: Stream) -> dict[str, Callable[[], float]]:
    X, y = stream.matrix, stream.labels

    def learn(make: Callable[[], Any], now: Callable[[], float] = time.process_time) -> Callable[[], float]:
        def once() -> float:
            model = make()
            start = now()
            model.partial_fit(X, y, classes=[0, 1])
            return now() - start

        return once

    return {
        TREE: learn(sapwood.StreamingTreeClassifier),
        ONE: learn(sapwood.StreamingForestClassifier),
        ARF: learn(sapwood.AdaptiveRandomForestClassifier),
        CLOCK: learn(sapwood.StreamingTreeClassifier, time.perf_counter),
        TWO: learn(lambda: sapwood.StreamingForestClassifier(n_jobs=2), time.perf_counter),
    }


def _peers(stream: Stream, notes: list[str]) -> dict[str, float]:
    """Return the seconds that a forest of each peer that is installed takes to learn a point."""
    found: dict[str, float] = {}
    if find_spec("river") is None:
        notes.append("Skipped: river, which is not installed.")
    else:
        found |= {peer: _river(stream, peer) for peer in (DENSE, SPARSE)}
    if find_spec("capymoa") is None:
        notes.append("Skipped: CapyMOA, which is not installed.")
    else:
        found[CAPYMOA] = _capymoa(stream)
        notes.append(f"CapyMOA: the median of {POINTS_OF_PEERS[CAPYMOA]} points, without the start of Java.")
    return found


def _river(stream: Stream, peer: str) -> float:
    """Return what river's forest of ten takes per point: a dict of all features, or of those on."""
    from river import forest

    model = forest.ARFClassifier(n_models=10, seed=1)
    off = dict.fromkeys(map(str, range(stream.n_features)), 0) if peer == DENSE else {}
    some = zip(range(POINTS_OF_PEERS[peer]), rows(stream), strict=False)
    points = [{**off, **dict.fromkeys(map(str, row), 1)} for _, row in some]
    labels = stream.labels.tolist()
    start = time.process_time()
    for x, y in zip(points, labels, strict=False):
        model.learn_one(x, y)
    return (time.process_time() - start) / len(points)


def _capymoa(stream: Stream) -> float:
    """Return the median of what CapyMOA's forest of ten takes per point."""
    from capymoa.classifier import AdaptiveRandomForestClassifier
    from capymoa.stream import NumpyStream

    n = POINTS_OF_PEERS[CAPYMOA]
    points = NumpyStream(stream.matrix[:n].toarray().astype(float), np.asarray(stream.labels[:n], int))
    model = AdaptiveRandomForestClassifier(schema=points.get_schema(), ensemble_size=10)
    times = []
    while points.has_more_instances():
        point = points.next_instance()
        start = time.process_time()
        model.train(point)
        times.append(time.process_time() - start)
    return float(np.median(times))


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    axes = figure.subplots()
    own = [each for each in figures if "times_one_tree" in each]
    axes.barh([each["name"] for each in own], [each["microseconds"] for each in own])
    axes.set_xlabel("microseconds per point")
