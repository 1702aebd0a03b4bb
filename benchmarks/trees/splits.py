"""When the trees split: in noise, on a planted feature, and how good a tree is without the models of its leaves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import sapwood
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import Unavailable, stored
from sapwood.datasets import make_sparse

TESTS: dict[str, Callable[[], Any]] = {
    "evidence, delta .05": lambda: sapwood.StreamingTreeClassifier(leaf_prediction="majority"),
    "VFDT, delta 1e-7": lambda: sapwood.HoeffdingTreeClassifier(leaf_prediction="majority"),
    "VFDT, delta 1e-3": lambda: sapwood.HoeffdingTreeClassifier(leaf_prediction="majority", delta=1e-3),
    "EFDT, delta 1e-7": lambda: sapwood.ExtremelyFastDecisionTreeClassifier(leaf_prediction="majority"),
    "EFDT, delta 1e-3": lambda: sapwood.ExtremelyFastDecisionTreeClassifier(leaf_prediction="majority", delta=1e-3),
}
EVIDENCE = next(iter(TESTS))
N_FEATURES = 3000
N_POINTS = 2000
# As many of them are on in a point as in the paper's stream.
RATE = 15 / N_FEATURES
FALSE_SPLITS = 0.05
# A planted feature is on in this share of the points, where the second class has the first probability; else the other.
PLANTED = (0.05, 0.9, 0.5)
MOST_POINTS = 6000
FILES = {
    "sms": ("sms/sms.orig.svm.gz", 0.910),
    "a9a": ("a9a/a9a.shuf.svm.gz", 0.823),
    "mushrooms": ("mushrooms/mushrooms.shuf.svm.gz", 0.965),
}


def run(quick: bool) -> Report:
    """Count false splits and points until a true one, and measure accuracy."""
    n_noise = 10 if quick else 1000
    n_planted = 3 if quick else 100
    notes = [
        (
            f"Noise: {n_noise:,} streams of {N_POINTS:,} points over {N_FEATURES:,} features, of which 15 are on in a "
            "point, with labels drawn apart from them; tested after every point."
        ),
        (
            f"Planted: {n_planted} such streams with one feature that is on in 5 % of the points, where the class is 1 "
            f"with probability .9, else .5; at most {MOST_POINTS:,} points."
        ),
        "A VFDT of two classes splits after 3,224 points whatever it sees (1,382 with 1e-3): its bound is below tau.",
    ]
    figures: list[dict[str, Any]] = []
    tables = [
        _false_splits(n_noise, figures),
        _found(n_planted, figures),
        _accuracy(1000 if quick else None, figures, notes),
    ]
    return Report(
        "trees-splits",
        "when the trees split",
        tables,
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        notes,
    )


def _false_splits(n_streams: int, figures: list[dict[str, Any]]) -> Table:
    rows: list[tuple[str, ...]] = []
    for n_classes in (2, 5):
        split = dict.fromkeys(TESTS, 0)
        for seed in range(n_streams):
            X = make_sparse(n=N_POINTS, d1=0, d2=N_FEATURES, q=RATE, seed=seed)[0]
            y = np.random.default_rng(seed).integers(0, n_classes, N_POINTS)
            for name, make in TESTS.items():
                split[name] += make().partial_fit(X, y, classes=range(n_classes)).get_n_leaves() > 1
        for name, count in split.items():
            share = count / n_streams
            asked = "–"
            if name == EVIDENCE:
                asked = f"≤ {100 * FALSE_SPLITS:g} %: {'met' if share <= FALSE_SPLITS else 'MISSED'}"
            rows.append((name, str(n_classes), f"{count:,} of {n_streams:,}", f"{100 * share:.1f}", asked))
            figures.append({"what": "false splits", "test": name, "classes": n_classes, "share": share})
            print(f"  noise, K = {n_classes}: {name} {count} of {n_streams}", file=sys.stderr, flush=True)
    return Table("streams of noise with a split", ("test", "K", "streams", "per cent", "asked"), rows)


def _found(n_streams: int, figures: list[dict[str, Any]]) -> Table:
    rows: list[tuple[str, ...]] = []
    step = 20
    for name, make in TESTS.items():
        points: list[int] = []
        right = 0
        for seed in range(n_streams):
            X, y = _planted(seed)
            model = make()
            for start in range(0, MOST_POINTS, step):
                model.partial_fit(X[start : start + step], y[start : start + step], classes=[0, 1])
                if model.get_n_leaves() > 1:
                    points.append(start + step)
                    right += model.to_dict()["nodes"][0]["key"] == N_FEATURES
                    break
        median = f"{int(np.median(points)):,}" if points else "–"
        rows.append((name, f"{len(points)} of {n_streams}", str(right), median))
        figures.append({"what": "planted", "test": name, "split": len(points), "right": right, "points": points})
        print(f"  planted: {name} {right} of {len(points)}, {median}", file=sys.stderr, flush=True)
    return Table(
        "a planted feature", ("test", "streams with a split", "on that feature", "points, in the median"), rows
    )


def _planted(seed: int) -> tuple[Any, Any]:
    from scipy.sparse import csr_matrix, hstack

    share, on, off = PLANTED
    rng = np.random.default_rng(seed)
    X = make_sparse(n=MOST_POINTS, d1=0, d2=N_FEATURES, q=RATE, seed=seed)[0]
    planted = rng.random(MOST_POINTS) < share
    y = (rng.random(MOST_POINTS) < np.where(planted, on, off)).astype(np.int64)
    return hstack([X, csr_matrix(planted[:, None].astype(X.dtype))], format="csr"), y


def _accuracy(n: int | None, figures: list[dict[str, Any]], notes: list[str]) -> Table:
    from sapwood.evaluate import prequential

    rows: list[tuple[str, ...]] = []
    for name, (path, least) in FILES.items():
        try:
            stream = stored(name, path, n)
        except Unavailable as reason:
            notes.append(f"Skipped: {reason}.")
            continue
        points = (stream.matrix, stream.labels)
        found = {test: float(prequential(make(), points).records["accuracy"][-1]) for test, make in TESTS.items()}
        asked = f"≥ {100 * least:.1f}: {'met' if found[EVIDENCE] >= least else 'MISSED'}"
        rows.append((name, *(f"{100 * each:.1f}" for each in found.values()), asked))
        figures += [{"what": "accuracy", "stream": name, "test": test, "accuracy": a} for test, a in found.items()]
    return Table("accuracy with majority leaves, per cent", ("stream", *TESTS, "asked of evidence"), rows)


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    axes = figure.subplots()
    false = [entry for entry in figures if entry["what"] == "false splits"]
    axes.barh([f"{entry['test']}, K = {entry['classes']}" for entry in false], [100 * e["share"] for e in false])
    axes.axvline(100 * FALSE_SPLITS, color="0.4", linewidth=0.8)
    axes.invert_yaxis()
    axes.set_xlabel("streams of noise with a split, per cent")
