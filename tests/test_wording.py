"""Numbers of things are told as one would say them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from command_line import call, done

import sapwood
from sapwood import SplitFinder, StreamingTreeClassifier
from sapwood.wording import counted

SOURCES = Path(sapwood.__file__).parent
NOUNS = ("points", "texts", "features", "classes", "leaves", "nodes", "trees", "tests", "rules", "lines", "files")
# What tells the sizes of its own settings, of which there are always several; and all trees of a forest, beside the
# words for a single one.
SEVERAL = ("demo.py", "paper", "datasets", "cli/explain.py")


def test_counted() -> None:
    assert [counted(n, "point") for n in (0, 1, 2, 2000)] == ["0 points", "1 point", "2 points", "2,000 points"]
    assert [counted(n, "leaf", "leaves") for n in (1, 2)] == ["1 leaf", "2 leaves"]


def test_no_plural_is_written_behind_a_number_that_may_be_one() -> None:
    """A number whose thousands are set apart, or a length, is told to users: `counted` knows the noun behind it."""
    found = []
    for path in SOURCES.rglob("*.py"):
        name = path.relative_to(SOURCES).as_posix()
        if name.startswith(SEVERAL):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.JoinedStr):
                continue
            for number, text in zip(node.values, node.values[1:], strict=False):
                if not isinstance(number, ast.FormattedValue) or not isinstance(text, ast.Constant):
                    continue
                assert isinstance(text.value, str)
                words = re.sub(r"^ (more|other)\b", "", text.value).split()
                is_grouped = number.format_spec is not None and "," in ast.unparse(number.format_spec)
                if (is_grouped or "len(" in ast.unparse(number.value)) and words and words[0] in NOUNS:
                    found.append(f"{name}, line {node.lineno}: {text.value}")
    assert found == []


def test_one_point_is_no_points(tmp_path: Path) -> None:
    model = StreamingTreeClassifier()
    model.learn_one(["a"], "yes")
    assert "of 1 point; the share of yes" in str(model.explain_one(["a"]))
    finder = SplitFinder()
    finder.add([3], 1)
    assert repr(finder).endswith(": 1 point, 1 feature seen>")
    two, one = tmp_path / "two.tsv", tmp_path / "one.tsv"
    two.write_text("spam\twin cash\nham\tlunch\n", encoding="utf-8")
    one.write_text("spam\twin\n", encoding="utf-8")
    assert done("train", two, "-m", tmp_path / "m").startswith("2 points of ")
    assert "1 point of " in done("train", one, "--from", tmp_path / "m", "-m", tmp_path / "m2")
    assert "1 other file" in done("train", two, one, "-m", tmp_path / "m3")
    result = call("train", two, "-m", tmp_path / "m4", "--class-weight", "spam=2")
    assert "2 points of " in result.stdout
