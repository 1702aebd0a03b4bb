"""Commands with labels, files and disks that are out to harm."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from command_line import call, done, run_on_terminal, write_words

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no terminals or pipes to open by name")
LABELS = ["a\nb", "a b", "\x1b[31mred"]


def write_labels(path: Path) -> Path:
    points = [{"label": LABELS[i % 3], f"word{i % 3}": True} for i in range(300)]
    path.write_text("".join(json.dumps(point) + "\n" for point in points))
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    done("train", write_labels(tmp_path / "train.jsonl"), "-m", tmp_path / "model")
    return tmp_path / "model"


def test_labels_that_differ_in_line_breaks_have_probabilities_of_their_own(model: Path, tmp_path: Path) -> None:
    points = write_labels(tmp_path / "new.jsonl")
    lines = done("predict", points, "--labelled", "-m", model, "--json", "--proba", "-q").splitlines()
    for line in map(json.loads, lines):
        assert sorted(line["proba"]) == sorted(LABELS)
        assert sum(line["proba"].values()) == pytest.approx(1)


def test_labels_that_differ_in_their_type_have_probabilities_of_their_own(tmp_path: Path) -> None:
    points = tmp_path / "typed.jsonl"
    points.write_text("".join(json.dumps({"label": [1, "1"][i % 2], f"w{i % 2}": True}) + "\n" for i in range(300)))
    done("train", points, "-m", tmp_path / "m")
    for command in ("predict", "explain"):
        arguments = ["--proba"] if command == "predict" else ["--points", "2"]
        line = done(command, points, "--labelled", "-m", tmp_path / "m", "--json", "-q", *arguments).splitlines()[0]
        assert sorted(json.loads(line)["proba"]) == ["'1'", "1"]


@posix
def test_a_terminal_is_sent_no_escape_sequence_of_a_label(model: Path, tmp_path: Path) -> None:
    points = write_labels(tmp_path / "new.jsonl")
    code, _, shown = run_on_terminal("predict", points, "--labelled", "-m", model, "-q", stdout_too=True)
    assert code == 0, shown
    assert "\\x1b[31mred" in shown
    assert "\x1b[31mred" not in shown
    # A file or a pipe gets what the label is.
    assert "\x1b[31mred" in done("predict", points, "--labelled", "-m", model, "-q")


@posix
def test_a_model_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = call("inspect", tmp_path / "pipe")
    assert (result.exit_code, "the model must be a file, got a pipe" in result.stderr) == (2, True)


@posix
@pytest.mark.parametrize("place", ["pipe", "/dev/full"])
def test_what_is_no_file_is_refused_before_the_work_is_done(place: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    target = tmp_path / place
    words = write_words(tmp_path / "w.tsv")
    for arguments in (["train", words, "-m", target], ["evaluate", words, "--report", target]):
        result = call(*arguments)
        assert result.exit_code == 1
        assert result.stderr == (
            f"sapwood {arguments[0]}: {target}: this must be a file or new, got a device or the like\n"
        )


def test_half_of_a_surrogate_pair_is_told_as_json_names_it(tmp_path: Path) -> None:
    points = tmp_path / "half.jsonl"
    points.write_text(
        "".join(json.dumps({"label": f"{'ab'[i % 2]}\ud800", f"w\udfff{i % 2}": True}) + "\n" for i in range(300))
    )
    model = tmp_path / "m"
    done("train", points, "-m", model)
    assert done("predict", points, "--labelled", "-m", model, "-q").splitlines()[:2] == ["a\\ud800", "b\\ud800"]
    told = done("predict", points, "--labelled", "-m", model, "-q", "--json", "--proba").splitlines()
    assert json.loads(told[0])["label"] == "a\ud800"
    assert sorted(json.loads(told[0])["proba"]) == ["a\ud800", "b\ud800"]
    why = done("explain", points, "--labelled", "-m", model, "--points", "1", "--json", "-q")
    assert json.loads(why)["label"] == "a\ud800"
    done("evaluate", points, "--report", tmp_path / "r.html", "--tree", "-q")
    assert "a\\ud800" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_full_disk_is_blamed_on_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    words = write_words(tmp_path / "w.tsv")
    monkeypatch.setattr(os, "fsync", full)
    result = call("train", words, "-m", tmp_path / "m")
    assert (result.exit_code, result.stderr) == (1, f"sapwood train: {tmp_path / 'm'}: no space left on device\n")
    result = call("race", words, "--picture", tmp_path / "race.png")
    assert (result.exit_code, f"{tmp_path / 'race.png'}: no space left on device" in result.stderr) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["w.tsv"]
