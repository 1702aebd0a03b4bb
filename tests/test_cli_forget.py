"""`sapwood forget` and `--learner dynamic`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import call, done

from sapwood import DynamicTreeClassifier, load_model

POINTS = [f"{i % 2} {1 + i % 7}:1 {20 + i % 2}:1" for i in range(60)]


def failed(*arguments: object) -> str:
    result = call(*arguments)
    assert result.exit_code != 0
    message: str = result.stderr
    return message


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(line + "\n" for line in lines))
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.sapwood"
    done("train", write(tmp_path / "all.svm", POINTS), "--model", path, "--learner", "dynamic", "--quiet")
    return path


def test_what_is_forgotten_was_never_there(tmp_path: Path, model: Path) -> None:
    other = tmp_path / "other.sapwood"
    done("train", write(tmp_path / "rest.svm", POINTS[10:]), "--model", other, "--learner", "dynamic", "--quiet")
    withdrawn = write(tmp_path / "gone.svm", POINTS[:10])
    record = tmp_path / "audit.jsonl"
    told = done("forget", withdrawn, "--model", model, "--to", tmp_path / "new.sapwood", "--record", record)
    assert "10 points" in told
    assert "50 remain" in told
    line = json.loads(record.read_text())
    assert line["forgotten"] == 10
    assert line["exact"]
    rest, new = load_model(other), load_model(tmp_path / "new.sapwood")
    assert isinstance(rest, DynamicTreeClassifier)
    assert isinstance(new, DynamicTreeClassifier)
    assert line["digest_after"] == rest.digest() == new.digest()
    assert load_model(model).n_points_ == 60
    assert json.loads(done("forget", withdrawn, "--model", model, "--json"))["held"] == 50
    assert load_model(model).n_points_ == 50
    done("predict", withdrawn, "--model", model, "--labelled")
    assert "DynamicTreeClassifier" in done("inspect", model)


def test_points_that_are_not_held(tmp_path: Path, model: Path) -> None:
    before = model.read_bytes()
    wrong = write(tmp_path / "wrong.svm", [POINTS[0], "1 1:1 2:1"])
    message = failed("forget", wrong, "--model", model)
    assert "row 1 must be held" in message
    assert model.read_bytes() == before
    done("train", tmp_path / "all.svm", "--model", tmp_path / "v", "--learner", "vfdt", "--quiet")
    message = failed("forget", tmp_path / "all.svm", "--model", tmp_path / "v")
    assert "the model must be of --learner dynamic to forget points, got a HoeffdingTreeClassifier" in message


def test_rows_are_those_of_the_stream(tmp_path: Path) -> None:
    n = 10_000  # as many as a reader hands over at once
    points, model = write(tmp_path / "all.svm", [*POINTS[:1] * (n + 5), POINTS[1]]), tmp_path / "m.sapwood"
    done("train", points, "--model", model, "--learner", "dynamic", "--quiet")
    before = model.read_bytes()
    twice = write(tmp_path / "gone.svm", POINTS[:1] * (n + 6))
    assert f"row {n + 5} must be held" in " ".join(failed("forget", twice, "--model", model).split())
    never = write(tmp_path / "never.svm", [*POINTS[:1] * (n + 2), "0 99:1"])
    assert f"row {n + 2} must be held" in " ".join(failed("forget", never, "--model", model).split())
    assert model.read_bytes() == before


def test_one_point_forgotten(tmp_path: Path, model: Path) -> None:
    withdrawn = write(tmp_path / "gone.svm", POINTS[:1])
    for option in ("--to", "--record"):
        result = call("forget", withdrawn, "--model", model, option, withdrawn)
        assert f"{option} must be another file than {withdrawn}, which is read" in result.stderr
    told = done("forget", withdrawn, "--model", model)
    assert told.startswith(f"1 point of {withdrawn} forgotten, 59 remain. Saved in {model}.\n")


def test_all_points_forgotten(tmp_path: Path, model: Path) -> None:
    told = done("forget", tmp_path / "all.svm", "--model", model, "--to", tmp_path / "none")
    assert f"No point remains: {tmp_path / 'none'} is not written" in " ".join(told.split())
    assert not (tmp_path / "none").exists()
    assert load_model(model).n_points_ == 60
    assert "No point remains" in done("forget", tmp_path / "all.svm", "--model", model)
    assert not model.exists()


def test_evaluate(tmp_path: Path) -> None:
    stream = write(tmp_path / "all.svm", POINTS * 3)
    found = json.loads(done("evaluate", stream, "--learner", "dynamic", "--stopping", "none", "--json"))
    assert found["metrics"]["accuracy"] > 0.9
