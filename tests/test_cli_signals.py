"""Ctrl-C and SIGTERM while the reader of a command gives no batch: they end it all the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from command_line import call, done, start, stream_bytes, write_stream
from matplotlib.figure import Figure

from sapwood import _timing
from sapwood.cli.numbers import Numbers
from sapwood.cli.signals import Stopped, StopSignals
from sapwood.data import Batch
from sapwood.race.contest import Race

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to send")

MOST_SECONDS = 60
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]


class Endless:
    """A command that is sent the same lines for ever, until it ends."""

    def __init__(self, *arguments: object, head: bytes = b"", lines: bytes, cwd: Path) -> None:
        """Start the command, and wait until it has read some of them."""
        self.process = start(*arguments, "--on-error", "skip", "-q", cwd=cwd, stdout=subprocess.DEVNULL)
        self._read_some = threading.Event()
        self._writer = threading.Thread(target=self._write, args=(head, lines), daemon=True)
        self._writer.start()
        assert self._read_some.wait(MOST_SECONDS)

    def _write(self, head: bytes, lines: bytes) -> None:
        pipe = self.process.stdin
        assert pipe is not None
        with suppress(OSError), pipe:
            written = pipe.write(head)
            while True:
                written += pipe.write(lines)
                if written > 400_000:
                    self._read_some.set()
        self._read_some.set()

    def end(self) -> tuple[int, str]:
        """Wait for the command to end; return its exit status, and what it said of errors."""
        code = self.process.wait(timeout=MOST_SECONDS)
        self._writer.join(timeout=MOST_SECONDS)
        assert self.process.stderr is not None
        with self.process.stderr as errors:
            return code, errors.read().decode()


@pytest.mark.parametrize(
    ("arguments", "head", "line", "ending"),
    [
        (["train", "-", "-m", "m", "--format", "svmlight"], b"", b"1 x:y\n", SIGNALS[0]),
        pytest.param(
            ["train", "-", "-m", "m", "--format", "csv", "--label", "y"],
            b"y,x,z\n",
            b"a\n",
            SIGNALS[1],
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["train", "-", "-m", "m", "--format", "jsonl", "--label", "y"],
            b"",
            b"{\n",
            SIGNALS[0],
            marks=pytest.mark.slow,
        ),
        (["evaluate", "-", "--format", "svmlight"], b"", b"1 x:y\n", SIGNALS[1]),
    ],
    ids=["svmlight", "csv", "jsonl", "evaluate"],
)
def test_bad_lines_without_end(
    arguments: list[str], head: bytes, line: bytes, ending: tuple[int, int], tmp_path: Path
) -> None:
    running = Endless(*arguments, head=head, lines=line * 20_000, cwd=tmp_path)
    running.process.send_signal(ending[0])
    code, errors = running.end()
    assert (code, "Traceback" in errors) == (ending[1], False), errors


def test_two_signals_one_after_the_other(tmp_path: Path) -> None:
    """The second ends the command at once, and neither ends it by an abort."""
    running = Endless("train", "-", "-m", "m", "--format", "svmlight", lines=b"1 x:y\n" * 20_000, cwd=tmp_path)
    running.process.send_signal(signal.SIGINT)
    running.process.send_signal(signal.SIGINT)
    code, errors = running.end()
    assert code in (130, -signal.SIGINT), errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_breaks_off_whatever_is_done(first: int, second: int) -> None:
    """However long the command would take to end after the first."""
    calls: list[str] = []
    with StopSignals(lambda: calls.append("stop")) as signals:
        signal.raise_signal(first)
        assert (signals.number, calls) == (first, ["stop"])
        with pytest.raises(Stopped) as stopped:
            signal.raise_signal(second)
    assert (stopped.value.number, calls) == (second, ["stop"])


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_points_that_are_not_yet_explained(number: int, code: int, tmp_path: Path) -> None:
    """The pipe stops before a batch is full; a signal ends the wait, and not all that was read is explained first."""
    model = tmp_path / "m"
    done("train", write_stream(tmp_path / "t.svm", 900), "-m", model)
    running = start("explain", "-", "-m", model, "--json")
    assert running.stdin is not None
    running.stdin.write(stream_bytes(900))
    running.stdin.flush()
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(timeout=5)
    running.send_signal(number)
    told, errors = running.communicate(timeout=MOST_SECONDS)
    assert running.returncode == code, errors
    assert b"Stopped by" in errors
    assert len(told.splitlines()) < 10


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_points_that_are_passed_over(number: int, code: int, tmp_path: Path) -> None:
    """A run that is resumed passes over the points it has learned; here the pipe stops before they have come."""
    model = tmp_path / "m"
    done("train", write_stream(tmp_path / "t.svm", 400), "-m", model)
    before = model.read_bytes()
    running = start("train", "-", "-m", model, "--resume")
    assert running.stdin is not None
    running.stdin.write(b"".join(stream_bytes(400).splitlines(keepends=True)[:300]))
    running.stdin.flush()
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(timeout=3)
    running.send_signal(number)
    _, errors = running.communicate(timeout=MOST_SECONDS)
    assert running.returncode == code, errors
    assert b"Traceback" not in errors
    assert model.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), SIGNALS)
@pytest.mark.parametrize("command", ["predict", "splits", "generate"])
def test_a_reader_that_has_stopped_reading(command: str, number: int, code: int, tmp_path: Path) -> None:
    """Such as a pager that waits for a key: the pipe is full, and no line can be ended."""
    model = tmp_path / "m"
    stream = tmp_path / "t.svm"
    stream.write_bytes(stream_bytes(400) * 50)
    arguments: dict[str, list[object]] = {
        "predict": [stream, "-m", model, "--proba", "--json"],
        "splits": [stream, "--every", 1, "--top", 20],
        "generate": ["text", "--n", 10**6, "--seed", 1],
    }
    if command == "predict":
        done("train", write_stream(tmp_path / "u.svm", 400), "-m", model)
    running = start(command, *arguments[command], stdin=subprocess.DEVNULL)
    assert running.stdout is not None
    assert running.stderr is not None
    assert running.stdout.read(1)
    running.send_signal(number)
    with running.stdout, running.stderr:
        try:
            assert running.wait(timeout=MOST_SECONDS) == code
        finally:
            running.kill()
        errors = running.stderr.read()
    assert b"Stopped by" in errors
    assert b"Traceback" not in errors


@pytest.mark.parametrize("ending", SIGNALS)
@pytest.mark.parametrize(("criteria", "at"), [(["entropy"], 5), (["entropy", "gini"], 10)])
def test_a_turn_of_a_race_is_broken_off(
    criteria: list[str], at: int, ending: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the searches would take for it: the table is that of the turns before, of all criteria."""
    run_timed, turns = _timing.run_timed, []

    def interrupted(*arguments: Any) -> Any:
        turns.append(len(arguments[3]))
        if len(turns) == at:  # the second search of the second turn, or the first of its last criterion
            signal.raise_signal(ending[0])
        return run_timed(*arguments)

    monkeypatch.setattr(_timing, "run_timed", interrupted)
    stream = tmp_path / "t.svm"
    stream.write_bytes(stream_bytes(2000, 50) * 15)
    asked = [word for criterion in criteria for word in ("--criterion", criterion)]
    result = call("race", stream, *asked, "--every", 5000, "--json", "-q")
    assert (result.exit_code, len(turns)) == (ending[1], at), result.output
    assert "after 10,000 points." in result.stderr
    told = json.loads(result.stdout)
    assert [race["criterion"] for race in told] == criteria
    for race in told:
        assert (race["points"], [entry["optimal"] for entry in race["searches"]]) == (10_000, [True, True, True])


