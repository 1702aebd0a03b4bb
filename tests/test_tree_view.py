"""A view holds what the core knows of a tree, and stays as it is; plain data and tables hold what the view does."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from typing import Any

import numpy as np
import pytest
from grown_trees import LETTERS, MAIL, chain_tree, message, view_of_words, wide_tree, word_tree

from sapwood import StreamingTreeClassifier, _core
from sapwood.inspect.export import to_dataframe, to_dict
from sapwood.inspect.view import NodeView, TreeView


@pytest.fixture(scope="module")
def view() -> TreeView:
    return view_of_words()


def test_nodes_are_those_of_the_core() -> None:
    tree = wide_tree()
    nodes, keys = tree.nodes(), tree.keys()
    view = TreeView.of(tree, LETTERS, criterion="entropy")
    assert len(view.nodes) == tree.n_nodes()
    assert view.n_leaves == tree.n_leaves()
    assert view.depth == tree.depth()
    assert view.n == tree.n()
    for i, node in enumerate(view.nodes):
        assert node.number == i
        assert (-1 if node.parent is None else node.parent) == nodes["parent"][i]
        assert node.depth == nodes["depth"][i]
        assert node.is_leaf == (nodes["feature"][i] < 0)
        if node.is_leaf:
            assert node.counts == tuple(nodes["counts"][i])
            assert node.model == _core.LEAF_MODELS[nodes["model"][i]]
            assert node.right == dict(zip(_core.LEAF_MODELS, nodes["right"][i], strict=False))
            assert (node.key, node.feature, node.off, node.on, node.gain, node.margin, node.split_at) == (None,) * 7
            assert (node.test, node.split_after) == (None, None)
        else:
            assert node.key == node.feature == keys[nodes["feature"][i]]
            assert (node.off, node.on) == (nodes["off"][i], nodes["on"][i])
            assert (node.gain, node.margin) == (nodes["gain"][i], nodes["margin"][i])
            assert node.split_at == nodes["split_at"][i]
            assert node.split_after == nodes["counts"][i].sum()
            assert (node.model, node.right) == (None, None)


def test_counts_shares_and_sizes(view: TreeView) -> None:
    assert any(not node.is_leaf for node in view.nodes)
    for node in view.nodes:
        assert node.n == sum(node.counts)
        assert node.shares == pytest.approx(np.array(node.counts) / node.n)
        if not node.is_leaf:
            one, other = view.children(node)
            assert node.n_below == 1 + one.n_below + other.n_below
            assert one.n_below <= other.n_below


@pytest.mark.parametrize("growth", ["hoeffding", "extremely_fast", "streaming"])
@pytest.mark.parametrize("max_depth", [None, 3])
def test_counts_are_of_the_points_that_passed_through(growth: str, max_depth: int | None) -> None:
    rng = np.random.default_rng(5)
    bold = {"split_test": "evidence", "delta": 0.05} if growth == "streaming" else {"tau": 0.2, "delta": 0.1}
    tree = _core.Tree(growth=growth, max_depth=max_depth, min_samples_reevaluate=5, **bold)
    since: dict[int, list[int]] = {}  # a node was made, by when that was
    for i in range(1500):
        x, y = message(rng, drifted=growth != "streaming" and i > 700)
        ids = tree.point(x, 0.0)
        # A point that brings a new word goes where the word is off: no node tests it.
        _, path = tree.decision_path(np.array([0, len(ids)], dtype=np.int64), ids)
        born = tree.nodes()["born"]
        for number in path:
            since.setdefault(int(born[number]), [0, 0])[y] += 1
        tree.learn_one(x, y, 1, 0.0)
    assert tree.depth() >= 2
    assert (tree.tally()["resplit"] > 0) == (growth == "extremely_fast")
    view, nodes = TreeView.of(tree, MAIL), tree.nodes()
    assert view.nodes[0].n == tree.n() == 1500
    for node in view.nodes:
        passed = since.get(int(nodes["born"][node.number]), [0, 0])
        if not node.is_leaf:
            assert node.counts == tuple(passed)
        else:
            assert all(count >= routed for count, routed in zip(node.counts, passed, strict=True))
        if node.split_after is not None and node.off is not None and node.on is not None:
            assert 0 < node.split_after <= node.n
            off, on = view.nodes[node.off], view.nodes[node.on]
            if off.is_leaf and on.is_leaf:
                assert node.n == off.n + on.n


def test_points_above_a_split_made_anew_are_those_that_passed() -> None:
    """Inner nodes of this tree count a sample of the points: what is shown must be all of them."""
    rng = np.random.default_rng(5)
    tree = _core.Tree(growth="streaming", tau=0.2, delta=0.1)
    since: dict[int, list[int]] = {}  # a node was made, by when that was
    resplit = 0
    for i in range(8000):
        x, y = message(rng, drifted=i > 3000)
        ids = tree.point(x, 0.0)
        _, path = tree.decision_path(np.array([0, len(ids)], dtype=np.int64), ids)
        born = tree.nodes()["born"]
        for number in path:
            since.setdefault(int(born[number]), [0, 0])[y] += 1
        tree.learn_one(x, y, 1, 0.0)
        if tree.tally()["resplit"] > resplit:
            resplit = tree.tally()["resplit"]
            nodes = tree.nodes()
            revised = int(np.flatnonzero(nodes["split_at"] == tree.n())[0])
            counts = TreeView.of(tree, MAIL).nodes[revised].counts
            assert counts == tuple(since[int(nodes["born"][revised])])
    assert resplit > 0
    view = TreeView.of(tree, MAIL)
    assert view.nodes[0].counts == tuple(since[0])
    assert view.nodes[0].n == tree.n()


def test_points_of_a_streaming_tree_that_splits_anew_are_no_more_than_came() -> None:
    rng = np.random.default_rng(5)
    tree = _core.Tree(growth="streaming", tau=0.2, delta=0.1)
    for i in range(20000):
        x, y = message(rng, drifted=i > 4000)
        tree.learn_one(x, y, 1, 0.0)
    assert tree.tally()["resplit"] > 0
    view = TreeView.of(tree, MAIL)
    for node in view.nodes:
        assert node.n <= tree.n()
        if node.split_after is not None and node.off is not None and node.on is not None:
            assert node.n >= max(node.split_after, view.nodes[node.off].n, view.nodes[node.on].n)


def test_points_of_a_tree_that_pauses_are_no_more_than_came() -> None:
    rng = np.random.default_rng(1)
    tree = _core.Tree(max_bytes=1 << 16, leaf_prediction="majority", tau=0.2, delta=0.1)
    for _ in range(3000):
        x, y = message(rng)
        tree.learn_one({**x, **{f"rare {j}": 1 for j in rng.integers(0, 5000, 10)}}, y, 1, 0.0)
    assert tree.tally()["paused"] > 0
    view = TreeView.of(tree, MAIL)
    assert len(view.nodes) > 1
    for node in view.nodes:
        assert node.n <= tree.n()
        if node.split_after is not None and node.off is not None and node.on is not None:
            assert node.n >= max(node.split_after, view.nodes[node.off].n, view.nodes[node.on].n)


def test_view_does_not_change() -> None:
    tree = _core.Tree()
    tree.learn_one({"free": 1}, 1, 1, 0.0)
    view = TreeView.of(tree, MAIL)
    before = to_dict(view)
    for _ in range(100):
        tree.learn_one({"free": 1}, 0, 1, 0.0)
    assert to_dict(view) == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.n = 3  # type: ignore[misc]


def test_a_tree_of_nothing() -> None:
    view = TreeView.of(_core.Tree(), MAIL)
    assert view.nodes[0].counts == (0, 0)
    assert view.nodes[0].shares == (0.5, 0.5)
    assert (view.n_leaves, view.depth, view.n) == (1, 0, 0)


def test_one_class_alone() -> None:
    tree = _core.Tree()
    tree.learn_one({"a": 1}, 0, 1, 0.0)
    view = TreeView.of(tree, ["ham"])
    assert view.nodes[0].counts == (1,)
    assert view.nodes[0].shares == (1.0,)


@pytest.mark.parametrize("classes", [[], ["a", "b", "c"]])
def test_wrong_number_of_classes(classes: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^TreeView\.of: classes must be 1 to 2 labels, got \["):
        TreeView.of(_core.Tree(), classes)


def test_classes_in_another_order(view: TreeView) -> None:
    turned = TreeView.of(word_tree(tau=0.1), MAIL, in_order=("spam", "ham"))
    assert turned.classes == ("spam", "ham")
    for node, other in zip(view.nodes, turned.nodes, strict=True):
        assert node.counts == other.counts[::-1]
        assert node.shares == other.shares[::-1]
    with pytest.raises(
        ValueError, match=r"^TreeView\.of: in_order must hold the labels \['ham', 'spam'\], got \['ham'"
    ):
        TreeView.of(word_tree(10), MAIL, in_order=("ham", "eggs"))


def columns_tree() -> _core.Tree:
    tree = _core.Tree(delta=0.4, tau=0.9)
    for _ in range(3):
        tree.learn_one({12: 1}, 1, 1, 0.0)
        tree.learn_one({("a", "b"): 1}, 0, 1, 0.0)
        tree.learn_one({12: 1, "text": 1}, 0, 1, 0.0)
    return tree


def names_shown(names: Any) -> set[str]:
    return {str(node.feature) for node in TreeView.of(columns_tree(), MAIL, names).nodes if not node.is_leaf}


def test_names_of_features() -> None:
    assert names_shown(None) == {"x[12]", "text"}
    assert names_shown({12: "twelve", "text": 7}) == {"twelve", "7"}
    assert names_shown({12: "twelve"}) == {"twelve", "text"}
    assert names_shown([f"column {j}" for j in range(20)]) == {"column 12", "text"}
    assert names_shown(np.array([f"column {j}" for j in range(20)], dtype=object)) == {"column 12", "text"}
    assert names_shown(lambda key: f"<{key}>") == {"<12>", "<text>"}


def test_wrong_names_of_features() -> None:
    with pytest.raises(ValueError, match=r"^TreeView\.of: feature_names must have a name for column 12, got 3 names$"):
        names_shown(["a", "b", "c"])
    for wrong in (3, "abc", b"abc", {"a", "b"}):
        with pytest.raises(
            TypeError, match=r"^TreeView\.of: feature_names must be a sequence, a mapping or a function"
        ):
            names_shown(wrong)


def test_paused_leaves_are_told() -> None:
    rng = np.random.default_rng(0)
    tree = _core.Tree(max_bytes=1 << 16, leaf_prediction="majority")
    for i in range(3000):
        tree.learn_one({f"word {j}": 1 for j in rng.integers(0, 4000, 12)}, i % 2, 1, 0.0)
    view = TreeView.of(tree, MAIL)
    assert [node.paused for node in view.nodes] == [bool(paused) for paused in tree.nodes()["paused"]]
    assert tree.tally()["paused"] > 0


# ---- plain data -----------------------------------------------------------------------------------------------------


def test_dict_survives_json(view: TreeView) -> None:
    plain = to_dict(view)
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["classes"] == list(MAIL)
    assert len(plain["nodes"]) == len(view.nodes)
    for node, told in zip(view.nodes, plain["nodes"], strict=True):
        assert told["id"] == node.number
        for name in ("parent", "depth", "feature", "off", "on", "gain", "margin", "split_after", "split_at", "n"):
            assert told[name] == getattr(node, name)
        assert told["counts"] == list(node.counts)
        assert (told["model"], told["right"]) == (node.model, node.right)


def test_dict_of_labels_and_features_of_any_kind() -> None:
    tree = _core.Tree(delta=0.4, tau=0.9)
    for _ in range(3):
        tree.learn_one({("a", 1): 1}, 1, 1, 0.0)
        tree.learn_one({}, 0, 1, 0.0)
        tree.learn_one({("a", 1): 1}, 2, 1, 0.0)
    labels = [np.int64(3), (1, 2), math.inf]
    plain = to_dict(TreeView.of(tree, labels))
    assert plain["classes"] == [3, "(1, 2)", "inf"]
    assert plain["nodes"][0]["key"] == plain["nodes"][0]["feature"] == "('a', 1)"
    json.dumps(plain, allow_nan=False)


def test_dict_of_a_chain_deeper_than_the_stack() -> None:
    length = 2 * sys.getrecursionlimit()
    plain = to_dict(TreeView.of(chain_tree(length), MAIL))
    assert plain["depth"] == length
    assert json.loads(json.dumps(plain))["nodes"][-1]["depth"] == plain["nodes"][-1]["depth"]


def test_dataframe(view: TreeView) -> None:
    pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    frame = to_dataframe(view)
    assert list(frame.index) == list(range(len(view.nodes)))
    assert frame.index.name == "node"
    assert frame["count[spam]"].tolist() == [node.counts[1] for node in view.nodes]
    assert frame["share[ham]"].tolist() == [node.shares[0] for node in view.nodes]
    assert frame["gain"].isna().tolist() == [node.is_leaf for node in view.nodes]
    assert frame["right[logistic]"].isna().tolist() == [not node.is_leaf for node in view.nodes]
    for name in ("parent", "off", "on", "split_after", "split_at"):
        told = [None if missing else int(value) for missing, value in zip(frame[name].isna(), frame[name], strict=True)]
        assert told == [getattr(node, name) for node in view.nodes]
    assert frame["feature"].dropna().tolist() == [node.feature for node in view.nodes if not node.is_leaf]
    assert frame["test"].dropna().tolist() == [f"{node.feature} is on" for node in view.nodes if not node.is_leaf]


def test_dataframe_tells_thresholds_and_sets() -> None:
    pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    generator = np.random.default_rng(0)
    model = StreamingTreeClassifier()
    for age, place in zip(
        generator.integers(0, 60, 2000).tolist(), generator.integers(0, 4, 2000).tolist(), strict=True
    ):
        country = ("fi", "se", "no", "dk")[place]
        model.learn_one({"age": age, "country": country}, age > 30 and place < 2)
    tests = model.to_dataframe()["test"].dropna().tolist()
    assert any(test.startswith("age > 3") for test in tests)
    assert {"country in {fi, se}", "country in {se, fi}", "country in {no, dk}", "country in {dk, no}"} & set(tests)


def test_dataframe_without_pandas(view: TreeView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        ImportError, match=r"^to_dataframe: pandas must be installed; install it with: pip install 'sapwood\[pandas\]'$"
    ):
        to_dataframe(view)


def test_majority_is_the_first_of_several() -> None:
    node: NodeView = TreeView.of(_core.Tree(), MAIL).nodes[0]
    assert node.majority == 0


def test_majority_of_several_is_the_first() -> None:
    tree = _core.Tree()
    for label in (0, 1, 2, 1, 2):
        tree.learn_one({}, label, 1, 0.0)
    for in_order in (("a", "b", "c"), ("c", "b", "a"), ("c", "a", "b")):
        view = TreeView.of(tree, ("a", "b", "c"), in_order=in_order)
        assert view.classes[view.nodes[0].majority] == next(label for label in in_order if label != "a")
