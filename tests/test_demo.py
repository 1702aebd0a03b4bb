"""The demonstration prints its tables, saves its page and its picture, and leaves politely when it cannot."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from sapwood import SEARCHES, demo
from sapwood.evaluate import PrequentialRun
from sapwood.race import race

TINY = ["--n", "200"]


def test_table_picture_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("matplotlib.image", reason="matplotlib, of the extra `plot`, is not installed")
    assert demo.main([*TINY, "--output", str(tmp_path / "new" / "folder")]) == 0
    picture = tmp_path / "new" / "folder" / "race.png"
    shown = capsys.readouterr().out
    assert str(picture) in shown.replace("\n", "")
    for word in ("entropy", "gini", *SEARCHES, "counting", "yes"):
        assert word in shown
    height, width = image.imread(picture).shape[:2]
    assert height > 400
    assert width > 1000
    assert str(picture.with_name("drift.png")) in shown.replace("\n", "")
    for word in ("accuracy", "kappa", "The tree, down to depth 4", "else if", "with drift=False"):
        assert word in shown
    page = tmp_path / "new" / "folder" / "report.html"
    assert str(page) in shown.replace("\n", "")
    assert "StreamingTreeClassifier" in page.read_text(encoding="utf-8")


def test_table_fits_eighty_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main([*TINY, "--output", str(tmp_path)]) == 0
    table = capsys.readouterr().out.partition("criterion")[2].partition("Picture")[0]
    assert table
    assert "…" not in table
    assert max(map(len, table.splitlines())) <= 80


def test_default_folder_is_below_the_current_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert demo.main(TINY) == 0
    pictures = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.png"))
    assert pictures == [Path("sapwood-demo/drift.png"), Path("sapwood-demo/race.png")]


def test_runs_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sapwood.demo", *TINY, "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert (tmp_path / "race.png").is_file()


def test_interrupt_reports_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finished: list[object] = []

    def interrupted(*arguments: object, **options: object) -> object:
        if finished:
            raise KeyboardInterrupt
        finished.append(options["criterion"])
        return race(*arguments, **options)  # type: ignore[arg-type]  # passed through as they came

    monkeypatch.setattr(demo, "race", interrupted)
    assert demo.main([*TINY, "--output", str(tmp_path)]) == 130
    shown = capsys.readouterr()
    assert f"Stopped by Ctrl-C: {finished[0]} had finished, and no picture was saved." in shown.out
    assert "exhaustive" in shown.out
    assert "Traceback" not in shown.out + shown.err
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_interrupt_of_the_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stopped(PrequentialRun):
        def feed(self, *_: object, **__: object) -> None:
            self.stop()

    monkeypatch.setattr(demo, "PrequentialRun", Stopped)
    assert demo.main([*TINY, "--output", str(tmp_path)]) == 130
    assert "Stopped by Ctrl-C after 0 points, before any race." in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_interrupt_before_a_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "make_sparse", interrupted)
    assert demo.main([*TINY, "--output", str(tmp_path)]) == 130
    assert "Stopped by Ctrl-C: no criterion had finished, and no picture was saved." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("absent", "extras"), [({"rich"}, "cli"), ({"matplotlib"}, "plot"), ({"rich", "matplotlib"}, "cli,plot")]
)
def test_missing_extras(
    absent: set[str], extras: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in absent else real(name))
    assert demo.main(TINY) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert all(name in message for name in absent)
    assert f"pip install 'sapwood[{extras}]'" in message


def test_bad_alpha_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main([*TINY, "--alpha", "-1", "--output", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("sapwood.demo: SplitFinder: alpha must")


def test_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    assert demo.main([*TINY, "--output", str(tmp_path / "taken")]) == 1
    assert capsys.readouterr().err.startswith("sapwood.demo: ")


@pytest.mark.parametrize("n", ["0", "-3", "many"])
def test_bad_number_of_points(n: str) -> None:
    with pytest.raises(SystemExit) as caught:
        demo.main(["--n", n])
    assert caught.value.code == 2
