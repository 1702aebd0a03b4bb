"""Prequential accuracy and time on streams of numbers and categories, beside river's trees."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import islice
from typing import Any

from matplotlib.figure import Figure

import sapwood
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import Unavailable, data_file
from sapwood.stream import read

Points = list[tuple[dict[Any, Any], Any]]

FILES = {name: f"{name}/{name}.csv.gz" for name in ("elec", "weather", "adult")}
OURS = ("StreamingTreeClassifier", "HoeffdingTreeClassifier", "ExtremelyFastDecisionTreeClassifier")
PEERS = ("HoeffdingTreeClassifier", "HoeffdingAdaptiveTreeClassifier")
# Of ten trees, which learn for ten times as long.
FOREST = "ARFClassifier"
# Of a stream that is generated: as many as the shorter of those from files have.
GENERATED = 20_000


def run(quick: bool) -> Report:
    """Measure every learner on every stream."""
    notes = [
        "Accuracy in per cent, each point predicted before it is learned; parameters are each library's defaults.",
        "Points are dicts, learned by learn_one; the time is that of learning, in microseconds per point.",
    ]
    figures: list[dict[str, Any]] = []
    table: list[tuple[str, ...]] = []
    for name, points in streams(1000 if quick else None, notes):
        cells = []
        for learner, make in _learners(notes).items():
            print(f"  {name}: {learner} ...", file=sys.stderr, flush=True)
            accuracy, micro = _prequential(make(), points)
            figures.append({"stream": name, "learner": learner, "accuracy": accuracy, "microseconds": micro})
            cells.append(f"{100 * accuracy:.1f} in {micro:.1f}")
        table.append((name, f"{len(points):,}", *cells))
    return Report(
        "trees-mixed",
        "numbers and categories: accuracy and time beside river's trees",
        [Table("accuracy, per cent, and microseconds per point", ("stream", "points", *_learners([])), table)],
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        list(dict.fromkeys(notes)),
    )


def _learners(notes: list[str]) -> dict[str, Callable[[], Any]]:
    learners: dict[str, Callable[[], Any]] = {name: getattr(sapwood, name) for name in OURS}
    if find_spec("river") is None:
        notes.append("Skipped: river, which is not installed.")
        return learners
    from river import forest, tree

    learners |= {f"river, {name}": getattr(tree, name) for name in PEERS}
    return learners | {f"river, {FOREST}": lambda: getattr(forest, FOREST)(seed=1)}


def streams(most: int | None, notes: list[str]) -> Iterator[tuple[str, Points]]:
    """Yield the streams that there are, or their first points; note the others."""
    for name, path in FILES.items():
        try:
            with read(data_file(name, path)) as reader:
                points = [point for batch in reader for point in batch.points()]
        except Unavailable as reason:
            notes.append(f"Skipped: {reason}.")
            continue
        yield name, points[:most]
    if find_spec("river") is None:
        return
    from river import datasets

    for name in ("Phishing", "Bananas", "ImageSegments"):
        yield name, list(islice(getattr(datasets, name)(), most))
    generated = {
        "SEA": datasets.synth.SEA(seed=1),
        "Agrawal": datasets.synth.Agrawal(seed=1),
        "RandomRBF": datasets.synth.RandomRBF(seed_model=1, seed_sample=1),
    }
    for name, stream in generated.items():
        yield name, list(stream.take(most or GENERATED))


def _prequential(model: Any, points: Points) -> tuple[float, float]:
    """Return the share of right predictions, and the microseconds of learning per point."""
    right, seconds = 0, 0.0
    for x, y in points:
        right += model.predict_one(x) == y
        start = time.perf_counter()
        model.learn_one(x, y)
        seconds += time.perf_counter() - start
    return right / len(points), 1e6 * seconds / len(points)


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    """Draw a row of dots for each stream."""
    streams = list(dict.fromkeys(entry["stream"] for entry in figures))
    axes = figure.subplots()
    for marker, learner in zip("os^vDx", dict.fromkeys(entry["learner"] for entry in figures), strict=False):
        mine = [entry for entry in figures if entry["learner"] == learner]
        places = [streams.index(entry["stream"]) for entry in mine]
        axes.scatter([100 * entry["accuracy"] for entry in mine], places, marker=marker, label=learner, alpha=0.8)
    axes.set_yticks(range(len(streams)), streams)
    axes.invert_yaxis()
    axes.set_xlabel("prequential accuracy, per cent")
    axes.legend(fontsize="x-small", loc="lower left")
