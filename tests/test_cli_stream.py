"""`sapwood evaluate`, `generate`, `splits` and `race`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from command_line import call, done, stream_bytes, write_stream, write_words

from sapwood import ExtremelyFastDecisionTreeClassifier, SplitFinder
from sapwood.datasets import make_sparse, make_text
from sapwood.evaluate import prequential
from sapwood.parameters import Criterion
from sapwood.stream import read, write_svmlight


def test_evaluate_tells_what_the_library_tells(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm")
    told = json.loads(done("evaluate", stream, "--learner", "efdt", "--tau", "0.1", "--window", 500, "--json"))
    expected = prequential(ExtremelyFastDecisionTreeClassifier(tau=0.1), read(stream), window=500).to_dict()
    for name in ("model", "parameters", "n", "metrics", "classes", "confusion", "splits", "tally"):
        assert told[name] == json.loads(json.dumps(expected[name])), name
    assert told["metrics"]["accuracy"] > 0.6


def test_evaluate_prints_a_table_a_tree_and_leaves_a_page(tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    result = call(
        "evaluate", write_words(tmp_path / "w.tsv"), "--learner", "vfdt", "--tau", "0.3", "--tree", "--report", page
    )
    assert result.exit_code == 0
    assert "accuracy" in result.stdout
    assert "else" in result.stdout
    assert result.stderr == f"Report: {page}\n"
    assert page.read_text(encoding="utf-8").startswith("<!")
    assert "w.tsv" in page.read_text(encoding="utf-8")


def test_evaluate_tells_what_came_before_a_bad_line(tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    result = call("evaluate", "-", "--report", page, stdin=stream_bytes(300) + b"1 oops\n" + stream_bytes(50))
    assert result.exit_code == 2
    assert result.stdout.startswith("StreamingTreeClassifier: 300 points")
    assert "sapwood evaluate: standard input, line 301, column 3" in result.stderr
    assert page.is_file()


def written(X: object, y: object) -> bytes:
    file = io.BytesIO()
    write_svmlight(file, X, y)  # type: ignore[arg-type]  # labels of a generator
    return file.getvalue()


def test_generate_writes_what_the_library_makes() -> None:
    sparse = done("generate", "sparse", "--n", 12_000, "--d1", 3, "--d2", 50, "--q", 0.05, "--seed", 4)
    assert sparse.encode() == written(*make_sparse(12_000, 3, 50, 0.05, seed=4))
    options = {
        "topical": 0.3,
        "contrast": 0.5,
        "drift": "gradual",
        "changes": "vocabulary",
        "n_changes": 2,
        "severity": 0.7,
    }
    given = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    text = done("generate", "text", "--n", 300, "--d", 99, "--length", 9, "--exponent", 1.3, "--seed", 2, *given)
    assert text.encode() == written(*make_text(300, 99, 9, 1.3, **options, seed=2))  # type: ignore[arg-type]  # mixed


@pytest.mark.parametrize("every", [7, 100, 300, 1000])
@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_splits_are_those_of_the_finder(every: int, criterion: Criterion, tmp_path: Path) -> None:
    X, y = make_sparse(700, 5, 100, 0.02, seed=3)
    (tmp_path / "s.svm").write_bytes(written(X, y))
    lines = done("splits", tmp_path / "s.svm", "--every", every, "--criterion", criterion, "--top", 2, "--json")
    finder = SplitFinder(criterion)
    # Classes are numbered as they come.
    order = dict.fromkeys(y.tolist())
    labels = [list(order).index(label) for label in y.tolist()]
    expected = []
    for start in range(0, 700, every):
        finder.add_many(X[start : start + every], np.array(labels[start : start + every]))
        for place, split in enumerate(finder.top(2), start=1):
            expected.append((finder.n, place, f"x[{split.feature}]", split.gain, split.score))
    assert [tuple(json.loads(line).values()) for line in lines.splitlines()] == expected


def test_splits_of_words_and_of_several_classes(tmp_path: Path) -> None:
    lines = done("splits", write_words(tmp_path / "w.tsv", 90), "--every", 40).splitlines()
    assert lines[0].split("\t") == ["points", "place", "feature", "gain", "score"]
    assert [line.split("\t")[:3] for line in lines[1:]] == [[n, "1", "lunch"] for n in ("40", "80", "90")]


def three_classes() -> bytes:
    """Return a table whose third class comes late, but not too late to be found out."""
    return b"colour,label\n" + b"red,a\nblue,b\n" * 300 + b"green,c\nred,a\n" * 20


@pytest.mark.parametrize("every", [1, 7, 1000])
def test_splits_finds_out_the_classes(every: int) -> None:
    told = done("splits", "-", "--every", every, "--top", 2, stdin=three_classes())
    assert told == done("splits", "-", "--every", every, "--top", 2, "--classes", 3, stdin=three_classes())
    finder = SplitFinder(n_classes=3)
    for features, label in [([0], 0), ([1], 1)] * 300 + [([2], 2), ([0], 0)] * 20:
        finder.add(features, label)
    best = finder.best()
    assert best is not None
    last = told.splitlines()[-2].split("\t")
    assert last == [
        "640",
        "1",
        f"colour={('red', 'blue', 'green')[best.feature_id]}",
        f"{best.gain:.6g}",
        f"{best.score:.6g}",
    ]


def test_splits_asks_for_the_classes_that_come_too_late() -> None:
    late = b"1 1:1\n2 2:1\n" * 7500 + b"3 3:1\n"
    result = call("splits", "-", "--every", 5000, stdin=late)
    assert result.exit_code == 2
    assert len(result.stdout.splitlines()) == 4
    assert "at most 2 classes, got another one, 3, after 15,000 points; set the number with --classes" in result.stderr
    assert len(done("splits", "-", "--every", 5000, "--classes", 3, stdin=late).splitlines()) == 5


def test_splits_begins_with_the_second_class() -> None:
    lines = done("splits", "-", "--every", 2, stdin=b"1 1:1\n" * 5 + b"2 2:1\n").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["points", "6"]


def test_race(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 300)
    told = json.loads(done("race", stream, "--json", "--limit", 200))
    assert [race["criterion"] for race in told] == ["entropy", "gini"]
    for race in told:
        assert race["points"] == 200
        assert {entry["search"]: entry["optimal"] for entry in race["searches"]}["certified"]
        exact = {entry["feature"] for entry in race["searches"] if entry["search"] != "approximate"}
        X, y = next(iter(_matrix(stream, 200)))
        finder = SplitFinder(race["criterion"])
        finder.add_many(X, y)
        best = finder.best()
        assert best is not None
        assert exact == {f"x[{best.feature}]"}
        assert race["left_out"] == {}
    picture = tmp_path / "race.png"
    shown = done("race", write_words(tmp_path / "w.tsv"), "--criterion", "gini", "--picture", picture)
    for word in ("gini", "counting", "exhaustive", "certified", "approximate", "lunch"):
        assert word in shown
    assert "entropy" not in shown
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_race_of_several_classes_is_of_the_searches_that_can() -> None:
    (gini,) = json.loads(done("race", "-", "--criterion", "gini", "--json", stdin=three_classes()))
    assert (gini["points"], gini["classes"], gini["features_seen"]) == (640, 3, 3)
    assert {entry["search"]: entry["optimal"] for entry in gini["searches"]} == {"exhaustive": True, "certified": True}
    assert all(entry["times_counting"] > 0 for entry in gini["searches"])
    assert "the paper's algorithm is for two classes" in gini["left_out"]["approximate"]
    shown = " ".join(done("race", "-", stdin=three_classes()).split())
    assert shown.count("Without approximate: ") == 1
    assert "the paper's algorithm is for two classes" in shown


def test_race_takes_turns_over_a_long_stream(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 30_500)
    (whole,) = json.loads(done("race", stream, "--criterion", "entropy", "--every", 7, "--json"))
    assert whole["points"] == 30_500
    (batch,) = read(stream, batch_size=40_000)
    finder = SplitFinder()
    finder.add_many(batch.X, batch.y)
    best = finder.best()
    assert best is not None
    scores = {entry["search"]: entry["score"] for entry in whole["searches"]}
    assert scores["certified"] == scores["exhaustive"] == pytest.approx(best.score)


def _matrix(stream: Path, n: int) -> list[tuple[object, np.ndarray[tuple[int], np.dtype[np.int64]]]]:
    return [(batch.X[:n], batch.y[:n]) for batch in read(stream)]
