"""`sapwood predict` line by line, `explain`, and what `inspect` shows."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from command_line import call, done, write_stream, write_words
from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood import load_model
from sapwood.cli.line_account import Line, LineAccount
from sapwood.stream import read

TABLE = b"id,colour,age,answer\n" + b"".join(
    b"n%d,%s,%d,%s\n" % (i, (b"red", b"blue")[i % 2], 20 + i % 5, (b"yes", b"no")[i % 2]) for i in range(300)
)


@pytest.fixture
def words(tmp_path: Path) -> Path:
    done("train", write_words(tmp_path / "w.tsv"), "-m", tmp_path / "words")
    return tmp_path / "words"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_bytes(TABLE)
    done("train", tmp_path / "t.csv", "-m", tmp_path / "table", "--ignore", "id", "-q")
    return tmp_path / "table"


def test_every_line_has_an_answer(words: Path) -> None:
    """A blank one that of a point of which nothing is known, wherever it stands."""
    blank = str(load_model(words).predict_one([]))
    text = b"\na lunch\n\n \t\nthe prize\r\n\xe3\x80\x80\nlunch\n\n"
    for size in (1, 2, 10_000):
        found = done("predict", "-", "-m", words, "--batch-size", size, stdin=text).splitlines()
        assert found == [blank, "ham", blank, blank, "spam", blank, "ham", blank]
    assert done("predict", "-", "-m", words, stdin=b"lunch\n\nprize") == f"ham\n{blank}\nspam\n"


def test_lines_that_are_skipped_and_comments_have_an_empty_line(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 400)
    done("train", stream, "-m", tmp_path / "m")
    points = stream.read_bytes().splitlines()[:4]
    lines = [b"# header", points[0], b"oops", b"", points[1], b"1 3:x", b"0 7:x", points[2], b"", points[3], b"bad"]
    (tmp_path / "n.svm").write_bytes(b"\n".join(lines) + b"\n")
    plain = done("predict", "-", "-m", tmp_path / "m", stdin=b"\n".join(points)).split()
    nothing = str(load_model(tmp_path / "m").predict_one([]))
    expected = ["", plain[0], "", nothing, plain[1], "", "", plain[2], nothing, plain[3], ""]
    for size in (1, 3, 10_000):
        options = ("-m", tmp_path / "m", "--on-error", "skip", "--batch-size", size)
        assert done("predict", tmp_path / "n.svm", *options).split("\n") == [*expected, ""]
        of_json = done("predict", tmp_path / "n.svm", "--json", *options).splitlines()
        assert [json.loads(line)["label"] for line in of_json] == [int(each) if each else None for each in expected]


def test_rows_of_a_table_are_its_lines(table: Path) -> None:
    rows = b'\n"answer","id","colour",age\nx,"a\n\nb",red,20\n\ny,"c ""d""",blue,21\n\n'
    nothing = str(load_model(table).predict_one({}))
    found = done("predict", "-", "-m", table, "--format", "csv", "-q", stdin=rows)
    assert found.split("\n") == ["yes", nothing, "no", nothing, ""]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["a,b", "", '"x', 'y"', '"p""q",r', 'a"b,c', '"e" f,g', '"h,i",j', '"', "z"]), max_size=8)
)
def test_the_account_of_rows_is_that_of_the_reader(lines: list[str]) -> None:
    """Each row of a hostile table is a point or a bad line, in the order of the reader."""
    data = "\n".join(["name,label", "first,0", *lines]).encode()
    reader = read(io.BytesIO(data), format="csv", on_error="skip", batch_size=3)
    account = LineAccount(reader, header=True, delimiter=None)
    found: list[Line] = []
    n = 0
    for batch in reader:
        found += account.lines(len(batch))
        n += len(batch)
    found += account.rest()
    assert found.count(Line.POINT) == n
    assert found.count(Line.BAD) == reader.errors.count
    assert not list(account.rest())
    rows = csv.reader(io.StringIO("\n".join(["first,0", *lines]), newline="\n"), delimiter=",", strict=True)
    expected = []
    while True:
        try:
            row = next(rows, None)
        except csv.Error:
            expected.append(Line.BAD)
            continue
        if row is None:
            break
        good = len(row) == 2 and row[1].strip()
        expected.append(Line.BLANK if not row else Line.POINT if good else Line.BAD)
    assert found == expected


def test_ids(table: Path) -> None:
    rows = b"colour,age,id\nred,20,007\nblue,21,b\n\nred,22,\n"
    nothing = str(load_model(table).predict_one({}))
    found = done("predict", "-", "-m", table, "--format", "csv", "--id-column", "id", "-q", stdin=rows)
    assert found == f"id\tlabel\n007\tyes\nb\tno\n\t{nothing}\n\tyes\n"
    objects = b'{"colour": "red", "id": 7}\n{"colour": "blue", "id": "x"}\n'
    for_json = ("predict", "-", "-m", table, "--format", "jsonl", "--id-column", "id", "--json", "-q")
    assert [json.loads(line) for line in done(*for_json, stdin=objects).splitlines()] == [
        {"id": 7, "label": "yes"},
        {"id": "x", "label": "no"},
    ]
    result = call("predict", "-", "-m", table, "--format", "svmlight", "--id-column", "id", stdin=b"1 3:1\n")
    assert (result.exit_code, "--id-column must be left out" in result.stderr) == (2, True)


