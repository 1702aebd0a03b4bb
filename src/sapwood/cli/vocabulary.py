"""Names for the columns of an svmlight file, from a file with one name per line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sapwood.data import Batch, Columns
    from sapwood.stream import Encoding, Reader

__all__ = ["NAMES", "NAMES_START", "NamedBatches", "check_names_apply", "named", "names_in"]

NAMES = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="svmlight: what the features are called, one name per line, plain or compressed."
    ),
]
NAMES_START = Annotated[
    int, typer.Option(min=0, help="svmlight: the number of the feature that the first line of --names is for.")
]


def names_in(path: Path, start: int) -> Columns:
    """Return the columns that a file names, one per line; the first line is the name of column `start`.

    Raises StreamError if a name is empty, or there twice.
    """
    import numpy as np

    from sapwood.data import Columns
    from sapwood.stream import StreamError
    from sapwood.stream.unpacked import unpacked

    try:
        # By line feeds alone: to Python other signs, which a name may hold, end a line as well.
        lines = unpacked(path).decode("utf-8-sig").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise StreamError(str(path), "names in UTF-8", f"another byte as number {error.start + 1:,}") from None
    if lines == [""]:
        raise StreamError(str(path), "names, one per line", "none")
    names = [f"x[{column}]" for column in range(start)] + [line.strip() for line in lines]
    first: dict[str, int] = {}
    for column, name in enumerate(names):
        line = column - start + 1
        if not name:
            raise StreamError(str(path), "a name in every line", "an empty one", line, 1)
        if first.setdefault(name, column) != column:
            found = f"{name!r} as in line {first[name] - start + 1}"
            raise StreamError(str(path), "a different name in every line", found, line, 1)
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return Columns(len(names), array)


def named(batch: Batch, columns: Columns | None, file: str) -> Batch:
    """Return points whose columns have names. Those of other formats, which have names of their own, are as they are.

    Raises StreamError if a point has a column without a name.
    """
    from sapwood.stream import StreamError

    if columns is None or columns.names is None or batch.indices is None or batch.names is not None:
        return batch
    if len(batch.indices) and (most := int(batch.indices.max())) >= columns.n:
        raise StreamError(file, f"features up to {columns.n - 1:,}, which have names", f"{most:,}")
    return replace(batch, columns=columns, n_features=columns.n)


class NamedBatches:
    """The batches of a reader, whose columns have names; it can be interrupted as the reader can."""

    def __init__(self, stream: Reader, columns: Columns) -> None:
        self._stream = stream
        self._columns = columns

    def __iter__(self) -> Iterator[Batch]:
        return (named(batch, self._columns, self._stream.name) for batch in self._stream)

    def interrupt(self) -> None:
        """Break off waiting for the stream."""
        self._stream.interrupt()


def check_names_apply(encoding: Encoding, format_read: str) -> None:
    """Raise ValueError if names were given for columns that have none to be given."""
    if format_read != "svmlight":
        raise ValueError(f"--names must be left out for the format {format_read}, whose features have names")
    if encoding.sparse_numbers:
        raise ValueError("--names must be left out with --sparse-numbers, which makes several features of a column")
