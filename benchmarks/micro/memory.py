"""Bytes a seen feature that each search holds."""

from __future__ import annotations

from typing import Any

from sapwood import CRITERIA, SEARCHES, SplitFinder

from .pictures import Bar, draw_bars
from .report import Report
from .workloads import ALPHA, Unavailable, farm, synthetic


def run(quick: bool) -> Report:
    """Feed whole streams, asking after every point, and divide what a finder holds by the features it saw."""
    streams = [synthetic(), synthetic(10_000, 10, 100_000, 1e-4)._replace(name="wide")]
    notes = []
    try:
        streams.append(farm())
    except Unavailable as reason:
        notes.append(f"skipped {reason}")
    table: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    for whole in streams:
        stream = whole.prefix(1_000) if quick else whole
        matrix = stream.matrix
        for criterion in CRITERIA:
            for search in SEARCHES:
                finder = SplitFinder(criterion=criterion, search=search, alpha=ALPHA)
                finder.add_many(matrix, stream.labels, trace=True)
                each = finder.n_bytes / finder.n_features_seen
                figures.append(
                    {
                        "stream": stream.name,
                        "criterion": criterion,
                        "contestant": search,
                        "features_seen": finder.n_features_seen,
                        "bytes": finder.n_bytes,
                        "bytes_a_feature": each,
                    }
                )
                row = (f"{finder.n_features_seen:,}", f"{finder.n_bytes:,}", f"{each:.1f}")
                table.append((stream.name, criterion, search, *row))
    notes.append("synthetic is sparse(10000, 10, 10000, 0.001), wide is sparse(10000, 10, 100000, 0.0001).")
    header = ("stream", "criterion", "search", "features seen", "bytes", "bytes a feature")
    panels: dict[str, list[Bar]] = {}
    for figure in figures:
        each = figure["bytes_a_feature"]
        bars = panels.setdefault(f"{figure['stream']}, {figure['criterion']}", [])
        bars.append(Bar(figure["contestant"], each, f"{each:.0f}"))
    return Report(
        "memory",
        "bytes a seen feature",
        header,
        table,
        figures,
        lambda canvas: draw_bars(canvas, list(panels.items()), "bytes a seen feature"),
        quick,
        notes,
    )