def test_what_was_read_when_a_signal_came_is_raced_in_short_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that it can end in the midst of what has been read."""
    sizes: list[int] = []
    feed = Race.feed

    def noted(race: Race, points: Batch) -> None:
        sizes.append(len(points))
        feed(race, points)

    monkeypatch.setattr(Race, "feed", noted)
    numbered = Numbers.numbered

    def interrupted(numbers: Numbers, batch: Batch) -> Batch:
        signal.raise_signal(signal.SIGINT)
        return numbered(numbers, batch)

    monkeypatch.setattr(Numbers, "numbered", interrupted)
    stream = write_stream(tmp_path / "t.svm", 1000, 50)
    result = call("race", stream, "--criterion", "gini", "--every", 30, "--json", "-q")
    assert result.exit_code == 130
    assert set(sizes) <= {90, 1000 % 90}
    assert f"after {sum(sizes):,} points" in result.stderr


@pytest.mark.parametrize("name", ["tree.svg", "tree.png"])
def test_a_signal_while_a_model_is_drawn(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was told is told, and there is no half of a picture."""
    model = tmp_path / "m"
    done("train", write_stream(tmp_path / "t.svm", 400), "-m", model)
    savefig = Figure.savefig

    def interrupted(figure: Figure, to: Any, **options: Any) -> None:
        savefig(figure, to, **options)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(Figure, "savefig", interrupted)
    result = call("inspect", model, "--picture", tmp_path / name)
    assert (result.exit_code, result.stderr) == (143, "Stopped by SIGTERM.\n")
    assert "Parameters" in result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "t.svm"]
