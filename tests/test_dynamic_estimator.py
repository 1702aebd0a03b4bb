"""The estimator that forgets: its files, looking inside, evaluating it, its limits."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest
from dynamic_points import learned, random_point, ways_of
from scipy.sparse import csr_matrix

from sapwood import DynamicTreeClassifier, load_model
from sapwood.evaluate import prequential
from sapwood.exceptions import ModelFormatError, NumbersAsFlagsWarning
from sapwood.learner import DynamicModel

# ---- files -----------------------------------------------------------------------------------------------------------


def test_files_hold_what_they_must(tmp_path: Any) -> None:
    model = learned([(frozenset({1, 2}), 0), (frozenset({2}), 1)], stopping="none")
    model.learn_one([3], 1, id=("a", 1))
    model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert isinstance(again, DynamicTreeClassifier)
    assert again.get_params() == model.get_params()
    assert again.digest() == model.digest()
    again.forget([("a", 1)])
    assert again.n_points_ == 2
    data = model.to_bytes()
    for at in range(0, len(data), 3):
        broken = bytearray(data)
        broken[at] ^= 0x41
        with pytest.raises(ModelFormatError):
            load_bytes(bytes(broken))
    model.learn_one([4], 1, id=frozenset())
    with pytest.raises(TypeError, match="to_bytes: ids must be None, booleans, numbers"):
        model.to_bytes()


def load_bytes(data: bytes) -> DynamicTreeClassifier:
    return DynamicTreeClassifier.from_bytes(data)


def test_bytes_of_the_core_may_be_anything() -> None:
    """Whatever is changed in the tree itself, behind the checksums, is refused or is another tree of its own."""
    model = learned([(frozenset({1, 2}), 0), (frozenset({2}), 1), (frozenset({5}), 2)], stopping="none", beta=0.1)
    held = model.learner.fitted()
    assert isinstance(held, DynamicModel)
    data, keys = held.tree.to_bytes(), held.tree.keys()
    refused = 0
    for at in range(len(data)):
        for bit in (1, 0x80):
            broken = bytearray(data)
            broken[at] ^= bit
            try:
                tree = type(held.tree).from_bytes(bytes(broken), keys)
                assert type(held.tree).from_bytes(tree.to_bytes(), tree.keys()).to_bytes() == tree.to_bytes()
            except ModelFormatError:
                refused += 1
    assert refused > len(data)
    for end in range(len(data)):
        with pytest.raises(ModelFormatError):
            type(held.tree).from_bytes(data[:end], keys)
    with pytest.raises(ModelFormatError):
        type(held.tree).from_bytes(data + b"\0", keys)
    with pytest.raises(ModelFormatError, match="features must be in their order"):
        type(held.tree).from_bytes(data, list(reversed(keys)))


# ---- looking inside, evaluating, limits ------------------------------------------------------------------------------


@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes"])
def test_looking_inside(leaf_prediction: str) -> None:
    random = np.random.default_rng(2)
    points = [random_point(random, 12, 6, 2) for _ in range(400)]
    model = learned(points, leaf_prediction=leaf_prediction)
    view = model.learner.view()
    assert view.nodes[0].key in {0, 1}
    assert view.nodes[0].n == 400
    for node in view.nodes:
        if node.off is not None and node.on is not None:
            assert node.n == view.nodes[node.off].n + view.nodes[node.on].n
    assert "x[0] is on" in model.export_text()
    explained = model.explain_one([0, 3, 999])
    assert explained.label == model.predict_one([0, 3, 999])
    if leaf_prediction == "naive_bayes":
        odds = model.predict_proba_one([0, 3])
        assert explained.log_odds(1, 0) == pytest.approx(np.log(odds[1] / odds[0]))
        flat = learned(points, leaf_prediction=leaf_prediction, max_depth=0)
        assert {name for name, _ in flat.top_features(2)[1]} == {"x[0]", "x[1]"}
    else:
        with pytest.raises(ValueError, match="leaf_prediction must be one with models"):
            model.top_features()
    X = csr_matrix((random.random((20, 12)) < 0.3).astype(int))
    fitted = DynamicTreeClassifier(leaf_prediction=leaf_prediction).fit(X, [0, 1] * 10)  # type: ignore[arg-type]
    assert fitted.feature_importances_.shape == (12,)
    assert fitted.apply(X).shape == (20,)
    assert fitted.decision_path(X).shape == (20, fitted.summary().n_nodes)
    summary = model.summary()
    assert summary.points_bytes + summary.statistics_bytes + summary.nodes_bytes == summary.tree_bytes
    assert "n_subtrees_rebuilt" in str(summary)
    assert summary.ids_bytes == 0
    assert "ids_bytes" not in str(summary)


def test_evaluation_is_point_by_point() -> None:
    random = np.random.default_rng(5)
    points = [random_point(random, 10, 5, 3) for _ in range(200)]
    X = csr_matrix([[int(j in features) for j in range(10)] for features, _ in points])
    y = np.array([label for _, label in points])
    for leaf_prediction in ("majority", "naive_bayes"):
        model = DynamicTreeClassifier(leaf_prediction=leaf_prediction)
        slow = DynamicTreeClassifier(leaf_prediction=leaf_prediction)
        result = prequential(model, (X, y))
        right = 0
        for features, label in points:
            right += slow.predict_one(features) == label
            slow.learn_one(features, label)
        assert result["accuracy"] == right / 200
        assert ways_of(model) == ways_of(slow)


def test_memory_is_limited() -> None:
    random = np.random.default_rng(6)
    model = DynamicTreeClassifier(max_bytes=1 << 17, stopping="none")

    def learn_until_refused() -> None:
        for i in range(10_000):
            model.learn_one(random.integers(0, 1000, size=20).tolist(), i % 2)

    with pytest.raises(ValueError, match=r"learn_one: max_bytes must have room for the points .*, got 131072 where "):
        learn_until_refused()
    assert model.summary().tree_bytes <= 1 << 17
    held = model.n_points_
    X = csr_matrix((random.random((5000, 40)) < 0.3).astype(int))
    digest = model.digest()
    with pytest.raises(ValueError, match="partial_fit: max_bytes must have room"):
        model.partial_fit(X, [0, 1] * 2500, classes=[0, 1])
    assert model.n_points_ == held
    assert model.digest() == digest


def test_what_cannot_be_forgotten_is_refused() -> None:
    for leaf_prediction in ("mixed", "logistic", "adaptive"):
        with pytest.raises(ValueError, match="which is trained step by step: no step can be taken back exactly"):
            DynamicTreeClassifier(leaf_prediction=leaf_prediction).learn_one([1], 0)
    with pytest.raises(ValueError, match="search must be 'certified' or 'exhaustive' for a tree that forgets"):
        DynamicTreeClassifier(search="approximate").learn_one([1], 0)
    with pytest.raises(ValueError, match="criterion must be 'entropy' for the stopping 'evidence'"):
        DynamicTreeClassifier(criterion="gini").learn_one([1], 0)


def test_a_number_that_is_missing_is_off_however_it_comes() -> None:
    points = [{"a": float(i % 2), "b": float("nan") if i % 3 else 1.0} for i in range(30)]
    labels = [i % 2 for i in range(30)]
    one, many = DynamicTreeClassifier(), DynamicTreeClassifier()
    for point, label in zip(points, labels, strict=True):
        one.learn_one(point, label)
    many.learn_many(points, labels)
    assert many.to_bytes() == one.to_bytes()
    assert one.predict_one(points[1]) == one.predict_one({"a": 1.0, "b": None}) == 1


def test_numbers_are_flags_and_that_is_said() -> None:
    told = r"neither 0 nor 1, such as 2\.5, is learned as a flag that is on above 0"
    model = DynamicTreeClassifier()
    model.learn_one({"a": 1, "b": 0.0, "c": True, "d": "red"}, 0)
    with pytest.warns(NumbersAsFlagsWarning, match=told) as caught:
        model.learn_one({"a": 2.5}, 0)
    assert caught[0].filename == __file__
    model.learn_one({"a": 3.5}, 1)  # It is said once.
    model.forget_one({"a": 9.5}, 1)
    DynamicTreeClassifier(binarize=0.5).learn_one({"a": 2.5}, 1)
    X = np.array([[1, 0], [0, 2.5], [1, 1]])
    with pytest.warns(NumbersAsFlagsWarning, match=told) as caught:
        model = DynamicTreeClassifier(stopping="none").fit(X, [0, 1, 0])
    assert caught[0].filename == __file__
    flags = DynamicTreeClassifier(stopping="none").fit(X > 0, [0, 1, 0])
    assert (
        flags.digest()
        == model.digest()
        == DynamicTreeClassifier(stopping="none").fit(csr_matrix(X), [0, 1, 0]).digest()
    )
    model.partial_forget(X[:1], [0])
    table = pytest.importorskip("pandas").DataFrame({"a": [0, 1, 1], "b": [0, 2.5, 1], "c": ["x", "y", "x"]})
    with pytest.warns(NumbersAsFlagsWarning, match=told):
        DynamicTreeClassifier().fit(table, [0, 1, 0])


def test_many_threads_may_read_while_one_changes_it() -> None:
    model = DynamicTreeClassifier(stopping="none")
    model.learn_one([0], "b")
    model.learn_one([1], "c")
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            found = model.predict_proba_one([0])
            if abs(sum(found.values()) - 1) > 1e-9 or found.get("b", 1) < 0.5:
                wrong.append(found)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(300):
        model.learn_one([5], "a")  # renumbers the classes
        model.forget_one([5], "a")
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong


def test_the_memory_of_ids_is_told() -> None:
    model = DynamicTreeClassifier()
    model.partial_fit(csr_matrix(np.eye(4, dtype=int)), [0, 1, 0, 1], classes=[0, 1], ids=["a", "b", "c", "d"])
    few = model.summary().ids_bytes
    assert few > 4 * sys.getsizeof("a")
    assert "ids_bytes" in str(model.summary())
    ids = [f"point number {i}" for i in range(1000)]
    model.partial_fit(csr_matrix(np.eye(4, dtype=int)[np.arange(1000) % 4]), [0, 1] * 500, ids=ids)
    assert model.summary().ids_bytes > few + sum(map(sys.getsizeof, ids))
    model.learn_one([0], 0)
    model.forget(["a", "b", "c", "d", *ids])
    assert model.summary().ids_bytes == 0
