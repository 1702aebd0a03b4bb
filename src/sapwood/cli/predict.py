"""`sapwood predict`: the classes of points, by a saved model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sapwood.cli.answers import AnswerLines, AnswerOptions
from sapwood.cli.groups import command
from sapwood.cli.line_account import LineAccount
from sapwood.cli.models import opened_model
from sapwood.cli.output import OutputOptions, note, write
from sapwood.cli.progress import shown
from sapwood.cli.readers import FILE, LONGEST, MOST_BYTES, TABLES, Format, OnError, are_tables, reported
from sapwood.cli.signals import StopSignals, batches
from sapwood.cli.vocabulary import named
from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.learner import TreeLearner
    from sapwood.stream import Batch, Encoding, Reader

__all__ = ["encoding_of", "format_remark", "predict", "tell_missing", "typed_as_known"]


_MOST_NAMES = 5


@command
def predict(
    *,
    file: FILE,
    model: Annotated[Path, typer.Option("--model", "-m", metavar="MODEL", help="A model that `train` saved.")],
    answers: AnswerOptions,
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
    longest_line: LONGEST = MOST_BYTES,
    batch_size: Annotated[
        int, typer.Option(min=1, help="The number of points predicted at a time; use 1 for an interactive pipe.")
    ] = 10_000,
    output: OutputOptions,
) -> None:
    """Print the predicted class of every point of a stream, one per line.

    There is one line of output for every line of input (of a table for every row). A blank line is a point of which
    nothing is known, and is answered as such. A bad line that is skipped and a comment have an empty line.

    Points are read as in training: with the same words, columns, types and thresholds. Features that the model has
    never seen have no effect; a remark says how many points have no other. With --json each line is an object with the
    class as "label", null for a line without an answer, and as asked for "id", "proba" or "top".

    Try:
      sapwood predict new.svm --model spam.sapwood > labels.txt
      sapwood predict held-out.tsv --labelled --proba --model spam.sapwood
      sapwood predict customers.csv --id-column customer --threshold churned=0.3 --model churn.sapwood
      sapwood predict news.txt --top 3 --model topics.sapwood
      tail -f messages.txt | sapwood predict - --batch-size 1 --model spam.sapwood
    """
    from sapwood.stream import Encoding

    learner, about = opened_model(model)
    saved = Encoding() if about is None else about.encoding
    encoding = encoding_of(saved, file, format)
    lines = AnswerLines(answers, learner.labels.classes.tolist(), as_json=output.json)
    right = n = n_unknown = 0
    reader = answers.with_id(encoding).open(
        file,
        batch_size=batch_size,
        on_error=on_error.value,
        longest_line=longest_line,
        labelled=labelled,
        only_typed=typed_as_known(saved, encoding),
    )
    account = LineAccount(reader, header=encoding.header, delimiter=encoding.delimiter)
    remark = format_remark(saved, reader.format, reader.name)
    if remark:
        note(f"Warning: {remark}.", quiet=output.quiet)
    with (
        reported(reader, quiet=output.quiet),
        shown("Predicting", reader, quiet=output.quiet, prints=True) as show,
        StopSignals(reader.interrupt) as signals,
    ):
        answers.check_format(reader)
        header = lines.header()
        nothing = lines.of_blank(learner)
        for read_batch in batches(reader):
            if n == 0:
                answers.check_columns(reader)
                tell_missing(saved, reader, quiet=output.quiet)
                write(header, signals)
            batch = named(read_batch, learner.columns, reader.name)
            found = learner.predict(batch).tolist()
            shares = learner.predict_proba(batch) if answers.needs_shares else None
            write(lines.between(account.lines(len(batch)), lines.of_points(batch, found, shares), nothing), signals)
            if labelled:
                right += _right(batch, lines.chosen(found, shares))
            n += len(batch)
            n_unknown += _n_unknown(learner, batch)
            show(counted(n, "point"))
        if n == 0:
            write(header, signals)
        if signals.number is None:
            write(lines.between(account.rest(), iter(()), nothing), signals)
    if n_unknown:
        have = "has" if n_unknown == 1 else "have"
        note(
            f"Warning: {n_unknown:,} of {counted(n, 'point')} {have} no feature that the model knows.",
            quiet=output.quiet,
        )
    if labelled and n:
        note(f"{right:,} of {n:,} correct: accuracy {right / n:.4f}", quiet=output.quiet)
    signals.check(f"after {counted(n, 'point')}")


def encoding_of(saved: Encoding, file: str, given: Format | None) -> Encoding:
    """Return how to read the points: as those of training, if they are in the same format."""
    from sapwood.stream import Encoding, format_by_name

    known = format_by_name(file) if given is None else given.value
    wanted = saved.format if known is None else known
    if wanted == saved.format:
        return saved
    if are_tables(wanted, saved.format):
        # The same columns, whatever they are written in.
        return replace(saved, format=wanted, delimiter=None, header=True)
    if wanted not in {"svmlight", "vw"}:
        return Encoding(format=wanted)
    return Encoding(format=wanted, binarize=saved.binarize, sparse_numbers=saved.sparse_numbers)


def typed_as_known(saved: Encoding, encoding: Encoding) -> bool:
    """Whether the model knows what all columns hold: of tables it does; a field of JSON lines is what its value is."""
    return (saved.format in TABLES and saved.format != "jsonl") or encoding.format == "jsonl"


def format_remark(saved: Encoding, found: str, name: str) -> str:
    """Return what to say of points that are in another format than those of training; nothing if they are not."""
    if saved.format in {None, found} or are_tables(saved.format, found):
        return ""
    return f"{name} is in the format {found}, and the model learned {saved.format}, whose features are called otherwise"


def tell_missing(saved: Encoding, reader: Reader, *, quiet: bool) -> None:
    """Remark on columns of the model that a table lacks: a name may be misspelt. Any JSON object may lack a field."""
    if reader.table is None or "jsonl" in {saved.format, reader.format}:
        return
    there = {column.name for column in reader.table.columns}
    missing = [name for name, _ in saved.types if name not in there]
    if missing:
        few = ", ".join(map(repr, missing[:_MOST_NAMES])) + (", …" if len(missing) > _MOST_NAMES else "")
        if len(missing) == 1:
            lacks = f"the column {few} of the model, which counts as missing"
        else:
            lacks = f"{len(missing):,} columns of the model, which count as missing: {few}"
        note(f"Warning: {reader.name} lacks {lacks}.", quiet=quiet)


def _n_unknown(learner: TreeLearner, batch: Batch) -> int:
    """Return the number of points that have features, none of which the model has met."""
    import numpy as np

    has = np.diff(batch.indptr) > 0
    if batch.numbers is not None:
        has |= np.diff(batch.numbers.indptr) > 0
    return int((has & (learner.n_known(batch) == 0)).sum())


def _right(batch: Batch, answers: list[Any]) -> int:
    true = batch.labels()
    return sum(answer == label for answer, label in zip(answers, true, strict=True))
