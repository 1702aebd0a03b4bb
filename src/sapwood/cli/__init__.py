"""The command `sapwood`."""

from __future__ import annotations

import codecs
import gc
import importlib.util
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ALONE", "main"]

ALONE = ("train", "predict", "evaluate", "inspect")
"""The commands that are prepared by themselves: those that people run often. Each is in a module of its name."""

_OBJECTS_BETWEEN_LOOKS = 50_000  # about what a start makes, in 5 MB


def main() -> None:
    """Run the command, or say in one sentence what it needs. No error shows a traceback."""
    _open_what_is_closed()
    _escape_what_cannot_be_encoded()
    missing = [module for module in ("typer", "rich") if importlib.util.find_spec(module) is None]
    if missing:
        print(
            f"sapwood: {' and '.join(missing)} must be installed; install with: pip install 'sapwood[cli]'",
            file=sys.stderr,
        )
        sys.exit(1)
    # To start makes many objects that stay; looking for those that refer to each other takes a tenth of the start.
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS, 10, 10)
    try:
        # NumPy starts a thread per processor for matrices of numbers, of which no command has any.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        app = _application(sys.argv[1:])
        try:
            app()
        finally:
            # What is held at the end of a process need not be looked through once more: that is a fifth of a start.
            gc.freeze()
    except KeyboardInterrupt:
        # Commands have their own word for it; this is before there is one.
        sys.exit(130)
    except OSError as error:
        # Of what is done before there is a command, such as to print help: to a disk that is full.
        from sapwood.cli.errors import forget_output, sentence_of

        print(f"sapwood: {sentence_of(error)}", file=sys.stderr)
        forget_output()
        sys.exit(1)
    except Exception as error:
        if os.environ.get("SAPWOOD_TRACEBACK"):
            raise
        print(
            f"sapwood: this is a bug, {type(error).__name__}: {' '.join(str(error).split())}; "
            "set SAPWOOD_TRACEBACK=1 in the environment to see where",
            file=sys.stderr,
        )
        sys.exit(1)


def _application(arguments: list[str]) -> Callable[[], None]:
    """Return the application, with no more commands than are needed: to prepare all of them takes longer than most."""
    if arguments and arguments[0] in ALONE:
        from sapwood.cli.make_app import make_app

        name = arguments[0]
        return make_app([getattr(import_module(f"sapwood.cli.{name}"), name)])
    from sapwood.cli.app import app

    return app


def _open_what_is_closed() -> None:
    """Put empty ones in the place of an input or an output that is closed, so that no other file takes it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - it stays open


def _escape_what_cannot_be_encoded() -> None:
    r"""Let standard output say as JSON does, ``\u00e9``, what its encoding has no sign for: Python would end there."""
    encoding = getattr(sys.stdout, "encoding", None)
    # Who asks for something else, as by PYTHONIOENCODING=ascii:replace, gets it.
    if getattr(sys.stdout, "errors", None) != "strict" or not hasattr(sys.stdout, "reconfigure"):
        return
    if encoding is None or codecs.lookup(encoding).name == "utf-8":
        return

    def escaped(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4)), error.end

    codecs.register_error("sapwood", escaped)
    sys.stdout.reconfigure(errors="sapwood")
