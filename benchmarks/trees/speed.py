"""Time per point of the trees, beside other libraries' on the paper's stream."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure

import sapwood
from benchmarks.micro.measure import interleaved, quartiles, significant
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import Stream, Unavailable, counting_seconds, synthetic

from .learners import Make, capymoa_tree, prequential, river_tree, rows

VFDT = "VFDT, partial_fit"
EFDT = "EFDT, partial_fit"
PEERS: dict[str, tuple[Make, int, float]] = {
    # how many points, and how many times faster a point of VFDT's partial_fit must be at least
    "river, dense dicts": (river_tree("HoeffdingTreeClassifier", dense=True), 300, 500),
    "river, sparse dicts": (river_tree("HoeffdingTreeClassifier", dense=False), 10_000, 0),
    "CapyMOA, sparse": (capymoa_tree("HoeffdingTree"), 10_000, 200),
    "CapyMOA EFDT, sparse": (capymoa_tree("EFDT"), 10_000, 0),
}


def run(quick: bool) -> Report:
    """Measure learning and predicting."""
    stream = synthetic(1000 if quick else 10_000)
    notes = [
        "The paper's stream, sparse(10000, 10, 10000, 0.001), about 15 features per point; one thread.",
        "Medians (quartiles) of interleaved runs, microseconds per point. Peers: one run, learning only.",
        "partial_fit and predict take the stream as one CSR matrix; learn_one and predict_one one dict per point.",
    ]
    times = interleaved(_own(stream), 3 if quick else 9)
    micro = {name: 1e6 * seconds / stream.n for name, seconds in times.items()}
    rows_of_table: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    limits = {"learn_one, dict": 10.0, "predict": 1.0}
    for name, each in micro.items():
        limit = limits.get(name)
        median = quartiles(each).median
        asked = "–" if limit is None else f"≤ {limit:g} µs: {'met' if median <= limit else 'MISSED'}"
        if name == EFDT:
            ratio = quartiles(each / micro[VFDT]).median
            asked = f"≤ 3 × VFDT: {significant(ratio)}, {'met' if ratio <= 3 else 'MISSED'}"
        rows_of_table.append((name, quartiles(each).show(), asked))
        figures.append({"name": name, "microseconds": median})
    peers: list[tuple[str, ...]] = []
    for name, (make, points, least) in PEERS.items():
        try:
            learning = prequential(make, stream.prefix(points), 5.0 if quick else 60.0).learning
        except Unavailable as reason:
            notes.append(f"Skipped: {name}: {reason}.")
            continue
        ratio = 1e6 * learning / quartiles(micro[VFDT]).median
        asked = "–" if not least else f"≥ {least:g}: {'met' if ratio >= least else 'MISSED'}"
        peers.append((name, significant(1e6 * learning), significant(ratio), asked))
        figures.append({"name": name, "microseconds": 1e6 * learning})
    tables = [Table("sapwood, µs per point", ("what", "µs per point", "asked"), rows_of_table)]
    if peers:
        tables.append(
            Table("other libraries, learning", ("what", "µs per point", "× VFDT's partial_fit", "asked"), peers)
        )
    return Report(
        "trees-speed",
        "time per point of the trees",
        tables,
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        notes,
    )


def _own(stream: Stream) -> dict[str, Callable[[], float]]:
    X, y = stream.matrix, stream.labels
    points = [dict.fromkeys(row, 1) for row in rows(stream)]
    labels = y.tolist()
    fitted = sapwood.HoeffdingTreeClassifier().fit(X, y)
    taught = sapwood.HoeffdingTreeClassifier()
    for point, label in zip(points, labels, strict=True):
        taught.learn_one(point, label)

    def fit(cls: type[Any]) -> Callable[[], float]:
        return lambda: _seconds(lambda: cls().partial_fit(X, y, classes=[0, 1]))

    def learn_one() -> None:
        model = sapwood.HoeffdingTreeClassifier()
        for point, label in zip(points, labels, strict=True):
            model.learn_one(point, label)

    def predict_one() -> None:
        for point in points:
            taught.predict_one(point)

    return {
        "counting only": lambda: counting_seconds(stream),
        VFDT: fit(sapwood.HoeffdingTreeClassifier),
        EFDT: fit(sapwood.ExtremelyFastDecisionTreeClassifier),
        "predict": lambda: _seconds(lambda: fitted.predict(X)),
        "predict_proba": lambda: _seconds(lambda: fitted.predict_proba(X)),
        "learn_one, dict": lambda: _seconds(learn_one),
        "predict_one, dict": lambda: _seconds(predict_one),
    }


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    axes = figure.subplots()
    names = [entry["name"] for entry in figures]
    values = [entry["microseconds"] for entry in figures]
    axes.barh(names, values, color="0.4")
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_xlabel("microseconds per point")
    axes.bar_label(axes.containers[0], labels=[f" {significant(value)}" for value in values], fontsize="x-small")  # type: ignore[arg-type]
    axes.margins(x=0.15)
