"""Checkpoints of `sapwood train`: --resume, signals, and kill -9 at any moment."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import MOST_SECONDS, call, done, start, stream_bytes, write_stream, write_words

from sapwood import load_model
from sapwood.checkpoint import Checkpoint
from sapwood.parameters import TREES

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no fork, SIGKILL or SIGTERM to send")

LEARNERS = (["--learner", "vfdt", "--tau", "0.1"], ["--learner", "efdt", "--tau", "0.1", "--seed", "7"])
FORESTS = [kind.command for kind in TREES if kind.core == "Forest"]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("cut", [1, 700, 1999, 2000])
def test_resumed_is_the_same_to_the_byte(learner: list[str], cut: int, tmp_path: Path) -> None:
    whole = write_stream(tmp_path / "whole.svm")
    part = tmp_path / "part.svm"
    # Both classes, whatever the cut; else there is nothing to learn from the part alone.
    part.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:cut]))
    done("train", whole, "-m", tmp_path / "never-stopped", *learner)
    first = call("train", part, "-m", tmp_path / "m", *learner, "--checkpoint", f"every={min(cut, 100)}")
    assert first.exit_code == (2 if cut == 1 else 0)
    assert Checkpoint.load(tmp_path / "m").points == cut
    done("train", whole, "-m", tmp_path / "m", *learner, "--resume")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "never-stopped").read_bytes()
    # There is no more to learn, and the file of the model does not change.
    done("train", whole, "-m", tmp_path / "m", *learner, "--resume", "--checkpoint", "every=300")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "never-stopped").read_bytes()


@pytest.mark.parametrize("learner", FORESTS)
def test_forests_resumed_are_the_same_to_the_byte(learner: str, tmp_path: Path) -> None:
    test_resumed_is_the_same_to_the_byte(
        ["--learner", learner, "--delta", "0.3", "--drift-delta", "0.1"], 700, tmp_path
    )


def test_the_number_of_threads_may_change(tmp_path: Path) -> None:
    """What is learned does not depend on it: neither on resuming nor on going on is another one refused."""
    whole, part = write_stream(tmp_path / "whole.svm"), tmp_path / "part.svm"
    part.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:700]))
    options = ("--learner", "forest", "--n-estimators", "3")
    done("train", whole, "-m", tmp_path / "never-stopped", *options, "--n-jobs", "2")
    done("train", part, "-m", tmp_path / "m", *options)
    done("train", whole, "-m", tmp_path / "m", *options, "--n-jobs", "2", "--resume")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "never-stopped").read_bytes()
    done("train", part, "--from", tmp_path / "m", "-m", tmp_path / "more", "--n-jobs", "3")
    done("train", part, "--from", tmp_path / "more", "-m", tmp_path / "most")
    assert [load_model(tmp_path / name).n_jobs for name in ("m", "more", "most")] == [2, 3, 3]
    done("train", part, "-m", tmp_path / "tree", "--learner", "tree")
    result = call("train", part, "--from", tmp_path / "tree", "-m", tmp_path / "more", "--n-jobs", "3", "--force")
    assert (result.exit_code, "--n-jobs must be left out" in result.stderr) == (2, True)


def test_bad_lines_are_passed_over_again(tmp_path: Path) -> None:
    lines = stream_bytes(600).splitlines(keepends=True)
    lines[100:100] = lines[400:400] = [b"what is this\n"]
    (tmp_path / "part.svm").write_bytes(b"".join(lines[:350]))
    (tmp_path / "whole.svm").write_bytes(b"".join(lines))
    done("train", tmp_path / "part.svm", "-m", tmp_path / "m", "--on-error", "skip")
    done("train", tmp_path / "whole.svm", "-m", tmp_path / "m", "--on-error", "skip", "--resume")
    done("train", tmp_path / "whole.svm", "-m", tmp_path / "never-stopped", "--on-error", "skip")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "never-stopped").read_bytes()


def test_a_mended_line_and_resume(tmp_path: Path) -> None:
    lines = stream_bytes(300).splitlines(keepends=True)
    broken, mended = tmp_path / "broken.svm", tmp_path / "mended.svm"
    broken.write_bytes(b"".join([*lines[:200], b"oops\n", *lines[201:]]))
    mended.write_bytes(b"".join(lines))
    assert call("train", broken, "-m", tmp_path / "m").exit_code == 2
    assert Checkpoint.load(tmp_path / "m").points == 200
    done("train", mended, "-m", tmp_path / "m", "--resume")
    done("train", mended, "-m", tmp_path / "never-stopped")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "never-stopped").read_bytes()


def test_resume_without_a_model_begins(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 100)
    done("train", stream, "-m", tmp_path / "m", "--resume")
    assert Checkpoint.load(tmp_path / "m").points == 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delta", "0.2"], "--delta must be 0.05, as of "),
        (["--seed", "1"], "--seed must be None, as of "),
        (["--learner", "efdt"], "--learner must be that of "),
        (["--ngrams", "2"], "--ngrams must be 1, as of "),
        (["--format", "csv"], "--format must be 'text', as of "),
        (["--binarize", "0.5"], "--binarize must be 0.0, as of "),
    ],
)
def test_resume_with_other_options_is_refused(options: list[str], message: str, tmp_path: Path) -> None:
    words = write_words(tmp_path / "w.tsv")
    done("train", words, "-m", tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    result = call("train", words, "-m", tmp_path / "m", "--resume", *options)
    assert result.exit_code == 2
    assert f"sapwood train: {message}" in result.stderr
    assert (tmp_path / "m").read_bytes() == before


def test_resume_of_another_or_a_shorter_stream_is_refused(tmp_path: Path) -> None:
    done("train", write_words(tmp_path / "w.tsv"), "-m", tmp_path / "m")
    other = call("train", write_stream(tmp_path / "t.svm"), "-m", tmp_path / "m", "--resume")
    assert (other.exit_code, "--format must be text, as of" in other.stderr) == (2, True)
    shorter = call("train", write_words(tmp_path / "s.tsv", 10), "-m", tmp_path / "m", "--resume")
    assert (shorter.exit_code, "at least 600 points to skip, found 10" in shorter.stderr) == (2, True)


def test_resume_of_a_model_from_python_is_refused(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 100)
    done("train", stream, "-m", tmp_path / "m")
    load_model(tmp_path / "m").save(tmp_path / "m")
    result = call("train", stream, "-m", tmp_path / "m", "--resume")
    assert (result.exit_code, "must have a position in a stream" in result.stderr) == (2, True)


@pytest.mark.parametrize("every", ["10", "every=0", "every=-1", "every=x", "points=3", ""])
def test_bad_checkpoint(every: str, tmp_path: Path) -> None:
    result = call("train", write_stream(tmp_path / "t.svm", 10), "-m", tmp_path / "m", "--checkpoint", every)
    assert result.exit_code == 2
    assert "must be every=N with N at least 1" in re.sub(r"[\s│]+", " ", result.output)


@pytest.mark.parametrize(("number", "code", "name"), [(signal.SIGINT, 130, "Ctrl-C"), (signal.SIGTERM, 143, "SIGTERM")])
def test_a_signal_saves_what_was_learned(number: int, code: int, name: str, tmp_path: Path) -> None:
    model = tmp_path / "m"
    data = stream_bytes(1000)
    first = b"".join(data.splitlines(keepends=True)[:400])
    running = start("train", "-", "-m", model, "--checkpoint", "every=100", "--delta", "0.1")
    assert running.stdin is not None
    running.stdin.write(first)
    running.stdin.flush()
    # It waits for more of the pipe, which does not come.
    deadline = time.monotonic() + MOST_SECONDS
    while not (model.exists() and Checkpoint.load(model).points >= 300) and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(number)
    output, errors = running.communicate(timeout=MOST_SECONDS)
    assert running.returncode == code, errors
    saved = Checkpoint.load(model)
    assert 300 <= saved.points <= 400
    assert errors.decode() == (
        f"Stopped by {name} after {saved.points} points, which are saved in {model}; "
        "the same command with --resume continues.\n"
    )
    assert output == b""
    (tmp_path / "t.svm").write_bytes(data)
    done("train", tmp_path / "t.svm", "-m", model, "--delta", "0.1", "--resume")
    done("train", tmp_path / "t.svm", "-m", tmp_path / "never-stopped", "--delta", "0.1")
    assert model.read_bytes() == (tmp_path / "never-stopped").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much of a pipe waits to be read")
def test_a_signal_saves_the_points_of_a_slow_pipe(tmp_path: Path) -> None:
    """Also those that are no whole batch, for which it waits; a line that has begun is none."""
    import fcntl
    import struct
    import termios

    lines = stream_bytes(1000).splitlines(keepends=True)
    running = start("train", "-", "-m", tmp_path / "m", "--delta", "0.1")
    assert running.stdin is not None
    running.stdin.write(b"".join(lines[:400]) + lines[400][:9])
    running.stdin.flush()
    deadline = time.monotonic() + MOST_SECONDS
    waits = 1
    while waits and time.monotonic() < deadline:
        time.sleep(0.2)
        (waits,) = struct.unpack("i", fcntl.ioctl(running.stdin, termios.FIONREAD, b"0000"))
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=MOST_SECONDS)
    assert running.returncode == 130, errors
    assert b"after 400 points, which are saved" in errors
    assert Checkpoint.load(tmp_path / "m").points == 400


def test_a_signal_in_the_midst_of_work(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 60_000)
    running = start("train", stream, "-m", tmp_path / "m", "--checkpoint", "every=200")
    deadline = time.monotonic() + MOST_SECONDS
    while not (tmp_path / "m").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    running.send_signal(signal.SIGTERM)
    _, errors = running.communicate(timeout=MOST_SECONDS)
    assert running.returncode == 143, errors
    assert b"Traceback" not in errors
    assert 200 <= Checkpoint.load(tmp_path / "m").points < 60_000


KILLS = 300
# A process that has imported all makes children by fork: 300 new interpreters would take minutes to begin.
KILLER = """
import hashlib, os, random, signal, sys, time
from pathlib import Path
from sapwood import HoeffdingTreeClassifier
from sapwood.checkpoint import Checkpoint, Encoding
from sapwood.cli.app import app
from typer.main import get_command