def test_a_threshold(words: Path) -> None:
    lines = b"prize\nlunch\nneither\n"
    rows = done("predict", "-", "-m", words, "--proba", "-q", stdin=lines).splitlines()[1:]
    spam = [float(row.split("\t")[2]) for row in rows]
    for least in ("0", "0.3", "0.9", "1"):
        expected = ["spam" if share >= float(least) else "ham" for share in spam]
        for threshold in (f"spam={least}", least):
            found = done("predict", "-", "-m", words, "--threshold", threshold, "-q", stdin=lines)
            assert found.split() == expected
    for wrong in ("spam", "eggs=0.5", "spam=2", "=0.5", "1.5"):
        assert "--threshold must " in call("predict", "-", "-m", words, "--threshold", wrong, stdin=lines).stderr


def test_the_most_probable_classes(tmp_path: Path) -> None:
    lines = "".join(f"c{i % 4}\tword{i % 4} w{i % 7}\n" for i in range(400))
    (tmp_path / "w.tsv").write_text(lines, encoding="utf-8")
    done("train", tmp_path / "w.tsv", "-m", tmp_path / "m")
    command = ("predict", "-", "-m", tmp_path / "m", "-q")
    proba = json.loads(done(*command, "--proba", "--json", stdin=b"word2\n"))["proba"]
    best = sorted(proba, key=proba.__getitem__, reverse=True)
    top = json.loads(done(*command, "--top", "2", "--json", stdin=b"word2\n"))["top"]
    assert top == [{"label": label, "proba": proba[label]} for label in best[:2]]
    header, row = done(*command, "--top", "9", stdin=b"word2\n").splitlines()
    assert header.split("\t")[:3] == ["label 1", "probability 1", "label 2"]
    assert row.split("\t")[::2] == best
    assert "--top must be left out with --proba" in call(*command, "--top", "2", "--proba", stdin=b"a\n").stderr
    assert "--threshold must name its class" in call(*command, "--threshold", "0.5", stdin=b"a\n").stderr


def test_unknown_features_and_another_format_are_warned_of(words: Path, tmp_path: Path) -> None:
    result = call("predict", "-", "-m", words, stdin=b"lunch\nnever heard\n\n")
    assert result.stderr == "Warning: 1 of 2 points has no feature that the model knows.\n"
    assert call("predict", "-", "-m", words, "-q", stdin=b"never heard\n").stderr == ""
    stream = write_stream(tmp_path / "t.svm", 100)
    result = call("predict", stream, "-m", words)
    assert f"Warning: {stream} is in the format svmlight, and the model learned text" in result.stderr
    assert "Warning: 100 of 100 points have no feature that the model knows." in result.stderr
    done("train", stream, "-m", tmp_path / "m")
    other = call("predict", "-", "-m", tmp_path / "m", stdin=b"0 900000:1\n0 900001:1 900002:1\n0\n")
    assert other.stderr == "Warning: 2 of 3 points have no feature that the model knows.\n"


def test_why(words: Path, tmp_path: Path) -> None:
    told = done("explain", "-", "-m", words, "-q", stdin=b"a prize\nlunch\n")
    expected = load_model(words).explain_one(["a", "prize"])
    assert told.startswith(f"Point 1: {expected}\n\nPoint 2: ham: probability ")
    assert done("explain", "-", "-m", words, "--points", "1", "-q", stdin=b"prize\nlunch\n").count("Point ") == 1
    found: list[dict[str, Any]] = [
        json.loads(line) for line in done("explain", "-", "-m", words, "--json", stdin=b"a prize\nlunch\n").splitlines()
    ]
    assert [each["label"] for each in found] == ["spam", "ham"]
    assert found[0]["proba"] == pytest.approx(dict(zip(expected.classes, expected.probabilities, strict=True)))
    assert found[0]["log_odds"][1]["feature"] == "prize"
    conditions = [test.test.text(test.feature, test.on) for test in expected.tests]
    assert conditions
    assert [test["condition"] for test in found[0]["tests"]] == conditions
    stream = write_stream(tmp_path / "t.svm", 300)
    done("train", stream, "-m", tmp_path / "m")
    with read(stream, batch_size=1) as reader:
        (point, _), *_ = next(reader).points()
    assert f"Point 1: {load_model(tmp_path / 'm').explain_one(point)}\n" == done(
        "explain", stream, "-m", tmp_path / "m", "--points", "1"
    )


