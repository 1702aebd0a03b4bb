"""Readers of every format, evaluation, and the command line."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tempfile
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from golden.case import enter
from golden.choices import BOLD, IN_BYTES, LEARNERS, NEW_PARAMETERS
from golden.digest import digest
from golden.points import matrix, points_of

if TYPE_CHECKING:
    from golden.case import Fields


SVMLIGHT = b"# a remark\n1 3:1 7:0.5\n-1 4:1 # another\n\n1\n-1 1:0 2:2 9:1e-3\n2.5 3:1\n"
CSV = b'sky;wind;wet;class\nblue;0.5;1;go\n;2;0;stay\n"gr;ey";-1;1;stay\nblue;;0;go\n'
JSONL = (
    b'{"label": "a", "x": 1, "y": true, "z": "red"}\n{"label": 2, "x": 0, "y": false, "tags": ["p", "q"]}\n'
    b'{"label": null, "w": 0.25, "z": "blue"}\n'
)
TEXT = "spam\tWin a prize, win now!\nham\tSee you now, café at 5\nham\t\nspam\tPRIZE prize Ünïcode\n".encode()
BAD = b"1 3:1\n1 5:1 4:1\nx 3:1\n-1 2:1\n1 3:one\n"
READ: dict[str, tuple[bytes, dict[str, Any]]] = {
    "svmlight": (SVMLIGHT, {}),
    "svmlight_binarize": (SVMLIGHT, {"binarize": 0.5}),
    "svmlight_batches_start": (SVMLIGHT, {"batch_size": 2, "start": 1}),
    "svmlight_n_features": (SVMLIGHT, {"n_features": 12, "format": "svmlight"}),
    "svmlight_bad_lines": (BAD, {"on_error": "skip"}),
    "svmlight_stopped": (BAD, {}),
    "csv": (CSV, {"format": "csv"}),
    "csv_label": (CSV, {"format": "csv", "label": "wet", "ignore": ["sky"], "delimiter": ";"}),
    "csv_unlabelled": (CSV, {"format": "csv", "labelled": False, "label": "class"}),
    "jsonl": (JSONL, {"on_error": "skip"}),
    "jsonl_label": (JSONL, {"label": "z", "ignore": ["label"], "on_error": "skip"}),
    "text": (TEXT, {}),
    "text_hashed": (TEXT, {"n_features": 64}),
    "text_unlabelled": (TEXT, {"labelled": False, "format": "text"}),
    "gzip": (gzip.compress(SVMLIGHT, mtime=0), {}),
    "bzip2": (bz2.compress(TEXT), {}),
    "xz": (lzma.compress(JSONL), {"on_error": "skip"}),
}


def all_read(data: bytes, options: dict[str, Any]) -> Fields:
    """Return the points of a stream, and how it ended."""
    from sapwood.stream import StreamError, read

    points: list[Any] = []
    sizes: list[Any] = []
    ended = "at its end"
    with read(io.BytesIO(data), **options) as reader:
        try:
            for batch in reader:
                points.extend(batch.points())
                sizes.append([len(batch), batch.first_line, batch.n_features, batch.y.dtype.kind, batch.indptr])
        except StreamError as error:
            ended = str(error)
        told = [reader.format, reader.compression, reader.n_lines, reader.position, reader.errors]
    return {
        "end": f"{reader.n_points} points in {reader.format}, {reader.errors.count} bad, ended {ended}",
        "points": digest(points),
        "batches": digest(sizes),
        "reader": digest(told),
    }


def text_of_bigrams() -> Fields:
    """Read text with a vectorizer of scikit-learn."""
    vectorizer = import_module("sklearn.feature_extraction.text").CountVectorizer(ngram_range=(1, 2), lowercase=False)
    return all_read(TEXT, {"vectorizer": vectorizer})


def written() -> Fields:
    """Write a stream in the svmlight format, and read it again."""
    from sapwood.stream import write_svmlight

    X, y = matrix([(features, label) for features, label in points_of(100, 3, 44)])
    file = io.BytesIO()
    write_svmlight(file, X, y)
    return {"bytes": digest(file.getvalue()), **all_read(file.getvalue(), {})}


def generated() -> Fields:
    """Generate the synthetic streams of the package."""
    from sapwood.datasets import make_sparse, make_text

    X, y = make_sparse(n=400, d1=5, d2=300, q=0.02, seed=3)
    T, z = make_text(n=300, d=200, seed=4)
    return {
        "sparse": digest([X.indptr, X.indices, y]),
        "text": digest([T.indptr, T.indices, z]),
        "end": f"{X.nnz} and {T.nnz} features on",
    }


def as_recorded(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a model without the new ones."""
    return {name: value for name, value in parameters.items() if name not in NEW_PARAMETERS}


