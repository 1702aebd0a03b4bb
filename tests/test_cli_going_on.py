"""`sapwood train`: a model that goes on, several files, passes, names, weights; `evaluate --model`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from command_line import call, done, stream_bytes, write_stream, write_words

from sapwood import StreamingTreeClassifier, load_model
from sapwood.checkpoint import Checkpoint
from sapwood.cli.learners import size_of
from sapwood.stream import read


def halves(tmp_path: Path, n: int = 1200) -> tuple[Path, Path, Path]:
    """Write a stream, and its two halves."""
    whole = write_stream(tmp_path / "t.svm", n)
    lines = whole.read_bytes().splitlines(keepends=True)
    first, second = tmp_path / "first.svm", tmp_path / "second.svm"
    first.write_bytes(b"".join(lines[: n // 3]))
    second.write_bytes(b"".join(lines[n // 3 :]))
    return whole, first, second


def model_of(path: Path) -> bytes:
    """Return the bytes of a model without the position of its stream."""
    return load_model(path).to_bytes()


def test_a_model_goes_on(tmp_path: Path) -> None:
    """What two calls learn is what one learns, with the options of the first call."""
    whole, first, second = halves(tmp_path)
    options = ("--learner", "vfdt", "--tau", "0.1")
    done("train", whole, "-m", tmp_path / "whole", *options)
    done("train", first, "-m", tmp_path / "a", *options)
    done("train", second, "--from", tmp_path / "a", "-m", tmp_path / "b")
    assert model_of(tmp_path / "b") == model_of(tmp_path / "whole") != model_of(tmp_path / "a")
    # Its position is that of the new stream.
    assert Checkpoint.load(tmp_path / "b").points == 800
    done("train", second, "--from", tmp_path / "a", "-m", tmp_path / "a")
    assert model_of(tmp_path / "a") == model_of(tmp_path / "whole")


def test_a_model_of_the_library_goes_on(tmp_path: Path) -> None:
    _, first, second = halves(tmp_path)
    model = StreamingTreeClassifier()
    for batch in read(first):
        for features, label in batch.points():
            model.learn_one(features, label)
    model.save(tmp_path / "m")
    done("train", second, "--from", tmp_path / "m", "-m", tmp_path / "on")
    for batch in read(second):
        for features, label in batch.points():
            model.learn_one(features, label)
    assert model_of(tmp_path / "on") == model.to_bytes()


def test_options_of_a_model_that_goes_on(tmp_path: Path) -> None:
    _, first, second = halves(tmp_path)
    done("train", first, "-m", tmp_path / "m", "--max-depth", "4")
    before = (tmp_path / "m").read_bytes()
    done("train", second, "--from", tmp_path / "m", "-m", tmp_path / "n", "--max-depth", "4")
    for wrong, words in (
        (("--max-depth", "5"), "--max-depth must be left out or 4, as of "),
        (("--learner", "vfdt"), "--learner must be tree, as of "),
        (("--tau", "0.1"), "--tau must be left out or None, as of "),
        (("--binarize", "2"), "--binarize must be left out or 0.0, as of "),
        (("--resume",), "--resume must be left out where --from is --model"),
    ):
        result = call("train", second, "--from", tmp_path / "m", "-m", tmp_path / "m", *wrong)
        assert result.exit_code == 2
        assert words in result.stderr
    text = write_words(tmp_path / "w.tsv")
    result = call("train", text, "--from", tmp_path / "m", "-m", tmp_path / "m")
    assert f"--format must be svmlight, as of {tmp_path / 'm'}, got text" in result.stderr
    assert (tmp_path / "m").read_bytes() == before


def test_several_files_are_one_stream(tmp_path: Path) -> None:
    whole, first, second = halves(tmp_path)
    done("train", whole, "-m", tmp_path / "whole")
    told = done("train", first, second, "-m", tmp_path / "both")
    assert (tmp_path / "both").read_bytes() == (tmp_path / "whole").read_bytes()
    assert told.startswith(f"1,200 points of {first} and 1 other file learned: ")


@pytest.mark.parametrize("cut", [100, 400, 401, 1100, 1600])
def test_several_files_and_passes_are_resumed(tmp_path: Path, cut: int) -> None:
    """From a position in any file and pass, and from the boundary of two."""
    _, first, second = halves(tmp_path, 900)
    command = ("train", first, second, "--passes", "2", "-m")
    done(*command, tmp_path / "whole")
    state = Checkpoint(
        StreamingTreeClassifier(max_bytes=80_000_000).learner, Checkpoint.load(tmp_path / "whole").encoding
    )
    left = cut
    for file in (first, second, first, second):
        for batch in read(file):
            taken = batch.part(0, min(left, len(batch)))
            if len(taken):
                state.learn(taken)
            left -= len(taken)
    state.save(tmp_path / "cut")
    done(*command, tmp_path / "cut", "--resume")
    assert (tmp_path / "cut").read_bytes() == (tmp_path / "whole").read_bytes()
    assert Checkpoint.load(tmp_path / "cut").points == 1800


def test_passes_need_files(tmp_path: Path) -> None:
    result = call("train", "-", "--passes", "2", "-m", tmp_path / "m", stdin=stream_bytes(50))
    assert (result.exit_code, "--passes must be 1 for standard input" in result.stderr) == (2, True)


def test_a_model_is_not_overwritten_by_chance(tmp_path: Path) -> None:
    _, first, second = halves(tmp_path)
    done("train", first, "-m", tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    for command in ("train", "evaluate"):
        result = call(command, second, "-m", tmp_path / "m")
        assert result.exit_code == 2
        assert f"{tmp_path / 'm'} exists: --force overwrites it" in result.stderr
        assert (tmp_path / "m").read_bytes() == before
    done("train", second, "-m", tmp_path / "m", "--force")
    assert (tmp_path / "m").read_bytes() != before


def test_evaluate_keeps_the_model(tmp_path: Path) -> None:
    whole, _, _ = halves(tmp_path)
    done("train", whole, "-m", tmp_path / "trained")
    done("evaluate", whole, "-m", tmp_path / "evaluated")
    assert (tmp_path / "evaluated").read_bytes() == (tmp_path / "trained").read_bytes()
    table = tmp_path / "t.csv"
    table.write_text("colour,age,answer\n" + "red,1,yes\nblue,2,no\n" * 50, encoding="utf-8")
    done("evaluate", table, "-m", tmp_path / "table")
    assert done("predict", "-", "-m", tmp_path / "table", "-q", stdin=b"age,colour\n1,red\n") == "yes\n"


def test_columns_have_names(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 600, 40)
    names = tmp_path / "vocab.txt"
    largest = max(int(batch.indices.max()) for batch in read(stream) if batch.indices is not None)
    names.write_text("".join(f"word{i}\n" for i in range(largest + 1)), encoding="utf-8")
    done("train", stream, "-m", tmp_path / "plain")
    done("train", stream, "-m", tmp_path / "named", "--names", names, "--names-start", "0")
    told = done("inspect", tmp_path / "named", "-q")
    assert "word" in told
    assert "x[" not in told
    expected = done("inspect", tmp_path / "plain", "-q")
    for i in range(largest + 1):
        expected = expected.replace(f"x[{i}]", f"word{i}")
    assert " ".join(told.split()) == " ".join(expected.split())
    # The points have the same classes, and the model knows the names of those that it reads.
    assert done("predict", stream, "-m", tmp_path / "named") == done("predict", stream, "-m", tmp_path / "plain")
    done("train", stream, "--from", tmp_path / "named", "-m", tmp_path / "more")
    assert "x[" not in done("inspect", tmp_path / "more", "-q")
    packed = tmp_path / "vocab.txt.gz"
    packed.write_bytes(gzip.compress(names.read_bytes()))
    done("train", stream, "-m", tmp_path / "packed", "--names", packed, "--names-start", "0")
    assert (tmp_path / "packed").read_bytes() == (tmp_path / "named").read_bytes()
    # Windows ends lines otherwise, and a name may hold what Python takes for the end of a line.
    text = names.read_text(encoding="utf-8").replace("word0\n", "word\u20280\n")
    names.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    done("train", stream, "-m", tmp_path / "odd", "--names", names, "--names-start", "0")
    assert load_model(tmp_path / "odd").feature_names_in_.tolist()[:2] == ["word\u20280", "word1"]
    for lines, words in (
        (b"a\na\n", "a different name in every line"),
        (b"a\n\n", "a name in every line"),
        (b"", "names, one per line, found none"),
        (packed.read_bytes()[:-9], "the end of the gzip data"),
    ):
        names.write_bytes(lines)
        assert words in call("train", stream, "-m", tmp_path / "x", "--names", names).stderr
    names.write_bytes(b"a\nb\n")
    assert "features up to 2, which have names" in call("train", stream, "-m", tmp_path / "x", "--names", names).stderr
    assert (
        "--names must be left out"
        in call("train", write_words(tmp_path / "w.tsv"), "-m", tmp_path / "x", "--names", names).stderr
    )
    assert not (tmp_path / "x").exists()


def test_columns_have_names_in_an_evaluation(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 600, 40)
    names = tmp_path / "vocab.txt"
    largest = max(int(batch.indices.max()) for batch in read(stream) if batch.indices is not None)
    names.write_text("".join(f"word{i}\n" for i in range(largest + 1)), encoding="utf-8")
    given = ("--names", names, "--names-start", "0")
    plain = json.loads(done("evaluate", stream, "--json", "-q"))
    told = json.loads(done("evaluate", stream, "--json", "-q", *given, "-m", tmp_path / "kept"))
    assert told["metrics"] == plain["metrics"]
    assert told["splits"]
    for mine, other in zip(told["splits"], plain["splits"], strict=True):
        assert mine["feature"] == f"word{other['feature'][2:-1]}"
    done("train", stream, "-m", tmp_path / "trained", *given)
    assert done("inspect", tmp_path / "kept", "-q") == done("inspect", tmp_path / "trained", "-q")
    names.write_bytes(b"a\nb\n")
    assert "features up to 2, which have names" in call("evaluate", stream, "--names", names).stderr
    assert "--names must be left out" in call("evaluate", write_words(tmp_path / "w.tsv"), "--names", names).stderr


@pytest.mark.parametrize("more", [(), ("--class-weight", "balanced")])
def test_texts_have_no_column_of_weights(tmp_path: Path, more: tuple[str, ...]) -> None:
    words = write_words(tmp_path / "w.tsv")
    told = call("train", words, "-m", tmp_path / "m", "--weight-column", "w", *more).stderr
    assert f"--weight-column must be left out for {words}: text has no columns" in told
    assert not (tmp_path / "m").exists()


def test_a_column_of_weights(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [(int(rng.integers(3)), float(rng.integers(1, 5)), int(rng.integers(2))) for _ in range(300)]
    table = tmp_path / "t.csv"
    table.write_text("colour,w,answer\n" + "".join(f"c{c},{w},{'ny'[a]}\n" for c, w, a in rows), encoding="utf-8")
    done("train", table, "-m", tmp_path / "m", "--weight-column", "w", "--types", "colour=category")
    model = StreamingTreeClassifier()
    for colour, weight, answer in rows:
        model.learn_one({"colour": f"c{colour}"}, "ny"[answer], w=weight)
    made = load_model(tmp_path / "m")
    assert made.export_text() == model.export_text()
    assert made.predict_proba_one({"colour": "c1"}) == model.predict_proba_one({"colour": "c1"})
    # The column is no feature, here or later.
    assert done("predict", table, "-m", tmp_path / "m", "--labelled", "-q").count("\n") == 300
    for column, words in (("x", "a column 'x', which --weight-column names"), ("colour", "expected a number")):
        assert words in call("train", table, "-m", tmp_path / "n", "--weight-column", column).stderr
        balanced = call("train", table, "-m", tmp_path / "n", "--weight-column", column, "--class-weight", "balanced")
        assert words in balanced.stderr
    table.write_text("colour,w,answer\nred,1,yes\nblue,,no\n", encoding="utf-8")
    assert (
        "a weight in column 'w' of every point"
        in call("train", table, "-m", tmp_path / "n", "--weight-column", "w").stderr
    )
    table.write_text("colour,w,answer\nred,1,yes\nblue,-2,no\n", encoding="utf-8")
    assert "weights from 0 to " in call("train", table, "-m", tmp_path / "n", "--weight-column", "w").stderr
    svmlight = write_stream(tmp_path / "t.svm", 20)
    assert (
        "--weight-column must be left out"
        in call("train", svmlight, "-m", tmp_path / "n", "--weight-column", "w").stderr
    )


def test_balanced_classes(tmp_path: Path) -> None:
    words = write_words(tmp_path / "w.tsv")  # 200 of ham, 400 of spam
    done("train", words, "-m", tmp_path / "m", "--class-weight", "balanced")
    assert load_model(tmp_path / "m").get_params()["class_weight"] == {"ham": 1.5, "spam": 0.75}
    done("train", words, "-m", tmp_path / "m", "--class-weight", "balanced", "--resume")
    assert "train alone" in call("evaluate", words, "--class-weight", "balanced").stderr
    piped = call("train", "-", "-m", tmp_path / "n", "--class-weight", "balanced", stdin=words.read_bytes())
    assert piped.exit_code == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [("20MB", 20_000_000), ("64 MiB", 64 << 20), ("1.5gb", 1_500_000_000), ("70000", 70_000), ("2K", 2000), ("9B", 9)],
)
def test_sizes(text: str, expected: int) -> None:
    assert size_of(text) == expected


def test_a_size_on_the_command_line(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 200)
    done("train", stream, "-m", tmp_path / "m", "--max-bytes", "20MB")
    assert load_model(tmp_path / "m").get_params()["max_bytes"] == 20_000_000
    for given, expected in ((["--max-bytes", "none"], None), ([], 80_000_000), (["--learner", "vfdt"], None)):
        done("train", stream, "-m", tmp_path / "m", "--force", *given)
        assert load_model(tmp_path / "m").get_params()["max_bytes"] == expected
    for wrong in ("20XB", "MB", "-1", "1.5", "0", "0MB"):
        assert call("train", stream, "-m", tmp_path / "n", f"--max-bytes={wrong}").exit_code == 2


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("t.csv", ["--ngrams", "2"]),
        ("w.tsv", ["--binarize", "1"]),
        ("w.tsv", ["--sparse-numbers"]),
        ("t.svm", ["--label", "x"]),
        ("t.svm", ["--delimiter", ";"]),
        ("t.csv", ["--n-features", "9"]),
        ("t.jsonl", ["--no-header"]),
    ],
)
def test_an_option_of_another_format_is_an_error(tmp_path: Path, name: str, option: list[str]) -> None:
    contents = {
        "t.csv": b"colour,answer\nred,yes\nblue,no\n",
        "w.tsv": b"spam\twin\nham\tlunch\n",
        "t.svm": b"1 3:1\n2 4:1\n",
        "t.jsonl": b'{"colour": "red", "label": "yes"}\n{"colour": "blue", "label": "no"}\n',
    }
    (tmp_path / name).write_bytes(contents[name])
    for command in (["train", "-m", tmp_path / "m"], ["evaluate"]):
        result = call(*command, tmp_path / name, *option)
        assert result.exit_code == 2
        assert option[0] in result.stderr or option[0][2:].replace("-", "_") in result.stderr
        assert "must be left out" in result.stderr
    assert not (tmp_path / "m").exists()


def test_the_list_of_commands_is_whole() -> None:
    shown = " ".join(done("--help").split())
    assert "..." not in shown.partition("Commands:")[2]
    assert "Predict each point of a stream before learning it, and report how well that went." in shown


def test_help_is_short_too() -> None:
    for command in ([], ["train"], ["generate", "text"]):
        assert done(*command, "-h") == done(*command, "--help")


def test_what_is_read_is_never_overwritten(tmp_path: Path) -> None:
    words = write_words(tmp_path / "w.tsv")
    before = words.read_bytes()
    (tmp_path / "link").symlink_to(words)
    for command, option in (
        (("train", words, "--force"), "--model"),
        (("evaluate", words, "--force"), "--model"),
        (("evaluate", words), "--report"),
    ):
        for place in (words, tmp_path / "link"):
            result = call(*command, option, place)
            assert result.exit_code == 2
            assert f"{option} must be another file than {words}, which is read, got {place}" in result.stderr
    stream = write_stream(tmp_path / "t.svm", 20)
    result = call("train", stream, "--names", words, "-m", words, "--force")
    assert f"--model must be another file than {words}" in result.stderr
    assert words.read_bytes() == before


def test_two_files_are_not_written_to_one_place(tmp_path: Path) -> None:
    words, place = write_words(tmp_path / "w.tsv"), tmp_path / "same"
    result = call("evaluate", words, "--report", place, "--model", tmp_path / "." / "same")
    assert result.exit_code == 2
    assert f"--report must be another file than --model, got {place} for both" in result.stderr
    done("train", words, "-m", tmp_path / "m", "--learner", "dynamic")
    result = call("forget", words, "--model", tmp_path / "m", "--to", place, "--record", place)
    assert result.exit_code == 2
    assert f"--record must be another file than --to, got {place} for both" in result.stderr
    assert not place.exists()


def test_a_model_has_a_name(tmp_path: Path) -> None:
    result = call("train", write_words(tmp_path / "w.tsv"), "-m", "-")
    assert result.exit_code == 2
    assert result.stderr == "sapwood train: a file to write must have a name, got -, which is standard output\n"


def test_classes_are_not_counted_beforehand_in_a_pipe(tmp_path: Path) -> None:
    words = write_words(tmp_path / "w.tsv").read_bytes()
    result = call("train", "-", "-m", tmp_path / "m", "--class-weight", "balanced", stdin=words)
    assert result.exit_code == 2
    assert result.stderr == (
        "sapwood train: --class-weight balanced must be left out for standard input, which can be read once, and the "
        "classes are counted first\n"
    )


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_a_weight_of_a_class_that_no_point_has(tmp_path: Path, command: str) -> None:
    words = write_words(tmp_path / "w.tsv")
    place = ("-m", tmp_path / "m", "--force")
    weights = ("--class-weight", "spam=2", "--class-weight", "spamm=3", "--class-weight", "hum=1")
    result = call(command, words, *place, *weights)
    assert result.exit_code == 0
    assert "Warning: no point has the class 'spamm' or 'hum', of --class-weight.\n" in result.stderr
    assert "Warning" not in call(command, words, *place, *weights[:2]).stderr
    # A class that is a number may be written in more ways than one.
    stream = write_stream(tmp_path / "t.svm", 50)
    assert "Warning" not in call(command, stream, *place, "--class-weight", "1.0=2").stderr


def test_a_second_file_in_another_format_is_named(tmp_path: Path) -> None:
    words, stream = write_words(tmp_path / "w.tsv"), write_stream(tmp_path / "t.svm", 20)
    result = call("train", words, stream, "-m", tmp_path / "m")
    assert result.exit_code == 2
    assert f"{stream}: --format must be text, as the first file is, got svmlight" in result.stderr
