"""Commands on tables: how each column was read, what the user says of them, and models that know it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import call, done
from mixed_tables import as_csv, as_json_lines, mixed
from tree_models import content

from sapwood import load_model
from sapwood.checkpoint import Checkpoint


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A table of people, as CSV."""
    path = tmp_path / "people.csv"
    path.write_bytes(as_csv(*mixed(3000)))
    return path


def test_a_table_says_how_each_column_is_read(people: Path, tmp_path: Path) -> None:
    for command in (("train", people, "-m", tmp_path / "m", "--force"), ("evaluate", people)):
        told = call(*command).stderr.splitlines()
        assert told[0] == f"{people} is read as (--types NAME=TYPE and --ignore NAME change it):"
        rows = [line.split(maxsplit=2)[:2] for line in told[1:7]]
        assert rows == [
            ["age", "number"],
            ["country", "category"],
            ["member", "flag"],
            ["visits", "number"],
            ["constant", "number"],
            ["label", "label"],
        ]
        assert call(*command, "--quiet").stderr == ""
    told = call("evaluate", people, "--types", "visits=category,constant=category", "--ignore", "member").stderr
    rows = [line.split(maxsplit=2)[:2] for line in told.splitlines()[1:7]]
    assert [kind for _, kind in rows] == ["number", "category", "ignored", "category", "category", "label"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--types", "agee=number"],
            "expected a column 'agee', which types names, found the columns .*; did you mean 'age'",
        ),
        (
            ["--types", "age=numbr"],
            "must be NAME=TYPE with one of flag, number, category as TYPE, got 'age=numbr'; did you",
        ),
        (["--types", "age"], "must be NAME=TYPE with one of flag, number, category as TYPE, got 'age'"),
        (
            ["--label", "lable"],
            "expected a column 'lable', which label names, found the columns .*; did you mean 'label'",
        ),
        (["--ignore", "Member"], "expected a column 'Member', which ignore names, found .*; did you mean 'member'"),
        (["--types", "country=number"], "line 2, column 2: expected a number as 'country' .*, found '[a-z]+'"),
    ],
)
@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_typos_are_errors(people: Path, tmp_path: Path, command: str, options: list[str], message: str) -> None:
    model = ["-m", tmp_path / "m"] if command == "train" else []
    result = call(command, people, *model, *options)
    assert result.exit_code == 2
    told = " ".join(result.stderr.replace("│", " ").split())
    assert re.search(message, told), told
    assert not (tmp_path / "m").exists()


