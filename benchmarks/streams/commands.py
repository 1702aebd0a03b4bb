"""What the command line takes: to start, to train beside reading alone, and to evaluate beside training."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

import sapwood
from benchmarks.micro.measure import interleaved, quartiles, verdict
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import SEED
from sapwood.datasets import make_sparse
from sapwood.evaluate import prequential
from sapwood.stream import ReadAhead, read

from .files import File, clock_seconds, cpu_seconds, svmlight_files

READING = "reading alone"
TRAIN = "train, VFDT"
MOST_TRAINING = 2.0  # times reading alone
MOST_START = 0.5  # seconds
MOST_EVALUATING = 1.0  # microseconds per point more than the same steps in the core
_RECORD = 1000  # points between two records, as `prequential` begins
AHEAD_COLUMNS = ("stream", "file", "reading alone, µs per point", "train, VFDT", "× reading alone", "asked")
EVALUATING_COLUMNS = ("stream", "steps in the core, µs per point", "evaluate", "more", "asked")
STARTS = {
    "sapwood --version": ["--version"],
    "sapwood --help": ["--help"],
    "sapwood train --help": ["train", "--help"],
    "completion": [],
}


def run(quick: bool) -> Report:
    """Measure each step over each file, and the start of the command."""
    notes = [
        "Ratios are of runs next to each other, medians (quartiles).",
        "Reading ahead, the next batches are read in a second thread while one is learned; each is timed by the clock.",
        "Training and evaluating include reading; what the commands add, such as the file of the model, is left out.",
    ]
    rows: list[tuple[str, ...]] = []
    ahead_rows: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for stream, file in svmlight_files(Path(folder), 1000 if quick else 30_000, notes):
            seconds = interleaved(_steps(file), 2 if quick else 5)
            n = sum(len(batch) for batch in read(file.path))
            for name, each in seconds.items():
                of = "train, VFDT" if name.startswith("evaluate") else READING
                ratio = quartiles(each / seconds[of])
                micro = quartiles(1e6 * each / n)
                rows.append((stream, name, micro.show(), f"{ratio.show()} × {of}" if name != of else "–"))
                figures.append(
                    {
                        "stream": stream,
                        "step": name,
                        "microseconds_a_point": micro.median,
                        "ratio": ratio.median,
                        "of": of,
                    }
                )
            for packing, path in (("plain", file.path), ("gz", _packed(file.path))):
                clocks = interleaved(_as_the_command(path), 2 if quick else 7)
                ratio = quartiles(clocks[TRAIN] / clocks[READING])
                alone, ahead = (quartiles(1e6 * clocks[name] / n) for name in (READING, TRAIN))
                asked = verdict(ratio.median, MOST_TRAINING)
                ahead_rows.append((stream, packing, alone.show(), ahead.show(), ratio.show(), asked))
                figures.append({"stream": stream, "packing": packing, "ahead": ratio.median})
    evaluating_rows = _evaluating(3000 if quick else 30_000, 3 if quick else 25, figures)
    starts = interleaved({name: _start(arguments) for name, arguments in STARTS.items()}, 2 if quick else 7)
    start_rows: list[tuple[str, ...]] = [
        (
            name,
            quartiles(each).show(),
            f"< {MOST_START:g} s: {'met' if quartiles(each).median < MOST_START else 'MISSED'}",
        )
        for name, each in starts.items()
    ]
    figures += [{"start": name, "seconds": quartiles(each).median} for name, each in starts.items()]
    return Report(
        "streams-commands",
        "what train and evaluate take beside reading",
        [
            Table("by the clock, reading ahead as train does", AHEAD_COLUMNS, ahead_rows),
            Table("by the processor, in one thread", ("stream", "step", "µs per point", "ratio"), rows),
            Table("evaluating beside the same steps in the core", EVALUATING_COLUMNS, evaluating_rows),
            Table("the start of the command, seconds", ("what", "seconds", "asked"), start_rows),
        ],
        figures,
        lambda figure: _draw(figure, [entry for entry in figures if "step" in entry]),
        quick,
        notes,
    )


def _steps(file: File) -> dict[str, Callable[[], float]]:
    def reading() -> None:
        for _ in read(file.path):
            pass

    def train(kind: type[Any]) -> Any:
        model = kind()
        for batch in read(file.path):
            model.learner.learn(batch)
        return model

    model = train(sapwood.HoeffdingTreeClassifier)

    def predict() -> None:
        for batch in read(file.path):
            model.learner.predict(batch)

    vfdt, efdt = sapwood.HoeffdingTreeClassifier, sapwood.ExtremelyFastDecisionTreeClassifier
    return {
        READING: lambda: cpu_seconds(reading),
        TRAIN: lambda: cpu_seconds(lambda: train(vfdt)),
        "train, EFDT": lambda: cpu_seconds(lambda: train(efdt)),
        "predict, VFDT": lambda: cpu_seconds(predict),
        "evaluate, VFDT": lambda: cpu_seconds(lambda: prequential(vfdt(), read(file.path))),
    }


def _evaluating(n: int, runs: int, figures: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Measure what `prequential` adds to testing and learning batches of the same matrix in the core."""
    X, y = make_sparse(n, 10, 10_000, 0.001, seed=SEED)
    labels = y.tolist()

    def in_the_core() -> None:
        model = sapwood.HoeffdingTreeClassifier()
        batch = model.batch_of(X, labels)
        for start in range(0, n, _RECORD):
            model.learner.test_then_learn(batch.part(start, start + _RECORD), "partial_fit")

    steps: dict[str, Callable[[], float]] = {
        "core": lambda: cpu_seconds(in_the_core),
        "evaluate": lambda: cpu_seconds(lambda: prequential(sapwood.HoeffdingTreeClassifier(), (X, y))),
    }
    micro = {name: 1e6 * each / n for name, each in interleaved(steps, runs).items()}
    more = quartiles(micro["evaluate"] - micro["core"])
    figures.append({"evaluating": "the paper's stream", "microseconds_a_point_more": more.median})
    row = ("the paper's stream", quartiles(micro["core"]).show(), quartiles(micro["evaluate"]).show(), more.show())
    return [(*row, f"≤ {MOST_EVALUATING:g} µs: {'met' if more.median <= MOST_EVALUATING else 'MISSED'}")]


