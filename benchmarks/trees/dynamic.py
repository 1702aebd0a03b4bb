"""Trees that forget: an update whatever the number of features, against rebuilding, and forgetting at once."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.micro.measure import significant
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import SEED
from sapwood import DynamicTreeClassifier
from sapwood.datasets import make_text

BETA = 0.01
WINDOW = 3000  # as in the code of the authors, with a depth of 5
EPSILON = BETA / 13  # of their rule: a node is built anew after this share of its points has come or gone


def run(quick: bool) -> Report:
    """Measure updates in a window, rebuilds, and forgetting a hundredth of a stream of texts."""
    figures: list[dict[str, Any]] = []
    updates = [_window(depth, d, quick) for depth in (5, None) for d in _numbers_of_features(quick)]
    figures += updates
    window_rows: list[tuple[str, ...]] = [
        (
            "5" if each["depth"] else "any",
            f"{each['d']:,}",
            significant(each["microseconds"]),
            significant(each["microseconds"] / next(e for e in updates if e["depth"] == each["depth"])["microseconds"]),
            significant(each["counting"]),
            significant(each["microseconds"] / each["counting"]),
            significant(each["rebuilt"]),
            significant(each["by_the_clock"]),
        )
        for each in updates
    ]
    against = _against_rebuilding(quick)
    forgetting = _forgetting(quick)
    figures += [against, forgetting]
    ratio, share = against["ratio"], forgetting["share"]
    rows: list[tuple[str, ...]] = [
        ("an update, against rebuilding", f"{significant(ratio)} × faster", "≥ 100 ×", _met(ratio >= 100)),
        ("forgetting 1 % of a text stream, against learning the rest", significant(share), "< 0.1", _met(share < 0.1)),
    ]
    notes = [
        f"A window of {WINDOW:,} points of about 20 features, Gini, beta = {BETA}, put right after every update.",
        "A pair: a point is learned and the oldest is forgotten. Times are those of the processor.",
        "Counting: the same in a tree of the same points that nobody asks, and that is never put right.",
        "By the clock: the rule of the authors over the same nodes, epsilon = beta / 13.",
        f"Rebuilding: the tree of {against['n']:,} points built anew. An update: learn_one and forget_one, halved.",
        f"Forgetting: {forgetting['n']:,} texts, all parameters at their defaults, until the first answer.",
    ]
    return Report(
        "trees-dynamic",
        "trees that forget",
        [
            Table(
                "updates",
                (
                    "depth",
                    "features",
                    "µs per pair",
                    "against fewest features",
                    "µs of counting",
                    "against counting",
                    "rebuilds per update",
                    "by the clock",
                ),
                window_rows,
            ),
            Table("against learning anew", ("what", "measured", "asked", ""), rows),
        ],
        figures,
        lambda figure: _draw(figure, updates),
        quick,
        notes,
    )


def _met(holds: bool) -> str:
    return "met" if holds else "MISSED"


def _numbers_of_features(quick: bool) -> list[int]:
    return [1000, 10_000] if quick else [1000, 10_000, 100_000, 1_000_000]


def _points(n: int, d: int) -> list[tuple[list[int], int]]:
    """Return points of four telling features, four others, and sixteen rare ones; a tenth of the labels is noise."""
    rng = np.random.default_rng(SEED)
    common = rng.random((n, 8)) < 0.5
    rare = rng.integers(8, d, (n, 16))
    labels = (common[:, :4].sum(axis=1) >= 2) ^ (rng.random(n) < 0.1)
    return [
        (sorted({*np.flatnonzero(on).tolist(), *others.tolist()}), int(label))
        for on, others, label in zip(common, rare, labels, strict=True)
    ]


def _window(depth: int | None, d: int, quick: bool) -> dict[str, Any]:
    n = 500 if quick else 5000
    points = _points(WINDOW + n, d)
    model = _tree(depth, points[:WINDOW])
    held = deque(points[:WINDOW])
    before = model.summary().n_subtrees_rebuilt
    start = time.process_time()
    for x, y in points[WINDOW:]:
        model.learn_one(x, y)
        model.forget_one(*held.popleft())
        held.append((x, y))
    spent = time.process_time() - start
    rebuilt = (model.summary().n_subtrees_rebuilt - before) / (2 * n)
    counting = _counting(depth, points, n)
    clocked = _by_the_clock(depth, points, min(n, 200))
    return {
        "depth": depth,
        "d": d,
        "microseconds": spent / n * 1e6,
        "counting": counting,
        "rebuilt": rebuilt,
        "by_the_clock": clocked,
    }


def _counting(depth: int | None, points: list[tuple[list[int], int]], n: int) -> float:
    """Return what a pair takes in a tree that is built once and then only counts, in microseconds."""
    model = _tree(depth, points[:WINDOW], lazy=True)
    model.rebuild()
    start = time.process_time()
    for i in range(n):
        model.learn_one(*points[WINDOW + i])
        model.forget_one(*points[i])
    return (time.process_time() - start) / n * 1e6


def _tree(depth: int | None, points: list[tuple[list[int], int]], *, lazy: bool = False) -> DynamicTreeClassifier:
    """Return a tree that is put right after every update, or when it is asked."""
    model = DynamicTreeClassifier(criterion="gini", stopping="none", beta=BETA, max_depth=depth, lazy=lazy)
    for x, y in points:
        model.learn_one(x, y)
    return model


def _by_the_clock(depth: int | None, points: list[tuple[list[int], int]], n: int) -> float:
    """Return how many nodes per update the rule of the authors builds anew.

    Every node counts the updates that pass it. Once they are a share of epsilon of the points that it had when it was
    built, the topmost node on the way that had fewer points then than the next power of two is built anew.
    """
    model = _tree(depth, points[:WINDOW])
    clocks: dict[tuple[int, ...], list[int]] = {}
    rebuilt = 0
    for i in range(n):
        for x, y, learns in ((*points[WINDOW + i], True), (*points[i], False)):
            (model.learn_one if learns else model.forget_one)(x, y)
            view = model.learner.view()
            sizes: list[tuple[tuple[int, ...], int]] = []
            way: tuple[int, ...] = ()
            node = view.nodes[0]
            while True:
                sizes.append((way, node.n))
                if node.key is None or node.on is None or node.off is None:
                    break
                on = node.key in x
                way, node = (*way, 2 * int(str(node.key)) + on), view.nodes[node.on if on else node.off]
            rebuilt += _tick(clocks, sizes)
    return rebuilt / (2 * n)


def _tick(clocks: dict[tuple[int, ...], list[int]], sizes: list[tuple[tuple[int, ...], int]]) -> int:
    for way, size in sizes:
        clock = clocks.setdefault(way, [max(size, 1), 0])
        clock[1] += 1
        if clock[1] < EPSILON * clock[0]:
            continue
        limit = 2 ** math.ceil(math.log2(clock[0])) if clock[0] > 1 else 1
        top = next(w for w, _ in sizes if clocks.get(w, clock)[0] <= limit)
        for other in [w for w in clocks if w[: len(top)] == top]:
            del clocks[other]
        return 1
    return 0


def _against_rebuilding(quick: bool) -> dict[str, Any]:
    n = 1000 if quick else 10_000
    points = _points(n + 1000, 10_000)
    model = _tree(None, points[:n])
    start = time.process_time()
    for i in range(1000):
        model.learn_one(*points[n + i])
        model.forget_one(*points[i])
    update = (time.process_time() - start) / 2000
    rebuild = min(_timed(model.rebuild) for _ in range(3))
    return {"n": n, "update": update, "rebuild": rebuild, "ratio": rebuild / update}


def _forgetting(quick: bool) -> dict[str, Any]:
    n = 5000 if quick else 100_000
    X, y = make_text(n=n, d=50_000, seed=SEED)
    gone = np.random.default_rng(SEED).choice(n, n // 100, replace=False)
    rest = np.setdiff1d(np.arange(n), gone)
    model = DynamicTreeClassifier().fit(X, y, ids=range(n))
    model.predict_one([])
    forget = _timed(lambda: (model.forget(gone.tolist()), model.predict_one([])))
    anew = DynamicTreeClassifier()
    learn = _timed(lambda: (anew.fit(X[rest], y[rest], ids=rest.tolist()), anew.predict_one([])))
    assert model.digest() == anew.digest()
    return {"n": n, "forget": forget, "learn": learn, "share": forget / learn, "nodes": model.summary().n_nodes}


def _timed(call: Any) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _draw(figure: Figure, updates: list[dict[str, Any]]) -> None:
    axes = figure.subplots()
    for depth in (5, None):
        some = [each for each in updates if each["depth"] == depth]
        name = "depth 5" if depth else "any depth"
        axes.loglog([each["d"] for each in some], [each["microseconds"] for each in some], "o-", label=name)
    axes.set_xlabel("features")
    axes.set_ylabel("µs for a point learned and one forgotten")
    axes.set_ylim(bottom=1)
    axes.legend()
