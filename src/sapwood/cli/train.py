"""`sapwood train`: learn a tree from a stream and save it."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sapwood.cli.errors import require_two_classes
from sapwood.cli.groups import command
from sapwood.cli.learners import LearnerOptions
from sapwood.cli.output import OutputOptions, check_place, note
from sapwood.cli.progress import shown
from sapwood.cli.readers import FILE, ReaderOptions, skipped
from sapwood.cli.signals import StopSignals, batches
from sapwood.parameters import PARAMETERS

if TYPE_CHECKING:
    from sapwood.checkpoint import Checkpoint

__all__ = ["train"]

_OPTIONS = {each.name: each.option for each in PARAMETERS if each.option}
_BATCH = 4_000  # so few that the next ones are read while one is learned, in short files too


@command
def train(
    *,
    file: FILE,
    model: Annotated[Path, typer.Option("--model", "-m", metavar="MODEL", help="Where to save the model.")],
    learner: LearnerOptions,
    reader: ReaderOptions,
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

    On Ctrl-C, SIGTERM or a bad line, the command saves what it has learned so far. The same command with --resume
    continues from there, or from the last checkpoint, and makes the same model, byte for byte, as a run that was never
    interrupted. (Where --max-bytes makes nodes stop learning, or with --search approximate, the model may differ and is
    as good.)

    Try:
      sapwood train reviews.svm.gz --model spam.sapwood
      sapwood train reviews.tsv --model spam.sapwood --learner efdt --ngrams 2
      sapwood train big.svm --model big.sapwood --checkpoint every=100000 --resume
      zcat log.csv.gz | sapwood train - --format csv --label clicked --model clicks.sapwood
    """
    from sapwood.checkpoint import Checkpoint
    from sapwood.stream import ReadAhead, StreamError

    check_place(model)
    every = None if checkpoint is None else _every(checkpoint)
    state = Checkpoint(learner.make(reader.binarize), reader.encoding)
    if resume and model.exists():
        state = _resumed(model, state)
    batch_size = _BATCH if every is None else min(every, _BATCH)
    stream = reader.encoding.open(file, batch_size=batch_size, on_error=reader.on_error.value, start=state.points)
    with stream, ReadAhead(stream) as ahead, StopSignals(ahead.interrupt) as signals:
        if state.encoding.format not in {None, stream.format}:
            raise ValueError(f"--format must be {state.encoding.format}, as of {model}, got {stream.format}")
        state.encoding = replace(state.encoding, format=stream.format)
        saved_at = state.points
        try:
            with shown("Learning", stream, quiet=output.quiet) as show:
                for batch in batches(ahead):
                    state.learn(batch)
                    show(f"{state.points:,} points")
                    if every is not None and state.points // every > saved_at // every:
                        state.save(model)
                        saved_at = state.points
        except (StreamError, OSError):
            # Nothing that was learned before a bad line is lost.
            if state.points > saved_at:
                state.save(model)
            if state.points > 0:
                points = "The point" if state.points == 1 else f"The {state.points:,} points"
                note(f"{points} before the error: saved in {model}; --resume continues from there.", quiet=output.quiet)
            raise
        if signals.number is None:
            require_two_classes(stream.name, state.learner.labels.classes.tolist())
        if state.points > 0:
            state.save(model)
    skipped(stream, quiet=output.quiet)
    signals.check(
        f"after {state.points:,} points, which are saved in {model}; the same command with --resume continues"
        if state.points > 0
        else "before the first point: nothing is saved"
    )
    summary = state.learner.summary()
    if not output.quiet or output.json:
        output.result(
            f"{state.points:,} points of {stream.name} learned: {summary.n_nodes:,} nodes, "
            f"{summary.n_leaves:,} leaves, depth {summary.depth:,}. Saved in {model}.",
            {"model": str(model), "points": state.points, "skipped": stream.errors.count, **asdict(summary)},
        )


def _every(text: str) -> int:
    found = re.fullmatch(r"every=([0-9]{1,15})", text.strip())
    if found is None or int(found.group(1)) < 1:
        raise typer.BadParameter(f"must be every=N with N at least 1, got {text!r}", param_hint="--checkpoint")
    return int(found.group(1))


def _resumed(path: Path, wanted: Checkpoint) -> Checkpoint:
    """Return the state to continue from. Its learner and its encoding must be the same."""
    from sapwood.checkpoint import Checkpoint

    saved = Checkpoint.load(path)
    if saved.learner.kind is not wanted.learner.kind:
        raise ValueError(f"--learner must be that of {path}, a {saved.learner.kind.name}, to resume it")
    pairs = [
        (saved.learner.parameters, wanted.learner.parameters),
        (asdict(saved.encoding), asdict(wanted.encoding)),
    ]
    for there, here in pairs:
        for name, value in there.items():
            # The format is known once the stream is open.
            if here[name] != value and not (name == "format" and here[name] is None):
                option = "--" + _OPTIONS.get(name, name).replace("_", "-")
                raise ValueError(f"{option} must be {value!r}, as of {path}, to resume it, got {here[name]!r}")
    return saved
