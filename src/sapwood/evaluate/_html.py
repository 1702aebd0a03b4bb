"""The result of an evaluation as a small piece of HTML, which notebooks show."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from sapwood.evaluate._scoreboard import MEMORIES, METRICS, column_of
from sapwood.inspect.html import piece, table
from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.evaluate.evaluation import Evaluation

__all__ = ["evaluation_html"]

_WIDTH, _HEIGHT = 320, 60


def evaluation_html(result: Evaluation) -> str:
    """Return the metrics of an evaluation, and its accuracy over the stream as a line."""
    state = ", interrupted" if result.interrupted else ""
    points = counted(result.n, "point")
    parts = [f"<p><b>{escape(result.model)}</b> {points} in {result.seconds:.2f} s{state}</p>"]
    if result.n:
        header = ("", "all", f"last {result.settings['window']:,}", f"fading {result.settings['fading']:g}")
        rows = []
        for metric in METRICS:
            values = [result[column_of(metric, memory)] for memory in MEMORIES]
            if not all(map(math.isnan, values)):
                cells = ("–" if math.isnan(value) else f"{value:.4f}" for value in values)
                rows.append((metric.replace("_", " "), *cells))
        parts += [table(header, rows, (1, 2, 3)), _line(result)]
    return piece(*parts)


def _line(result: Evaluation) -> str:
    """Return the accuracy over the last points as a line, from the first record to the last."""
    column = column_of("accuracy", "window")
    pairs = [
        (n, value)
        for n, value in zip(result.records["n"], result.records[column], strict=True)
        if value is not None and not math.isnan(value)
    ]
    if len(pairs) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    low, high = min(value for _, value in pairs), max(value for _, value in pairs)
    span = high - low or 1.0
    last = pairs[-1][0]
    at = " ".join(
        f"{_WIDTH * n / last:.1f},{_HEIGHT - 4 - (_HEIGHT - 8) * (value - low) / span:.1f}" for n, value in pairs
    )
    return (
        f"<p>accuracy over the last {counted(result.settings['window'], 'point')}, from {low:.3f} to {high:.3f}:</p>"
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">'
        f'<polyline points="{at}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
    )