def test_why_of_a_forest(tmp_path: Path) -> None:
    """One tree is explained, beside what all say together; which tree it is, is told."""
    stream = write_stream(tmp_path / "t.svm", 1500)
    done("train", stream, "-m", tmp_path / "m", "--learner", "srp", "--n-estimators", "4", "--delta", "0.3")
    model: Any = load_model(tmp_path / "m")
    with read(stream, batch_size=2) as reader:
        points = [point for point, _ in next(reader).points()]
    shares = [model.predict_proba_one(point) for point in points]
    labels = [model.predict_one(point) for point in points]
    told = done("explain", stream, "-m", tmp_path / "m", "--points", "2", "--tree", "3")
    for i, part in enumerate(told.split("\n\nPoint ")):
        by_all = f"{labels[i]} with probability {shares[i][labels[i]]:.3f}, by all 4 trees. Tree 3 alone:"
        assert part.removeprefix("Point ").strip() == f"{i + 1}: {by_all}\n{model.explain_one(points[i], tree=3)}"
    assert "by all 4 trees. Tree 0 alone:\n" in done("explain", stream, "-m", tmp_path / "m", "--points", "1")
    lines = done("explain", stream, "-m", tmp_path / "m", "--points", "2", "--tree", "3", "--json").splitlines()
    found: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert [each["tree"] for each in found] == [3, 3]
    assert [each["forest"]["label"] for each in found] == labels
    assert found[1]["forest"]["proba"] == {str(label): share for label, share in shares[1].items()}
    assert found[1]["leaf"] == model.explain_one(points[1], tree=3).leaf
    shown = done("inspect", tmp_path / "m", "--tree", "3")
    assert f"\nTree 3 of 0 to 3\n{model.export_text(tree=3)}" in shown
    assert "\nRules of tree 3, by the points that met them\n" in shown
    assert json.loads(done("inspect", tmp_path / "m", "--tree", "3", "--json"))["tree_number"] == 3
    for command in (["inspect", tmp_path / "m"], ["explain", stream, "-m", tmp_path / "m"]):
        result = call(*command, "--tree", "4")
        assert (result.exit_code, "tree must be an integer from 0 to 3, got 4" in result.stderr) == (2, True)
    done("train", stream, "-m", tmp_path / "one")
    result = call("explain", stream, "-m", tmp_path / "one", "--tree", "1")
    assert (result.exit_code, "tree must be 0 for a model of one tree, got 1" in result.stderr) == (2, True)


def test_a_single_leaf_has_strong_features(tmp_path: Path) -> None:
    done("train", write_words(tmp_path / "w.tsv", 60), "-m", tmp_path / "m", "--max-depth", "0")
    told = done("inspect", tmp_path / "m")
    assert "Top features of each class" in told
    assert "ham   lunch +" in told


def test_a_picture(words: Path, tmp_path: Path) -> None:
    done("inspect", words, "-q", "--picture", tmp_path / "tree.svg")
    text = (tmp_path / "tree.svg").read_text(encoding="utf-8")
    assert text.startswith("<?xml")
    assert "</svg>" in text
    assert f"Picture: {tmp_path / 'tree.svg'}" in call("inspect", words, "--picture", tmp_path / "tree.svg").stderr
    result = call("inspect", words, "--picture", tmp_path / "tree.bmp")
    assert (result.exit_code, "--picture must end in .svg, .png or .pdf" in result.stderr) == (2, True)


def test_the_trunk_is_explained(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 1500)
    done("train", stream, "-m", tmp_path / "m", "--leaf-prediction", "adaptive")
    told = done("inspect", tmp_path / "m")
    assert ("trunk" in told.partition("(trunk:")[0]) == ("(trunk: the leaf answers by" in told)


def test_one_is_singular(tmp_path: Path) -> None:
    (tmp_path / "w.tsv").write_bytes(b"ham\tlunch\nspam\tprize\n")
    assert "2 points of " in done("train", tmp_path / "w.tsv", "-m", tmp_path / "m")
    assert "1 node, 1 leaf, depth 0" in done("train", tmp_path / "w.tsv", "-m", tmp_path / "m", "--force")


def test_a_column_of_ids_must_be_there(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("age,colour,label\n" + "1,red,yes\n2,blue,no\n" * 20, encoding="utf-8")
    done("train", table, "-m", tmp_path / "m", "-q")
    wrong = call("predict", table, "-m", tmp_path / "m", "--id-column", "agee", "-q")
    assert wrong.exit_code != 0
    assert wrong.stdout == ""
    assert "a column 'agee', which --id-column names, found the columns age, colour, label" in wrong.stderr
    right = done("predict", table, "-m", tmp_path / "m", "--id-column", "colour", "-q")
    assert right.splitlines()[:2] == ["colour\tlabel", "red\tyes"]
