"""A sliding window: add a point, remove the oldest, ask for the best split."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sapwood.style import COUNTING

from .measure import Quartiles, interleaved, quartiles, repeats_within, significant, verdict
from .pictures import Bar, draw_bars
from .report import Report, Table
from .workloads import ALPHA, CERTIFIED, CRITERIA, Stream, Unavailable, bench, farm, synthetic

SEARCHES = ("exhaustive", CERTIFIED)  # points can be removed from these
MOST_EXHAUSTIVE = 2.0


def run(quick: bool) -> Report:
    """Slide a window of a thousand points over both streams with both exact searches."""
    width = 200 if quick else 1_000
    streams, notes = [synthetic()], []
    try:
        streams.append(farm(1_000 if quick else None))
    except Unavailable as reason:
        notes.append(f"skipped {reason}")
    rows: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    for whole in streams:
        stream = whole.prefix(1_000) if quick else whole
        for criterion in CRITERIA:
            for figure in _measure(stream, criterion, width, quick):
                figures.append({"stream": stream.name, "criterion": criterion, **figure})
                rows.append(_row(figures[-1]))
    notes.append(f"A window of {width:,} points. A step adds a point, removes the oldest and asks for the best split.")
    notes.append("Median (quartiles) of interleaved runs; only steps of the full window are timed.")
    header = ("stream", "criterion", "search", "steps", "µs per step", "× counting", "/ exhaustive", "must")
    panels: dict[str, list[Bar]] = {}
    for figure in figures:
        each = figure["microseconds"]["median"]
        bars = panels.setdefault(f"{figure['stream']}, {figure['criterion']}", [])
        bars.append(Bar(figure["contestant"], each, f"{significant(each)} µs"))
    return Report(
        "window",
        "a window that slides",
        [Table(f"A window of {width:,} points", header, rows)],
        figures,
        lambda canvas: draw_bars(canvas, list(panels.items()), "microseconds per step (log scale)", log=True),
        quick,
        notes,
    )


def _measure(stream: Stream, criterion: str, width: int, quick: bool) -> list[dict[str, Any]]:
    module = bench()
    shape = (stream.n_features, stream.n_classes, width)

    def of(search: str) -> Callable[[], float]:
        return lambda: float(module.window_timed(criterion, search, ALPHA, *stream.arrays, *shape)[0])

    answers = {search: module.window_timed(criterion, search, ALPHA, *stream.arrays, *shape)[1:] for search in SEARCHES}
    if len(set(answers.values())) != 1:
        raise RuntimeError(f"window: the exact searches must agree, got {answers}")
    field = {COUNTING: lambda: float(module.count_window_timed(*stream.arrays, *shape))}
    field |= {search: of(search) for search in SEARCHES}
    seconds = interleaved(field, 2 if quick else repeats_within(field, 4.0, 5, 25))
    steps = stream.n - width
    return [
        {
            "contestant": name,
            "steps": steps,
            "microseconds": quartiles(each / steps * 1e6)._asdict(),
            "times_counting": quartiles(each / seconds[COUNTING])._asdict(),
            "over_exhaustive": quartiles(each / seconds["exhaustive"])._asdict(),
        }
        for name, each in seconds.items()
    ]


def _row(figure: dict[str, Any]) -> tuple[str, ...]:
    over = Quartiles(**figure["over_exhaustive"])
    is_certified = figure["contestant"] == CERTIFIED
    return (
        figure["stream"],
        figure["criterion"],
        figure["contestant"],
        f"{figure['steps']:,}",
        Quartiles(**figure["microseconds"]).show(),
        Quartiles(**figure["times_counting"]).show(),
        over.show() if is_certified else "",
        verdict(over.median, MOST_EXHAUSTIVE) if is_certified else "",
    )
