"""`sapwood train`, `predict` and `inspect`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from command_line import call, done, stream_bytes, write_stream, write_words

from sapwood import (
    ExtremelyFastDecisionTreeClassifier,
    HoeffdingTreeClassifier,
    StreamingTreeClassifier,
    load_model,
)
from sapwood.checkpoint import Checkpoint
from sapwood.stream import read


def test_the_model_is_that_of_the_library(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm")
    told = done("train", stream, "--model", tmp_path / "m", "--learner", "vfdt", "--tau", "0.1", "--max-depth", "3")
    expected = HoeffdingTreeClassifier(tau=0.1, max_depth=3)
    for batch in read(stream):
        for features, label in batch.points():
            expected.learn_one(features, label)
    assert load_model(tmp_path / "m").to_bytes() == expected.to_bytes()
    assert told.startswith("2,000 points of ")
    assert f"{expected.get_n_leaves()} leaves" in told
    assert expected.get_n_leaves() > 1


def test_every_parameter_reaches_the_learner(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 50)
    options: dict[str, object] = {
        "criterion": "gini",
        "search": "approximate",
        "alpha": 0.2,
        "split_test": "gaussian",
        "delta": 0.01,
        "tau": 0.3,
        "grace_period": 5,
        "min_samples_reevaluate": 50,
        "revision": "restructure",
        "min_gain": 0.001,
        "max_depth": 4,
        "max_leaves": 9,
        "max_bytes": 10**7,
        "max_name_bytes": 1 << 20,
        "leaf_prediction": "majority",
        "binarize": 0.5,
    }
    given = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    options["sparse_numbers"] = True
    done("train", stream, "-m", tmp_path / "m", "--learner", "efdt", "--seed", 3, "--sparse-numbers", *given)
    model = load_model(tmp_path / "m")
    assert type(model) is ExtremelyFastDecisionTreeClassifier
    assert model.get_params() == {**options, "random_state": 3, "class_weight": None, "shuffle": True}


def test_weights_of_classes(tmp_path: Path) -> None:
    """As in the library; a class that is a number in the file is meant by its digits."""
    stream = write_stream(tmp_path / "t.svm")
    done("train", stream, "--model", tmp_path / "m", "--class-weight", "1=2.5", "--class-weight", "0=0.5")
    expected = StreamingTreeClassifier(class_weight={1: 2.5, 0: 0.5})
    for batch in read(stream):
        for features, label in batch.points():
            expected.learn_one(features, label)
    made = load_model(tmp_path / "m")
    assert made.export_text() == expected.export_text()
    done("train", stream, "--model", tmp_path / "plain")
    assert made.export_text() != load_model(tmp_path / "plain").export_text()
    done("train", stream, "--model", tmp_path / "m", "--class-weight", "1=2.5", "--class-weight", "0=0.5", "--resume")
    for wrong in ("1", "1=", "=2", "1=-1", "1=nan", "1=many"):
        result = call("train", stream, "--model", tmp_path / "n", "--class-weight", wrong)
        assert result.exit_code != 0
        assert "--class-weight must be CLASS=WEIGHT" in result.stderr
    assert not (tmp_path / "n").exists()


def test_a_pipe_and_a_compressed_file_are_the_same_stream(tmp_path: Path) -> None:
    data = stream_bytes(500)
    (tmp_path / "t.svm.gz").write_bytes(gzip.compress(data))
    done("train", tmp_path / "t.svm.gz", "-m", tmp_path / "a")
    done("train", "-", "-m", tmp_path / "b", stdin=data)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_json_and_quiet(tmp_path: Path) -> None:
    stream = write_stream(tmp_path / "t.svm", 100)
    assert done("train", stream, "-m", tmp_path / "m", "--quiet") == ""
    told = json.loads(done("train", stream, "-m", tmp_path / "m", "--json", "--force"))
    assert (told["points"], told["skipped"], told["n_classes"]) == (100, 0, 2)


def test_labels_are_printed_one_a_line(tmp_path: Path) -> None:
    words = write_words(tmp_path / "w.tsv")
    done("train", words, "-m", tmp_path / "m")
    assert done("predict", "-", "-m", tmp_path / "m", stdin=b"a lunch\nthe prize\nlunch again\n") == "ham\nspam\nham\n"
    result = call("predict", words, "-m", tmp_path / "m", "--labelled")
    assert result.stdout == "".join("spam\n" if i % 3 else "ham\n" for i in range(600))
    assert result.stderr == "600 of 600 correct: accuracy 1.0000\n"
    assert call("predict", words, "-m", tmp_path / "m", "--labelled", "--quiet").stderr == ""


def test_probabilities(tmp_path: Path) -> None:
    words = write_words(tmp_path / "w.tsv")
    done("train", words, "-m", tmp_path / "m")
    header, first = done("predict", "-", "-m", tmp_path / "m", "--proba", stdin=b"prize\n").splitlines()
    assert header == "label\tham\tspam"
    label, ham, spam = first.split("\t")
    assert label == "spam"
    assert float(ham) + float(spam) == pytest.approx(1, abs=1e-5)
    of_json = json.loads(done("predict", "-", "-m", tmp_path / "m", "--proba", "--json", stdin=b"prize\n"))
    assert of_json["label"] == "spam"
    assert of_json["proba"]["spam"] == pytest.approx(float(spam), rel=1e-5)
    exact = load_model(tmp_path / "m").predict_proba_one(["prize"])
    assert of_json["proba"] == exact


def test_points_are_read_as_those_of_training_were(tmp_path: Path) -> None:
    words = write_words(tmp_path / "w.tsv")
    done("train", words, "-m", tmp_path / "m", "--n-features", 1024, "--ngrams", 2)
    saved = Checkpoint.load(tmp_path / "m")
    assert (saved.encoding.format, saved.encoding.n_features, saved.encoding.ngrams) == ("text", 1024, 2)
    assert done("predict", "-", "-m", tmp_path / "m", stdin=b"a lunch\nthe prize\n") == "ham\nspam\n"


def test_csv_may_be_answered_as_json_lines(tmp_path: Path) -> None:
    table = b"colour,id,answer\n" + b"red,1,yes\nblue,2,no\n" * 300
    done("train", "-", "-m", tmp_path / "m", "--label", "answer", "--ignore", "id", stdin=table)
    assert done("predict", "-", "-m", tmp_path / "m", stdin=b"colour\nblue\nred\n") == "no\nyes\n"
    lines = tmp_path / "new.jsonl"
    lines.write_text('{"colour": "red"}\n{"colour": "blue"}\n', encoding="utf-8")
    assert done("predict", lines, "-m", tmp_path / "m") == "yes\nno\n"


def test_a_model_saved_from_python_answers_too(tmp_path: Path) -> None:
    model = HoeffdingTreeClassifier()
    for i in range(400):
        model.learn_one([3 if i % 2 else 4], i % 2)
    model.save(tmp_path / "m")
    assert done("predict", "-", "-m", tmp_path / "m", stdin=b"0 3:1\n0 4:1\n") == "1\n0\n"
    assert "HoeffdingTreeClassifier" in done("inspect", tmp_path / "m")


def test_inspect(tmp_path: Path) -> None:
    words = write_words(tmp_path / "w.tsv")
    done("train", words, "-m", tmp_path / "m", "--learner", "vfdt", "--tau", "0.3")
    model = load_model(tmp_path / "m")
    rules = model.export_text()
    shown = done("inspect", tmp_path / "m")
    assert rules in shown
    for words_of_it in ("n_points", "Parameters", "grace_period", "Stream", "Best features", "Tree", "100.0%"):
        assert words_of_it in shown
    assert done("inspect", tmp_path / "m", "--quiet") == rules
    assert done("inspect", tmp_path / "m", "--quiet", "--depth", 0) == model.export_text(max_depth=0)
    told = json.loads(done("inspect", tmp_path / "m", "--json"))
    assert told["tree"] == json.loads(json.dumps(model.to_dict()))
    assert told["stream"]["points"] == told["summary"]["n_points"] == 600
    assert told["best_features"][0]["share"] == pytest.approx(1)
    assert "ngrams" not in shown


def test_inspect_shows_the_rules_that_most_points_met(tmp_path: Path) -> None:
    done("train", write_stream(tmp_path / "t.svm", 5000), "-m", tmp_path / "m", "--learner", "vfdt", "--tau", "0.2")
    model = load_model(tmp_path / "m")
    told = json.loads(done("inspect", tmp_path / "m", "--json", "--top", 1000))["rules"]
    leaves = [node for node in model.to_dict()["nodes"] if node["feature"] is None]
    assert len(told) == len(leaves) > 3
    assert [rule["points"] for rule in told] == sorted((leaf["n"] for leaf in leaves), reverse=True)
    numbers = set()
    for rule in told:
        # A point that meets the conditions of a rule comes to its leaf.
        features = {int(name[2:-1]) for name in rule["on"]}
        assert not features & {int(name[2:-1]) for name in rule["off"]}
        tests = model.explain_one(sorted(features)).tests
        assert [test.feature for test in tests if test.on] == rule["on"]
        assert [test.feature for test in tests if not test.on] == rule["off"]
        numbers.add(tuple(rule["on"] + ["not"] + rule["off"]))
    assert len(numbers) == len(leaves)
    shown = done("inspect", tmp_path / "m", "--top", 1).partition("\nRules")[2].partition("\nTree")[0]
    assert f"of {told[0]['points']:,}  if " in shown
    assert shown.count("\n") == 2


def test_inspect_tells_long_names_apart(tmp_path: Path) -> None:
    lines = "".join(f"{i % 3}\t{'a' * 60}{'xyz'[i % 3]}\n" for i in range(600))
    (tmp_path / "w.tsv").write_text(lines, encoding="utf-8")
    done("train", tmp_path / "w.tsv", "-m", tmp_path / "m", "--learner", "vfdt", "--tau", "0.3")
    best = json.loads(done("inspect", tmp_path / "m", "--json"))["best_features"]
    assert len(best) == 2
    assert all(len(entry["feature"]) == 61 for entry in best)


def test_bad_lines(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    stream = tmp_path / "t.svm"
    stream.write_bytes(b"1 3:1\n2 oops\n2 4:1\n1 x:1\n")
    stopped = call("train", stream, "-m", tmp_path / "m")
    assert (stopped.exit_code, stopped.stdout) == (2, "")
    kept, sentence = stopped.stderr.splitlines()
    assert kept == f"The point before the error: saved in {tmp_path / 'm'}; --resume continues from there."
    assert sentence.startswith(f"sapwood train: {stream}, line 2, column 3: expected ")
    # What stands before it is not lost.
    assert load_model(tmp_path / "m").n_points_ == 1
    skipped = call("train", stream, "-m", tmp_path / "m", "--on-error", "skip", "--force")
    assert skipped.exit_code == 0
    assert "2 bad lines were skipped, the first in line 2, column 3" in skipped.stderr
    assert caplog.text == ""
    done("train", stream, "-m", tmp_path / "m", "--on-error", "log", "--quiet", "--force")
    assert "line 2, column 3" in caplog.text
    assert "line 4, column 3" in caplog.text
    told = call("train", stream, "-m", tmp_path / "m", "--on-error", "skip", "--json", "--force")
    assert json.loads(told.stdout)["skipped"] == 2


ONE_SENTENCE = [
    (["train", "{none}", "-m", "{new}"], "there is no such file"),
    (["train", "{folder}", "-m", "{new}"], "this is a directory"),
    (["train", "{empty}", "-m", "{new}"], "expected points, found an empty file"),
    (["train", "{one}", "-m", "{new}"], "expected points of two classes at least, found one class only, 1"),
    (["train", "{binary}", "-m", "{new}"], "found binary data"),
    (["train", "{two}", "-m", "{folder}"], "is a directory"),
    (["train", "{two}", "-m", "{none}/x/y"], "no such file or directory"),
    (["evaluate", "{two}", "--report", "{none}/x/y"], "no such file or directory"),
    (["race", "{two}", "--picture", "{folder}"], "is a directory"),
    (["train", "{two}", "-m", "{new}", "--tau", "-1"], "tau must"),
    (["train", "{two}", "-m", "{new}", "--label", "x"], "label must be left out for the format svmlight"),
    (
        ["train", "{two}", "-m", "{new}", "--learner", "vfdt", "--min-samples-reevaluate", "5"],
        "must be left out for --learner vfdt",
    ),
    (["train", "{two}", "-m", "{new}", "--ngrams", "2", "--format", "csv"], "--ngrams must be left out for "),
    (["train", "{three}", "-m", "{new}", "--search", "approximate"], "StreamingTreeClassifier"),
    (["predict", "{two}", "-m", "{none}"], "no such file or directory"),
    (["predict", "{two}", "-m", "{two}"], "the file must be a sapwood model"),
    (["inspect", "{empty}"], "the file must be a sapwood model"),
    (["inspect", "{none}"], "no such file or directory"),
    (["evaluate", "{none}"], "there is no such file"),
    (["evaluate", "{empty}"], "found an empty file"),
    (["evaluate", "{one}"], "found one class only, 1"),
    (["evaluate", "{two}", "--fading", "7"], "fading must"),
    (["splits", "{empty}"], "found an empty file"),
    (["splits", "{one}"], "found one class only, 1"),
    (["splits", "{three}", "--classes", "2"], "got another one, 3, after 0 points; set the number with --classes"),
    (["splits", "{three}", "--search", "approximate"], "the paper's algorithm is for two classes"),
    (["race", "{none}"], "there is no such file"),
    (["race", "{one}"], "found one class only, 1"),
    (["race", "{three}", "--classes", "2"], "got another one, 3, after 0 points; set the number with --classes"),
    (["race", "{three}", "--criterion", "kearns_mansour"], "n_classes must be 2"),
    (["generate", "sparse", "--q", "3"], "q must be in [0, 1]"),
    (["generate", "text", "--n", "5", "--n-changes", "7"], "n_changes must be below"),
]


@pytest.mark.parametrize(("arguments", "message"), ONE_SENTENCE, ids=lambda value: " ".join(value)[:50])
def test_what_is_wrong_is_said_in_one_sentence(arguments: list[str], message: str, tmp_path: Path) -> None:
    contents = {
        "empty": b"",
        "one": b"1 3:1\n1 4:1\n",
        "two": b"1 3:1\n2 4:1\n",
        "three": b"1 3:1\n2 4:1\n3 5:1\n",
        "binary": b"\0\1\2\3",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    names = {name: str(tmp_path / name) for name in (*contents, "folder", "none", "new")}
    result = call(*(argument.format(**names) for argument in arguments))
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stderr.startswith("sapwood ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["train"],
        ["train", "x"],
        ["train", "x", "-m", "y", "--learner", "id3"],
        ["predict", "x"],
        ["nothing"],
        ["generate"],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert "Usage: " in result.output
