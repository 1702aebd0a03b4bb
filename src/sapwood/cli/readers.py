"""The options of commands that read a stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from sapwood.cli.learners import option_of
from sapwood.cli.output import note
from sapwood.parameters import parameter

if TYPE_CHECKING:
    from sapwood.stream import Encoding, Reader

__all__ = ["FILE", "EncodingOptions", "Format", "OnError", "ReaderOptions", "reported", "skipped"]

FILE = Annotated[
    str, typer.Argument(metavar="FILE", help="The stream: a file, plain or compressed, or - for standard input.")
]


class Format(str, Enum):
    """The formats of streams."""

    svmlight = "svmlight"
    text = "text"
    csv = "csv"
    jsonl = "jsonl"


class OnError(str, Enum):
    """What to do at a bad line."""

    stop = "stop"
    skip = "skip"
    log = "log"


@dataclass
class EncodingOptions:
    """How lines become points."""

    format: Annotated[
        Format | None, typer.Option(help="The format of the stream. [default: by extension and content]")
    ] = None
    label: Annotated[
        str | None, typer.Option(metavar="NAME", help="CSV, JSON lines: the column or field with the class.")
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="CSV, JSON lines: a column or field to leave out; may be repeated."),
    ] = None
    delimiter: Annotated[str | None, typer.Option(metavar="CHARACTER", help="CSV: the character between columns.")] = (
        None
    )
    ngrams: Annotated[int, typer.Option(min=1, max=9, help="Text: features are words and runs of up to N words.")] = 1
    n_features: Annotated[
        int | None,
        typer.Option(min=1, help="Text: hash the words into N columns. svmlight: the number of columns."),
    ] = None
    binarize: Annotated[float, option_of(parameter("binarize"))] = 0.0

    @property
    def encoding(self) -> Encoding:
        """The same options as an `Encoding`."""
        from sapwood.stream import Encoding

        return Encoding(
            format=None if self.format is None else self.format.value,
            binarize=self.binarize,
            n_features=self.n_features,
            ngrams=self.ngrams,
            label=self.label,
            ignore=tuple(self.ignore or ()),
            delimiter=self.delimiter,
        )


@dataclass
class ReaderOptions(EncodingOptions):
    """How a stream is read."""

    on_error: Annotated[
        OnError,
        typer.Option(help="At a bad line: stop, skip it, or skip it and report it on standard error."),
    ] = OnError.stop

    def open(self, file: str, *, batch_size: int = 10_000) -> Reader:
        """Open a stream."""
        return self.encoding.open(file, batch_size=batch_size, on_error=self.on_error.value)


def skipped(reader: Reader, *, quiet: bool) -> None:
    """Report the number of bad lines that were skipped, if any."""
    if reader.errors.count:
        first = reader.errors.first[0]
        lines = "1 bad line was" if reader.errors.count == 1 else f"{reader.errors.count:,} bad lines were"
        note(
            f"{reader.name}: {lines} skipped, the first in line {first.line}, column {first.column}: "
            f"expected {first.expected}, found {first.found}",
            quiet=quiet,
        )


@contextmanager
def reported(reader: Reader, *, quiet: bool) -> Iterator[Reader]:
    """Close a reader at the end, and report how many bad lines it skipped."""
    with reader:
        yield reader
    skipped(reader, quiet=quiet)
