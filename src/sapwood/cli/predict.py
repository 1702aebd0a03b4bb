"""`sapwood predict`: the classes of points, by a saved model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sapwood.cli.groups import command
from sapwood.cli.models import opened_model
from sapwood.cli.output import OutputOptions, note, write
from sapwood.cli.progress import shown
from sapwood.cli.readers import FILE, Format, OnError, reported
from sapwood.cli.signals import StopSignals, batches

if TYPE_CHECKING:
    import numpy as np

    from sapwood.stream import Batch, Encoding

__all__ = ["predict"]


@command
def predict(
    *,
    file: FILE,
    model: Annotated[Path, typer.Option("--model", "-m", metavar="MODEL", help="A model that `train` saved.")],
    proba: Annotated[
        bool,
        typer.Option(
            "--proba", help="Also print the probability of every class, in tab-separated columns with a header."
        ),
    ] = False,
    labelled: Annotated[
        bool,
        typer.Option(
            "--labelled/--unlabelled",
            help="Whether the points have classes. If so, the accuracy is reported at the end, and in formats other "
            "than svmlight, which always has a class, the class is not read as a feature.",
        ),
    ] = False,
    format: Annotated[  # noqa: A002 - the word for it
        Format | None, typer.Option(help="The format of the stream. [default: by extension, else as in training]")
    ] = None,
    on_error: Annotated[
        OnError, typer.Option(help="At a bad line: stop, skip it, or skip it and report it on standard error.")
    ] = OnError.stop,
    batch_size: Annotated[
        int, typer.Option(min=1, help="The number of points predicted at a time; use 1 for an interactive pipe.")
    ] = 10_000,
    output: OutputOptions,
) -> None:
    """Print the predicted class of every point of a stream, one per line.

    Points are read as in training: with the same words, columns and thresholds. Features that the model has never seen
    have no effect. A line that is skipped has no line in the output. With --json each line is an object with the class
    as "label" and, with --proba, the probabilities as "proba".

    Try:
      sapwood predict new.svm --model spam.sapwood > labels.txt
      sapwood predict held-out.tsv --labelled --proba --model spam.sapwood
      tail -f messages.txt | sapwood predict - --batch-size 1 --model spam.sapwood
    """
    from sapwood.stream import Encoding

    learner, about = opened_model(model)
    encoding = _encoding(Encoding() if about is None else about.encoding, file, format)
    right = n = 0
    reader = encoding.open(file, batch_size=batch_size, on_error=on_error.value, labelled=labelled)
    classes = learner.labels.classes.tolist()
    with (
        reported(reader, quiet=output.quiet),
        shown("Predicting", reader, quiet=output.quiet, prints=True) as show,
        StopSignals(reader.interrupt) as signals,
    ):
        if proba and not output.json:
            write("\t".join(map(_text, ["label", *classes])) + "\n")
        for batch in batches(reader):
            answers = learner.predict(batch).tolist()
            shares = learner.predict_proba(batch) if proba else None
            write("".join(_lines(answers, shares, classes, as_json=output.json)))
            if labelled:
                right += _right(batch, answers)
            n += len(batch)
            show(f"{n:,} points")
    if labelled and n:
        note(f"{right:,} of {n:,} correct: accuracy {right / n:.4f}", quiet=output.quiet)
    signals.check(f"after {n:,} points")


def _encoding(saved: Encoding, file: str, given: Format | None) -> Encoding:
    """Return how to read the points: as those of training, if they are in the same format."""
    from sapwood.stream import Encoding, format_by_name

    known = format_by_name(file) if given is None else given.value
    wanted = saved.format if known is None else known
    return saved if wanted == saved.format else Encoding(format=wanted, binarize=saved.binarize)


def _lines(answers: list[Any], shares: np.ndarray[Any, Any] | None, classes: list[Any], *, as_json: bool) -> list[str]:
    from sapwood.evaluate.evaluation import plain

    rows = [None] * len(answers) if shares is None else shares.tolist()
    lines = []
    for answer, row in zip(answers, rows, strict=True):
        if as_json:
            found: dict[str, Any] = {"label": plain(answer)}
            if row is not None:
                found["proba"] = {_text(label): share for label, share in zip(classes, row, strict=True)}
            line = json.dumps(found, ensure_ascii=False)
        elif row is None:
            line = _text(answer)
        else:
            line = "\t".join([_text(answer), *(f"{share:.6g}" for share in row)])
        lines.append(line + "\n")
    return lines


def _text(label: object) -> str:
    # A class that was read from JSON may be any text: a line is a point whatever it holds.
    return " ".join(str(label).splitlines()) if isinstance(label, str) else str(label)


def _right(batch: Batch, answers: list[Any]) -> int:
    true = batch.labels()
    return sum(answer == label for answer, label in zip(answers, true, strict=True))
