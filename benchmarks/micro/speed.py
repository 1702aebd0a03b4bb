"""What the certified search costs, as a multiple of counting only and beside the other searches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sapwood.style import COUNTING

from .measure import Quartiles, interleaved, quartiles, repeats_within, significant, verdict
from .report import Report, Table
from .speed_picture import draw_speed
from .workloads import (
    ALPHA,
    CERTIFIED,
    CRITERIA,
    Stream,
    Unavailable,
    contestants,
    counting_seconds,
    farm,
    label_sorted,
    narrow_noise,
    noise,
    search_seconds,
    slowest_seconds,
    stored,
    synthetic,
)

EVERY = 200
MOST_EVERY = 1.5  # what asking after every 200th point may cost, over counting only
MOST_EXHAUSTIVE = 2.0  # what any stream may cost, over the exhaustive search
QUICK = 1_000  # points of a quick run


class Course(NamedTuple):
    """A stream to be made, what it may cost over counting only, and how much of it is for the slower searches."""

    make: Callable[[int | None], Stream]
    must: tuple[float, float] | None  # entropy, Gini
    aim: float | None
    prefix: int | None  # None: the whole stream


COURSES = {
    "synthetic": Course(lambda _: synthetic(), (5, 6), 2, None),
    "farm": Course(farm, (8, 10), 2, None),
    "news20-bigrams": Course(
        partial(stored, "news20-bigrams", "news20-bigrams/news20-bigrams.shuf.svm.gz"), (8, 10), 2, 2_000
    ),
    "author-gender.shuf": Course(
        partial(stored, "author-gender.shuf", "author-gender/author-gender.shuf.svm.gz"), (8, 10), 2, 10_000
    ),
    "author-gender.orig": Course(
        partial(stored, "author-gender.orig", "author-gender/author-gender.orig.svm.gz"), (12, 14), 4, 10_000
    ),
    "noise": Course(lambda _: noise(), (30, 45), 10, None),
    "label-sorted": Course(lambda _: label_sorted(), None, None, None),
    "narrow noise": Course(lambda _: narrow_noise(), None, None, None),
}


def run(quick: bool) -> Report:
    """Time every stream whole with the certified search, and a prefix of the long ones with every search."""
    figures: list[dict[str, Any]] = []
    notes: list[str] = []
    for name, course in COURSES.items():
        try:
            stream = course.make(QUICK if quick else None)
        except Unavailable as reason:
            notes.append(f"skipped {reason}")
            continue
        if quick:
            stream = stream.prefix(QUICK)
        for i, criterion in enumerate(CRITERIA):
            # A prefix is another stream, to which what is asked for the whole does not apply.
            must = None if quick or course.must is None else course.must[i]
            targets = {"must": must, "aim": None if quick else course.aim}
            who = {"stream": name, "criterion": criterion, "points": stream.n, "quick": quick, **targets}
            beside = stream if course.prefix is None else stream.prefix(course.prefix)
            figures.append(
                {
                    **who,
                    "whole": _against_counting(stream, criterion, quick),
                    "slowest": _slowest(stream, criterion, quick),
                    "beside": _beside(beside, criterion, quick),
                }
            )
    notes += [
        "Medians (quartiles) of interleaved runs; a ratio is one of neighbours in time, counting the median of five.",
        "fastest: the fastest run over the fastest of counting, which the rest of the machine disturbs least.",
        f"every {EVERY}: the best split asked for after every {EVERY}th point; once: after the last one only.",
        "synthetic is sparse(10000, 10, 10000, 0.001), label-sorted the same with all points of class 0 first.",
        "noise is sparse(20000, 0, 10000, 0.002), narrow noise sparse(20000, 0, 30, 1/3).",
        "The slowest point is that of the best of several runs: an interruption by the machine looks the same.",
        f"α = {ALPHA:g} for the approximate search.",
    ]
    tables = [_whole_table(figures), _beside_table(figures), _slowest_table(figures)]
    return Report("speed", "time to add every point", tables, figures, partial(draw_speed, figures), quick, notes)


def _against_counting(stream: Stream, criterion: str, quick: bool) -> dict[str, Any]:
    """Time counting and the certified search, asked after every point, now and then, and once."""
    field = {
        COUNTING: lambda: counting_seconds(stream),
        CERTIFIED: lambda: search_seconds(stream, criterion, CERTIFIED)[0],
        "seldom": lambda: search_seconds(stream, criterion, CERTIFIED, EVERY)[0],
        "once": lambda: search_seconds(stream, criterion, CERTIFIED, stream.n)[0],
    }
    repeats = 3 if quick else repeats_within(field, 3.0, 9, 51)
    seconds = interleaved(field, repeats)
    return {
        name: {
            "repeats": repeats,
            "microseconds": quartiles(each / stream.n * 1e6)._asdict(),
            "times_counting": quartiles(each / seconds[COUNTING])._asdict(),
            "fastest_over_fastest": float(each.min() / seconds[COUNTING].min()),
        }
        for name, each in seconds.items()
    }


def _slowest(stream: Stream, criterion: str, quick: bool) -> dict[str, float]:
    """Time each point by itself, its query with it; take the run whose slowest point was the least slow."""
    runs = [slowest_seconds(stream, criterion, CERTIFIED) for _ in range(2 if quick else 9)]
    return {
        "mean_microseconds": float(np.median([mean for mean, _ in runs])) * 1e6,
        "slowest_microseconds": min(slowest for _, slowest in runs) * 1e6,
    }


def _beside(stream: Stream, criterion: str, quick: bool) -> dict[str, Any]:
    """Time every search over the same points, once it is clear that the exact ones agree."""
    exact = [search_seconds(stream.prefix(500), criterion, name)[1].best() for name in ("exhaustive", CERTIFIED)]
    if exact[0] != exact[1]:
        raise RuntimeError(f"speed: certified must answer as exhaustive does, got {exact[1]} for {exact[0]}")
    field = contestants(stream, criterion)
    seconds = interleaved(field, 2 if quick else repeats_within(field, 3.0, 3, 15))
    return {
        "points": stream.n,
        "microseconds": {name: quartiles(each / stream.n * 1e6)._asdict() for name, each in seconds.items()},
        "over_exhaustive": quartiles(seconds[CERTIFIED] / seconds["exhaustive"])._asdict(),
        "over_approximate": quartiles(seconds[CERTIFIED] / seconds["approximate"])._asdict(),
    }


def _whole_table(figures: list[dict[str, Any]]) -> Table:
    rows: list[tuple[str, ...]] = []
    for figure in figures:
        counting, certified, seldom, once = figure["whole"].values()
        ratio, seldom_ratio = (Quartiles(**each["times_counting"]) for each in (certified, seldom))
        must, aim = figure["must"], figure["aim"]
        rows.append(
            (
                figure["stream"],
                figure["criterion"],
                f"{figure['points']:,}",
                significant(counting["microseconds"]["median"]),
                ratio.show(),
                significant(certified["fastest_over_fastest"]),
                "report" if must is None else verdict(ratio.median, must),
                "–" if aim is None else verdict(ratio.median, aim),
                seldom_ratio.show(),
                significant(seldom["fastest_over_fastest"]),
                "report" if figure["quick"] else verdict(seldom_ratio.median, MOST_EVERY),
                significant(once["times_counting"]["median"]),
            )
        )
    header = (
        "stream",
        "criterion",
        "points",
        "counting, µs per point",
        "certified, × counting",
        "fastest",
        "must",
        "aim",
    )
    seldom_header = (f"every {EVERY}, × counting", "fastest", "must", "once")
    return Table("Certified against counting only, whole streams", header + seldom_header, rows)


def _beside_table(figures: list[dict[str, Any]]) -> Table:
    rows: list[tuple[str, ...]] = []
    for figure in figures:
        beside = figure["beside"]
        each = {name: significant(value["median"]) for name, value in beside["microseconds"].items()}
        over = Quartiles(**beside["over_exhaustive"])
        rows.append(
            (
                figure["stream"],
                figure["criterion"],
                f"{'first ' if beside['points'] < figure['points'] else ''}{beside['points']:,}",
                each["exhaustive"],
                each["approximate"],
                each[CERTIFIED],
                over.show(),
                "report" if figure["quick"] else verdict(over.median, MOST_EXHAUSTIVE),
                significant(1 / Quartiles(**beside["over_approximate"]).median),
            )
        )
    header = ("stream", "criterion", "points", "exhaustive, µs per point", "approximate", "certified")
    ratios = ("certified / exhaustive", "must", "approximate / certified")
    return Table("Certified beside the other searches", header + ratios, rows)


def _slowest_table(figures: list[dict[str, Any]]) -> Table:
    rows: list[tuple[str, ...]] = []
    for figure in figures:
        mean, slowest = figure["slowest"]["mean_microseconds"], figure["slowest"]["slowest_microseconds"]
        exhaustive = figure["beside"]["microseconds"]["exhaustive"]["median"]
        shown = tuple(significant(each) for each in (mean, slowest, slowest / mean, slowest / exhaustive))
        rows.append((figure["stream"], figure["criterion"], *shown))
    header = (
        "stream",
        "criterion",
        "mean, µs per point",
        "slowest point, µs",
        "slowest / mean",
        "slowest / mean exhaustive",
    )
    return Table("The slowest single add and best of the certified search, whole streams", header, rows)