def test_a_header_that_looks_like_data(people: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_bytes(people.read_bytes().partition(b"\n")[2])
    told = call("evaluate", bare).stderr
    assert "looks like data: if it is, say that there is no header (--no-header)." in told
    result = call("evaluate", bare, "--no-header", "--json")
    assert "looks like data" not in result.stderr
    named = call("evaluate", people, "--json")
    assert json.loads(result.stdout)["metrics"]["accuracy"] == json.loads(named.stdout)["metrics"]["accuracy"]


def test_a_nameless_first_column_is_remarked_upon(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",a,label\n" + "0,1,x\n1,2,y\n" * 20, encoding="utf-8")
    told = call("evaluate", path).stderr
    assert "the first column has no name" in told
    assert "ignore the column '' (--ignore '')." in told
    assert "Note:" not in call("evaluate", path, "--ignore", "").stderr


def test_missing_values_can_be_set(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,label\n" + "1,x\n2,y\n-,x\n" * 20, encoding="utf-8")
    assert "a      category  1, 2, -" in call("evaluate", path).stderr
    assert "a      number  1, 2" in call("evaluate", path, "--na-values", "-,none").stderr


def test_points_are_read_as_in_training(people: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    done("train", people, "-m", model, "--types", "visits=category")
    saved = Checkpoint.load(model).encoding
    assert dict(saved.types) == {
        "age": "number",
        "country": "category",
        "member": "flag",
        "visits": "category",
        "constant": "number",
    }
    assert saved.label == "label"
    table, labels = mixed(400, seed=8)
    learned = load_model(model)
    texts = [str(each) for each in table["visits"]]
    expected = learned.predict(table.assign(visits=texts)).tolist()
    # Other columns, in another order, and one that lacks.
    other = table.assign(new="z")[["country", "new", "visits", "age", "member"]]
    without = learned.predict(table.assign(visits=texts, constant=None)).tolist()
    (tmp_path / "new.csv").write_text(other.to_csv(index=False), encoding="utf-8")
    assert done("predict", tmp_path / "new.csv", "-m", model).splitlines() == without
    (tmp_path / "all.csv").write_bytes(as_csv(table, labels))
    assert done("predict", tmp_path / "all.csv", "-m", model, "--labelled").splitlines() == expected
    assert done("predict", tmp_path / "all.csv", "-m", model).splitlines() == expected
    (tmp_path / "all.jsonl").write_bytes(as_json_lines(table, labels))
    assert done("predict", tmp_path / "all.jsonl", "-m", model).splitlines() == expected


@pytest.mark.parametrize("write", [as_csv, as_json_lines])
@pytest.mark.parametrize("learner", ["tree", "efdt"])
def test_resuming_makes_the_same_bytes(tmp_path: Path, write: Any, learner: str) -> None:
    table, labels = mixed(2500)
    # A column that is empty at first, and settles later than the first checkpoint.
    late = table.assign(late=[None if i < 1200 else i % 7 for i in range(len(labels))])
    suffix = "csv" if write is as_csv else "jsonl"
    whole, part = tmp_path / f"whole.{suffix}", tmp_path / f"part.{suffix}"
    whole.write_bytes(write(late, labels))
    part.write_bytes(write(late[:1100], labels[:1100]))
    done("train", whole, "-m", tmp_path / "a", "--learner", learner, "-q")
    done("train", part, "-m", tmp_path / "b", "--learner", learner, "--checkpoint", "every=300", "-q")
    done("train", whole, "-m", tmp_path / "b", "--learner", learner, "--checkpoint", "every=500", "--resume", "-q")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert load_model(tmp_path / "a").get_n_leaves() > 1
    result = call("train", whole, "-m", tmp_path / "b", "--learner", learner, "--resume", "--types", "age=category")
    assert result.exit_code == 2
    assert "--types must be " in result.stderr


def test_inspect_says_what_is_asked(people: Path, tmp_path: Path) -> None:
    done("train", people, "-m", tmp_path / "m")
    told = done("inspect", tmp_path / "m")
    assert "age > " in told
    found = json.loads(done("inspect", tmp_path / "m", "--json"))
    assert any(node["test"] and node["test"]["kind"] == "is_above" for node in found["tree"]["nodes"])
    assert "age" in {each["feature"] for each in found["best_features"]}


def test_splits_and_races_of_tables(people: Path) -> None:
    rows = done("splits", people, "--every", 1000, "--top", 3).splitlines()
    assert any(row.split("\t")[2].startswith("age > ") for row in rows[1:])
    assert "age > " in done("race", people, "--limit", 2000, "--json")


def test_a_model_of_the_command_line_is_that_of_python(people: Path, tmp_path: Path) -> None:
    import pandas as pd

    from sapwood import StreamingTreeClassifier

    done("train", people, "-m", tmp_path / "m", "--max-bytes", "none")
    table = pd.read_csv(people)
    fitted = StreamingTreeClassifier(shuffle=False).fit(table.drop(columns="label"), table["label"])
    assert content(load_model(tmp_path / "m")) == content(fitted)


def test_columns_of_the_model_that_a_table_lacks(people: Path, tmp_path: Path) -> None:
    done("train", people, "-m", tmp_path / "m")
    (tmp_path / "one.csv").write_text("age,country,member,visits\n37,fi,true,2\n", encoding="utf-8")
    (tmp_path / "two.csv").write_text("age,country,member\n37,fi,true\n", encoding="utf-8")
    for command in ("predict", "explain"):
        one = call(command, tmp_path / "one.csv", "-m", tmp_path / "m").stderr
        assert (
            one
            == f"Warning: {tmp_path / 'one.csv'} lacks the column 'constant' of the model, which counts as missing.\n"
        )
        two = call(command, tmp_path / "two.csv", "-m", tmp_path / "m").stderr
        assert "two.csv lacks 2 columns of the model, which count as missing: 'visits', 'constant'.\n" in two
        assert call(command, people, "-m", tmp_path / "m", "--labelled", "--quiet").stderr == ""
        assert "lacks" not in call(command, people, "-m", tmp_path / "m", "--labelled").stderr


def test_a_model_of_one_table_goes_on_with_another(people: Path, tmp_path: Path) -> None:
    half = tmp_path / "half.jsonl"
    half.write_bytes(as_json_lines(*mixed(1000)))
    done("train", people, "-m", tmp_path / "m")
    done("train", half, "--from", tmp_path / "m", "-m", tmp_path / "n")
    done("train", half, "--format", "jsonl", "--from", tmp_path / "m", "-m", tmp_path / "o")
    assert (tmp_path / "n").read_bytes() == (tmp_path / "o").read_bytes()
    assert load_model(tmp_path / "n").n_points_ == 4000
    result = call("train", people, half, "-m", tmp_path / "p")
    assert f"{half}: --format must be csv, as the first file is, got jsonl" in result.stderr


def test_a_table_with_tabs_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\ty\n1\t2\tyes\n2\t3\tno\n", encoding="utf-8")
    result = call("train", path, "--label", "y", "-m", tmp_path / "m")
    assert result.exit_code == 2
    assert result.stderr == (
        "sapwood train: --label must be left out for the format text, got 'y'; the format csv is that of a table with "
        "tabs between its columns\n"
    )
    assert "the format csv" not in call("train", path, "--format", "text", "--label", "y", "-m", tmp_path / "m").stderr
    done("train", path, "--format", "csv", "--label", "y", "-m", tmp_path / "m")
