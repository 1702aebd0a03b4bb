"""How fast streams are read and learned beside what users have: scikit-learn, pandas, pyarrow and Vowpal Wabbit."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.micro.measure import interleaved, quartiles, significant
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import SEED
from sapwood.datasets import make_text
from sapwood.learner import make_learner
from sapwood.parameters import TREES
from sapwood.stream import read, write_svmlight

from .files import File, arff_tables, cpu_seconds, english, mixed_table, objects, svmlight, vowpal_wabbit

ASKED = {"svmlight": 300.0, "text, up to ids": 250.0, "csv": 200.0, "jsonl": 200.0}  # MB/s on one core
OURS = "sapwood"
PEER = "Vowpal Wabbit"
WORDS_PER_TEXT = 137
EXPONENTS = (1.1, 0.5)
# It is a program of its own elsewhere: the time to start Python and to import it is left out.
_VOWPAL_WABBIT = """
import sys, time, vowpalwabbit
start = time.process_time()
options = f"-d {sys.argv[1]} -f {sys.argv[2]} --loss_function logistic -b 18 --quiet"
vowpalwabbit.Workspace(options).finish()
print(time.process_time() - start)
"""


def run(quick: bool) -> Report:
    """Read the same files with every reader that is there; train on the same texts with every learner."""
    notes = [
        "MB: a million bytes. Medians (quartiles) of interleaved runs; seconds of the processor.",
        "Text, up to ids: words are looked up in a model that has met them; CountVectorizer has its vocabulary fixed.",
        "Training: the whole command, from its start to the saved model; of Vowpal Wabbit without the start of Python.",
    ]
    n = 1000 if quick else 50_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows, figures = _reading(folder, n, 2 if quick else 5, notes)
        training = _training(folder, n, 1 if quick else 3, notes)
    return Report(
        "streams-peers",
        "streams beside what users have",
        [
            Table("reading", ("format", "reader", "MB/s", "× sapwood", "asked"), rows),
            Table("training on texts", ("texts", "command", "seconds of the processor", "× Vowpal Wabbit"), training),
        ],
        figures,
        lambda figure: draw(figure, figures),
        quick,
        notes,
    )


def _reading(folder: Path, n: int, runs: int, notes: list[str]) -> tuple[list[tuple[str, ...]], list[dict[str, Any]]]:
    rows: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    for kind, file, readers in _contests(folder, n, notes):
        seconds = interleaved({who: _timed(work) for who, work in readers.items()}, runs)
        for who, each in seconds.items():
            rate = quartiles(file.n_bytes / each / 1e6)
            ratio = quartiles(each / seconds[OURS])
            least = ASKED.get(kind) if who == OURS else None
            asked = "–" if least is None else f"≥ {least:g}: {'met' if rate.median >= least else 'MISSED'}"
            rows.append((kind, who, rate.show(), "–" if who == OURS else significant(ratio.median), asked))
            figures.append({"format": kind, "reader": who, "megabytes_a_second": rate._asdict()})
    return rows, figures


def _timed(work: Callable[[], object]) -> Callable[[], float]:
    return lambda: cpu_seconds(work)


def _contests(folder: Path, n: int, notes: list[str]) -> Iterator[tuple[str, File, dict[str, Callable[[], object]]]]:
    """Yield each format with a file and all who read it."""
    from sklearn.datasets import load_svmlight_file
    from sklearn.feature_extraction.text import CountVectorizer

    texts = svmlight(folder, "read", *make_text(n, seed=SEED))
    yield (
        "svmlight",
        texts,
        {
            OURS: lambda: _read_all(texts.path),
            "scikit-learn, load_svmlight_file": lambda: load_svmlight_file(str(texts.path)),
        },
    )
    words = english(folder, n)
    model = make_learner(TREES[0], {each.name: each.default for each in TREES[0].parameters})
    for batch in read(words.path, format="text"):
        model.learn(batch)
    spoken = [line.partition("\t")[2] for line in words.path.read_text(encoding="utf-8").splitlines()]
    vectorizer = CountVectorizer().fit(spoken)
    yield (
        "text, up to ids",
        words,
        {
            OURS: lambda: _find_ids(words.path, model),
            "scikit-learn, CountVectorizer.transform": lambda: vectorizer.transform(spoken),
        },
    )
    table = mixed_table(folder, 4 * n)
    dicts = objects(folder, 2 * n)
    yield "csv", table, {OURS: lambda: _read_all(table.path), **_table_readers("csv", table, notes)}
    yield "jsonl", dicts, {OURS: lambda: _read_all(dicts.path), **_table_readers("json", dicts, notes)}
    lines = vowpal_wabbit(texts)
    yield "vw", lines, {OURS: lambda: _read_all(lines.path)}
    for name, arff in arff_tables(folder, 2 * n):
        yield f"arff, {name}", arff, {OURS: partial(_read_all, arff.path)}


def _table_readers(kind: str, file: File, notes: list[str]) -> dict[str, Callable[[], object]]:
    found: dict[str, Callable[[], object]] = {}
    if find_spec("pandas") is not None:
        import pandas as pd

        if kind == "csv":
            found["pandas, read_csv"] = lambda: pd.read_csv(file.path)
        else:
            found["pandas, read_json"] = lambda: pd.read_json(file.path, lines=True)
    if find_spec("pyarrow") is None:
        notes.append("Skipped: pyarrow, which is not installed; install the extra 'peers'.")
        return found
    import pyarrow.csv
    import pyarrow.json

    if kind == "csv":
        one = pyarrow.csv.ReadOptions(use_threads=False)
        found["pyarrow, read_csv"] = lambda: pyarrow.csv.read_csv(file.path, read_options=one)
    else:
        single = pyarrow.json.ReadOptions(use_threads=False)
        found["pyarrow, read_json"] = lambda: pyarrow.json.read_json(file.path, read_options=single)
    return found


def _read_all(path: Path) -> None:
    for _ in read(path):
        pass


def _find_ids(path: Path, learner: Any) -> None:
    for batch in read(path, format="text"):
        learner.model.rows(batch, make=False)


# ---- training -------------------------------------------------------------------------------------------------------


def _training(folder: Path, n: int, runs: int, notes: list[str]) -> list[tuple[str, ...]]:
    """Train by the command on texts of 137 words, beside Vowpal Wabbit on the same points in its own format.

    With the words of a language a text has 86 different ones; where all are about as frequent, nearly 137.
    """
    rows: list[tuple[str, ...]] = []
    for exponent in EXPONENTS:
        X, y = make_text(n, length=WORDS_PER_TEXT, exponent=exponent, seed=SEED)
        path = folder / "train.svm"
        with path.open("wb") as file:
            write_svmlight(file, X, y)
        stream = f"{path.stat().st_size / 1e6:.0f} MB, {X.nnz / n:.0f} different words"
        seconds = interleaved(_learners(path, folder, notes), runs)
        peer = seconds.get(PEER)
        rows += [
            (stream, name, quartiles(each).show(), "–" if peer is None else quartiles(each / peer).show())
            for name, each in seconds.items()
        ]
    return rows


def _learners(path: Path, folder: Path, notes: list[str]) -> dict[str, Callable[[], float]]:
    command = [sys.executable, "-c", "from sapwood.cli import main; main()", "train", str(path), "--quiet"]
    model = ["--model", str(folder / "m.sapwood"), "--force"]
    programs = {
        "sapwood train": [*command, *model],
        "sapwood train --leaf-prediction logistic": [*command, *model, "--leaf-prediction", "logistic"],
    }
    if find_spec("vowpalwabbit") is None:
        notes.append("Skipped: Vowpal Wabbit, which is not installed; install the extra 'peers'.")
    else:
        lines = vowpal_wabbit(File(path, path.stat().st_size)).path
        programs[PEER] = [sys.executable, "-c", _VOWPAL_WABBIT, str(lines), str(folder / "m.vw")]
    return {name: _program(arguments, told=name == PEER) for name, arguments in programs.items()}


def _program(arguments: list[str], *, told: bool) -> Callable[[], float]:
    """Return what runs a program and gives its processor time, all of it or what it tells."""
    # What is installed has its bytecode beside it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def timed() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        output = subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if told:
            return float(output.split()[-1])
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return timed


def draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    """Draw a bar for each reader."""
    names = [f"{entry['format']}: {entry['reader']}" for entry in figures]
    rates = [entry["megabytes_a_second"]["median"] for entry in figures]
    figure.set_size_inches(9, 0.4 * len(names) + 1.2)
    axes = figure.subplots()
    bars = axes.barh(names, rates, color=["0.2" if entry["reader"] == OURS else "0.6" for entry in figures])
    axes.bar_label(bars, labels=[f" {significant(rate)}" for rate in rates], fontsize="small")
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel("MB per second of the processor")