def rounded(value: float) -> float:
    """Return ten digits: NumPy chooses its logarithms and sums by the processor, and they differ in the last bits."""
    return float(f"{value:.10g}")


def evaluated(learner: str, way: str) -> Fields:
    """Test then train, from a matrix, from points or from batches; times and memory are left out."""
    from sapwood.evaluate import prequential
    from sapwood.stream import read, write_svmlight

    stream = points_of(900, 3, 45, drift=500)
    X, y = matrix(stream)
    model = LEARNERS[learner](**BOLD)
    given: Any = (X, y)
    options: dict[str, Any] = {"window": 200, "fading": 0.99, "every": 150}
    if way == "points":
        given = [([f"w{j}" for j in features], "abc"[label]) for features, label in stream]
    elif way == "batches":
        file = io.BytesIO()
        write_svmlight(file, X, y)
        given, options = read(io.BytesIO(file.getvalue()), batch_size=128), {"positive": 1}
    found = prequential(model, given, **options)
    told = found.to_dict()
    untimed = {name: told[name] for name in ("model", "parameters", "settings", "n", "interrupted", "classes")}
    untimed["parameters"] = as_recorded(untimed["parameters"])
    records = {
        name: [None if value is None else rounded(value) for value in column]
        for name, column in sorted(told["records"].items())
        if name not in (*IN_BYTES, "seconds", "points_per_second")
    }
    return {
        "accuracy": f"{found['accuracy']:.4f}",
        "log_loss": f"{found['log_loss']:.4f}",
        "metrics": digest(sorted((name, rounded(value)) for name, value in told["metrics"].items())),
        "records": digest(records),
        "columns": sorted(records),
        "run": digest(untimed),
        "confusion": digest(told["confusion"]),
        "splits": digest(told["splits"]),
        "tally": digest(sorted(told["tally"].items())),
        "tree": digest(model.to_dict()),
    }


AS_THEN = ["--leaf-prediction", "adaptive"]
COMMANDS: dict[str, tuple[str, list[str]]] = {
    "svmlight_vfdt": ("svm", ["--learner", "vfdt", "--delta", "0.2", "--tau", "0.2", *AS_THEN]),
    "svmlight_efdt": ("svm", ["--learner", "efdt", "--delta", "0.2", "--tau", "0.2", "--criterion", "gini", *AS_THEN]),
    "svmlight_seed": ("svm", ["--learner", "vfdt", "--tau", "0.3", "--seed", "4", "--leaf-prediction", "naive_bayes"]),
    "text_vfdt": ("tsv", ["--learner", "vfdt", "--tau", "0.3", "--ngrams", "2", *AS_THEN]),
    "text_hashed_efdt": ("tsv", ["--learner", "efdt", "--tau", "0.3", "--n-features", "128", *AS_THEN]),
    "csv_vfdt": (
        "csv",
        ["--learner", "vfdt", "--tau", "0.3", "--label", "class", "--split-test", "gaussian", *AS_THEN],
    ),
    "jsonl_efdt": ("jsonl", ["--learner", "efdt", "--tau", "0.3", "--search", "exhaustive", *AS_THEN]),
}


