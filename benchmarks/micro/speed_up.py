"""How fast each search is as a speed-up over an exhaustive search as a paper would write it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure

from .measure import Quartiles, interleaved, quartiles, significant
from .pictures import Bar, draw_bars
from .report import Report, Table
from .workloads import (
    ALPHA,
    CRITERIA,
    SCALAR,
    Stream,
    Unavailable,
    contestants,
    farm,
    scalar_seconds,
    search_seconds,
    searches_for,
    synthetic,
)

# The speed-up over the scalar exhaustive search that is asked for, by stream, criterion and search.
TARGETS = {
    ("synthetic", "entropy", "approximate"): 50.0,
    ("farm", "entropy", "approximate"): 8.0,
    ("synthetic", "gini", "approximate"): 7.0,
}


def run(quick: bool) -> Report:
    """Race counting, the scalar exhaustive search and every search of the package over both streams."""
    streams, notes = [synthetic()], []
    try:
        streams.append(farm())
    except Unavailable as reason:
        notes.append(f"skipped {reason}")
    rows: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    for whole in streams:
        stream = whole.prefix(1_000) if quick else whole
        for criterion in CRITERIA:
            for figure in _measure(stream, criterion, quick):
                # A prefix has fewer features seen, so a target for the whole stream does not apply to it.
                target = None if quick else TARGETS.get((stream.name, criterion, figure["contestant"]))
                figures.append({"stream": stream.name, "criterion": criterion, **figure, "target": target})
                rows.append(_row(stream.name, criterion, figure, target))
    notes.append("Median (quartiles) of interleaved runs, the best split asked for after every point, α = 0.1.")
    notes.append(
        "The scalar exhaustive search computes each term of the definition, with a logarithm each for entropy."
    )
    header = ("stream", "criterion", "search", "milliseconds", "speed-up over scalar", "must")
    tables = [Table("Whole streams", header, rows)]
    return Report("speed_up", "speed-up over a plain search", tables, figures, _drawing(figures), quick, notes)


def _measure(stream: Stream, criterion: str, quick: bool) -> list[dict[str, Any]]:
    field = {SCALAR: lambda: scalar_seconds(stream, criterion)[0], **contestants(stream, criterion)}
    _check(stream.prefix(500), criterion)  # also the warm-up
    seconds = interleaved(field, 2 if quick else 3)
    return [
        {
            "contestant": name,
            "points": stream.n,
            "milliseconds": quartiles(seconds[name] * 1e3)._asdict(),
            "speed_up": quartiles(seconds[SCALAR] / seconds[name])._asdict(),
        }
        for name in field
    ]


def _check(stream: Stream, criterion: str) -> None:
    """Refuse to time a search that answers wrongly."""
    _, optimum = scalar_seconds(stream, criterion)
    for search in searches_for(stream, criterion):
        found = search_seconds(stream, criterion, search)[1].best()
        score = math.inf if found is None else found[1]
        most = optimum * (1.0 + ALPHA) if search == "approximate" else optimum
        if not (score <= most or math.isclose(score, most, rel_tol=1e-9)):
            raise RuntimeError(f"speed_up: {search} must find a score of at most {most}, got {score}")


def _row(stream: str, criterion: str, figure: dict[str, Any], target: float | None) -> tuple[str, ...]:
    speed_up = figure["speed_up"]["median"]
    verdict = "" if target is None else f"≥ {target:g}: {'met' if speed_up >= target else 'MISSED'}"
    shown = [Quartiles(**figure[key]).show() for key in ("milliseconds", "speed_up")]
    return (stream, criterion, figure["contestant"], *shown, verdict)


def _drawing(figures: list[dict[str, Any]]) -> Callable[[Figure], None]:
    panels: dict[str, list[Bar]] = {}
    for figure in figures:
        each = figure["milliseconds"]["median"] / figure["points"] * 1e3
        text = f"{significant(each)} µs"
        if figure["contestant"] != SCALAR:
            text += f", {significant(figure['speed_up']['median'])} ×"
        bars = panels.setdefault(f"{figure['stream']}, {figure['criterion']}", [])
        bars.append(Bar(figure["contestant"], each, text))

    def draw(canvas: Figure) -> None:
        label = f"microseconds per point (log scale); × = speed-up over {SCALAR}"
        draw_bars(canvas, list(panels.items()), label, log=True)

    return draw
