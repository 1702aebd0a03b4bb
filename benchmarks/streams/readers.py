"""How fast streams are read: bytes of plain text per second, in every format and compression."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.micro.measure import Quartiles, interleaved, quartiles, significant
from benchmarks.micro.report import Report, Table
from sapwood.stream import read

from .files import File, compressed, cpu_seconds, formats, svmlight_files

LEAST = 300.0  # of plain svmlight, in MB/s on one core


def run(quick: bool) -> Report:
    """Read every file, and time it."""
    n = 2000 if quick else 100_000
    notes = [
        "MB: a million bytes of the text, unpacked. Medians (quartiles) of interleaved runs.",
        "Seconds are the processor's, in one thread; files are in the cache of the system.",
        "Passed over: as by --resume, of what has been learned; bad lines are found, and nothing else is done.",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = dict(svmlight_files(folder, n, notes))
        packed = dict(compressed(folder, plain["texts"], notes))
        others = dict(formats(folder, n // 10))
        groups = {
            "svmlight, plain": {what: (file, 0) for what, file in plain.items()},
            "svmlight, passed over": {"texts": (plain["texts"], _points(plain["texts"]))},
            "svmlight, compressed": {what: (file, 0) for what, file in packed.items()},
            "other formats": {what: (file, 0) for what, file in others.items()},
            "other formats, passed over": {what: (file, _points(file)) for what, file in others.items()},
        }
        rows: list[tuple[str, ...]] = []
        figures: list[dict[str, Any]] = []
        for group, files in groups.items():
            contestants = {what: _reading(file, start) for what, (file, start) in files.items()}
            for what, seconds in interleaved(contestants, 2 if quick else 9).items():
                file = files[what][0]
                rate = quartiles(file.n_bytes / seconds / 1e6)
                points = _points(file) / float(quartiles(seconds).median)
                must = f"≥ {LEAST:g}: {'met' if rate.median >= LEAST else 'MISSED'}" if "plain" in group else "–"
                rows.append((group, what, significant(file.n_bytes / 1e6), rate.show(), significant(points), must))
                figures.append(_figure(group, what, rate, points))
    header = ("what", "stream", "MB", "MB/s", "points/s", "asked")
    return Report(
        "streams-readers",
        "how fast streams are read",
        [Table("reading, on one core", header, rows)],
        figures,
        lambda figure: draw_rates(figure, figures),
        quick,
        notes,
    )


def _points(file: File) -> int:
    return sum(len(batch) for batch in read(file.path))


def _reading(file: File, start: int) -> Callable[[], float]:
    def work() -> None:
        for _ in read(file.path, start=start):
            pass

    return lambda: cpu_seconds(work)


def _figure(group: str, what: str, rate: Quartiles, points: float) -> dict[str, Any]:
    return {"what": group, "stream": what, "megabytes_a_second": rate._asdict(), "points_a_second": points}


def draw_rates(figure: Figure, figures: list[dict[str, Any]]) -> None:
    """Draw a bar for each file that was read."""
    names = [f"{entry['what']}: {entry['stream']}" for entry in figures]
    rates = [entry["megabytes_a_second"]["median"] for entry in figures]
    figure.set_size_inches(9, 0.4 * len(names) + 1.2)
    axes = figure.subplots()
    bars = axes.barh(names, rates, color="0.4")
    axes.bar_label(bars, labels=[f" {significant(rate)}" for rate in rates], fontsize="small")
    axes.axvline(LEAST, color="0.2", linestyle=":", linewidth=1)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel("MB of plain text per second; dotted: what is asked of svmlight")
