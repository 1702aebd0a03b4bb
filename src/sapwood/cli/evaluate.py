"""`sapwood evaluate`: test then train over a stream."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sapwood.cli.errors import require_two_classes
from sapwood.cli.groups import command
from sapwood.cli.learners import LearnerOptions
from sapwood.cli.output import OutputOptions, check_apart, check_new, check_place, check_places_differ, note
from sapwood.cli.progress import shown
from sapwood.cli.readers import FILE, ReaderOptions, as_read, reported, tell_table
from sapwood.cli.signals import StopSignals
from sapwood.cli.vocabulary import NAMES, NAMES_START, NamedBatches, check_names_apply, names_in
from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.evaluate import Evaluation, PrequentialRun

__all__ = ["evaluate"]


@command
def evaluate(
    *,
    file: FILE,
    learner: LearnerOptions,
    reader: ReaderOptions,
    report: Annotated[
        Path | None, typer.Option(metavar="PAGE", help="Write a report with curves, tree and splits: one HTML file.")
    ] = None,
    names: NAMES = None,
    names_start: NAMES_START = 1,
    window: Annotated[int, typer.Option(min=1, help="Also report the metrics over the last N points.")] = 1000,
    fading: Annotated[
        float, typer.Option(help="Also report the metrics with weights that fall by this factor per point.")
    ] = (0.999),
    tree: Annotated[bool, typer.Option("--tree", help="Print the tree at the end, as rules.")] = False,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Keep the model that was evaluated, as train saves it."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite MODEL if it exists.")] = False,
    output: OutputOptions,
) -> None:
    """Predict each point of a stream before learning it, and report how well that went.

    On Ctrl-C, SIGTERM or a bad line, the command stops and reports the results so far.

    Try:
      sapwood evaluate stream.svm.gz --learner efdt --report run.html
      sapwood evaluate reviews.tsv --ngrams 2 --tree --model reviews.sapwood
      sapwood evaluate customers.csv --label churned --types zip=category --ignore id
      sapwood evaluate stream.svm --json | jq .metrics.accuracy
    """
    from sapwood.checkpoint import Checkpoint
    from sapwood.evaluate import PrequentialRun
    from sapwood.inspect import export_text
    from sapwood.stream import StreamError

    if report is not None:
        check_place(report)
        check_apart(report, "--report", [file, names])
    if model is not None:
        check_place(model)
        check_apart(model, "--model", [file, names])
        check_new(model, force=force, hint="another name keeps both")
    check_places_differ(report, "--report", model, "--model")
    columns = None if names is None else names_in(names, names_start)
    evaluated = learner.make(reader.encoding)
    run = PrequentialRun(evaluated, window=window, fading=fading)
    with reported(reader.open(file), quiet=output.quiet) as stream, StopSignals(run.interrupt) as signals:
        if columns is not None:
            check_names_apply(reader.encoding, stream.format)
        tell_table(stream, quiet=output.quiet)
        points = stream if columns is None else NamedBatches(stream, columns)
        failure: StreamError | OSError | None = None
        with shown("Evaluating", stream, quiet=output.quiet) as show:
            try:
                run.feed(points, progress=lambda now: show(_words(now)))
            except (StreamError, OSError) as error:
                failure = error
        if failure is not None and run.n == 0:
            raise failure
        result = run.result(feature_names=None if columns is None else columns.names)
        if model is not None and result.n:
            encoding = as_read(replace(reader.encoding, format=stream.format), stream)
            Checkpoint(evaluated, encoding, result.n).save(model)
        if not result.interrupted and failure is None:
            require_two_classes(stream.name, result.classes)
        if result.n and (unmet := learner.unmet_classes(result.classes)):
            note(f"Warning: no point has the class {unmet}, of --class-weight.", quiet=output.quiet)
        _tell(result, report, output, export_text(result.tree) if tree and result.tree is not None else "", stream.name)
        if model is not None and result.n:
            note(f"Model: {model}", quiet=output.quiet)
        if failure is not None:
            raise failure
    signals.check(f"after {counted(result.n, 'point')}")


def _words(run: PrequentialRun) -> str:
    if run.n == 0:
        return "no point yet"
    return f"{counted(run.n, 'point')}, accuracy {run.accuracy:.4f}, recently {run.accuracy_window:.4f}"


def _tell(result: Evaluation, report: Path | None, output: OutputOptions, tree: str, name: str) -> None:
    if report is not None and result.n:
        result.save_report(report, title=f"{result.model} over {Path(name).name}")
    text = result.summary if result.n else "No point was evaluated."
    output.result(f"{text}\n\n{tree.rstrip()}" if tree else text, result.to_dict())
    if report is not None and result.n:
        note(f"Report: {report}", quiet=output.quiet)
