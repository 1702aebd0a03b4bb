"""Commands over the formats that other programs write: trained, resumed, evaluated and predicted, line for line."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import call, done

from sapwood.checkpoint import Checkpoint
from sapwood.cli import readers
from sapwood.stream import COLUMNAR, FORMATS, TABLES

ROWS = [(i % 7, "red" if i % 3 else "blue", "yes" if i % 3 else "no") for i in range(600)]


def as_table(rows: list[tuple[int, str, str]]) -> pa.Table:
    return pa.table({"size": [r[0] for r in rows], "colour": [r[1] for r in rows], "label": [r[2] for r in rows]})


def written(format_name: str, rows: list[tuple[int, str, str]]) -> bytes:
    file = io.BytesIO()
    if format_name == "parquet":
        pq.write_table(as_table(rows), file, row_group_size=100)
    elif format_name == "arrow":
        with pa.ipc.new_file(file, as_table(rows).schema) as writer:
            writer.write_table(as_table(rows), max_chunksize=70)
    elif format_name == "arff":
        file.write(
            b"@relation r\n@attribute size numeric\n@attribute colour {red,blue}\n@attribute label {yes,no}\n@data\n"
        )
        file.write("".join(f"{a},{b},{c}\n" for a, b, c in rows).encode())
    elif format_name == "csv":
        file.write(("size,colour,label\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows)).encode())
    elif format_name == "vw":
        file.write("".join(f"{int(c == 'yes')} |f s{a} {b}\n" for a, b, c in rows).encode())
    else:
        file.write("".join(f"__label__{c} s{a} {b}\n" for a, b, c in rows).encode())
    return file.getvalue()


def test_the_formats_of_the_command_are_those_of_streams() -> None:
    assert [each.value for each in readers.Format] == list(FORMATS)
    assert readers.TABLES == TABLES
    assert readers.COLUMNAR == COLUMNAR


@pytest.mark.parametrize("format_name", ["vw", "fasttext", "arff", "parquet", "arrow"])
def test_train_resume_evaluate_and_predict(format_name: str, tmp_path: Path) -> None:
    whole, part = tmp_path / f"whole.{format_name}", tmp_path / f"part.{format_name}"
    whole.write_bytes(written(format_name, ROWS))
    part.write_bytes(written(format_name, ROWS[:250]))
    done("train", whole, "-m", tmp_path / "a", "-q")
    done("train", part, "-m", tmp_path / "b", "-q")
    done("train", whole, "-m", tmp_path / "b", "-q", "--resume")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert Checkpoint.load(tmp_path / "a").encoding.format == format_name
    assert "600 points" in done("evaluate", whole)
    result = call("predict", whole, "-m", tmp_path / "a", "--labelled")
    assert result.stdout.splitlines() == [
        ("1" if c == "yes" else "0") if format_name == "vw" else c for _, _, c in ROWS
    ]
    assert "600 of 600 correct" in result.stderr
    assert done("inspect", tmp_path / "a")


def test_tables_are_read_as_each_other(tmp_path: Path) -> None:
    formats = ["csv", "arff", "parquet", "arrow"]
    for name in formats:
        (tmp_path / f"t.{name}").write_bytes(written(name, ROWS))
        done("train", tmp_path / f"t.{name}", "-m", tmp_path / name, "-q")
    for learned in formats:
        for asked in formats:
            result = call("predict", tmp_path / f"t.{asked}", "-m", tmp_path / learned)
            assert result.stdout.splitlines() == [c for _, _, c in ROWS]
            assert "Warning" not in result.stderr


def test_one_line_for_every_row(tmp_path: Path) -> None:
    data = b"% c\n@relation r\n@attribute a numeric\n@attribute label {p,q}\n@data\n1,p\n\n% c\nx,q\n2,q\n{0 1}\n"
    path = tmp_path / "t.arff"
    path.write_bytes(data)
    done("train", path, "-m", tmp_path / "m", "-q", "--on-error", "skip")
    lines = done("predict", path, "-m", tmp_path / "m", "-q", "--on-error", "skip").splitlines()
    assert [bool(line) for line in lines] == [True, True, False, False, True, True]
    table = pa.table({"a": [1.0, float("inf"), 2.0, float("inf")], "label": ["p", "p", "q", "q"]})
    pq.write_table(table, tmp_path / "t.parquet")
    done("train", tmp_path / "t.parquet", "-m", tmp_path / "n", "-q", "--on-error", "skip")
    lines = done("predict", tmp_path / "t.parquet", "-m", tmp_path / "n", "-q", "--on-error", "skip").splitlines()
    assert [bool(line) for line in lines] == [True, False, True, False]


def test_options_that_do_not_apply(tmp_path: Path) -> None:
    path = tmp_path / "t.fasttext"
    path.write_bytes(written("fasttext", ROWS[:5]))
    result = call("train", path, "-m", tmp_path / "m", "--label", "x")
    assert result.exit_code == 2
    assert "which is fastText's: it is for CSV, JSON lines, ARFF, Parquet and Arrow, got x" in " ".join(
        result.stderr.split()
    )


def test_an_option_that_does_not_apply_to_what_a_file_turns_out_to_be(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("spam\twin cash\nham\tsee you\n", encoding="utf-8")
    result = call("train", path, "-m", tmp_path / "m", "--binarize", "1")
    assert result.exit_code == 2
    assert "--binarize must be left out for the format text, got 1.0" in result.stderr
    assert "read:" not in result.stderr
    result = call("train", path, "-m", tmp_path / "m", "--no-header")
    assert result.exit_code == 2
    assert result.stderr == "sapwood train: --no-header must be left out for the format text\n"


def test_weights_and_ids_of_columns(tmp_path: Path) -> None:
    table = as_table(ROWS).append_column("w", pa.array([1.0 + i % 2 for i in range(len(ROWS))]))
    pq.write_table(table.append_column("id", pa.array([f"n{i}" for i in range(len(ROWS))])), tmp_path / "t.parquet")
    done(
        "train",
        tmp_path / "t.parquet",
        "-m",
        tmp_path / "m",
        "-q",
        "--weight-column",
        "w",
        "--ignore",
        "id",
        "--label",
        "label",
    )
    lines = done("predict", tmp_path / "t.parquet", "-m", tmp_path / "m", "-q", "--id-column", "id").splitlines()
    assert lines[:3] == ["id\tlabel", "n0\tno", "n1\tyes"]
