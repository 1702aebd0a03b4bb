"""`sapwood forget`: take points back from a saved model that can forget them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sapwood.cli.groups import command
from sapwood.cli.models import opened_model
from sapwood.cli.output import OutputOptions, check_apart, check_place, check_places_differ
from sapwood.cli.predict import encoding_of
from sapwood.cli.progress import shown
from sapwood.cli.readers import FILE, Format, reported
from sapwood.cli.signals import StopSignals, batches
from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.data import Batch
    from sapwood.learner import DynamicLearner

__all__ = ["forget"]


@command
def forget(
    *,
    file: FILE,
    model: Annotated[Path, typer.Option("--model", "-m", metavar="MODEL", help="A model of --learner dynamic.")],
    to: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="Where to save the model that remains. [default: --model]")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append what was forgotten, with digests, as a line of JSON.")
    ] = None,
    format: Annotated[  # noqa: A002 - the word for it
        Format | None, typer.Option(help="The format of the stream. [default: by extension, else as in training]")
    ] = None,
    output: OutputOptions,
) -> None:
    """Forget the points of a stream, which a model has learned.

    The model that remains is the one that never saw the points, byte for byte but for how far its stream was read,
    unless it was trained with --beta above 0. If one of the points is not held, nothing changes. If none remains, the
    file is deleted, or with --to none is written. Points are read as in training.

    Try:
      sapwood forget withdrawn.svm --model spam.sapwood --record audit.jsonl
      sapwood forget wrong-labels.tsv --model spam.sapwood --to corrected.sapwood
    """
    from sapwood.checkpoint import Checkpoint
    from sapwood.learner import DynamicLearner
    from sapwood.stream import Encoding
    from sapwood.trees import DynamicTreeClassifier, classifier_of

    target = model if to is None else to
    check_place(target)
    if record is not None:
        check_place(record)
        check_apart(record, "--record", [file, model])
    check_apart(to, "--to", [file])
    check_places_differ(record, "--record", to, "--to")
    learner, about = opened_model(model)
    if not isinstance(learner, DynamicLearner):
        raise ValueError(f"{model}: the model must be of --learner dynamic to forget points, got a {learner.kind.name}")
    face = classifier_of(learner)
    assert isinstance(face, DynamicTreeClassifier)
    encoding = encoding_of(Encoding() if about is None else about.encoding, file, format)
    reader = encoding.open(file, labelled=True)
    gathered: list[Batch] = []
    n = 0
    with (
        reported(reader, quiet=output.quiet),
        shown("Reading", reader, quiet=output.quiet) as show,
        StopSignals(reader.interrupt) as signals,
    ):
        for batch in batches(reader):
            gathered.append(batch)
            n += len(batch)
            show(counted(n, "point"))
    signals.check("before anything was forgotten")
    forgotten = face.audited(lambda: _forget_all(learner, gathered))
    if learner.is_fitted:
        if about is None:
            face.save(target)
        else:
            Checkpoint(learner, about.encoding, about.points).save(target)
    elif to is None:
        # A model of no points has no file, and the one that there is would go on to hold them.
        model.unlink()
    if record is not None:
        with record.open("a", encoding="utf-8") as lines:
            lines.write(f"{forgotten}\n")
    rest = (
        f"Saved in {target}."
        if learner.is_fitted
        else f"No point remains: {target} is {'deleted' if to is None else 'not written'}."
    )
    output.result(
        f"{counted(forgotten.forgotten, 'point')} of {reader.name} forgotten, "
        f"{forgotten.held:,} {'remains' if forgotten.held == 1 else 'remain'}. {rest}\n"
        f"digest before {forgotten.digest_before}\ndigest after  {forgotten.digest_after}",
        {"saved": str(target) if learner.is_fitted else None, **asdict(forgotten)},
    )


def _forget_all(learner: DynamicLearner, gathered: list[Batch]) -> None:
    """Forget the points of all batches, or of none."""
    done: list[Batch] = []
    n = 0
    try:
        for batch in gathered:
            learner.forget(batch, "forget", first_row=n)
            done.append(batch)
            n += len(batch)
    except ValueError:
        for batch in done:
            learner.learn(batch)
        raise
