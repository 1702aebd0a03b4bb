"""The work of `sapwood train`: streams are learned one after the other, and nothing that was learned is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sapwood.cli.output import note
from sapwood.cli.progress import shown
from sapwood.cli.readers import as_read, skipped, tell_table
from sapwood.cli.signals import batches
from sapwood.cli.vocabulary import check_names_apply, named
from sapwood.cli.weight_column import as_told, opened_with, saved_with, weighted_by
from sapwood.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sapwood.checkpoint import Checkpoint
    from sapwood.cli.inputs import Inputs
    from sapwood.cli.readers import ReaderOptions
    from sapwood.cli.signals import StopSignals
    from sapwood.data import Batch, Columns
    from sapwood.stream import Reader

__all__ = ["Training"]

_BATCH = 4_000  # so few that the next ones are read while one is learned, in short files too


@dataclass
class Training:
    """A model that learns streams, and where it is saved."""

    state: Checkpoint
    model: Path
    reader: ReaderOptions
    weight_column: str | None
    columns: Columns | None
    """What the columns of svmlight files are called."""
    names_given: bool
    """Whether the user has just said so."""
    every: int | None
    """The number of points after which the model is saved."""
    origin: Path | None
    """The model that goes on, if there is one."""
    can_resume: bool
    """Whether an interrupted run can be resumed: not if the model that it began from is overwritten."""
    quiet: bool

    def __post_init__(self) -> None:
        self.n_skipped = 0
        self._saved_at = self.state.points

    def learn(self, inputs: Inputs, signals: StopSignals) -> None:
        """Learn the streams until they end or a signal comes. Before an error is raised, what was learned is saved."""
        from sapwood.stream import ReadAhead, ShortStreamError, StreamError

        readers = inputs.readers(self._opened, self.state.points)
        for number, stream in enumerate(iter(lambda: _next_of(readers, signals), None)):
            if number == 0:
                tell_table(stream, quiet=self.quiet, weights=self.weight_column)
            with stream, ReadAhead(stream) as ahead, signals.stopping(ahead.interrupt):
                try:
                    with shown("Learning", stream, quiet=self.quiet) as show:
                        for batch in batches(ahead):
                            self._learn_batch(batch, stream)
                            show(counted(self.state.points, "point"))
                except ShortStreamError:
                    # The position is in one of the next files.
                    if inputs.is_last(number):
                        raise
                except StreamError as error:
                    self._save_before_error()
                    raise as_told(error, self.weight_column) from None
                except OSError:
                    self._save_before_error()
                    raise
            skipped(stream, quiet=self.quiet)
            self.n_skipped += stream.errors.count
            if signals.number is not None:
                return

    def save(self) -> None:
        """Save what was learned, if anything was."""
        if self.state.points > 0:
            self.state.save(self.model)
            self._saved_at = self.state.points

    def stopped(self) -> str:
        """Return the words for a run that a signal has ended."""
        n = self.state.points
        if n == 0:
            return "before the first point: nothing is saved"
        done = f"after {counted(n, 'point')}, which {'is' if n == 1 else 'are'} saved in {self.model}"
        return f"{done}; the same command with --resume continues" if self.can_resume else done

    def _opened(self, file: str, start: int) -> Reader:
        state, given = self.state, self.reader.encoding.format
        # The format is what the file says, not what the model was made of: another one is refused.
        encoding = replace(state.encoding, format=given)
        batch_size = _BATCH if self.every is None else min(self.every, _BATCH)
        stream = opened_with(
            encoding,
            self.weight_column,
            file,
            batch_size=batch_size,
            on_error=self.reader.on_error.value,
            start=start,
            longest_line=self.reader.longest_line,
        )
        try:
            self.reader.check_format(stream)
            if self.names_given:
                check_names_apply(state.encoding, stream.format)
            if state.encoding.format not in {None, stream.format}:
                of = "as the first file is" if self.origin is None else f"as of {self.origin}"
                raise ValueError(f"{stream.name}: --format must be {state.encoding.format}, {of}, got {stream.format}")
        except ValueError:
            stream.close()
            raise
        state.encoding = replace(state.encoding, format=stream.format)
        return stream

    def _learn_batch(self, batch: Batch, stream: Reader) -> None:
        state = self.state
        batch = named(batch, self.columns, stream.name)
        if self.weight_column is not None:
            batch = weighted_by(batch, self.weight_column, stream.name)
        state.learn(batch)
        state.encoding = saved_with(as_read(state.encoding, stream), self.weight_column)
        if self.every is not None and state.points // self.every > self._saved_at // self.every:
            self.save()

    def _save_before_error(self) -> None:
        if self.state.points > self._saved_at:
            self.save()
        if self.state.points > 0:
            points = "The point" if self.state.points == 1 else f"The {counted(self.state.points, 'point')}"
            rest = "; --resume continues from there" if self.can_resume else ""
            note(f"{points} before the error: saved in {self.model}{rest}.", quiet=self.quiet)


def _next_of(readers: Iterator[Reader], signals: StopSignals) -> Reader | None:
    """Return the next reader; None if there is none, or if a signal comes while a pipe is waited for."""

    def stop() -> None:
        raise KeyboardInterrupt

    try:
        with signals.stopping(stop):
            return next(readers, None)
    except KeyboardInterrupt:
        if signals.number is None:
            raise
        return None