def _packed(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes(), 6))
    return packed


def _as_the_command(path: Path) -> dict[str, Callable[[], float]]:
    def reading() -> None:
        for _ in read(path):
            pass

    def train() -> None:
        model = sapwood.HoeffdingTreeClassifier()
        with read(path, batch_size=4000) as reader, ReadAhead(reader) as ahead:
            for batch in ahead:
                model.learner.learn(batch)

    return {READING: lambda: clock_seconds(reading), TRAIN: lambda: clock_seconds(train)}


def _start(arguments: list[str]) -> Callable[[], float]:
    """Return a function that starts the command, and returns the processor's seconds until its end."""
    program = [sys.executable, "-c", "import sys; sys.argv[0] = 'sapwood'\nfrom sapwood.cli import main; main()"]
    environment = dict(os.environ)
    if not arguments:
        environment |= {"_SAPWOOD_COMPLETE": "complete_bash", "COMP_WORDS": "sapwood tr", "COMP_CWORD": "1"}

    def measure() -> float:
        before = os.times()
        subprocess.run([*program, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)
        after = os.times()
        return after.children_user - before.children_user + after.children_system - before.children_system

    return measure


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    """Draw a group of bars for each stream."""
    streams = list(dict.fromkeys(entry["stream"] for entry in figures))
    steps = list(dict.fromkeys(entry["step"] for entry in figures))
    figure.set_size_inches(9, 0.8 * len(streams) + 1.6)
    axes = figure.subplots()
    height = 0.8 / len(steps)
    for i, step in enumerate(steps):
        values = [entry["microseconds_a_point"] for entry in figures if entry["step"] == step]
        places = [k + (i - (len(steps) - 1) / 2) * height for k in range(len(streams))]
        axes.barh(places, values, height=height * 0.9, label=step)
    axes.set_yticks(range(len(streams)), streams)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("microseconds per point")
    axes.legend(fontsize="small")
