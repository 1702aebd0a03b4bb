"""Numbers and categories on their way from Python to the tree and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sapwood
from sapwood import _core
from sapwood.data.category import Category

OPTIONS = {"growth": "streaming", "split_test": "evidence", "delta": 0.05, "leaf_prediction": "mixed"}
POINTS: list[tuple[dict[str, Any], int]] = [
    ({"age": 37, "country": "fi", "vip": True}, 1),
    ({"age": 12.5, "country": "se", "vip": False}, 0),
    ({"age": None, "country": "", "size": -3}, 0),
    ({"age": math.nan, "country": "fi", "size": 2**40}, 1),
]


def test_a_value_becomes_what_it_is() -> None:
    flags, numbers = _core.encoded(
        {
            "on": True,
            "off": np.False_,
            "age": 37,
            "price": np.float32(0.5),
            "country": "fi",
            "tags": ["a", "b"],
            "none": None,
            "nan": math.nan,
            "empty": "",
            "na": "NA",
            "user": {"age": 3, "name": {"first": "x"}},
        },
        frozenset({"NA"}),
    )
    assert flags == ["on", "country=fi", "tags=a", "tags=b", "user.name.first=x"]
    assert [type(flag) for flag in flags] == [str, Category, str, str, Category]
    assert numbers == {"age": 37.0, "price": 0.5, "user.age": 3.0}
    assert _core.encoded(["a", "b", "a"]) == (["a", "b", "a"], {})


@pytest.mark.parametrize(
    ("x", "error", "text"),
    [
        ({"a": math.inf}, ValueError, "finite numbers, got inf for 'a'"),
        ({"a": -(10**400)}, ValueError, "finite numbers, got one beyond"),
        ({"a": object()}, TypeError, "for 'a'"),
        ({"a": ["x", 1]}, TypeError, "for 'a'"),
        ({"user": {"age": 1}, "user.age": 2}, ValueError, "each number once, got 'user.age' twice"),
    ],
)
def test_what_is_refused_changes_nothing(x: Any, error: type[Exception], text: str) -> None:
    tree = _core.Tree(**OPTIONS)
    with pytest.raises(error, match=text):
        _core.encoded(x)
    with pytest.raises(error, match=text):
        tree.learn_one(x, 0, typed=True)
    assert tree.n_met() == 0
    assert tree.keys() == tree.number_keys() == []


def test_arrays_and_single_points_are_the_same() -> None:
    one, many = _core.Tree(**OPTIONS), _core.Tree(**OPTIONS)
    indptr, number_indptr = [0], [0]
    ids: list[int] = []
    number_ids: list[int] = []
    values: list[float] = []
    for x, label in POINTS:
        one.learn_one(x, label, typed=True)
        flags, numbers = _core.encoded(x)
        ids += many.ids_of_keys(flags, True).tolist()
        number_ids += many.ids_of_numbers(list(numbers), True).tolist()
        values += numbers.values()
        indptr.append(len(ids))
        number_indptr.append(len(number_ids))
    numbers_of_rows = (np.array(number_indptr), np.array(number_ids, np.int32), np.array(values))
    rows = np.array(indptr), np.array(ids, np.int32)
    labels = np.array([label for _, label in POINTS], np.uint16)
    many.learn(*rows, labels, numbers=numbers_of_rows)
    assert one.to_bytes() == many.to_bytes()
    assert one.keys() == many.keys() == ["country=fi", "vip", None, "country=se", None]
    assert one.number_keys() == ["age", "size"]
    assert one.made_of_numbers() == {2: (0, -math.inf, math.inf), 4: (1, -math.inf, math.inf)}
    assert one.n_features_seen() == 5
    told = many.predict_proba(*rows, numbers=numbers_of_rows)
    assert told.tolist() == [one.predict_proba_one(x, typed=True) for x, _ in POINTS]


def test_a_tree_that_was_read_goes_on() -> None:
    tree = _core.Tree(**OPTIONS)
    for x, label in POINTS:
        tree.learn_one(x, label, typed=True)
    read = _core.Tree.from_bytes(tree.to_bytes(), tree.named_keys(), tree.number_keys())
    assert read.to_bytes() == tree.to_bytes()
    new = {"country": "no", "age": 1, "height": 2}
    for each in (tree, read):
        each.learn_one(new, 1, typed=True)
    assert read.to_bytes() == tree.to_bytes()
    assert read.keys() == tree.keys()


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((np.array([0, 1]), np.array([0], np.int32), np.array([math.nan])), "finite"),
        ((np.array([0, 1]), np.array([0], np.int32), np.array([1.0, 2.0])), "a value for each"),
        ((np.array([0, 1, 1]), np.array([0], np.int32), np.array([1.0])), "a row for each"),
        ((np.array([0, 2]), np.array([0, 0], np.int32), np.array([1.0, 2.0])), "feature"),
    ],
)
def test_arrays_are_checked(numbers: Any, text: str) -> None:
    tree = _core.Tree(**OPTIONS)
    with pytest.raises(ValueError, match=text):
        tree.learn(np.array([0, 0]), np.array([], np.int32), np.array([0], np.uint16), numbers=numbers)
    assert tree.n_met() == 0


@pytest.mark.parametrize("leaf_prediction", ["majority", "adaptive", "mixed"])
@pytest.mark.parametrize("growth", ["hoeffding", "extremely_fast", "streaming"])
@pytest.mark.parametrize("split_test", ["hoeffding", "evidence"])
def test_trees_split_on_thresholds_and_sets(growth: str, split_test: str, leaf_prediction: str) -> None:
    """The class follows from age and country; the same tree comes of both searches, and of one that was saved."""
    rng = np.random.default_rng(2)
    points = []
    for _ in range(1500):
        x: dict[str, Any] = {"age": int(rng.integers(80)), "country": "abcdef"[rng.integers(6)], "noise": rng.normal()}
        if rng.random() < 0.1:
            x["age"] = None
        label = int(x["age"] is not None and x["age"] > 37 and x["country"] in "ace")
        points.append((x, label))
    options = {"growth": growth, "split_test": split_test, "leaf_prediction": leaf_prediction, "delta": 0.01}
    trees = [_core.Tree(search=search, **options) for search in ("certified", "exhaustive")]
    for i, (x, label) in enumerate(points):
        for tree in trees:
            tree.learn_one(x, label, typed=True)
        if i == 700:
            certified = trees[0]
            trees[0] = _core.Tree.from_bytes(certified.to_bytes(), certified.named_keys(), certified.number_keys())
    certified, exhaustive = trees
    nodes, others = certified.nodes(), exhaustive.nodes()
    assert all(np.array_equal(nodes[name], others[name]) for name in nodes)
    assert certified.typed_tests() == exhaustive.typed_tests()
    above = {test for test in certified.typed_tests().values() if isinstance(test[0], float)}
    among = [test for test in certified.typed_tests().values() if not isinstance(test[0], float)]
    assert any(30 < threshold < 45 for threshold, _ in above)
    assert among
    right = sum(certified.predict_proba_one(x, typed=True)[label] > 0.5 for x, label in points)
    assert right / len(points) > 0.9


@pytest.mark.parametrize("growth", ["hoeffding", "extremely_fast", "streaming"])
def test_a_tree_of_numbers_stays_within_its_memory(growth: str) -> None:
    rng = np.random.default_rng(4)
    options = {"growth": growth, "split_test": "hoeffding", "delta": 0.1, "leaf_prediction": "adaptive"}
    tree = _core.Tree(max_bytes=1 << 16, **options)
    for i in range(1200):
        label = int(rng.integers(2 if i < 900 else 3))
        x = {f"x{j}": rng.normal() + label * (j == 0) for j in range(12)}
        tree.learn_one(x, label, typed=True)
        assert tree.n_bytes() <= 1 << 16
    assert tree.tally()["split"] > 0


HOSTILE: dict[str, Callable[[int], float | None]] = {
    "constant": lambda _: 3.0,
    "two values": lambda i: float(i % 2),
    "subnormal": lambda i: 5e-324 * (i % 7),
    "huge": lambda i: (-1) ** i * 1.7e308 / (1 + i % 5),
    "sorted": float,
    "falling": lambda i: -float(i),
    "drifting out of range": lambda i: 1.02**i * (-1) ** (i % 3),
    "mostly missing": lambda i: float(i % 11) if i % 50 == 0 else None,
    "negative zero": lambda i: (-0.0, 0.0, 1.0)[i % 3],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_numbers(name: str) -> None:
    """Certified and exhaustive trees agree, and so do trees that were saved."""
    options = {"growth": "extremely_fast", "split_test": "hoeffding", "delta": 0.2, "leaf_prediction": "mixed"}
    certified, exhaustive = (_core.Tree(search=search, **options) for search in ("certified", "exhaustive"))
    for i in range(700):
        x = {"x": HOSTILE[name](i), "y": (i * 37 % 101) / 7, "flag": i % 3 == 0}
        for tree in (certified, exhaustive):
            tree.learn_one(x, int(i * 37 % 101 > 50), typed=True)
        if i % 200 == 50:
            certified = _core.Tree.from_bytes(certified.to_bytes(), certified.named_keys(), certified.number_keys())
    nodes, others = certified.nodes(), exhaustive.nodes()
    assert all(np.array_equal(nodes[each], others[each]) for each in nodes)
    assert certified.typed_tests() == exhaustive.typed_tests() != {}
    assert certified.predict_proba_one({"x": 1e300, "y": -1e300}, typed=True)[0] > 0.5


# A tree that grows by batches takes no single points; its numbers are tested with its batches.
@pytest.mark.parametrize("growth", [growth for growth in _core.GROWTHS if growth != "batch"])
def test_every_growth_takes_numbers(growth: str) -> None:
    """Also those that take points back, whose statistics are then those of the points that are left."""
    rng = np.random.default_rng(7)
    tree = _core.Tree(growth=growth, split_test="hoeffding", delta=0.01, leaf_prediction="adaptive")
    for i in range(3000):
        age = rng.normal()
        x = {"age": age, "size": int(rng.integers(5)) if rng.random() < 0.7 else None, "kind": "abc"[i % 3]}
        tree.learn_one(x, int((age > 0) == (i < 1500)), typed=True)
    read = _core.Tree.from_bytes(tree.to_bytes(), tree.named_keys(), tree.number_keys())
    assert read.to_bytes() == tree.to_bytes()
    assert tree.n_leaves() > 1


def test_sets_of_many_values_rest_alike_however_points_come() -> None:
    # Sets of many values are looked for now and then: when must not depend on calls, on files or on the search.
    r = np.random.default_rng(7)
    points = [{"user": f"u{r.zipf(1.3) % 400}", "a": float(r.normal())} for _ in range(1200)]
    odd = {f"u{i}" for i in range(0, 400, 2)}
    labels = [int(r.random() < (0.9 if point["user"] in odd else 0.2)) for point in points]
    for kind in ("StreamingTreeClassifier", "HoeffdingTreeClassifier", "ExtremelyFastDecisionTreeClassifier"):
        one, many, saved, exhaustive = (getattr(sapwood, kind)(leaf_prediction="majority") for _ in range(4))
        exhaustive.set_params(search="exhaustive")
        many.learn_many(points, labels)
        exhaustive.learn_many(points, labels)
        for i, (point, label) in enumerate(zip(points, labels, strict=True)):
            one.learn_one(point, label)
            saved.learn_one(point, label)
            if i % 97 == 0:
                saved = type(saved).from_bytes(saved.to_bytes())
        assert many.to_bytes() == one.to_bytes() == saved.to_bytes(), kind
        assert exhaustive.to_dict() == one.to_dict(), kind
        assert one.get_n_leaves() > 1, kind
