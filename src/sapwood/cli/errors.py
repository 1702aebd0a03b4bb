"""Errors in one sentence, without a traceback, each with its exit code."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from sapwood.cli.exit_codes import BROKEN_PIPE, FAILED, INTERRUPTED, TERMINATED, WRONG
from sapwood.cli.signals import Stopped, sigterm_stops

__all__ = ["forget_output", "leave", "require_two_classes", "sentence_of", "told"]

_ENDS = {signal.SIGINT: ("Ctrl-C", INTERRUPTED), signal.SIGTERM: ("SIGTERM", TERMINATED)}
# Its parameters are options here.
_OF_THE_READER = re.compile(r"^read: (\w+)( must .*?)(, got .*)?$", re.DOTALL)
_OF_THE_USER = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)


@contextmanager
def told(command: str) -> Iterator[None]:
    """Turn errors of a command into a sentence on standard error and an exit code."""
    try:
        with sigterm_stops():
            yield
            # Here and not at the exit of Python, which would complain of a pipe that is broken.
            sys.stdout.flush()
    except BrokenPipeError:
        forget_output()
        raise typer.Exit(BROKEN_PIPE) from None
    except KeyboardInterrupt as stop:
        _leave_stopped(stop)
    except _OF_THE_USER as error:
        leave(f"sapwood {command}: {sentence_of(error)}", WRONG)
    except (OSError, MemoryError) as error:
        leave(f"sapwood {command}: {sentence_of(error)}", FAILED)
    except (ValueError, TypeError, OverflowError, ImportError) as error:
        leave(f"sapwood {command}: {sentence_of(error)}", WRONG)


def leave(message: str, code: int) -> NoReturn:
    """Say why on standard error, and leave."""
    typer.echo(message, err=True)
    raise typer.Exit(code)


def _leave_stopped(stop: KeyboardInterrupt) -> NoReturn:
    number, words = (stop.number, stop.words) if isinstance(stop, Stopped) else (signal.SIGINT, "")
    by, code = _ENDS[signal.Signals(number)]
    try:
        sys.stdout.flush()
    except OSError:  # Ctrl-C ends all programs of a pipeline
        forget_output()
    leave(f"Stopped by {by}{' ' if words else ''}{words}.", code)


def require_two_classes(name: str, classes: Iterable[Hashable]) -> None:
    """Raise StreamError if a stream that has been read has points of one class only."""
    from sapwood.stream import StreamError

    found = list(classes)
    if len(found) == 1:
        raise StreamError(name, "points of two classes at least", f"one class only, {found[0]!r}")


def sentence_of(error: BaseException) -> str:
    """Return the message of an error in one line; of the operating system's, the file and the reason."""
    if isinstance(error, OSError) and error.strerror:
        # What has no name is written to without one being given: the output.
        name = "standard output" if error.filename is None else error.filename
        text = f"{name}: {error.strerror.lower()}"
    else:
        text = str(error) or type(error).__name__
        text = _OF_THE_READER.sub(_as_option, text)
    return " ".join(text.split())


def _as_option(found: re.Match[str]) -> str:
    """Return what a parameter of the reader must be, as an option; that of the header takes no value."""
    name, must, got = found.groups()
    return f"--no-header{must}" if name == "header" else f"--{name.replace('_', '-')}{must}{got}"


def forget_output() -> None:
    """Let what is still to be written go nowhere, so that Python does not try again when it ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # an output that is no file, as in a test
        pass
