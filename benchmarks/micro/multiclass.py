"""Twenty classes: the certified search against the exhaustive one."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from sapwood.style import COUNTING

from .measure import Quartiles, interleaved, quartiles, significant, verdict
from .pictures import Bar, draw_bars
from .report import Report, Table
from .workloads import (
    CERTIFIED,
    CRITERIA,
    Stream,
    Unavailable,
    contestants,
    counting_seconds,
    search_seconds,
    stored,
)

MOST_EXHAUSTIVE = 2.0


def run(quick: bool) -> Report:
    """Time a prefix of the newsgroups with both searches, and the whole with the certified one."""
    prefix = 200 if quick else 1_000
    rows: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    notes: list[str] = []
    try:
        path = "news20-words/news20-words.multiclass.shuf.svm.gz"
        whole = stored("news20-words", path, 1_000 if quick else None, n_classes=20)
    except Unavailable as reason:
        notes.append(f"skipped {reason}")
    else:
        for stream in (whole.prefix(prefix), whole):
            for criterion in CRITERIA:
                for figure in _measure(stream, criterion, with_exhaustive=stream.n == prefix, quick=quick):
                    figures.append({"stream": stream.name, "criterion": criterion, "points": stream.n, **figure})
                    rows.append(_row(figures[-1]))
    notes.append("20 Newsgroups by words, one class per group, K = 20; the best split asked for after every point.")
    notes.append("Median (quartiles) of interleaved runs. The exhaustive search is too slow for the whole stream.")
    header = ("stream", "criterion", "search", "points", "µs per point", "× counting", "/ exhaustive", "must")

    def draw(canvas: Figure) -> None:
        panels: dict[str, list[Bar]] = {}
        for figure in figures:
            each = figure["microseconds"]["median"]
            which = f"first {prefix:,} points" if figure["points"] == prefix else "all points"
            bars = panels.setdefault(f"{which}, {figure['criterion']}", [])
            bars.append(Bar(figure["contestant"], each, f"{significant(each)} µs"))
        if panels:
            draw_bars(canvas, list(panels.items()), "microseconds per point (log scale)", log=True)

    tables = [Table("K = 20", header, rows)]
    return Report("multiclass", "twenty classes", tables, figures, draw, quick, notes)


def _measure(stream: Stream, criterion: str, *, with_exhaustive: bool, quick: bool) -> list[dict[str, Any]]:
    if with_exhaustive:
        few = stream.prefix(200)
        exact = [search_seconds(few, criterion, name)[1].best() for name in ("exhaustive", CERTIFIED)]
        if exact[0] != exact[1]:
            raise RuntimeError(f"multiclass: certified must answer as exhaustive does, got {exact[1]} for {exact[0]}")
        field = contestants(stream, criterion)
    else:
        field = {
            COUNTING: lambda: counting_seconds(stream),
            CERTIFIED: lambda: search_seconds(stream, criterion, CERTIFIED)[0],
        }
    seconds = interleaved(field, 2 if quick else 3)
    figures = []
    for name, each in seconds.items():
        figure = {
            "contestant": name,
            "microseconds": quartiles(each / stream.n * 1e6)._asdict(),
            "times_counting": quartiles(each / seconds[COUNTING])._asdict(),
        }
        if with_exhaustive and name == CERTIFIED:
            figure["over_exhaustive"] = quartiles(each / seconds["exhaustive"])._asdict()
        figures.append(figure)
    return figures


def _row(figure: dict[str, Any]) -> tuple[str, ...]:
    over = Quartiles(**figure["over_exhaustive"]) if "over_exhaustive" in figure else None
    return (
        figure["stream"],
        figure["criterion"],
        figure["contestant"],
        f"{figure['points']:,}",
        Quartiles(**figure["microseconds"]).show(),
        Quartiles(**figure["times_counting"]).show(),
        "" if over is None else over.show(),
        "" if over is None else verdict(over.median, MOST_EXHAUSTIVE),
    )
