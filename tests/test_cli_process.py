"""The command as a program: pipes, terminals, interrupts, completion."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command_line import (
    COMMAND,
    MOST_SECONDS,
    call,
    done,
    run_on_terminal,
    start,
    stream_bytes,
    write_stream,
    write_words,
)

from sapwood import cli

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE and no pseudo-terminals")


@posix
@pytest.mark.parametrize(
    "arguments",
    [
        ["generate", "sparse", "--n", "200000"],
        ["predict", "{stream}", "-m", "{model}"],
        ["splits", "{stream}", "--every", "1"],
    ],
)
def test_a_broken_pipe_is_quiet(arguments: list[str], tmp_path: Path) -> None:
    names = {"stream": write_stream(tmp_path / "t.svm", 40_000), "model": tmp_path / "m"}
    if "{model}" in arguments:
        done("train", write_stream(tmp_path / "few.svm", 100), "-m", names["model"])
    with start(*(argument.format(**names) for argument in arguments), stdin=subprocess.DEVNULL) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=MOST_SECONDS) == 141


@posix
@pytest.mark.parametrize(
    "command", [["predict", "{stream}", "-m", "{model}"], ["splits", "{stream}", "--every", "500"]]
)
def test_output_and_progress_do_not_meet(command: list[str], tmp_path: Path) -> None:
    names = {"stream": write_stream(tmp_path / "t.svm", 20_000), "model": tmp_path / "m"}
    done("train", names["stream"], "-m", names["model"])
    arguments = [argument.format(**names) for argument in command]
    plain = done(*arguments)
    assert plain.count("\n") > 20
    # A file has the output, and the terminal the progress.
    code, output, shown = run_on_terminal(*arguments)
    assert (code, output) == (0, plain)
    assert "points" in shown
    assert plain[-50:] not in shown.replace("\r\n", "\n")
    # Where both go to a terminal, the output alone is shown.
    code, _, shown = run_on_terminal(*arguments, stdout_too=True)
    assert (code, shown.replace("\r\n", "\n")) == (0, plain)


@posix
def test_progress_is_for_terminals_only(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 30_000)
    code, output, shown = run_on_terminal("evaluate", stream)
    assert code == 0
    assert "Evaluating" in shown
    assert "accuracy" in shown
    assert "\x1b" not in output
    assert output.startswith("StreamingTreeClassifier: 30,000 points")
    assert run_on_terminal("evaluate", stream, "--quiet")[2] == ""
    running = start("evaluate", stream)
    plain, errors = running.communicate(timeout=MOST_SECONDS)
    assert errors == b""
    assert b"\x1b" not in plain


SIGNALS = [(signal.SIGINT, 130, "Ctrl-C"), (signal.SIGTERM, 143, "SIGTERM")]
signals = pytest.mark.parametrize(("number", "code", "name"), SIGNALS)


def stopped(number: int, *arguments: object) -> tuple[int, list[str], str]:
    """Stop the command, which waits for more of a pipe than 25,000 points; return code, lines of output and errors."""
    running = start(*arguments)
    assert running.stdin is not None
    running.stdin.write(stream_bytes(25_000))
    running.stdin.flush()
    # It has read all but what the pipe and its buffers hold, and so has two batches at least.
    running.send_signal(number)
    output, errors = running.communicate(timeout=MOST_SECONDS)
    return running.returncode, output.decode().splitlines(), errors.decode()


@posix
@signals
def test_a_signal_lets_evaluate_tell_the_results_until_then(number: int, code: int, name: str, tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    status, lines, errors = stopped(number, "evaluate", "-", "--report", page)
    assert status == code, errors
    points = int(lines[0].split()[1].replace(",", ""))
    assert 10_000 <= points <= 25_000
    assert errors == f"Report: {page}\nStopped by {name} after {points:,} points.\n"
    assert page.is_file()


@posix
@signals
def test_a_signal_ends_predict_after_whole_lines(number: int, code: int, name: str, tmp_path: Path) -> None:
    done("train", write_stream(tmp_path / "few.svm", 100), "-m", tmp_path / "m")
    status, lines, errors = stopped(number, "predict", "-", "--labelled", "-m", tmp_path / "m")
    assert status == code, errors
    assert 10_000 <= len(lines) <= 25_000
    assert set(lines) <= {"0", "1"}
    assert f" of {len(lines):,} correct" in errors
    assert errors.endswith(f"\nStopped by {name} after {len(lines):,} points.\n")


@posix
@signals
def test_a_signal_ends_splits_and_race_with_what_is_done(number: int, code: int, name: str, tmp_path: Path) -> None:
    status, lines, errors = stopped(number, "splits", "-", "--every", 7000)
    assert status == code, errors
    points = int(lines[-1].split()[0])
    assert 7000 <= points <= 25_000
    assert [len(line.split("\t")) for line in lines] == [5] * len(lines)
    assert errors == f"Stopped by {name} after {points:,} points.\n"
    picture = tmp_path / "race.png"
    status, lines, errors = stopped(number, "race", "-", "--criterion", "gini", "--json", "--picture", picture)
    assert status == code, errors
    points = json.loads(lines[0])[0]["points"]
    assert 10_000 <= points <= 25_000
    assert errors == f"Stopped by {name} after {points:,} points; no picture was drawn.\n"
    assert not picture.exists()


@posix
@signals
def test_a_signal_ends_generate_after_a_whole_line(number: int, code: int, name: str) -> None:
    running = start("generate", "sparse", "--n", 300_000, "--d2", 1000, "--seed", 1)
    assert running.stdout is not None
    first = running.stdout.readline()
    # It waits for the pipe to be read, and so is in the midst of writing.
    running.send_signal(number)
    output = running.stdout.read()
    _, errors = running.communicate(timeout=MOST_SECONDS)
    assert running.returncode == code, errors
    lines = (first + output).splitlines()
    assert errors.decode() == f"Stopped by {name} after {len(lines):,} points.\n"
    assert 0 < len(lines) < 300_000
    assert output.endswith(b"\n")


@posix
@pytest.mark.parametrize(
    ("arguments", "ending"),
    [
        (["train", "-", "-m", "m"], SIGNALS[0]),
        (["train", "-", "-m", "m"], SIGNALS[1]),
        (["evaluate", "-"], SIGNALS[1]),
        (["race", "-"], SIGNALS[0]),
    ],
)
def test_a_signal_before_the_first_byte(arguments: list[str], ending: tuple[int, int, str], tmp_path: Path) -> None:
    number, code, name = ending
    running = start(*arguments, cwd=tmp_path, env={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"})
    # When the reader has been imported, it waits, or soon will.
    assert running.stderr is not None
    assert any(b"sapwood.stream\n" in line for line in iter(running.stderr.readline, b""))
    time.sleep(0.3)
    running.send_signal(number)
    output, errors = running.communicate(timeout=MOST_SECONDS)
    assert running.returncode == code, errors
    assert output == b""
    assert errors.decode().splitlines()[-1].startswith(f"Stopped by {name}")
    assert b"Traceback" not in errors
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["train", "--help"], ["reproduce", "--help"]])
def test_help_loads_nothing_that_is_slow(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom sapwood.cli.app import app\n"
        "try:\n    app(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numpy', 'scipy', 'sklearn', 'rich', 'matplotlib'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert run.stdout.splitlines()[-1] == "[]", run.stderr


def test_help_of_every_command_has_examples() -> None:
    for command in (["train"], ["predict"], ["evaluate"], ["inspect"], ["splits"], ["race"], ["generate", "sparse"]):
        shown = done(*command, "--help")
        assert f"  sapwood {' '.join(command)} " in shown


def test_the_module_is_the_command() -> None:
    for arguments in (["--version"], ["train", "-h"]):
        command, module = (
            subprocess.run([*begun, *arguments], capture_output=True, text=True, check=True, timeout=MOST_SECONDS)
            for begun in (COMMAND, [sys.executable, "-m", "sapwood"])
        )
        assert module.stdout
        assert module.stdout.replace("python -m sapwood", "-c") == command.stdout


def test_completion() -> None:
    environment = {
        **os.environ,
        "_SAPWOOD_COMPLETE": "complete_bash",
        "COMP_WORDS": "sapwood tr",
        "COMP_CWORD": "1",
    }
    program = [sys.executable, "-c", "import sys; sys.argv[0] = 'sapwood'\nfrom sapwood.cli import main; main()"]
    run = subprocess.run(program, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)
    assert run.stdout.split() == ["train"]
    assert "--install-completion" in done("--help")


@posix
@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        (">&-", "predict w.tsv -m model", 0),
        (">&-", "generate sparse --n 10", 0),
        (">&- 2>&-", "evaluate w.tsv", 0),
        ("2>&-", "train none -m m", 2),
        ("<&-", "train - -m m", 2),
    ],
)
def test_closed_inputs_and_outputs(closed: str, arguments: str, code: int, tmp_path: Path) -> None:
    done("train", write_words(tmp_path / "w.tsv"), "-m", tmp_path / "model")
    line = f"exec {shlex.join(COMMAND)} {arguments} {closed}"
    run = subprocess.run(["/bin/sh", "-c", line], cwd=tmp_path, capture_output=True, check=False)
    assert run.returncode == code, run.stderr
    assert run.stdout == b""
    assert run.stderr.count(b"\n") == (closed == "<&-")
    assert b"this is a bug" not in run.stderr


@posix
@pytest.mark.parametrize("command", ["generate sparse --n 10", "predict w.tsv -m model", "--help", "train --help"])
def test_an_output_that_is_full(command: str, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done("train", write_words(tmp_path / "w.tsv"), "-m", tmp_path / "model")
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [*COMMAND, *command.split()], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert run.returncode == 1
    name = " ".join(command.split()[: 2 if command.startswith("generate") else 1])
    # Help is printed before there is a command.
    who = "sapwood" if command.endswith("--help") else f"sapwood {name}"
    assert run.stderr.decode() == f"{who}: standard output: no space left on device\n"


@posix
def test_an_output_that_has_no_signs_for_what_is_told(tmp_path: Path) -> None:
    """What cannot be written is written as JSON has it, beyond 16 bits as well."""
    lines = [f"{label}\t{word}\n" for label, word in [("späm", "prize 中 😀"), ("ham", "lunch")] * 20]
    (tmp_path / "t.tsv").write_text("".join(lines), encoding="utf-8")
    done("train", tmp_path / "t.tsv", "-m", tmp_path / "m")

    def told(encoding: str, *arguments: str) -> str:
        run = subprocess.run(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
            check=False,
        )
        assert run.returncode == 0, run.stderr
        # Results as a whole are in UTF-8 where the encoding is ASCII, which click takes for a mistake.
        return run.stdout.decode("latin-1" if encoding == "latin-1" else "utf-8")

    for arguments in (
        ("predict", "t.tsv", "-m", "m", "--labelled", "--proba", "--json", "-q"),
        ("explain", "t.tsv", "-m", "m", "--labelled", "--points", "2", "--json"),
        ("splits", "t.tsv", "--every", "20", "--json"),
        ("inspect", "m", "--json"),
        ("evaluate", "t.tsv", "--json"),
    ):
        expected = [json.loads(line) for line in told("utf-8", *arguments).splitlines()]
        for encoding in ("ascii", "latin-1"):
            found = [json.loads(line) for line in told(encoding, *arguments).splitlines()]
            assert without_times(found) == without_times(expected)
    assert "sp\\u00e4m" in told("ascii", "predict", "t.tsv", "-m", "m", "--labelled", "-q")
    assert "späm" in told("latin-1", "predict", "t.tsv", "-m", "m", "--labelled", "-q")
    assert "sp?m" in told("ascii:replace", "predict", "t.tsv", "-m", "m", "--labelled", "-q")


def without_times(told: list[Any]) -> list[Any]:
    """Return what commands tell without what differs from run to run."""
    for each in told:
        for name in ("seconds", "points_per_second", "records", "metrics"):
            each.pop(name, None)
    return told


def test_what_should_not_happen_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug\nof two lines")

    monkeypatch.setattr("sapwood.cli.inspect.opened_model", broken)
    monkeypatch.setattr(sys, "argv", ["sapwood", "inspect", str(tmp_path / "m")])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 1
    message = capsys.readouterr().err
    assert message.startswith("sapwood: this is a bug, RuntimeError: a bug of two lines; ")
    assert message.count("\n") == 1
    monkeypatch.setenv("SAPWOOD_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="a bug"):
        cli.main()


def test_a_full_disk_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "m")

    monkeypatch.setattr("sapwood.checkpoint.write_atomically", full)
    result = call("train", write_words(tmp_path / "w.tsv"), "-m", tmp_path / "m")
    assert (result.exit_code, result.stderr) == (1, "sapwood train: m: no space left on device\n")


def test_runs_without_the_rest_of_an_environment(tmp_path: Path) -> None:
    """Not a word of Python's own on the way out, and plain output, where there is no terminal and no locale."""
    words = write_words(tmp_path / "w.tsv")
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    arguments = [*COMMAND, "train", str(words), "-m", str(tmp_path / "m")]
    run = subprocess.run(arguments, env=environment, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
