"""Reads a stream of labelled points from a file or a pipe, in batches."""

from __future__ import annotations

import operator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sapwood.stream._errors import LineError, ShortStreamError, StreamError
from sapwood.stream._formats import COLUMNAR, FORMATS, format_of
from sapwood.stream._lines import LONGEST_LINE, blocks
from sapwood.stream._make_parser import parser_of
from sapwood.stream._source import Interrupted, Source
from sapwood.stream._table import checked_types

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Generator, Mapping
    from io import RawIOBase
    from types import TracebackType
    from typing import BinaryIO

    from typing_extensions import Self

    from sapwood.data import Batch
    from sapwood.stream._parser import Parser
    from sapwood.stream._table import TableRead

__all__ = ["ON_ERROR", "Errors", "Reader", "read"]

ON_ERROR = ("stop", "skip", "log")

_KEPT_ERRORS = 10


@dataclass
class Errors:
    """The bad lines that were skipped: their number, and the first ten."""

    count: int = 0
    first: list[LineError] = field(default_factory=list)


class Reader:
    """An iterator of the batches of a stream; see `read`, which makes one. It is also a context manager.

    It holds one batch and the longest line in memory. All points before an error, or before an interrupt (Ctrl-C) while
    it waits for the file, are given before the error is raised.
    """

    def __init__(
        self,
        source: Source,
        parser: Parser,
        *,
        format_name: str,
        batch_size: int,
        on_error: str,
        start: int,
        longest_line: int = LONGEST_LINE,
    ) -> None:
        self.name = source.name
        """The name of the stream in messages."""
        self.format = format_name
        """The format of the stream."""
        self.compression = source.compression
        """The compression: gzip, bzip2, xz, zstd or None."""
        self.errors = Errors()
        """The bad lines that were skipped, including those before `start`."""
        self.n_points = 0
        """The number of points given, without those before `start`."""
        self.on_table: Callable[[TableRead], None] | None = None
        """Called once, before the first batch is given, with how the columns of CSV or JSON lines are read."""
        self.on_block: Callable[[bytes], None] | None = None
        """Called with each block of whole lines before its points are made, for whoever keeps account of lines."""
        self.on_bad_line: Callable[[int], None] | None = None
        """Called at each bad line that is skipped, with the number of points of the stream before it."""
        self._source = source
        self._parser = parser
        self._batch_size = batch_size
        self._on_error = on_error
        self._start = start
        self._longest_line = longest_line
        self._skipped = 0
        self._batches = self._read()

    @property
    def n_lines(self) -> int:
        """The number of lines read."""
        return self._parser.n_lines

    @property
    def table(self) -> TableRead | None:
        """How the columns of CSV or JSON lines are read, as far as that is known; None for other formats."""
        return self._parser.table

    @property
    def n_bytes(self) -> int:
        """The number of stored bytes read; a little ahead of the points that were given."""
        return self._source.n_bytes

    @property
    def total_bytes(self) -> int | None:
        """The number of stored bytes in all; None where it is not known, as for a pipe."""
        return self._source.total_bytes

    @property
    def position(self) -> int:
        """The number of points of the stream so far. Pass it as `start` to continue after the last batch."""
        return self._skipped + self.n_points

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Batch:
        if self._source.is_interrupted:
            self.close()
            raise KeyboardInterrupt
        return next(self._batches)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def interrupt(self) -> None:
        """Stop reading: what has been read is given as a last batch, then KeyboardInterrupt is raised.

        For use in a signal handler, in the thread that reads, even while it waits for a pipe.
        """
        self._source.interrupt()

    def stop(self) -> None:
        """Do the same from another thread than the one that reads, which is told soon, whatever the data are."""
        self._source.stop()

    def close(self) -> None:
        """Close the file if `read` opened it. The reader then has no more batches."""
        # One that is being read in a thread that was not waited for ends with its file.
        with suppress(ValueError):
            self._batches.close()
        self._source.close()

    def _read(self) -> Generator[Batch, None, None]:
        parser = self._parser
        failure: BaseException | None = None
        try:
            self._prepare()
            for error in parser.events(self._blocks()):
                if error is not None:
                    self._note(error)
                elif (batch := self._take()) is not None:
                    yield batch
        except (StreamError, OSError) as error:
            failure = error
        except Interrupted as stop:
            failure = stop.interrupt
        if len(parser) and (batch := self._take()) is not None:
            yield batch
        self._source.close()
        if failure is None:
            failure = self._shortage()
        if failure is not None:
            raise failure

    def _blocks(self) -> Generator[bytes, None, None]:
        for block in blocks(self._source.chunks(), self.name, self._longest_line):
            if self.on_block is not None:
                self.on_block(block)
            yield block

    def _prepare(self) -> None:
        """Tell the parser how many points are wanted next, and whether only their number is."""
        left = self._start - self._skipped
        self._parser.most = min(self._batch_size, left) if left else self._batch_size
        self._parser.is_passed_over = left > 0

    def _take(self) -> Batch | None:
        """Return the points that the parser has gathered, unless they are among those to skip."""
        if self._skipped < self._start:
            self._skipped += len(self._parser)
            self._parser.drop()
            self._prepare()
            return None
        if self.n_points == 0 and self.on_table is not None and (table := self._parser.table) is not None:
            self.on_table(table)
        batch = self._parser.take()
        self.n_points += len(batch)
        return batch

    def _note(self, error: LineError) -> None:
        exception = StreamError(self.name, error.expected, error.found, error.line, error.column)
        if self._on_error == "stop":
            raise exception
        self.errors.count += 1
        if self.on_bad_line is not None:
            self.on_bad_line(self.position + len(self._parser))
        if len(self.errors.first) < _KEPT_ERRORS:
            self.errors.first.append(error)
        if self._on_error == "log":
            import logging

            logging.getLogger("sapwood.stream").warning("%s; skipped", exception)

    def _shortage(self) -> StreamError | None:
        """Return the error of a stream that ends without a point, or before the one to start at."""
        from sapwood.wording import counted

        if self._skipped < self._start:
            return ShortStreamError(
                self.name, f"at least {counted(self._start, 'point')} to skip", f"{self.position:,}"
            )
        if self.position == 0:
            bad = f", {self.errors.count:,} of them bad" if self.errors.count else ""
            return StreamError(self.name, "points", f"none in {counted(self.n_lines, 'line')}{bad}")
        return None


