"""`sapwood train`: learn a tree from streams and save it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from sapwood.cli.errors import require_two_classes
from sapwood.cli.groups import command
from sapwood.cli.inputs import FILES, Inputs, require_files
from sapwood.cli.learners import LearnerOptions
from sapwood.cli.output import OutputOptions, check_apart, check_new, check_place, note
from sapwood.cli.readers import ReaderOptions
from sapwood.cli.signals import StopSignals
from sapwood.cli.starting import begun
from sapwood.cli.training import Training
from sapwood.cli.vocabulary import NAMES, NAMES_START, names_in
from sapwood.cli.weight_column import as_told, check_weights_apply, opened_with, saved_with
from sapwood.wording import counted

__all__ = ["train"]


@command
def train(
    *,
    files: FILES,
    model: Annotated[Path, typer.Option("--model", "-m", metavar="MODEL", help="Where to save the model.")],
    learner: LearnerOptions,
    reader: ReaderOptions,
    weight_column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Tables: the column or field with the weight of a point."),
    ] = None,
    names: NAMES = None,
    names_start: NAMES_START = 1,
    start_from: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="MODEL",
            help="Start from what this model has learned, with its learner and its way of reading; it may be --model.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite MODEL if it exists.")] = False,
    passes: Annotated[int, typer.Option(min=1, help="How often the files are learned, one pass after the other.")] = 1,
    checkpoint: Annotated[
        str | None,
        typer.Option(metavar="every=N", help="Also save the model after every N points."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue from the model in MODEL; start from the beginning if there is none."),
    ] = False,
    output: OutputOptions,
) -> None:
    """Learn a tree from a stream and save it.

    Several files are one stream, in the order given. With --from, a model goes on with new points; its options need not
    be repeated. With --passes the files are learned several times; the statistical promises of splits are for the
    first, in which each point is new. A model that exists is overwritten only with --force or --from.

    On Ctrl-C, SIGTERM or a bad line, the command saves what it has learned so far. The same command with --resume
    continues from there, or from the last checkpoint, and makes the same model, byte for byte, as a run that was never
    interrupted. (Where --max-bytes makes nodes stop learning, or with --search approximate, the model may differ and is
    as good.)

    Try:
      sapwood train reviews.svm.gz --model spam.sapwood
      sapwood train more.svm.gz --from spam.sapwood --model spam2.sapwood
      sapwood train reviews.tsv --model spam.sapwood --learner efdt --ngrams 2
      sapwood train january.svm february.svm --model big.sapwood --checkpoint every=100000 --resume
      sapwood train customers.csv --label churned --types zip=category --ignore id --model churn.sapwood
      zcat log.csv.gz | sapwood train - --format csv --label clicked --model clicks.sapwood
    """
    check_place(model)
    check_apart(model, "--model", [*files, names])
    same_file = start_from is not None and model.exists() and start_from.exists() and model.samefile(start_from)
    if same_file and resume:
        raise ValueError("--resume must be left out where --from is --model, whose position is that of another stream")
    if not (resume or same_file):
        check_new(model, force=force, hint=f"--from {model} learns on from it, --resume continues a run")
    named = [reader.check_name(file) for file in files]
    if weight_column is not None:
        for file, known in zip(files, named, strict=True):
            check_weights_apply(file, known)
    inputs = Inputs(files, passes)
    if learner.is_balanced:
        learner.balance(_counted_classes(files, reader, weight_column))
    to_resume = model if resume and model.exists() else None
    # Of a model that goes on it matters what its files are: a table may be written otherwise than the one before.
    wanted = reader.encoding if start_from is None else replace(reader.encoding, format=named[0])
    state = begun(learner, saved_with(wanted, weight_column), start_from, to_resume)
    training = Training(
        state=state,
        model=model,
        reader=reader,
        weight_column=weight_column,
        columns=state.learner.columns if names is None else names_in(names, names_start),
        names_given=names is not None,
        every=None if checkpoint is None else _every(checkpoint),
        origin=to_resume or start_from,
        can_resume=not same_file,
        quiet=output.quiet,
    )
    with StopSignals() as signals:
        training.learn(inputs, signals)
        if signals.number is None:
            require_two_classes(inputs.name(), state.learner.labels.classes.tolist())
        training.save()
    if unmet := learner.unmet_classes(state.learner.labels.classes.tolist()):
        note(f"Warning: no point has the class {unmet}, of --class-weight.", quiet=output.quiet)
    signals.check(training.stopped())
    if not output.quiet or output.json:
        summary = state.learner.summary()
        output.result(
            f"{counted(state.points, 'point')} of {inputs.name()} learned: {counted(summary.n_nodes, 'node')}, "
            f"{counted(summary.n_leaves, 'leaf', 'leaves')}, depth {summary.depth:,}. Saved in {model}.",
            {"model": str(model), "points": state.points, "skipped": training.n_skipped, **asdict(summary)},
        )


def _counted_classes(files: list[str], reader: ReaderOptions, weight_column: str | None) -> Counter[Hashable]:
    """Return how many points each class has, by reading all files once."""
    from sapwood.stream import StreamError

    require_files(files, "--class-weight balanced must be left out", "and the classes are counted first")
    counts: Counter[Hashable] = Counter()
    for file in files:
        how = {"on_error": reader.on_error.value, "longest_line": reader.longest_line}
        with opened_with(reader.encoding, weight_column, file, **how) as stream:
            try:
                for batch in stream:
                    counts.update(batch.labels())
            except StreamError as error:
                raise as_told(error, weight_column) from None
    return counts


def _every(text: str) -> int:
    found = re.fullmatch(r"every=([0-9]{1,15})", text.strip())
    if found is None or int(found.group(1)) < 1:
        raise typer.BadParameter(f"must be every=N with N at least 1, got {text!r}", param_hint="--checkpoint")
    return int(found.group(1))
