"""Prequential accuracy of forests of ten on real streams, and on made ones that change, beside forests of others."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

import sapwood
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import Unavailable, data_file
from benchmarks.trees.accuracy import FILES as TEXTS
from benchmarks.trees.mixed import FILES as TABLES
from sapwood.data import Batch
from sapwood.stream import read

from .peers import peers_of, right_of_peer

TREE, FOREST = "StreamingTreeClassifier", "StreamingForestClassifier"
OURS = (TREE, FOREST, "AdaptiveRandomForestClassifier", "StreamingRandomPatchesClassifier")
# The points of a made stream, if nothing else is asked for, and the concepts that follow each other in it.
MADE, CONCEPTS = 20_000, 4
# So long may a peer take for a stream; its figure is then of the points that it reached.
SECONDS_OF_PEERS = 120.0
BATCH = 1000


@dataclass(frozen=True)
class Asked:
    """What to measure: the points of a made stream, the streams if not all, and what others have per stream."""

    points: int = MADE
    streams: tuple[str, ...] = ()
    trees_of_peers: int = 10
    seconds_of_peers: float = SECONDS_OF_PEERS


def run(quick: bool, asked: Asked = Asked()) -> Report:
    """Measure every forest on every real stream."""
    notes: list[str] = []
    return _measured("forests-accuracy", _real(asked, BATCH if quick else None, notes), quick, notes, asked)


def run_changing(quick: bool, asked: Asked = Asked()) -> Report:
    """Measure every forest on made streams that change."""
    n = BATCH if quick else asked.points
    notes = [
        f"{n:,} points of river's generators; SEA, Agrawal and LED have {CONCEPTS} concepts in turn, the others drift.",
    ]
    return _measured("forests-changing", _made_batches(asked, n, notes), quick, notes, asked)


def _measured(
    name: str, streams: Iterator[tuple[str, list[Batch]]], quick: bool, notes: list[str], asked: Asked
) -> Report:
    seconds = 2.0 if quick else asked.seconds_of_peers
    notes += [
        "Accuracy in per cent, each point predicted before it is learned; forests of ten, defaults otherwise.",
        f"Forests of others have {asked.trees_of_peers} trees, and {seconds:g} seconds of processor time per stream.",
        "A star: did not finish; in brackets the points that it reached, and of these the accuracy of our forest.",
    ]
    figures: list[dict[str, Any]] = []
    table: list[tuple[str, ...]] = []
    peers = peers_of(asked.trees_of_peers, notes)
    for stream, batches in streams:
        n = sum(map(len, batches))
        cells = []
        right: dict[str, npt.NDArray[np.bool_]] = {}
        for learner in OURS:
            print(f"  {stream}: {learner} ...", file=sys.stderr, flush=True)
            right[learner] = _right(getattr(sapwood, learner)(), batches)
            accuracy = float(right[learner].mean())
            figures.append({"stream": stream, "learner": learner, "accuracy": accuracy})
            cells.append(f"{100 * accuracy:.2f}")
        for learner, make in peers.items():
            print(f"  {stream}: {learner} ...", file=sys.stderr, flush=True)
            points = [point for batch in batches for point in batch.points()]
            try:
                of_peer = right_of_peer(make(points), [y for _, y in points], seconds)
            except Unavailable as reason:
                notes.append(f"Skipped: {learner} on {stream}: {reason}.")
                cells.append("–")
                continue
            accuracy, reached = float(of_peer.mean()), len(of_peer)
            figures.append({"stream": stream, "learner": learner, "accuracy": accuracy, "points": reached})
            star = f"* ({reached:,}: {100 * right[FOREST][:reached].mean():.2f})"
            cells.append(f"{100 * accuracy:.2f}{'' if reached == n else star}")
        table.append((stream, f"{n:,}", *cells))
        print(f"  {' | '.join(table[-1])}", file=sys.stderr, flush=True)
    return Report(
        name,
        "forests of ten beside a single tree and the forests of others",
        [Table("accuracy, per cent", ("stream", "points", *OURS, *peers), table)],
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        list(dict.fromkeys(notes)),
    )


def _right(model: Any, batches: list[Batch]) -> npt.NDArray[np.bool_]:
    """Return for each point whether what was predicted before it was learned was right."""
    answers = [model.learner.test_then_learn(batch) for batch in batches]
    return np.concatenate([each.predicted == each.true for each in answers]).astype(np.bool_)


def _real(asked: Asked, most: int | None, notes: list[str]) -> Iterator[tuple[str, list[Batch]]]:
    """Yield the real streams that there are, or their first points; note the others."""
    for name, path in {**TABLES, **TEXTS}.items():
        if asked.streams and name not in asked.streams:
            continue
        try:
            file = data_file(name, path)
        except Unavailable as reason:
            notes.append(f"Skipped: {reason}.")
            continue
        with read(file, batch_size=BATCH) as reader:
            yield name, list(islice(reader, None if most is None else 1))


def _made_batches(asked: Asked, n: int, notes: list[str]) -> Iterator[tuple[str, list[Batch]]]:
    if find_spec("river") is None:
        notes.append("Skipped: all streams, as river, which makes them, is not installed.")
        return
    for name, points in _made(n // CONCEPTS).items():
        if asked.streams and name not in asked.streams:
            continue
        some = list(islice(points, n))
        parts = [some[i : i + BATCH] for i in range(0, len(some), BATCH)]
        yield name, [Batch.of_points([_floats(x) for x, _ in part], [y for _, y in part]) for part in parts]


def _floats(x: dict[Any, Any]) -> dict[Any, float]:
    return {key: float(value) for key, value in x.items()}


def _made(concept: int) -> dict[str, Iterator[tuple[dict[Any, Any], Any]]]:
    """Return river's generators, with concepts of so many points that follow each other, or that drift."""
    from river.datasets import synth

    def in_turn(streams: list[Any]) -> Iterator[tuple[dict[Any, Any], Any]]:
        for stream in streams:
            yield from islice(stream, concept)

    return {
        "SEA": in_turn([synth.SEA(variant=i, seed=i, noise=0.1) for i in range(4)]),
        "Agrawal": in_turn([synth.Agrawal(classification_function=f, seed=f + 1) for f in (0, 3, 6, 8)]),
        "RandomRBF": iter(
            synth.RandomRBFDrift(
                seed_model=1, seed_sample=1, n_classes=4, n_features=10, n_centroids=20, change_speed=0.001,
                n_drift_centroids=10,
            )
        ),
        "LED": in_turn(
            [
                synth.LEDDrift(seed=i + 1, noise_percentage=0.1, n_drift_features=n, irrelevant_features=True)
                for i, n in enumerate((0, 3, 5, 7))
            ]
        ),
        "hyperplane": iter(synth.Hyperplane(seed=1, n_features=10, n_drift_features=5, mag_change=0.001)),
    }  # fmt: skip


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    """Draw by how much each forest is ahead of the single tree."""
    axes = figure.subplots()
    streams = list(dict.fromkeys(each["stream"] for each in figures))
    of_tree = {each["stream"]: each["accuracy"] for each in figures if each["learner"] == TREE}
    learners = [name for name in dict.fromkeys(each["learner"] for each in figures) if name != TREE]
    for i, learner in enumerate(learners):
        ahead = [100 * (each["accuracy"] - of_tree[each["stream"]]) for each in figures if each["learner"] == learner]
        axes.bar(np.arange(len(streams)) + (i - len(learners) / 2) * 0.8 / len(learners), ahead, 0.8 / len(learners),
                 label=learner)  # fmt: skip
    axes.axhline(0, color="black", linewidth=0.5)
    axes.set_xticks(np.arange(len(streams)), streams, rotation=45, ha="right")
    axes.set_ylabel("accuracy less that of one tree, per cent")
    axes.legend(fontsize="small")
