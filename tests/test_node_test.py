"""What a node asks is said in the same words in every text and picture."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from grown_trees import MAIL, view_of_words

from sapwood import _core
from sapwood.cli.rules import rules_of
from sapwood.data import Category
from sapwood.evaluate._page_tree import page_tree
from sapwood.inspect.explain import Explanation, TestTaken
from sapwood.inspect.export import to_dict
from sapwood.inspect.graph import to_dot
from sapwood.inspect.node_test import IS_ON, IS_PRESENT, NodeTest, NodeTests
from sapwood.inspect.picture import plot
from sapwood.inspect.text import export_text
from sapwood.inspect.view import TreeView

AGE = NodeTest("is_above", threshold=37.5)
COUNTRY = NodeTest("is_among", categories=("fi", "se"), missing_passes=True)


@pytest.mark.parametrize(
    ("test", "name", "passes", "text"),
    [
        (IS_ON, "free", True, "free is on"),
        (IS_ON, "free", False, "free is off"),
        (IS_PRESENT, "age", True, "age is present"),
        (IS_PRESENT, "age", False, "age is missing"),
        (AGE, "age", True, "age > 37.5"),
        (AGE, "age", False, "age <= 37.5 (or missing)"),
        (NodeTest("is_above", threshold=-3.0, missing_passes=True), "t", True, "t > -3 (or missing)"),
        (NodeTest("is_above", threshold=1e-9, missing_passes=True), "t", False, "t <= 1e-09"),
        (NodeTest("is_above", threshold=1234567.5), "t", True, "t > 1234567.5"),
        (COUNTRY, "country", True, "country in {fi, se} (or missing)"),
        (COUNTRY, "country", False, "country not in {fi, se}"),
        (NodeTest("is_among", categories=(3,)), "c", True, "c in {3}"),
        (NodeTest("is_among", categories=tuple(range(10))), "c", True, "c in {0, 1, 2, 3, 4, 5, 6, 7 and 2 more}"),
        (NodeTest("is_among", categories=("a\nb",)), "c\td", False, "c\\td not in {a\\nb} (or missing)"),
    ],
)
def test_text_of_every_kind(test: NodeTest, name: str, passes: bool, text: str) -> None:
    assert test.text(name, passes) == text


def test_names_are_cut_and_numbers_are_not() -> None:
    assert AGE.text("a" * 50, True, 10) == "aaaaaaaaa… > 37.5"
    assert IS_ON.text("a" * 50, True, 10) == "aaaaaaaaa… is on"
    assert IS_ON.asked("a" * 50, 10) == "aaaaaaaaa…"
    assert AGE.asked("age") == "age > 37.5"


def test_branches() -> None:
    assert [IS_ON.branch(passes) for passes in (False, True)] == ["off", "on"]
    assert [AGE.branch(passes) for passes in (False, True)] == ["no", "yes"]


class Asked:
    """What `NodeTests` asks of a tree of the core, of one with every kind of test."""

    def typed_tests(self) -> dict[int, tuple[Any, bool]]:
        return {1: (37.5, False), 2: ([1, 3], False)}

    def made_of_numbers(self) -> dict[int, tuple[int, float, float]]:
        return {2: (0, -math.inf, math.inf)}

    def keys(self) -> list[Any]:
        return ["free", Category("country", "fi"), None, Category("country", "se")]

    def number_keys(self) -> list[Any]:
        return ["age"]


def test_tests_of_the_core() -> None:
    tests = NodeTests(Asked(), None, "here")  # type: ignore[arg-type]  # it has the methods that are needed
    assert tests.of(0, 1, 0) == (IS_ON, "free", "free")
    assert tests.of(1, 2, 0) == (AGE, "age", "age")
    assert tests.of(2, 3, 1) == (NodeTest("is_among", categories=("fi", "se")), "country", "country")
    assert tests.of(3, 1, 2) == (IS_PRESENT, "age", "age")
    named = NodeTests(Asked(), {"country": "Land", "age": "Alter"}, "here")  # type: ignore[arg-type]
    assert [named.of(i, kind, slot)[2] for i, kind, slot in ((1, 2, 0), (2, 3, 1), (4, 1, 1))] == [
        "Alter",
        "Land",
        "Land=fi",
    ]


def typed_view() -> TreeView:
    """A small tree, asked for a number at its root and for a category below it."""
    view = view_of_words()
    inner = [node for node in view.nodes if not node.is_leaf]
    below = next(node for node in inner if node.parent == 0)
    nodes = list(view.nodes)
    nodes[0] = replace(nodes[0], key="age", feature="age", test=AGE)
    nodes[below.number] = replace(below, key="country", feature="country", test=COUNTRY)
    return replace(view, nodes=tuple(nodes))


def test_every_picture_says_what_is_asked() -> None:
    view = typed_view()
    text = export_text(view)
    assert "if age " in text
    assert "if country " in text
    assert "is on" in text
    dot = to_dot(view)
    assert '0 [label="age > 37.5\\n' in dot
    assert '[label=" yes ", style=solid' in dot
    assert '[label=" no ", style=dashed' in dot
    told = to_dict(view)["nodes"][0]
    assert told["test"] == {"kind": "is_above", "threshold": 37.5, "categories": [], "missing_passes": False}
    page = page_tree(view, 20)
    assert page["typed"][0] == ["age > 37.5", "<= 37.5 (or missing)", "> 37.5"]
    conditions = [rule.condition() for rule in rules_of(view, 100)]
    assert all("age > 37.5" in each or "age <= 37.5 (or missing)" in each for each in conditions)
    assert any("country in {fi, se} (or missing)" in each for each in conditions)


def test_a_picture_says_what_is_asked() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, of the extra `plot`, is not installed")
    texts = [text.get_text() for text in plot(typed_view()).texts]
    assert "age > 37.5" in texts
    assert {"yes", "no", "on", "off"} <= set(texts)


def test_an_explanation_says_what_was_so() -> None:
    taken = TestTaken("age", "age", False, 0.5, 0, (0.5, 0.5), (0.9, 0.1), AGE)
    told = Explanation(MAIL, (0.9, 0.1), "ham", "spam", 1, 10, "majority", (taken,), (0.5, 0.5), (-0.1, -2.3), ())
    assert "age     <= 37.5 (or missing), gain 0.500  0.900  +0.400" in str(told)


def test_trees_of_features_ask_whether_they_are_on() -> None:
    tree = _core.Tree(delta=0.4, tau=0.5)
    for _ in range(4):
        tree.learn_one({"free": 1}, 1, 1, 0.0)
        tree.learn_one({"lunch": 1}, 0, 1, 0.0)
    view = TreeView.of(tree, MAIL)
    assert view.nodes[0].test == IS_ON
    assert view.nodes[1].test is None
    assert to_dict(view)["nodes"][0]["test"] == {"kind": "is_on"}
