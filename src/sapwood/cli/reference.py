"""`python -m sapwood.cli.reference`: docs/cli.md, made from the help of the commands."""

from __future__ import annotations

import inspect as python_inspect
import re
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo, ParameterInfo

from sapwood.cli.app import COMMANDS, GENERATORS
from sapwood.cli.exit_codes import BROKEN_PIPE, FAILED, INTERRUPTED, TERMINATED, WRONG

__all__ = ["reference"]

_HEAD = f"""# The command line

<!-- Made by `make docs` from the help of the commands. Change the help, not this file. -->

`pip install '.[cli]'`, in a copy of sapwood, installs the command `sapwood`; `python -m sapwood` is the same. `sapwood
--help` lists its commands, `sapwood train --help` describes one of them, `sapwood --install-completion` installs
completion in the shell, and `sapwood --version` prints the version.

**Streams** are files, plain or compressed, or `-` for standard input; [streams.md](streams.md) describes the formats.
**Results** go to standard output, without colours or progress: as text, or as JSON with `--json`. **Everything else**
goes to standard error: errors, remarks and, on a terminal, progress. With `--quiet` only errors remain.

| exit code | meaning |
|---|---|
| 0 | done |
| {FAILED} | a failure of the system, such as a full disk or too little memory |
| {WRONG} | an option, a file or a line in it is wrong; a stream is empty or has one class only |
| {INTERRUPTED} | stopped by Ctrl-C |
| {BROKEN_PIPE} | the reader of the output closed the pipe |
| {TERMINATED} | stopped by SIGTERM |

**Ctrl-C and SIGTERM** let a command finish its current step: `train` saves its model; `evaluate` and `race` report the
results so far, a race without its picture; `predict`, `splits` and `generate` end after a whole line. All commands
print the number of points that were done. A second signal ends a command at once. `inspect` and `reproduce` end at the
first, and leave no picture and no report that is not whole.

**Errors** are one sentence each. If an error is a bug, set `SAPWOOD_TRACEBACK=1` in the environment to see where it
happened. `reproduce` also uses exit code {FAILED} for wrong files.

**Checkpoints.** `train` saves its model, with the number of points read, at the end, at every `--checkpoint`, and on
Ctrl-C, SIGTERM or a bad line. A save replaces the file as a whole: after `kill -9` or a power failure the last
checkpoint is intact, and the next one removes a file `.sapwood-*.tmp` that is left beside it. `--resume` skips the
points that were learned and continues. Skipping takes the time of reading them; text is not split into words. The
stream must begin with the same points, and the options that change the model must be the same. Other options, such as
`--checkpoint`, may differ.
"""
_TYPES: dict[Any, str] = {int: "N", float: "X", str: "TEXT", Path: "PATH"}
_DEFAULT = re.compile(r" ?\[default: (.*)\]$")


def reference() -> str:
    """Return the document."""
    parts = [_HEAD]
    for command in COMMANDS:
        parts += _section(f"sapwood {command.__name__}", command)
    for command in GENERATORS:
        parts += _section(f"sapwood generate {command.__name__}", command)
    return "\n".join(parts)


def _section(name: str, command: Callable[..., None]) -> Iterator[str]:
    words, _, examples = (python_inspect.getdoc(command) or "").partition("\nTry:\n")
    hints = get_type_hints(command, include_extras=True)
    arguments, rows = [], []
    for parameter in python_inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if hint is typer.Context:
            continue
        kind, info = _taken_apart(hint)
        has_default = parameter.default is not python_inspect.Parameter.empty
        if isinstance(info, ArgumentInfo):
            arguments.append(f"{info.metavar}")
            rows.append((f"`{info.metavar}`", "", info.help or ""))
        elif isinstance(info, OptionInfo):
            text, default = _help_and_default(info, parameter.default if has_default else None)
            rows.append((_option(parameter.name, kind, info), default if has_default else "required", text))
    yield f"## {name}\n"
    yield f"    {' '.join([name, *arguments, '[OPTIONS]'])}\n"
    yield words.strip() + "\n"
    if examples:
        yield python_inspect.cleandoc(examples).join(["```sh\n", "\n```\n"])
    yield "| option | default | meaning |\n|---|---|---|"
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
    yield ""


def _taken_apart(hint: Any) -> tuple[Any, ParameterInfo]:
    """Return the type of a parameter, without None and list, and what typer knows of it."""
    assert get_origin(hint) is Annotated, hint
    kind, info, *_ = get_args(hint)
    while get_origin(kind) is not None or type(None) in get_args(kind):
        kind = next(part for part in get_args(kind) if part is not type(None))
    return kind, info


def _option(name: str, kind: Any, info: OptionInfo) -> str:
    # Within Annotated the first of the names stands where typer has the default otherwise.
    given = [each for each in (info.default, *(info.param_decls or ())) if isinstance(each, str)]
    names = ", ".join(f"`{each}`" for each in given or [f"--{name.replace('_', '-')}"])
    if kind is bool:
        # typer adds the other of the two names unless one was given.
        return names if given else f"{names}, `--no-{name.replace('_', '-')}`"
    if info.metavar:
        return f"{names} {info.metavar}"
    if issubclass(kind, Enum):
        return f"{names} {'|'.join(f'`{member.value}`' for member in kind)}"
    return f"{names} {_TYPES[kind]}"


def _help_and_default(info: OptionInfo, default: Any) -> tuple[str, str]:
    text = info.help or ""
    if (said := _DEFAULT.search(text)) is not None:
        return text[: said.start()], said.group(1)
    if default is None or isinstance(default, bool):
        return text, ""
    return text, f"{default.value if isinstance(default, Enum) else default}"


if __name__ == "__main__":
    sys.stdout.write(reference())
