"""What commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sapwood.cli.standard_output import standard_output

if TYPE_CHECKING:
    from sapwood.cli.signals import StopSignals

__all__ = [
    "OutputOptions",
    "check_apart",
    "check_new",
    "check_place",
    "check_places_differ",
    "note",
    "write",
]


@dataclass
class OutputOptions:
    """How a command prints."""

    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the result and errors: no progress, no remarks.")
    ] = False

    def result(self, text: str, data: Any) -> None:
        """Print a result, as text or as a line of JSON."""
        typer.echo(_shown(json.dumps(data, allow_nan=False, ensure_ascii=False) if self.json else text))


def write(text: str, signals: StopSignals) -> None:
    """Write lines to standard output at once, as the reader of a pipe waits for them, and all of them.

    Raises Stopped if there was a signal, and nobody reads what is written.
    """
    from sapwood.stream import write_all

    sys.stdout.flush()
    # Not by way of the text, which without a buffer below it loses what is left to be written when a signal comes.
    write_all(standard_output(signals), _shown(text).encode(sys.stdout.encoding, sys.stdout.errors or "strict"))


def _shown(text: str) -> str:
    """Return text as it may be sent to standard output: a terminal would obey signs that control it, in any name."""
    if text.isascii() and text.isprintable():
        return text
    from sapwood.data.unicode import in_unicode, printable

    return printable(text, also="\n\t") if sys.stdout.isatty() else in_unicode(text)


def check_place(path: Path) -> None:
    """Raise OSError now, and not when all work is done, if a file cannot be written where it is wanted."""
    if str(path) == "-":
        raise ValueError("a file to write must have a name, got -, which is standard output")
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "this must be a file or new, got a device or the like", str(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    if not path.resolve().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    if not os.access(path.resolve().parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path.parent))


def check_apart(path: Path | None, option: str, read: Iterable[str | Path | None]) -> None:
    """Raise ValueError if a file would be written that is read: points are not to be lost by a slip of the keyboard."""
    for other in read:
        if path is not None and other is not None and path.exists() and Path(other).exists() and path.samefile(other):
            raise ValueError(f"{option} must be another file than {other}, which is read, got {path}")


def check_places_differ(path: Path | None, option: str, other: Path | None, other_option: str) -> None:
    """Raise ValueError if two things would be written to one place, of which only the second would be left."""
    if path is not None and other is not None and path.resolve() == other.resolve():
        raise ValueError(f"{option} must be another file than {other_option}, got {path} for both")


def check_new(path: Path, *, force: bool, hint: str) -> None:
    """Raise ValueError if a file would be overwritten that was not meant to be; `hint` says what else may be wanted."""
    if path.is_file() and not force:
        raise ValueError(f"{path} exists: --force overwrites it, {hint}")


def note(message: str, *, quiet: bool) -> None:
    """Print a remark on standard error."""
    if not quiet:
        typer.echo(message, err=True)
