"""The rules of a tree, read from the top, lead a point to its leaf; a chain is a flat list."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable

import numpy as np
import pytest
from grown_trees import LETTERS, MAIL, WORDS, chain_tree, view_of_words, wide_tree, word_tree

from sapwood import _core
from sapwood.inspect.text import export_text
from sapwood.inspect.view import TreeView

RULE = re.compile(
    r"^((?:\|   )*)(?:(if|else if) (.*) is (on|off)(:?)|(else|always))(?:  +(\w+) ([\d.]+)  +of ([\d,]+))?"
)


def led_to(text: str, features: set[str]) -> tuple[str, float, int]:
    """Follow the rules of a text as a reader does, and return the class, the share and the points of the leaf."""
    level = 0
    done = False  # whether a rule of this level has been met
    for line in text.splitlines()[1:]:
        found = RULE.match(line)
        assert found, line
        indent, _, name, state, more, otherwise, label, share, n = found.groups()
        depth = len(indent) // 4
        if depth > level or (depth == level and done):
            continue
        assert depth == level, "the rules of a level end with else"
        if otherwise or (name in features) == (state == "on"):
            if not more:
                return label, float(share), int(n.replace(",", ""))
            level, done = level + 1, False
    raise AssertionError("no rule was met")


@pytest.mark.parametrize(
    ("grow", "classes", "names"),
    [
        (lambda: word_tree(tau=0.1), MAIL, WORDS),
        (wide_tree, LETTERS, [f"bit {j}" for j in range(4)]),
        (lambda: chain_tree(30), MAIL, [f"word {j}" for j in range(31)]),
    ],
    ids=["words", "wide", "chain"],
)
def test_rules_lead_where_the_tree_does(
    grow: Callable[[], _core.Tree], classes: tuple[str, ...], names: list[str]
) -> None:
    tree = grow()
    view = TreeView.of(tree, classes)
    text = export_text(view, decimals=6, show_gain=False)
    rng = np.random.default_rng(4)
    for _ in range(100):
        features = {name for name in names if rng.random() < 0.3}
        ids = tree.point(dict.fromkeys(sorted(features), 1), 0.0)
        _, path = tree.decision_path(np.array([0, len(ids)], dtype=np.int64), ids)
        leaf = view.nodes[int(path[-1])]
        label, share, n = led_to(text, features)
        assert (label, n) == (classes[leaf.majority], leaf.n)
        assert share == pytest.approx(leaf.shares[leaf.majority], abs=1e-6)


def test_text_of_a_small_tree() -> None:
    tree = _core.Tree(delta=0.4, tau=0.5, leaf_prediction="adaptive")
    for _ in range(4):
        tree.learn_one({"free": 1}, 1, 1, 0.0)
        tree.learn_one({"lunch": 1}, 0, 1, 0.0)
    assert export_text(TreeView.of(tree, MAIL)) == (
        "8 points, 3 nodes, 2 leaves, depth 1; gain by entropy in bits\n"
        "if free is on  spam 1.000  of 4  spam 4  logistic  gain 1.000  margin 0.000  split after 2  at 2\n"
        "else           ham 1.000   of 4  ham 4   logistic\n"
    )
    assert export_text(TreeView.of(tree, MAIL, str.upper, "gini"), decimals=1, show_gain=False, show_model=False) == (
        "8 points, 3 nodes, 2 leaves, depth 1; gain by gini\n"
        "if FREE is on  spam 1.0  of 4  spam 4\n"
        "else           ham 1.0   of 4  ham 4\n"
    )
    assert export_text(TreeView.of(tree, MAIL), show_gain=False, show_model=False, show_counts=False) == (
        "8 points, 3 nodes, 2 leaves, depth 1; gain by entropy in bits\n"
        "if free is on  spam 1.000  of 4\n"
        "else           ham 1.000   of 4\n"
    )


def test_text_of_a_leaf() -> None:
    tree = _core.Tree(leaf_prediction="majority")
    tree.learn_one({"free": 1}, 0, 1, 0.0)
    assert export_text(TreeView.of(tree, ["ham"])) == (
        "1 point, 1 node, 1 leaf, depth 0; gain by entropy in bits\nalways  ham 1.000  of 1  ham 1  majority\n"
    )


def test_chain_is_a_list_without_indents() -> None:
    length = 2 * sys.getrecursionlimit()
    lines = export_text(TreeView.of(chain_tree(length), MAIL)).splitlines()
    assert len(lines) == 1 + length + 1
    assert all(line.startswith("else if word ") for line in lines[2:-1])
    assert lines[-1].startswith("else ")


def test_indents_are_few() -> None:
    view = TreeView.of(wide_tree(), LETTERS)
    deepest = max(line.count("|   ") for line in export_text(view).splitlines())
    assert 0 < deepest <= math.log2(view.n_leaves)


def test_max_depth() -> None:
    view = view_of_words()
    assert view.depth > 2
    text = export_text(view, max_depth=2)
    assert len(text.splitlines()) == 1 + 3
    cut = next(node for node in view.nodes if node.depth == 2 and not node.is_leaf)
    assert f"of {cut.n:,}, {cut.n_below} nodes" in text
    assert export_text(view, max_depth=0).splitlines()[1].startswith("always  ")
    assert export_text(view, max_depth=view.depth) == export_text(view)


def test_names_that_would_break_a_line() -> None:
    tree = _core.Tree(delta=0.4, tau=0.5)
    for _ in range(4):
        tree.learn_one({"a\nb\tc" + "d" * 100: 1}, 1, 1, 0.0)
        tree.learn_one({}, 0, 1, 0.0)
    lines = export_text(TreeView.of(tree, ["x\ny", "z"])).splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("if a\\nb\\tcddd")
    assert "… is on  z 1.000" in lines[1]
    assert "x\\ny 1.000" in lines[2]


@pytest.mark.parametrize("wrong", [-1, 1.5, "3", True])
def test_wrong_arguments(wrong: object) -> None:
    view = view_of_words()
    with pytest.raises(ValueError, match=r"^export_text: max_depth must be None or an integer of at least 0, got "):
        export_text(view, max_depth=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^export_text: decimals must be an integer of at least 0, got "):
        export_text(view, decimals=wrong)  # type: ignore[arg-type]
