"""The command `sapwood`, and `sapwood reproduce` with a real Ctrl-C."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from miniature import write_points
from typer.testing import CliRunner

import sapwood
from sapwood import cli
from sapwood.cli.app import app
from sapwood.paper import EXPERIMENTS
from sapwood.paper.sources import PAPER

COMMAND = [sys.executable, "-c", "from sapwood.cli import main; main()"]


@pytest.fixture(autouse=True)
def no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No data of this machine: a folder of data sets that has none."""
    empty = tmp_path / "no-data"
    empty.mkdir()
    monkeypatch.setenv("SAPWOOD_DATA", str(empty))


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"sapwood {sapwood.__version__}\n")


def test_help_names_every_experiment() -> None:
    result = CliRunner().invoke(app, ["reproduce", "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert ", ".join(EXPERIMENTS) in " ".join(result.output.split())
    assert ", ".join(PAPER) in " ".join(result.output.split())
    for option in ("--output", "--repeats", "--quick", "--full", "--seed", "--data", "--download"):
        assert option in result.output


def test_installed_as_a_command() -> None:
    scripts = {entry.name: entry.value for entry in importlib.metadata.entry_points(group="console_scripts")}
    assert scripts["sapwood"] == "sapwood.cli:main"


def test_public_names_are_there_when_they_are_asked_for() -> None:
    assert set(sapwood.__all__) <= set(dir(sapwood))
    for name in sapwood.__all__:
        assert getattr(sapwood, name) is not None
    with pytest.raises(AttributeError, match=r"^module 'sapwood' has no attribute 'heartwood'$"):
        _ = sapwood.heartwood


@pytest.mark.parametrize("absent", [{"typer"}, {"rich"}, {"typer", "rich"}])
def test_missing_extras(absent: set[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in absent else real(name))
    with pytest.raises(SystemExit) as caught:
        cli.main()
    message = capsys.readouterr().err
    assert caught.value.code == 1
    assert message.count("\n") == 1
    assert all(name in message for name in absent)
    assert "pip install 'sapwood[cli]'" in message


def test_missing_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else real(name))
    result = CliRunner().invoke(app, ["reproduce", "--output", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "pip install 'sapwood[paper]'" in result.output


@pytest.mark.slow
def test_reproduce_one_experiment_on_a_file(tmp_path: Path) -> None:
    points = write_points(tmp_path / "points.svm")
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["reproduce", "table-2", "--data", f"mine={points}", "--output", str(out)])
    assert result.exit_code == 0, result.output
    assert "claims hold" in result.output
    assert f"Report: {out / 'report.html'}" in result.output
    assert (out / "table-2.png").is_file()
    assert "mine" in (out / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["figure-7"], 1, "sapwood reproduce: reproduce: names must be among figure-1"),
        (["table-1", "--data", "farm"], 2, "must be NAME=PATH, got 'farm'"),
        (["table-1", "--data", "farm=/nowhere/at/all"], 1, "data must be a file in the svmlight format"),
        (["--repeats", "0"], 2, "--repeats"),
    ],
)
def test_mistakes_are_one_message(tmp_path: Path, arguments: list[str], status: int, message: str) -> None:
    result = CliRunner().invoke(app, ["reproduce", *arguments, "--output", str(tmp_path / "out")])
    assert result.exit_code == status
    assert message in result.output
    assert "Traceback" not in result.output


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done_and_the_next_run_resumes(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = [*COMMAND, "reproduce", "figure-4", "--output", str(out), "--repeats"]
    # So many repeats that it is interrupted for certain.
    running = subprocess.Popen([*arguments, "5000"], stderr=subprocess.PIPE, text=True, encoding="utf-8")
    deadline = time.monotonic() + 60
    while len(list(out.rglob("*.json"))) < 7 and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130, errors
    assert "Traceback" not in errors
    kept = {path: path.stat().st_mtime_ns for path in out.rglob("*.json")}
    assert f"Stopped by Ctrl-C: {len(kept)} finished pieces are kept in" in errors.replace("\n", " ")
    assert len(kept) >= 7
    assert not (out / "report.html").exists()

    done = subprocess.run([*arguments, "1"], capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert (out / "report.html").is_file()
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.json")} == kept


def test_full_and_quick_differ_in_what_they_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = []

    def stop(_: object, __: object, settings: object) -> None:
        seen.append(settings)
        raise ValueError("enough")

    monkeypatch.setattr("sapwood.cli.reproduce._run", stop)
    for arguments in (["--full"], ["--quick"], [], ["--full", "--repeats", "7", "--no-download", "--seed", "3"]):
        assert CliRunner().invoke(app, ["reproduce", *arguments, "--output", str(tmp_path)]).exit_code == 1
    assert [(s.repeats, s.download, s.seed) for s in seen] == [  # type: ignore[attr-defined]  # what the command made
        (100, True, 1),
        (3, False, 1),
        (3, False, 1),
        (7, False, 3),
    ]
    assert {str(s.folder) for s in seen} == {os.environ["SAPWOOD_DATA"]}  # type: ignore[attr-defined]  # likewise