def read(
    source: str | os.PathLike[str] | BinaryIO | RawIOBase,
    *,
    format: str | None = None,  # noqa: A002 - the word for it
    batch_size: int = 10_000,
    binarize: float | None = 0.0,
    on_error: str = "stop",
    start: int = 0,
    n_features: int | None = None,
    vectorizer: Any = None,
    label: str | None = None,
    labelled: bool = True,
    ignore: Collection[str] = (),
    delimiter: str | None = None,
    header: bool = True,
    types: Mapping[str, str] | None = None,
    only_typed: bool = False,
    na_values: Collection[str] | None = None,
    sparse_numbers: bool = False,
    longest_line: int = LONGEST_LINE,
) -> Reader:
    r"""Read a stream of points from a file or a pipe, in batches, in constant memory.

    Parameters
    ----------
    source
        A path, "-" for standard input, or a file opened in binary mode. Data compressed by gzip, bzip2, xz or zstd (the
        extra ``zstd``) is recognised by its first bytes.
    format
        ``"svmlight"``, ``"text"`` (label<TAB>text), ``"csv"``, ``"jsonl"``, ``"vw"`` (Vowpal Wabbit's lines),
        ``"fasttext"``, ``"arff"``, ``"parquet"`` or ``"arrow"`` (the extra ``arrow``). By default Parquet and Arrow are
        recognised by their first bytes, others by the extension of the name, otherwise by the first lines.
    batch_size
        The number of points per batch; the last batch and the one before an error may have fewer.
    binarize
        svmlight, vw: a feature is on where its number is greater than this. With None, numbers must be 0 or 1. It must
        be left out for other formats, in which numbers are numbers.
    on_error
        What to do at a bad line: ``"stop"`` raises StreamError, ``"skip"`` counts it in ``errors``, ``"log"`` also
        logs a warning to ``sapwood.stream``.
    start
        The number of points to skip at the beginning, to continue where an earlier reader stopped.
    n_features
        svmlight: the number of columns, beyond which an index is an error; by default 2³⁰, the maximum. Text: hash the
        words into this number of columns, by the HashingVectorizer of scikit-learn.
    vectorizer
        Text: a scikit-learn vectorizer whose analyser finds the words, such as
        ``CountVectorizer(ngram_range=(1, 2))``; a HashingVectorizer hashes them too. By default CountVectorizer().
    label
        Tables (CSV, JSON lines, ARFF, Parquet, Arrow): the column or field with the label. By default label, class or
        target, or the last column, of those that are not left out.
    labelled
        Whether the stream has labels. If not, labels are None, a line of text is all text, and the column or field
        named by `label` is left out. An svmlight line always has a label.
    ignore
        Tables: columns or fields to leave out.
    delimiter
        CSV: the character between columns. By default a comma, semicolon, tab or bar, as in the first line.
    header
        CSV: whether the first line has the names of the columns. If not, they are x1, x2, ...
    types
        Tables: what columns or fields hold: ``"flag"``, ``"number"`` or ``"category"``, by their names. By
        default a column of CSV holds what all its cells in the first 1,000 rows read as, otherwise a category; a field
        of JSON lines holds what each of its values is.
    only_typed
        Tables: whether columns without a type are left out, and those of `types` and `ignore` may lack. For points that
        are to be predicted, with the types of the reader of the others, ``reader.table.types``.
    na_values
        Tables: texts that stand for a missing value, as empty ones do. By default those of
        ``pandas.read_csv`` (NA, NaN, null and others) and the question mark.
    sparse_numbers
        svmlight, vw: whether the size of a number counts. A number above 1 then has the feature ``index > 1``, one
        above 2 also ``index > 2``, one above 4 also ``index > 4``, and so on.
    longest_line
        The largest number of bytes in a line, which is held in memory whole. A longer one is an error, also in a file
        that is small only because it is compressed.

    Returns
    -------
    Reader
        An iterator of batches, which closes the file at its end and is also a context manager.

    Raises
    ------
    OSError
        If the file does not exist or cannot be read.
    StreamError
        If the file is empty, is not text or has no known format; later, from the iterator, at a bad line.
    ValueError, TypeError
        If a parameter is invalid, or does not apply to the format.
    ImportError
        If the data is compressed by zstd and the package zstandard is not installed, or it is Parquet or Arrow and
        pyarrow is not.

    Examples
    --------
    >>> import io
    >>> from sapwood.stream import read
    >>> for batch in read(io.BytesIO(b"1 3:1 7:0.5\n-1 4:1\n")):
    ...     print(batch.X.indices, batch.y)
    [3 7 4] [ 1 -1]
    >>> for batch in read(io.BytesIO(b"spam\tWin a prize, win now!\nham\tSee you now\n")):
    ...     print(list(batch.points()))
    [(['win', 'prize', 'now'], 'spam'), (['see', 'you', 'now'], 'ham')]
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"read: format must be one of {', '.join(FORMATS)} or None, got {format!r}")
    if on_error not in ON_ERROR:
        raise ValueError(f"read: on_error must be one of {', '.join(ON_ERROR)}, got {on_error!r}")
    if binarize is not None and not float("-inf") < binarize < float("inf"):
        raise ValueError(f"read: binarize must be a finite number or None, got {binarize}")
    for name, value in (("ignore", ignore), ("na_values", na_values)):
        if isinstance(value, str):
            raise TypeError(f"read: {name} must be a collection of strings, got the string {value!r}")
    kinds = checked_types(types or {})
    batch_size = _count("batch_size", batch_size, 1)
    start = _count("start", start, 0)
    longest_line = _count("longest_line", longest_line, 1)
    if n_features is not None:
        n_features = _count("n_features", n_features, 1)
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"read: delimiter must be one character, got {delimiter!r}")
    if delimiter is not None and delimiter in '"\r\n':
        raise ValueError(f"read: delimiter must be no quote and no line end, got {delimiter!r}")
    if label is not None and label in ignore:
        raise ValueError(f"read: label must be a column that is not ignored, got {label!r}")
    opened = Source(source)
    try:
        kind = format or opened.columnar or format_of(opened.sample, opened.name)
        _check_content(kind, opened)
        _check_options(
            kind,
            recognised=format is None,
            n_features=n_features,
            vectorizer=vectorizer,
            label=label,
            ignore=ignore,
            delimiter=delimiter,
            header=header,
            types=types,
            na_values=na_values,
            sparse_numbers=sparse_numbers,
            binarize=binarize,
        )
        parser = parser_of(
            kind,
            opened,
            binarize=binarize,
            n_features=n_features,
            vectorizer=vectorizer,
            label=label,
            labelled=labelled,
            ignore=ignore,
            delimiter=delimiter,
            header=header,
            types=kinds,
            only_typed=only_typed,
            na_values=na_values,
            sparse_numbers=sparse_numbers,
        )
    except BaseException:
        opened.close()
        raise
    return Reader(
        opened,
        parser,
        format_name=kind,
        batch_size=batch_size,
        on_error=on_error,
        start=start,
        longest_line=longest_line,
    )


_OPTIONS: dict[str, set[str]] = {
    "svmlight": {"binarize", "n_features", "sparse_numbers"},
    "text": {"n_features", "vectorizer"},
    "csv": {"label", "ignore", "delimiter", "header", "types", "na_values"},
    "jsonl": {"label", "ignore", "types", "na_values"},
    "vw": {"binarize", "sparse_numbers"},
    "fasttext": set(),
    "arff": {"label", "ignore", "types", "na_values"},
    "parquet": {"label", "ignore", "types", "na_values"},
    "arrow": {"label", "ignore", "types", "na_values"},
}
_USUAL = {"binarize": 0.0, "header": True, "sparse_numbers": False}


def _check_content(kind: str, source: Source) -> None:
    """Refuse data that is said to be text and is not, or the other way round."""
    if source.columnar != (kind if kind in COLUMNAR else None):
        found = "text" if source.columnar is None else f"{source.columnar} data"
        raise StreamError(source.name, f"{kind} data" if kind in COLUMNAR else f"text in the format {kind}", found)


def _check_options(kind: str, *, recognised: bool, **options: Any) -> None:
    """Refuse an option that does not apply to the format, which would be ignored silently otherwise."""
    for name, value in options.items():
        is_given = value != _USUAL[name] if name in _USUAL else value is not None and value not in ((), {})
        if name not in _OPTIONS[kind] and is_given:
            # A tab is between a label and a text as well as between the columns of a table.
            is_table = recognised and kind == "text" and name in _OPTIONS["csv"]
            hint = "; the format csv is that of a table with tabs between its columns" if is_table else ""
            raise ValueError(f"read: {name} must be left out for the format {kind}, got {value!r}{hint}")


def _count(name: str, value: int, least: int) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"read: {name} must be an integer, got {value!r}") from None
    if count < least:
        raise ValueError(f"read: {name} must be at least {least}, got {count}")
    return count
