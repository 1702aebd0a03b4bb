"""How tests call the command: in this process, or as a program of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from sapwood.cli.app import app
from sapwood.datasets import make_text
from sapwood.stream import write_svmlight

COMMAND = [sys.executable, "-c", "from sapwood.cli import main; main()"]
MOST_SECONDS = 60
"""That a command may take which has little to do."""


def call(*arguments: object, stdin: bytes | None = None) -> Any:
    """Run the command in this process; `stdout` and `stderr` are apart."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def done(*arguments: object, stdin: bytes | None = None) -> str:
    """Run the command, which must succeed, and return its output."""
    result = call(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    output: str = result.stdout
    return output


def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """Start the command as a program."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([*COMMAND, *map(str, arguments)], **pipes)


def run_on_terminal(*arguments: object, stdout_too: bool = False) -> tuple[int, str, str]:
    """Run the command with a terminal as its standard error; return the exit code, the output, what was shown."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    with tempfile.TemporaryFile() as output:
        stdout = theirs if stdout_too else output
        running = start(*arguments, stdin=subprocess.DEVNULL, stdout=stdout, stderr=theirs, env=environment)
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so of a terminal that nobody has open
                break
            if not part:
                break
            shown += part
        os.close(ours)
        running.wait(timeout=MOST_SECONDS)
        output.seek(0)
        return running.returncode, output.read().decode(), shown.decode(errors="replace")


def write_stream(path: Path, n: int = 2000, d: int = 500) -> Path:
    """Write a stream of texts in the svmlight format."""
    path.write_bytes(stream_bytes(n, d))
    return path


def stream_bytes(n: int = 2000, d: int = 500) -> bytes:
    """Return a stream of n texts over d words in the svmlight format."""
    X, y = make_text(n=n, d=d, topical=0.4, contrast=1.0, seed=5)
    file = io.BytesIO()
    write_svmlight(file, X, y)
    return file.getvalue()


def write_words(path: Path, n: int = 600) -> Path:
    """Write labelled messages, whose class a word tells."""
    lines = (
        f"{'spam' if i % 3 else 'ham'}\tword{i % 7} {'prize' if i % 3 else 'lunch'} number{i % 13}\n" for i in range(n)
    )
    path.write_text("".join(lines), encoding="utf-8")
    return path
