"""The command as a program: pipes, terminals, interrupts, completion."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import COMMAND, call, done, start, stream_bytes, write_stream, write_words

from sapwood import cli

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE and no pseudo-terminals")
MOST_SECONDS = 60


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


def run_on_terminal(*arguments: object) -> tuple[int, str, str]:
    """Run the command with a terminal as its standard error; return the exit code, the output, what was shown."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    running = start(*arguments, stdin=subprocess.DEVNULL, stderr=theirs, env=environment)
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
    output, _ = running.communicate(timeout=MOST_SECONDS)
    return running.returncode, output.decode(), shown.decode(errors="replace")


@posix
def test_progress_is_for_terminals_only(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 30_000)
    code, output, shown = run_on_terminal("evaluate", stream)
    assert code == 0
    assert "Evaluating" in shown
    assert "accuracy" in shown
    assert "\x1b" not in output
    assert output.startswith("HoeffdingTreeClassifier: 30000 points")
    assert run_on_terminal("evaluate", stream, "--quiet")[2] == ""
    running = start("evaluate", stream)
    plain, errors = running.communicate(timeout=MOST_SECONDS)
    assert errors == b""
    assert b"\x1b" not in plain


@posix
def test_ctrl_c_of_evaluate_tells_the_results_until_then(tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    running = start("evaluate", "-", "--report", page)
    assert running.stdin is not None
    running.stdin.write(stream_bytes(25_000))
    running.stdin.flush()
    # It has read all but what the pipe and its buffers hold, and so has learned a batch at least.
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=MOST_SECONDS)
    assert running.returncode == 130, errors
    points = int(output.decode().split()[1])
    assert 10_000 <= points <= 25_000
    assert errors.decode() == f"Report: {page}\nStopped by Ctrl-C after {points:,} points.\n"
    assert page.is_file()


def test_help_of_every_command_has_examples() -> None:
    for command in (["train"], ["predict"], ["evaluate"], ["inspect"], ["splits"], ["race"], ["generate", "sparse"]):
        shown = done(*command, "--help")
        assert f"  sapwood {' '.join(command)} " in shown


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
    assert message.startswith("sapwood: this should not happen, RuntimeError: a bug of two lines; ")
    assert message.count("\n") == 1
    monkeypatch.setenv("SAPWOOD_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="a bug"):
        cli.main()


def test_a_full_disk_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "m")

    monkeypatch.setattr("sapwood._model_file.write_atomically", full)
    result = call("train", write_words(tmp_path / "w.tsv"), "-m", tmp_path / "m")
    assert (result.exit_code, result.stderr) == (1, "sapwood train: m: no space left on device\n")


def test_runs_without_the_rest_of_an_environment(tmp_path: Path) -> None:
    """Not a word of Python's own on the way out, and plain output, where there is no terminal and no locale."""
    words = write_words(tmp_path / "w.tsv")
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    arguments = [*COMMAND, "train", str(words), "-m", str(tmp_path / "m")]
    run = subprocess.run(arguments, env=environment, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
