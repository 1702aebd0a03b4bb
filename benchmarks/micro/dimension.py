"""Time a point while the number of features grows and the number that is on in a point stays the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from sapwood import CRITERIA
from sapwood.style import COUNTING

from .measure import Quartiles, interleaved, quartiles
from .pictures import style_of
from .report import Report
from .workloads import Stream, contestants, synthetic

FLAT = 2.0  # what the slowest time a point may be, over the fastest


def run(quick: bool) -> Report:
    """Time sparse(n, 10, d2, 10 / d2) for d2 from a thousand to a million."""
    n = 1_000 if quick else 10_000
    sizes = [1_000, 10_000, 100_000] if quick else [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
    streams = {d2: synthetic(n, 10, d2, 10.0 / d2) for d2 in sizes}
    seen = {d2: int(np.unique(stream.indices).size) for d2, stream in streams.items()}
    figures: list[dict[str, Any]] = []
    notes: list[str] = []
    for criterion in CRITERIA:
        for name, each in _measure(streams, criterion, quick).items():
            for d2, microseconds in each.items():
                who = {"criterion": criterion, "contestant": name, "d2": d2, "features_seen": seen[d2]}
                fastest = float(microseconds.min())
                figures.append({**who, "microseconds": quartiles(microseconds)._asdict(), "fastest": fastest})
            notes.append(_flatness(criterion, name, each))
    table: list[tuple[str, ...]] = [
        (
            f"{f['d2']:,}",
            f"{f['features_seen']:,}",
            f["criterion"],
            f["contestant"],
            Quartiles(**f["microseconds"]).show(),
        )
        for f in figures
    ]
    notes.append(f"{n:,} points of sparse(n, 10, d2, 10 / d2), median (quartiles) of interleaved runs, α = 0.1.")
    notes.append("Sizes are compared by the fastest run of each.")
    header = ("d2", "features seen", "criterion", "search", "microseconds a point")
    title = "time a point as the features grow"
    return Report("dimension", title, header, table, figures, lambda canvas: _draw(canvas, figures), quick, notes)


def _measure(streams: dict[int, Stream], criterion: str, quick: bool) -> dict[str, dict[int, npt.NDArray[np.float64]]]:
    """Return microseconds a point by contestant and d2, all sizes of a contestant in every round.

    The exhaustive search, for which no precision is wanted, takes most of the time and so has fewer rounds.
    """
    fields = {d2: contestants(stream, criterion) for d2, stream in streams.items()}
    names = list(next(iter(fields.values())))
    for name in names:
        fields[min(fields)][name]()  # the warm-up
    found = {}
    for name in names:
        rounds = 3 if quick or name == "exhaustive" else 9
        seconds = interleaved({str(d2): field[name] for d2, field in fields.items()}, rounds)
        found[name] = {d2: seconds[str(d2)] / stream.n * 1e6 for d2, stream in streams.items()}
    return found


def _flatness(criterion: str, name: str, each: dict[int, npt.NDArray[np.float64]]) -> str:
    """Say how much slower the slowest size is than the fastest, each judged by its fastest round.

    The work of a round is the same each time, so what makes one slower than another is the rest of the machine.
    """
    fastest = [float(rounds.min()) for rounds in each.values()]
    spread = max(fastest) / min(fastest)
    wanted = ""
    if name == "approximate":
        wanted = f" (wanted: at most {FLAT:g}; {'met' if spread <= FLAT else 'MISSED'})"
    return f"{criterion}, {name}: slowest size over fastest size {spread:.2f}{wanted}"


def _names(figures: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(figure["contestant"] for figure in figures))


def _line(figures: list[dict[str, Any]], criterion: str, name: str) -> tuple[list[int], list[float]]:
    chosen = [f for f in figures if f["criterion"] == criterion and f["contestant"] == name]
    return [f["d2"] for f in chosen], [f["fastest"] for f in chosen]


def _draw(canvas: Figure, figures: list[dict[str, Any]]) -> None:
    canvas.set_size_inches(6.4 * len(CRITERIA), 4.8)
    axes = canvas.subplots(1, len(CRITERIA), sharey=True, squeeze=False)[0]
    for axis, criterion in zip(axes, CRITERIA, strict=True):
        for name in _names(figures):
            sizes, each = _line(figures, criterion, name)
            style = style_of(name)
            axis.plot(sizes, each, color=style.colour, linestyle=style.dashes, marker="o", markersize=5)
            axis.annotate(
                "counting only" if name == COUNTING else name,
                (sizes[-1], each[-1]),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                color=style.colour,
                fontweight="bold",
                annotation_clip=False,
            )
        axis.set(xscale="log", yscale="log", title=criterion, xlabel="noise features d2 (10 of them on in a point)")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.xaxis.set_major_formatter("{x:,.0f}")
    axes[0].set_ylabel("microseconds a point, fastest run")
