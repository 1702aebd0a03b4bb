"""Bytes a seen feature that each search holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sapwood import SplitFinder
from sapwood.parameters import Criterion, Search

from .measure import verdict
from .pictures import Bar, draw_bars
from .report import Report, Table
from .workloads import ALPHA, CERTIFIED, CRITERIA, Stream, Unavailable, farm, searches_for, stored, synthetic

RECORD = 8  # bytes of a certified feature: the counts of two classes, what its certificate allows, and its status
MOST = 16  # bytes a seen feature beyond the index from ids to records


def run(quick: bool) -> Report:
    """Feed whole streams, asking after every point, and divide what a finder holds by the features it saw."""
    points = 1_000 if quick else None
    makers: list[Callable[[], Stream]] = [
        synthetic,
        partial(synthetic, 10_000, 10, 100_000, 1e-4, "wide"),
        partial(farm, points),
        partial(stored, "news20-bigrams", "news20-bigrams/news20-bigrams.shuf.svm.gz", points or 2_000),
    ]
    notes = []
    rows: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    for make in makers:
        try:
            stream = make() if points is None else make().prefix(points)
        except Unavailable as reason:
            notes.append(f"skipped {reason}")
            continue
        for criterion in CRITERIA:
            for search in searches_for(stream, criterion):
                figure = _measure(stream, criterion, search)
                figures.append(figure)
                rows.append(_row(figure))
    notes += [
        "synthetic is sparse(10000, 10, 10000, 0.001), wide sparse(10000, 10, 100000, 0.0001).",
        "Of news20-bigrams the first 2,000 points.",
        f"records: {RECORD} bytes for each feature seen, which hold its counts, its certificate and its status.",
        "lists: four bytes for each candidate and for each feature with a certificate of its own: the least they take.",
        "rest: the index (hash tables, or records of ids not yet seen), spare capacity, and what does not grow.",
        f"Asked for are at most {MOST} bytes per feature beyond the index: records and lists.",
    ]
    total = ("features seen", "bytes", "bytes per feature")
    header = ("stream", "criterion", "search", *total, "records", "lists", "must", "rest")
    panels: dict[str, list[Bar]] = {}
    for figure in figures:
        each = figure["bytes_a_feature"]
        bars = panels.setdefault(f"{figure['stream']}, {figure['criterion']}", [])
        bars.append(Bar(figure["contestant"], each, f"{each:.0f}"))
    tables = [Table("Bytes after the whole stream", header, rows)]
    return Report(
        "memory",
        "bytes a seen feature",
        tables,
        figures,
        lambda canvas: draw_bars(canvas, list(panels.items()), "bytes a seen feature"),
        quick,
        notes,
    )


def _measure(stream: Stream, criterion: Criterion, search: Search) -> dict[str, Any]:
    finder = SplitFinder(criterion=criterion, search=search, alpha=ALPHA)
    finder.add_many(stream.matrix, stream.labels, trace=True)
    seen = finder.n_features_seen
    figure: dict[str, Any] = {
        "stream": stream.name,
        "criterion": criterion,
        "contestant": search,
        "points": stream.n,
        "features_seen": seen,
        "bytes": finder.n_bytes,
        "bytes_a_feature": finder.n_bytes / seen,
    }
    if search == CERTIFIED:
        stats = finder.stats()
        figure["records"] = RECORD
        figure["lists"] = 4 * (stats["candidates"] + stats["certificates"]) / seen
        figure["rest"] = figure["bytes_a_feature"] - figure["records"] - figure["lists"]
    return figure


def _row(figure: dict[str, Any]) -> tuple[str, ...]:
    split = ["", "", "", ""]
    if figure["contestant"] == CERTIFIED:
        beyond = figure["records"] + figure["lists"]
        split = [f"{figure['records']}", f"{figure['lists']:.3f}", verdict(beyond, MOST), f"{figure['rest']:.1f}"]
    total = (f"{figure['features_seen']:,}", f"{figure['bytes']:,}", f"{figure['bytes_a_feature']:.1f}")
    return (figure["stream"], figure["criterion"], figure["contestant"], *total, *split)
