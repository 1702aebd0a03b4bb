"""Prequential accuracy on real streams: every point is predicted before it is learned."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import Stream, Unavailable, stored, synthetic

from .learners import (
    Make,
    Run,
    bernoulli,
    capymoa_tree,
    logistic_regression,
    prequential,
    river_tree,
    sapwood_tree,
    vowpal_wabbit,
)

TREE = "tree"
LEARNERS: dict[str, Make] = {
    TREE: sapwood_tree("streaming"),
    "VFDT": sapwood_tree("hoeffding"),
    "EFDT": sapwood_tree("extremely_fast"),
    "VFDT, majority": sapwood_tree("hoeffding", leaf_prediction="majority"),
    "VFDT, naive Bayes": sapwood_tree("hoeffding", leaf_prediction="naive_bayes"),
    "VFDT, logistic": sapwood_tree("hoeffding", leaf_prediction="logistic"),
    "VFDT, adaptive": sapwood_tree("hoeffding", leaf_prediction="adaptive"),
    "BernoulliNB": bernoulli,
    "SGD": logistic_regression,
    "VW": vowpal_wabbit(""),
    "VW -l 1": vowpal_wabbit("-l 1"),
    "VW --nn 5": vowpal_wabbit("--nn 5"),
    "river, sparse dicts": river_tree("HoeffdingTreeClassifier", dense=False),
    "river, dense dicts": river_tree("HoeffdingTreeClassifier", dense=True),
    "CapyMOA": capymoa_tree("HoeffdingTree"),
    "CapyMOA, EFDT": capymoa_tree("EFDT"),
}
PEERS = {"river, sparse dicts", "river, dense dicts", "CapyMOA", "CapyMOA, EFDT"}
FILES = {
    "sms": "sms/sms.orig.svm.gz",
    "farm": "farm/farm.orig.svm.gz",
    "a9a": "a9a/a9a.shuf.svm.gz",
    "mushrooms": "mushrooms/mushrooms.shuf.svm.gz",
    "author-gender.shuf": "author-gender/author-gender.shuf.svm.gz",
    "author-gender.orig": "author-gender/author-gender.orig.svm.gz",
    "news20-bigrams": "news20-bigrams/news20-bigrams.shuf.svm.gz",
    "news20-words": "news20-words/news20-words.multiclass.shuf.svm.gz",
}
CLASSES = {"news20-words": 20}
# Dense dicts and CapyMOA's header hold every feature: with more than this, one run would take hours or all memory.
MOST_FEATURES_FOR_PEERS = 60_000
# With more than this, CapyMOA takes milliseconds to make an instance, before the clock starts.
FEW_FEATURES = 1000
# A point as a dense dict takes about 100 bytes per feature, and they are made before the clock starts.
MOST_DENSE_CELLS = 4_000_000


def run(quick: bool) -> Report:
    """Measure every learner on every stream."""
    seconds = 2.0 if quick else 10.0
    notes = [
        "Accuracy in per cent, each point predicted before it is learned; parameters are each library's defaults.",
        (
            f"A learner has {seconds:g} seconds per stream. Where it did not finish, the number of points that it saw "
            "is in brackets, followed by the accuracy of sapwood's tree on the same points."
        ),
        "tree: StreamingTreeClassifier. SGD: SGDClassifier(loss='log_loss'). VW: Vowpal Wabbit, logistic loss.",
        "BernoulliNB and SGD learn blocks of 100 points where there are 20,000 features or more, else single points.",
        "river, sparse dicts: only the features that are on; dense dicts: all, as 0 and 1.",
    ]
    streams: list[Stream] = [synthetic(), *_present(1000 if quick else None, notes)]
    figures: list[dict[str, Any]] = []
    table: list[tuple[str, ...]] = []
    for stream in streams:
        runs = _runs(stream, seconds, notes)
        figures += [
            {"stream": stream.name, "learner": name, "accuracy": run.accuracy, "points": run.right.size,
             "learning": run.learning, "predicting": run.predicting}
            for name, run in runs.items()
        ]  # fmt: skip
        table.append((stream.name, *(_cell(runs.get(name), runs[TREE], stream.n) for name in LEARNERS)))
    return Report(
        "trees-accuracy",
        "prequential accuracy of the trees beside other libraries'",
        [Table("accuracy, per cent", ("stream", *LEARNERS), table)],
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        notes,
    )


def _present(points: int | None, notes: list[str]) -> Iterator[Stream]:
    """Yield the streams whose files are there, or their first points; note the others."""
    for name, path in FILES.items():
        try:
            yield stored(name, path, points, CLASSES.get(name, 2))
        except Unavailable as reason:  # noqa: PERF203 - a handful of files
            notes.append(f"Skipped: {reason}.")


def _runs(stream: Stream, seconds: float, notes: list[str]) -> dict[str, Run]:
    runs: dict[str, Run] = {}
    for name, make in LEARNERS.items():
        if name in PEERS and stream.n_features > MOST_FEATURES_FOR_PEERS and name != "river, sparse dicts":
            notes.append(f"Skipped: {name} on {stream.name}, with its {stream.n_features:,} features.")
            continue
        points = stream
        if name == "river, dense dicts":
            points = stream.prefix(max(1, MOST_DENSE_CELLS // stream.n_features))
        elif name.startswith("CapyMOA") and stream.n_features > FEW_FEATURES:
            points = stream.prefix(2000)
        print(f"  {stream.name}: {name} ...", file=sys.stderr, flush=True)
        try:
            runs[name] = prequential(make, points, seconds)
        except Unavailable as reason:
            notes.append(f"Skipped: {name} on {stream.name}: {reason}.")
    return runs


def _cell(run: Run | None, ours: Run, n: int) -> str:
    if run is None:
        return "–"
    text = f"{100 * run.accuracy:.1f}"
    if run.right.size == n:
        return text
    return f"{text} ({run.right.size:,}: {100 * ours.right[: run.right.size].mean():.1f})"


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    """Draw a row of dots for each stream."""
    streams = list(dict.fromkeys(entry["stream"] for entry in figures))
    axes = figure.subplots()
    markers = "os^vDPX*<>hp8d1"
    for marker, learner in zip(markers, LEARNERS, strict=False):
        mine = [entry for entry in figures if entry["learner"] == learner]
        axes.scatter(
            [100 * entry["accuracy"] for entry in mine],
            [streams.index(entry["stream"]) for entry in mine],
            marker=marker,
            label=learner,
            alpha=0.8,
        )
    axes.set_yticks(range(len(streams)), streams)
    axes.invert_yaxis()
    axes.set_xlabel("prequential accuracy, per cent")
    axes.legend(fontsize="x-small", loc="lower left")