def file_in(form: str) -> bytes:
    """Return a small stream in a format, by its extension."""
    stream = points_of(600, 2, 46)
    names = ("ham", "spam")
    if form == "svm":
        lines = [" ".join([str(2 * y - 1), *(f"{j}:1" for j in f)]) for f, y in stream]
    elif form == "tsv":
        lines = [f"{names[y]}\t{' '.join(f'word{j}' for j in f)}" for f, y in stream]
    elif form == "csv":
        rows = [[str(int(j in f)) for j in (1, 30, 31, 40)] + ["on" if 41 in f else "off", names[y]] for f, y in stream]
        lines = ["a,b,c,d,e,class", *map(",".join, rows)]
    else:
        lines = [json.dumps({"label": names[y], **{f"k{j}": True for j in f}}) for f, y in stream]
    return "".join(line + "\n" for line in lines).encode()


def commanded(form: str, options: list[str]) -> Fields:
    """Train by the command, at once and in two parts, predict, and show the model."""
    from command_line import done

    with tempfile.TemporaryDirectory() as folder:
        data, model, again = (Path(folder) / name for name in (f"stream.{form}", "model", "again"))
        data.write_bytes(file_in(form))
        told = json.loads(done("train", data, "--model", model, *options, "--json", "--quiet"))
        # The first part is a file that ends early; the second goes on in the whole one.
        lines = data.read_bytes().splitlines(keepends=True)
        part = Path(folder) / f"part.{form}"
        part.write_bytes(b"".join(lines[:300]))
        done("train", part, "--model", again, *options, "--quiet")
        done("train", data, "--model", again, *options, "--quiet", "--resume")
        held = data if form != "tsv" else Path(folder) / "held.tsv"
        if form == "tsv":
            # Blank lines, which had no answer when the digests were recorded, are left out.
            texts = [line.partition(b"\t")[2] for line in lines]
            held.write_bytes(b"".join(text for text in texts if text.strip()))
        wanted = ["--labelled"] if form != "tsv" else []
        labels = done("predict", held, "--model", model, "--quiet", *wanted)
        shown = json.loads(done("inspect", model, "--json"))
        shown["parameters"] = as_recorded(shown["parameters"])
        fields = {
            "summary": ", ".join(f"{value} {name}" for name, value in told.items() if name not in (*IN_BYTES, "model")),
            "labels": digest(labels),
            "proba": digest(done("predict", held, "--model", model, "--quiet", "--proba", *wanted)),
            "json": digest(done("predict", held, "--model", model, "--quiet", "--proba", "--json", *wanted)),
            "tree": digest(done("inspect", model, "--quiet")),
            "inspect": digest(
                [shown[name] for name in ("class", "parameters", "stream", "best_features", "rules", "tree")]
            ),
            "resumed_is_same": model.read_bytes() == again.read_bytes(),
        }
        fields["splits"] = digest(done("splits", data, "--every", "50", "--top", "3", "--quiet"))
        return fields


def enter_the_streams() -> None:
    """Readers of every format, evaluation, and the command line."""
    for name, (data, options) in READ.items():
        enter("streams", f"read-{name}", lambda a=data, b=options: all_read(a, b))  # type: ignore[misc]
    enter("streams", "read-text_bigrams", text_of_bigrams)
    enter("streams", "write-svmlight", written)
    enter("streams", "generate", generated)
    for learner, way in product(LEARNERS, ("matrix", "points", "batches")):
        enter("streams", f"evaluate-{learner}-{way}", lambda a=learner, b=way: evaluated(a, b))  # type: ignore[misc]
    for name, (form, given) in COMMANDS.items():
        enter("streams", f"command-{name}", lambda a=form, b=given: commanded(a, b), needs="typer")  # type: ignore[misc]


enter_the_streams()
