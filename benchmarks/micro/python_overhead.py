"""What calling from Python costs on top of the search itself."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from sapwood import SplitFinder
from sapwood.parameters import Criterion, Search

from .measure import Quartiles, interleaved, quartiles
from .pictures import Bar, draw_bars
from .report import Report, Table
from .workloads import ALPHA, CRITERIA, SEED, Stream, search_seconds, searches_for, stream_of

FEATURES_ON = 15
MOST = 3.0  # microseconds that `add` may cost on top of the search


def run(quick: bool) -> Report:
    """Add the same points through `add`, through `add_many` and inside C++, and compare."""
    stream = _points(2_000 if quick else 10_000)
    rows: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    for criterion in CRITERIA:
        for search in searches_for(stream, criterion):
            for figure in _measure(stream, criterion, search, repeats=3 if quick else 9):
                figures.append({"criterion": criterion, "contestant": search, **figure})
                extra = Quartiles(**figure["extra"])
                verdict = ""
                if figure["call"] == "add":
                    verdict = f"< {MOST:g}: {'met' if extra.median < MOST else 'MISSED'}"
                shown = (f"{figure['microseconds']:.3f}", f"{figure['native']:.3f}")
                rows.append((criterion, search, figure["call"], *shown, _signed(extra), verdict))
    header = ("criterion", "search", "call", "µs per point", "in C++", "extra (quartiles)", "target")
    panels = {call: [f for f in figures if f["call"] == call] for call in ("add", "add_many", "add_many, trace")}
    bars = [
        (f"{call}, {criterion}", [_bar(f) for f in chosen if f["criterion"] == criterion])
        for call, chosen in panels.items()
        for criterion in CRITERIA
    ]
    notes = [
        f"{stream.n:,} points with {FEATURES_ON} of {stream.n_features:,} features on; medians of interleaved runs.",
        "add and add_many ask for the best split once, at the end; trace asks after every point, as the C++ loop does.",
    ]
    return Report(
        "python_overhead",
        "what Python adds to the search",
        [Table("Microseconds per point", header, rows)],
        figures,
        lambda canvas: draw_bars(canvas, bars, "microseconds per point on top of the search"),
        quick,
        notes,
    )


def _points(n: int) -> Stream:
    """Return points with exactly FEATURES_ON features on, drawn from 10,000."""
    rng = np.random.default_rng(SEED)
    indices = np.sort([rng.choice(10_000, FEATURES_ON, replace=False) for _ in range(n)], axis=1).ravel()
    indptr = np.arange(n + 1) * FEATURES_ON
    return stream_of("fifteen on", indptr, indices, rng.integers(0, 2, n), 10_000)


def _measure(stream: Stream, criterion: Criterion, search: Search, repeats: int) -> list[dict[str, Any]]:
    rows = [row.tolist() for row in stream.indices.reshape(-1, FEATURES_ON)]
    labels = stream.labels.tolist()
    matrix = stream.matrix

    def timed(work: Callable[[SplitFinder], object]) -> Callable[[], float]:
        def once() -> float:
            finder = SplitFinder(criterion=criterion, search=search, alpha=ALPHA)
            start = perf_counter()
            work(finder)
            finder.best()
            return (perf_counter() - start) / stream.n * 1e6

        return once

    def add_each(finder: SplitFinder) -> None:
        add = finder.add
        for row, label in zip(rows, labels, strict=True):
            add(row, label)

    def native(every: int) -> Callable[[], float]:
        return lambda: search_seconds(stream, criterion, search, every)[0] / stream.n * 1e6

    calls = {
        "native": native(stream.n),
        "native, trace": native(1),
        "add": timed(add_each),
        "add_many": timed(lambda finder: finder.add_many(matrix, stream.labels)),
        "add_many, trace": timed(lambda finder: finder.add_many(matrix, stream.labels, trace=True)),
    }
    each = interleaved(calls, repeats)
    pairs = {"add": "native", "add_many": "native", "add_many, trace": "native, trace"}
    return [
        {
            "call": call,
            "microseconds": float(np.median(each[call])),
            "native": float(np.median(each[inside])),
            "extra": quartiles(each[call] - each[inside])._asdict(),
        }
        for call, inside in pairs.items()
    ]


def _signed(extra: tuple[float, float, float]) -> str:
    low, median, high = extra
    return f"{median:+.3f} ({low:+.3f} to {high:+.3f})"


def _bar(figure: dict[str, Any]) -> Bar:
    extra = Quartiles(**figure["extra"]).median
    return Bar(figure["contestant"], max(extra, 0.0), f"{extra:+.3f}")
