"""The options of commands that read a stream."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from sapwood.cli.learners import option_of
from sapwood.cli.output import note
from sapwood.parameters import parameter

if TYPE_CHECKING:
    from sapwood.stream import Encoding, Reader, TableRead

__all__ = [
    "COLUMNAR",
    "DELIMITERS",
    "FILE",
    "LONGEST",
    "MOST_BYTES",
    "TABLES",
    "EncodingOptions",
    "Format",
    "OnError",
    "ReaderOptions",
    "are_tables",
    "as_read",
    "reported",
    "skipped",
    "tell_table",
]

# Of the table of columns: as many rows as a screen has, and no wrapped lines.
_MOST_COLUMNS = 24
_NAME_WIDTH = 32
_EXAMPLE_WIDTH = 20

FILE = Annotated[
    str, typer.Argument(metavar="FILE", help="The stream: a file, plain or compressed, or - for standard input.")
]


DELIMITERS = (",", ";", "\t", "|")
"""The characters between columns of CSV that are recognised."""
TABLES = ("csv", "jsonl", "arff", "parquet", "arrow")
"""The formats whose points have columns, as in `sapwood.stream`, which is slow to import."""
COLUMNAR = ("parquet", "arrow")
"""Those of them that are no text."""
_CALLED = {
    "svmlight": "svmlight",
    "text": "text",
    "csv": "CSV",
    "jsonl": "JSON lines",
    "vw": "Vowpal Wabbit's",
    "fasttext": "fastText's",
    "arff": "ARFF",
    "parquet": "Parquet",
    "arrow": "Arrow",
}
_FORMATS_OF = {
    "label": TABLES,
    "ignore": TABLES,
    "delimiter": ("csv",),
    "no_header": ("csv",),
    "types": TABLES,
    "na_values": TABLES,
    "ngrams": ("text",),
    "n_features": ("text", "svmlight"),
    "binarize": ("svmlight", "vw"),
    "sparse_numbers": ("svmlight", "vw"),
}
"""The formats that an option is for."""


class Format(str, Enum):
    """The formats of streams."""

    svmlight = "svmlight"
    text = "text"
    csv = "csv"
    jsonl = "jsonl"
    vw = "vw"
    fasttext = "fasttext"
    arff = "arff"
    parquet = "parquet"
    arrow = "arrow"


class OnError(str, Enum):
    """What to do at a bad line."""

    stop = "stop"
    skip = "skip"
    log = "log"


MOST_BYTES = 1 << 28
"""The bytes of a line by default, as of `sapwood.stream.read`."""
LONGEST = Annotated[
    int,
    typer.Option(min=1, metavar="BYTES", help="The largest number of bytes in a line, which is held in memory whole."),
]


@dataclass
class EncodingOptions:
    """How lines become points."""

    format: Annotated[
        Format | None, typer.Option(help="The format of the stream. [default: by extension and content]")
    ] = None
    label: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Tables (csv, jsonl, arff, parquet, arrow): the column or field with the class."
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Tables: a column or field to leave out; may be repeated."),
    ] = None
    delimiter: Annotated[str | None, typer.Option(metavar="CHARACTER", help="CSV: the character between columns.")] = (
        None
    )
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header", help="CSV: the first line is data, not the names of columns, which are x1, x2, ..."
        ),
    ] = False
    types: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TYPE,...",
            help="Tables: what columns or fields hold, each a number, a category or a flag, such as "
            "zip=category,age=number; may be repeated. [default: by the header, the type or the first values]",
        ),
    ] = None
    na_values: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT,...",
            help="Tables: what stands for a missing value, beside the empty text. [default: NA, NaN, null, ? and "
            "others; of arff ?]",
        ),
    ] = None
    ngrams: Annotated[int, typer.Option(min=1, max=9, help="Text: features are words and runs of up to N words.")] = 1
    n_features: Annotated[
        int | None,
        typer.Option(min=1, help="Text: hash the words into N columns. svmlight: the number of columns."),
    ] = None
    binarize: Annotated[
        float, option_of(parameter("binarize"), "svmlight, vw: a feature is on where its number is greater than this.")
    ] = 0.0
    sparse_numbers: Annotated[
        bool,
        typer.Option(
            "--sparse-numbers",
            help="svmlight, vw: the size of a number counts; there are further features for numbers above 1, 2, 4, ...",
        ),
    ] = False

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
            header=not self.no_header,
            types=tuple(_types_of(self.types or ()).items()),
            na_values=None if self.na_values is None else tuple(filter(None, self.na_values.split(","))),
            sparse_numbers=self.sparse_numbers,
        )


@dataclass
class ReaderOptions(EncodingOptions):
    """How a stream is read."""

    on_error: Annotated[
        OnError,
        typer.Option(help="At a bad line: stop, skip it, or skip it and report it on standard error."),
    ] = OnError.stop
    longest_line: LONGEST = MOST_BYTES

    def open(self, file: str, *, batch_size: int = 10_000) -> Reader:
        """Open a stream."""
        self.check_name(file)
        reader = self.encoding.open(
            file, batch_size=batch_size, on_error=self.on_error.value, longest_line=self.longest_line
        )
        try:
            self.check_format(reader)
        except ValueError:
            reader.close()
            raise
        return reader

    def check_name(self, file: str) -> str | None:
        """Return the format that a file is said to have, by an option or by its name; None if it is not said.

        Raises ValueError if an option was given that does not apply to it.
        """
        from sapwood.stream import format_by_name

        found = format_by_name(file) if self.format is None else self.format.value
        if found is not None:
            self._check(file, found)
        return found

    def check_format(self, reader: Reader) -> None:
        """Do the same once the stream is open and its format is known for certain."""
        self._check(reader.name, reader.format)

    def _check(self, file: str, found: str) -> None:
        for field in fields(self):
            formats = _FORMATS_OF.get(field.name)
            value = getattr(self, field.name)
            if formats is not None and found not in formats and value != field.default:
                option = "--" + field.name.replace("_", "-")
                got = "" if value is True else f", got {_told(value)}"
                raise ValueError(
                    f"{option} must be left out for {file}, which is {_CALLED.get(found, found)}: it is for "
                    f"{_listed([_CALLED[each] for each in formats])}{got}"
                )


def are_tables(one: str | None, other: str | None) -> bool:
    """Whether points of both formats have columns, so that those of one can be read as those of the other."""
    return one in TABLES and other in TABLES


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _told(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else f"{value}"


def _types_of(given: Sequence[str]) -> dict[str, str]:
    """Return the types of columns that a user gave as zip=category,age=number."""
    from sapwood.data.kinds import KINDS

    types: dict[str, str] = {}
    for each in ",".join(given).split(",") if given else ():
        name, equals, kind = (part.strip() for part in each.rpartition("="))
        if not equals or not name or kind not in KINDS:
            near = difflib.get_close_matches(kind, KINDS, 1) if equals else []
            hint = f"; did you mean {name}={near[0]}?" if near else ""
            raise typer.BadParameter(
                f"must be NAME=TYPE with one of {', '.join(KINDS)} as TYPE, got {each!r}{hint}", param_hint="--types"
            )
        types[name] = kind
    return types


def as_read(encoding: Encoding, stream: Reader) -> Encoding:
    """Return an encoding with the label and the types of columns that were settled, for reading other points."""
    table = stream.table
    if table is None:
        return encoding
    return replace(encoding, label=table.label, types=tuple(table.types.items()))


def tell_table(reader: Reader, *, quiet: bool, weights: str | None = None) -> None:
    """Have a reader say in a small table how each column is read, before the first points are given.

    `weights` is the column that has the weights of the points, if there is one.
    """
    if not quiet:
        reader.on_table = lambda table: note(_table_text(reader.name, table, weights), quiet=False)


def _table_text(name: str, table: TableRead, weights: str | None) -> str:
    from sapwood.inspect.names import shortened

    rows = [
        (
            shortened(column.name, _NAME_WIDTH),
            "weight" if column.name == weights else column.kind,
            ", ".join(shortened(example, _EXAMPLE_WIDTH) for example in column.examples),
        )
        for column in table.columns
    ]
    left_out = len(rows) - _MOST_COLUMNS
    if left_out > 0:
        label = next((row for row in rows[_MOST_COLUMNS:] if row[1] == "label"), None)
        rows = [*rows[:_MOST_COLUMNS], (f"and {left_out:,} more", "", "")] + ([label] if label else [])
    first, second = (max(map(len, column)) for column in list(zip(*rows, strict=True))[:2]) if rows else (0, 0)
    lines = [f"{name} is read as (--types NAME=TYPE and --ignore NAME change it):"]
    lines += [f"  {column:<{first}}  {kind:<{second}}  {examples}".rstrip() for column, kind, examples in rows]
    return "\n".join([*lines, *(f"Note: {_with_options(remark)}." for remark in table.remarks)])


def _with_options(remark: str) -> str:
    """Return a remark of a reader with the options of the command line that it is about."""
    options = (
        ("no header", "--no-header"),
        ("NA values", "--na-values"),
        ("the types", "--types"),
        ("the delimiter", "--delimiter"),
        ("ignore the column ''", "--ignore ''"),
    )
    for words, option in options:
        remark = remark.replace(words, f"{words} ({option})")
    return remark


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
