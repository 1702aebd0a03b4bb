"""Time per point as the features grow, with as many of them on in a point, and as the points grow."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sapwood import _timing
from sapwood.style import COUNTING

from .measure import Figures, Quartiles, interleaved, quartiles, significant
from .pictures import draw_lines
from .report import Report, Table
from .workloads import CERTIFIED, CRITERIA, Stream, contestants, counting_seconds, fresh, searches_for, synthetic

FLAT = 2.0  # what the slowest time per point may be over the fastest, as the features grow


def run(quick: bool) -> Report:
    """Time sparse(20000, 10, d2, 10 / d2) for d2 to ten million, and sparse(n, 10, 10000, 0.001) for n to a million."""
    notes: list[str] = []
    features = _as_features_grow(quick, notes)
    points = _as_points_grow(quick)
    notes += [
        "Medians (quartiles) of interleaved runs, a single one of the exhaustive search.",
        "fastest: the fastest run, by which sizes are compared; × counting: over the fastest of counting.",
        "With ten million features nearly all that are on in a point are new, and the search makes room for them.",
        "Counting has room for all features before its clock starts.",
        "As the points grow, the time is that of the points since the row above, not of all points so far.",
    ]
    drawn = [
        (f"{criterion}, {'features' if figures is features else 'points'} grow", label, _lines(figures, criterion, key))
        for figures, key, label in (
            (features, "d2", "noise features d2 (10 of them on in a point)"),
            (points, "points", "points n (of 10,010 features)"),
        )
        for criterion in CRITERIA
    ]
    tables = [
        _table("µs per point as the features grow", features, {"d2": "d2", "features seen": "features_seen"}),
        _table("µs per point as the points grow", points, {"points": "points"}),
    ]
    draw = partial(draw_lines, drawn, "µs per point, fastest run")
    return Report("scaling", "time per point as the stream grows", tables, features + points, draw, quick, notes)


def _as_features_grow(quick: bool, notes: list[str]) -> list[dict[str, Any]]:
    n = 1_000 if quick else 20_000
    sizes = [1_000, 100_000, 10_000_000] if quick else [10**3, 10**4, 10**5, 10**6, 10**7]
    streams = {d2: synthetic(n, 10, d2, 10.0 / d2) for d2 in sizes}
    seen = {d2: int(np.unique(stream.indices).size) for d2, stream in streams.items()}
    figures = []
    for criterion in CRITERIA:
        each = _by_size(streams, criterion, quick)
        for name, by_size in each.items():
            for d2, microseconds in by_size.items():
                counting = each[COUNTING][d2]
                who = {"criterion": criterion, "contestant": name, "d2": d2, "features_seen": seen[d2], "points": n}
                figures.append({**who, **_figures(microseconds, counting)})
            notes.append(_flatness(criterion, name, by_size))
    return figures


def _by_size(streams: dict[int, Stream], criterion: str, quick: bool) -> dict[str, dict[int, Figures]]:
    """Return microseconds per point by contestant and size, all sizes of a contestant in every round.

    The exhaustive search, for which no precision is wanted, takes most of the time and so has a single round.
    """
    fields = {d2: contestants(stream, criterion) for d2, stream in streams.items()}
    names = [COUNTING, *searches_for(next(iter(streams.values())), criterion)]
    found = {}
    for name in names:
        rounds = 1 if name == "exhaustive" else 2 if quick else 5 if name == "approximate" else 11
        seconds = interleaved({str(d2): field[name] for d2, field in fields.items()}, rounds)
        found[name] = {d2: seconds[str(d2)] / stream.n * 1e6 for d2, stream in streams.items()}
    return found


def _flatness(criterion: str, name: str, by_size: dict[int, Figures]) -> str:
    """Say how much slower the slowest size is than the fastest, each judged by its fastest round.

    The work of a round is the same each time, so what makes one slower than another is the rest of the machine.
    """
    fastest = [float(rounds.min()) for rounds in by_size.values()]
    spread = max(fastest) / min(fastest)
    wanted = ""
    if name in ("approximate", CERTIFIED):
        wanted = f" (wanted: at most {FLAT:g}; {'met' if spread <= FLAT else 'MISSED'})"
    return f"{criterion}, {name}: slowest number of features over fastest {spread:.2f}{wanted}"


def _as_points_grow(quick: bool) -> list[dict[str, Any]]:
    ends = [1_000, 3_000, 10_000] if quick else [10**3, 3 * 10**3, 10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6]
    stream = synthetic(ends[-1])
    # What a search that looks at everything needs for more points than these is known from these.
    longest = {"exhaustive": 30_000, "approximate": 300_000}
    figures = []
    for criterion in CRITERIA:
        names = [COUNTING, *searches_for(stream, criterion)]
        rounds = {name: 1 if name == "exhaustive" else 2 if quick or name == "approximate" else 7 for name in names}
        some = {name: [end for end in ends if end <= longest.get(name, ends[-1])] for name in names}
        each: dict[str, list[Figures]] = {name: [] for name in names}
        counting_seconds(stream)  # the warm-up
        for turn in range(max(rounds.values())):
            for name in names:
                if turn < rounds[name]:
                    each[name].append(_stretches(stream, criterion, name, some[name]))
        counting = np.array(each[COUNTING])
        for name in names:
            stretches = np.array(each[name])
            for i, end in enumerate(some[name]):
                who = {"criterion": criterion, "contestant": name, "points": end, "d2": 10_000}
                figures.append({**who, **_figures(stretches[:, i], counting[:, i])})
    return figures


def _stretches(stream: Stream, criterion: str, name: str, ends: list[int]) -> Figures:
    """Return microseconds per point between one end and the next."""
    part = stream.prefix(ends[-1])
    marks = np.array(ends, dtype=np.int64)
    if name == COUNTING:
        seconds = _timing.count_timed(*part.arrays, part.n_features, marks)
    else:
        seconds = _timing.run_timed(fresh(part, criterion, name), *part.arrays, 1, marks)
    each: Figures = np.diff(seconds, prepend=0.0) / np.diff(marks, prepend=0) * 1e6
    return each


def _figures(microseconds: Figures, counting: Figures) -> dict[str, Any]:
    fastest = float(microseconds.min())
    return {
        "microseconds": quartiles(microseconds)._asdict(),
        "fastest": fastest,
        "times_counting": fastest / float(counting.min()),
    }


def _table(title: str, figures: list[dict[str, Any]], keys: dict[str, str]) -> Table:
    """Return a row for each size and criterion, a column for each contestant; `keys` name the size, by header."""
    names = list(dict.fromkeys(figure["contestant"] for figure in figures))
    sizes: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for figure in sorted(figures, key=lambda figure: CRITERIA.index(figure["criterion"])):
        size = (figure["criterion"], *(f"{figure[key]:,}" for key in keys.values()))
        sizes.setdefault(size, {})[figure["contestant"]] = figure
    rows = [
        (
            *size,
            *(Quartiles(**each[name]["microseconds"]).show() if name in each else "–" for name in names),
            significant(each[CERTIFIED]["fastest"]),
            significant(each[CERTIFIED]["times_counting"]),
        )
        for size, each in sizes.items()
    ]
    return Table(title, ("criterion", *keys, *names, "certified, fastest", "× counting"), rows)


def _lines(figures: list[dict[str, Any]], criterion: str, key: str) -> dict[str, tuple[list[int], list[float]]]:
    lines: dict[str, tuple[list[int], list[float]]] = {}
    for figure in figures:
        if figure["criterion"] == criterion:
            places, each = lines.setdefault(figure["contestant"], ([], []))
            places.append(figure[key])
            each.append(figure["fastest"])
    return lines
