"""Streams made to defeat certificates: what the certified search costs there, over the exhaustive search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from sapwood.style import line_style

from .measure import Quartiles, interleaved, quartiles, repeats_within, significant, verdict
from .report import Report, Table
from .workloads import ALPHA, CERTIFIED, CRITERIA, SEED, Stream, bench, search_seconds, stream_of

SEARCHES = ("exhaustive", CERTIFIED)
MOST_EXHAUSTIVE = 2.0
SELDOM = 20  # points from one query to the next, where they are asked seldom


class Points(NamedTuple):
    """The features of points, one row per point, and their classes."""

    on: npt.NDArray[np.bool_]
    labels: npt.NDArray[np.int64]


class Course(NamedTuple):
    """A stream, and the width of the window over it, or None."""

    stream: Stream
    width: int | None


def run(quick: bool) -> Report:
    """Time both exact searches on every hostile stream, asked after every point and seldom."""
    rows: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    for stream, width in _courses(400 if quick else 3_000):
        for criterion in CRITERIA:
            for every in (1, SELDOM) if width is None else (1,):
                over = _over_exhaustive(stream, width, criterion, every, quick)
                figures.append(
                    {
                        "stream": stream.name,
                        "features": stream.n_features,
                        "criterion": criterion,
                        "every": every,
                        "over_exhaustive": over._asdict(),
                    }
                )
                rows.append(_row(figures[-1]))
    header = ("stream", "features", "criterion", "asked every", "certified / exhaustive", "must")
    worst = max(figures, key=lambda figure: figure["over_exhaustive"]["median"])
    named = f"{worst['stream']}, {worst['features']:,} features, {worst['criterion']}"
    notes = [
        "Median (quartiles) of interleaved runs. Asked for is at most twice the exhaustive search, after every point.",
        f"The worst of all: {significant(worst['over_exhaustive']['median'])}, {named}.",
    ]
    return Report(
        "hostile",
        "streams made to defeat certificates",
        [Table("Certified over exhaustive", header, rows)],
        figures,
        partial(_draw, figures),
        quick,
        notes,
    )


def _draw(figures: list[dict[str, Any]], canvas: Figure) -> None:
    """Draw how far each stream, asked after every point, is from what it may cost."""
    asked = [figure for figure in figures if figure["every"] == 1]
    canvas.set_size_inches(9, 1 + 0.2 * len(asked))
    axes = canvas.subplots(1, len(CRITERIA), sharex=True, sharey=True)
    for axis, criterion in zip(axes, CRITERIA, strict=True):
        here = [figure for figure in asked if figure["criterion"] == criterion]
        names = [f"{figure['stream']}, {figure['features']:,}" for figure in here]
        lengths = [figure["over_exhaustive"]["median"] for figure in here]
        axis.barh(names, lengths, color=line_style(CERTIFIED).colour)
        axis.axvline(MOST_EXHAUSTIVE, color="#4d4d4d", linestyle="--")
        axis.set(title=criterion, xlabel="times the exhaustive search")
    axes[0].invert_yaxis()


def _row(figure: dict[str, Any]) -> tuple[str, ...]:
    over = Quartiles(**figure["over_exhaustive"])
    return (
        figure["stream"],
        f"{figure['features']:,}",
        figure["criterion"],
        str(figure["every"]),
        over.show(),
        verdict(over.median, MOST_EXHAUSTIVE) if figure["every"] == 1 else "report",
    )


def _over_exhaustive(stream: Stream, width: int | None, criterion: str, every: int, quick: bool) -> Quartiles:
    def of(search: str) -> Callable[[], float]:
        if width is None:
            return lambda: search_seconds(stream, criterion, search, every)[0]
        shape = (stream.n_features, stream.n_classes, width)
        return lambda: float(bench().window_timed(criterion, search, ALPHA, *stream.arrays, *shape)[0])

    field = {search: of(search) for search in SEARCHES}
    seconds = interleaved(field, 2 if quick else repeats_within(field, 1.0, 5, 25))
    return quartiles(seconds[CERTIFIED] / seconds["exhaustive"])


def _courses(n: int) -> Iterator[Course]:
    for d in (200, 5_000):
        yield Course(_stream("dense noise", _noise(n // 3 if d > 1_000 else n, d, 0.5)), None)
    for d in (200, 2_000):
        yield Course(_stream("classes that swing", _swinging(n, d)), None)
        yield Course(_stream("features all alike", _alike(n, d)), None)
        yield Course(_stream("a best that falls", _falling(n, d)), None)
        yield Course(_stream("a best that moves on", _moving(n, d)), None)
        yield Course(_stream("a rare class", _rare(n, d)), None)
    for width in (20, 100, 500):
        yield Course(_stream(f"noise, a window of {width}", _noise(n, 200, 0.1)), min(width, n // 2))


def _stream(name: str, points: Points) -> Stream:
    X = csr_array(points.on)
    return stream_of(name, X.indptr, X.indices, points.labels, points.on.shape[1])


def _noise(n: int, d: int, q: float) -> Points:
    """Return features of which a share q is on, with no bearing on the label."""
    random = np.random.default_rng(SEED)
    return Points(random.random((n, d)) < q, random.integers(0, 2, n))


def _swinging(n: int, d: int) -> Points:
    """Return noise whose classes come in runs, each half as long again as the last, so that their ratio never rests."""
    labels = np.empty(n, dtype=np.int64)
    start, length, label = 0, 4, 0
    while start < n:
        labels[start : start + length] = label
        start, length, label = start + length, length + length // 2 + 1, 1 - label
    return Points(_noise(n, d, 0.1).on, labels)


def _alike(n: int, d: int) -> Points:
    """Return points that have all features or none, so that all features tie at all times."""
    whole = _noise(n, 1, 0.5)
    return Points(np.repeat(whole.on, d, axis=1), whole.labels)


def _falling(n: int, d: int) -> Points:
    """Return features that go with a class for a while and against it for as long, each at its own pace."""
    noise = _noise(n, d, 1 / 3)
    i, j = np.arange(n)[:, np.newaxis], np.arange(d)[np.newaxis, :]
    goes_with = (i // (50 + j)) % 2 == noise.labels[:, np.newaxis]
    return Points((i % 7 == j % 7) & (goes_with | noise.on), noise.labels)


def _moving(n: int, d: int) -> Points:
    """Return noise in which another feature is the label every three points."""
    on, labels = _noise(n, d, 0.05)
    i = np.arange(n)
    on[i, i // 3 % d] = labels == 1
    return Points(on, labels)


def _rare(n: int, d: int) -> Points:
    """Return noise with a point of class 1 in two hundred."""
    return Points(_noise(n, d, 0.05).on, (np.arange(n) % 200 == 7).astype(np.int64))