command = get_command(app)
stream, model, kills = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
every = 10
digest = lambda: hashlib.sha256(model.read_bytes()).hexdigest()
state_of = lambda: (model.stat().st_mtime_ns, model.stat().st_ino) if model.exists() else None
expected = {}
began = time.monotonic()
state = Checkpoint(HoeffdingTreeClassifier(tau=0.1, binarize=0.0), Encoding(format="svmlight"))
for batch in state.encoding.open(stream, batch_size=every):
    state.learn(batch)
    state.save(model)
    expected[state.points] = digest()
n = state.points
# The time of eight checkpoints or so, whatever machine this is.
longest = (time.monotonic() - began) / 5
model.unlink()
arguments = ["train", str(stream), "--model", str(model), "--learner", "vfdt", "--tau", "0.1", "--resume", "--quiet"]
arguments += ["--checkpoint", f"every={every}"]
command(arguments, standalone_mode=False)
assert digest() == expected[n]
model.unlink()

random.seed(1)
killed = whole = going = 0
while killed < kills:
    before = state_of()
    child = os.fork()
    if child == 0:
        try:
            command(arguments, standalone_mode=False)
            os._exit(0)
        finally:
            os._exit(1)
    # At any moment from its first checkpoint on; it makes forty of them.
    deadline = time.monotonic() + 60
    while state_of() == before and time.monotonic() < deadline:
        time.sleep(0.0005)
    time.sleep(random.random() * longest)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        killed += 1
    else:
        assert os.waitstatus_to_exitcode(status) == 0, status
        whole += 1
    if model.exists():
        points = Checkpoint.load(model).points
        assert digest() == expected[points], points
        going += points < n
        if points == n:
            model.unlink()
for left in model.parent.glob(".sapwood-*.tmp"):
    left.unlink()
print(killed, going, [path.name for path in model.parent.iterdir() if path not in (stream, model)])
"""


def test_kill_leaves_the_last_checkpoint_whole(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 400, d=40)
    command = [sys.executable, "-c", KILLER, str(stream), str(tmp_path / "m"), str(KILLS)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, env=environment)
    assert run.returncode == 0, run.stderr
    killed, going, others = run.stdout.split(maxsplit=2)
    assert (int(killed), others.strip()) == (KILLS, "[]")
    # Most of them came between the first checkpoint and the last.
    assert int(going) > KILLS // 4
