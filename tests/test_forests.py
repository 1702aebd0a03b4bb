"""Forests: one tree is that tree, threads and chunks do not matter, files and pickles go on, change is followed."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from command_line import done
from reference_forest import OF_DRAWS, hashed, poisson
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import sapwood
from sapwood import _core
from sapwood.datasets import make_sparse
from sapwood.exceptions import ModelFormatError
from sapwood.forests import StreamingForestClassifier
from sapwood.parameters import TREES
from sapwood.parameters.learners import tree_called

FORESTS = [kind.name for kind in TREES if kind.core == "Forest"]
every_forest = pytest.mark.parametrize("name", FORESTS)


def mixed_points(n: int, seed: int = 0) -> list[tuple[dict[str, Any], str]]:
    """Return points with flags, numbers, categories and missing values, whose rule turns half way."""
    rng = np.random.default_rng(seed)
    points: list[tuple[dict[str, Any], str]] = []
    for i in range(n):
        age, country, flag = float(rng.integers(20, 60)), "abc"[rng.integers(3)], bool(rng.random() < 0.5)
        is_yes = (age > 40) if i < n // 2 else country == "b"
        x: dict[str, Any] = {"age": age, "country": country, "flag": flag, f"word{rng.integers(30)}": True}
        if rng.random() < 0.1:
            del x["age"]
        points.append((x, "yes" if is_yes ^ (rng.random() < 0.05) else "no"))
    return points


def turning(n: int) -> list[tuple[set[str], int]]:
    """Return points whose class shows in one feature, and after half of them in its absence."""
    rng = np.random.default_rng(7)
    points = []
    for i in range(n):
        x = {f"w{j}" for j in np.flatnonzero(rng.random(6) < 0.5)}
        points.append((x, int(("w0" in x) == (i < n // 2))))
    return points


def learned(name: str, points: list[tuple[dict[str, Any], str]], **parameters: Any) -> Any:
    """Return a forest that has learned points one by one."""
    model = getattr(sapwood, name)(**parameters)
    for x, y in points:
        model.learn_one(x, y)
    return model


def core_of(model: Any) -> _core.Forest:
    """Return the forest of the core that a model holds."""
    found = model.learner.model.tree
    assert isinstance(found, _core.Forest)
    return found


# The trees of a forest do not follow changes by themselves: the forest does.
STILL: dict[str, Any] = {"drift": False, "half_life": None}


# ---- one tree --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaf_prediction", ["mixed", "adaptive", "majority", "logistic"])
def test_a_forest_of_one_tree_is_that_tree(leaf_prediction: Any) -> None:
    points = mixed_points(400)
    tree = sapwood.StreamingTreeClassifier(leaf_prediction=leaf_prediction, delta=0.3, **STILL)
    forest = StreamingForestClassifier(n_estimators=1, max_features=1.0, leaf_prediction=leaf_prediction, delta=0.3)
    for x, y in points:
        assert forest.predict_proba_one(x) == tree.predict_proba_one(x)
        tree.learn_one(x, y)
        forest.learn_one(x, y)
    assert tree.get_n_leaves() > 1
    assert forest.to_dict() == tree.to_dict()
    assert forest.estimators_[0].predict_proba_one(points[0][0]) == tree.predict_proba_one(points[0][0])


def test_a_forest_of_one_tree_is_that_tree_in_matrices() -> None:
    X, y = make_sparse(n=3000, d1=10, d2=300, q=0.01, seed=2)
    weights = np.random.default_rng(1).choice([0.3, 1.0, 2.0], len(y))
    tree = sapwood.StreamingTreeClassifier(random_state=5, **STILL).fit(X, y, weights)
    forest = StreamingForestClassifier(n_estimators=1, max_features=1.0, random_state=5).fit(X, y, weights)
    np.testing.assert_array_equal(forest.predict_proba(X), tree.predict_proba(X))
    np.testing.assert_array_equal(forest.feature_importances_, tree.feature_importances_)
    assert forest.top_features(3) == tree.top_features(3)


# ---- the published forests -------------------------------------------------------------------------------------------

# What their papers say, and where these leave it open MOA, in which their authors published them. Of adaptive random
# forests the paper has two settings of the detectors, of which this is the fast one, and a number of features, of which
# MOA takes 60 per cent.
OF_PAPERS: dict[str, dict[str, object]] = {
    "OnlineBaggingClassifier": {"lambda_value": 1.0, "combining": "votes", "on_drift": "nothing"},
    "ADWINBaggingClassifier": {
        "lambda_value": 1.0, "combining": "votes", "on_drift": "reset_worst", "drift_delta": 0.002,
    },
    "ASHTBaggingClassifier": {
        "lambda_value": 1.0, "combining": "inverse_error", "on_drift": "nothing", "max_size": 2,
        "when_full": "drop_root",
    },
    "LeveragingBaggingClassifier": {
        "lambda_value": 6.0, "combining": "votes", "on_drift": "reset_worst", "drift_delta": 0.002,
    },
    "AdaptiveRandomForestClassifier": {
        "lambda_value": 6.0, "combining": "accuracy", "on_drift": "swap", "max_features": 0.6, "subspace": "node",
        "warning_delta": 0.01, "drift_delta": 0.001, "grace_period": 50, "delta": 0.01,
    },
    "StreamingRandomPatchesClassifier": {
        "lambda_value": 6.0, "combining": "accuracy", "on_drift": "swap", "max_features": 0.6, "subspace": "tree",
        "warning_delta": 1e-4, "drift_delta": 1e-5, "grace_period": 50, "delta": 0.01,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", OF_PAPERS)
def test_published_forests_have_the_defaults_of_their_papers(name: str) -> None:
    """Each as an estimator, on the command line and for river; of Hoeffding trees, as MOA has them."""
    usual = {"n_estimators": 10, "split_test": "hoeffding", "tau": 0.05, "leaf_prediction": "adaptive"}
    expected = {"max_features": 1.0, "grace_period": 200, "delta": 1e-7, **usual, **OF_PAPERS[name]}
    given = getattr(sapwood, name)().get_params()
    assert {parameter: given[parameter] for parameter in expected} == expected
    kind = tree_called(next(kind.command for kind in TREES if kind.name == name))
    assert {each.name: each.default for each in kind.parameters if each.name in expected} == expected
    assert kind.growth == ("adaptive_size" if name == "ASHTBaggingClassifier" else "hoeffding")
    assert set(OF_PAPERS) | {"StreamingForestClassifier"} == set(FORESTS)


# ---- threads, chunks and single points -------------------------------------------------------------------------------


def chunks(n: int, size: int) -> Iterator[slice]:
    """Return slices of a size that cover n rows."""
    return (slice(start, start + size) for start in range(0, n, size))


@every_forest
def test_neither_threads_nor_chunks_matter(name: str) -> None:
    """Byte for byte, with points that are flags, and classes that come late."""
    X, y = make_sparse(n=500, d1=10, d2=100, q=0.02, seed=3)
    y = y.astype(int)
    y[300::9] = 2
    written = set()
    for n_jobs, size in ((1, 500), (2, 97), (3, 500), (None, 13)):
        model = getattr(sapwood, name)(n_jobs=n_jobs, random_state=1, n_estimators=5)
        for rows in chunks(500, size):
            model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        model.set_params(n_jobs=None)
        written.add(model.to_bytes())
    assert len(written) == 1


def test_mixed_points_in_batches_are_those_one_by_one() -> None:
    """Numbers begin to differ, categories have new values, while a block of points waits to be learned."""
    from sapwood.data import Batch

    points = mixed_points(600)
    parameters: dict[str, Any] = {"n_estimators": 4, "lambda_value": 1.0, "delta": 0.3, "random_state": 2}
    one_by_one = StreamingForestClassifier(**parameters)
    said = []
    for x, y in points:
        said.append(one_by_one.predict_proba_one(x))
        one_by_one.learn_one(x, y)
    batched = StreamingForestClassifier(n_jobs=2, **parameters)
    batch = Batch.of_points([x for x, _ in points], [y for _, y in points])
    answers = batched.learner.test_then_learn(batch)
    for i, expected in enumerate(said):
        found = dict(zip(answers.classes, answers.probabilities[i].tolist(), strict=True))
        assert {label: found[label] for label in expected} == expected
    batched.set_params(n_jobs=None)
    assert batched.to_bytes() == one_by_one.to_bytes()


def test_points_of_weight_0_and_new_classes_are_answered_in_order() -> None:
    from dataclasses import replace

    from sapwood.data import Batch

    points = [({"a": True}, 0), ({"b": True}, 1), ({"a": True, "c": True}, 2), ({"c": True}, 0)] * 20
    weights = np.array([1.0, 2.0, 0.0, 1.0] * 20)
    weights[60:] = 1.0
    batch = replace(Batch.of_points([x for x, _ in points], [y for _, y in points]), weights=weights)
    batched, single = StreamingForestClassifier(n_estimators=3), StreamingForestClassifier(n_estimators=3)
    answers = batched.learner.test_then_learn(batch)
    for i, ((x, y), w) in enumerate(zip(points, weights.tolist(), strict=True)):
        expected = single.predict_proba_one(x)
        found = dict(zip(answers.classes, answers.probabilities[i].tolist(), strict=True))
        assert {label: found[label] for label in expected} == expected
        single.learn_one(x, y, w=w)
    assert batched.to_bytes() == single.to_bytes()


# ---- draws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mean", [0.0, 0.3, 1.0, 6.0, 100.0])
def test_draws_are_those_of_the_documented_generator(mean: float) -> None:
    n, seed = 200, 12
    forest = _core.Forest(n_estimators=3, lambda_value=mean, seed=seed, growth="streaming", on_drift="nothing")
    X, y = make_sparse(n=n, d1=5, d2=20, q=0.1, seed=1)
    forest.learn(X.indptr.astype(np.int64), X.indices.astype(np.int32), y.astype(np.uint16))
    for place in range(3):
        of_draws = hashed((hashed((hashed(seed) + place) % 2**64) + OF_DRAWS) % 2**64)
        draws = [poisson(mean, of_draws, i) for i in range(n)]
        assert forest.tree(place).n() == sum(draws)
        assert forest.tree(place).n_met() == sum(draw > 0 for draw in draws)
    if mean > 0:
        assert abs(np.mean(draws) - mean) < 5 * np.sqrt(mean / n)


def test_what_is_drawn_is_no_evidence() -> None:
    """Trees that learn every point many times split no earlier than those that learn it once."""
    X, y = make_sparse(n=1500, d1=10, d2=50, q=0.05, seed=4)
    n_leaves = []
    for mean in (0.0, 20.0):
        model = sapwood.OnlineBaggingClassifier(lambda_value=mean, n_estimators=4, tau=0.0, grace_period=1)
        n_leaves.append(model.fit(X, y).get_n_leaves())
    assert n_leaves[1] <= n_leaves[0] + 4


@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes"])
@pytest.mark.parametrize("subspace", ["tree", "node"])
def test_a_weight_of_w_is_w_times_for_counts(leaf_prediction: Any, subspace: Any) -> None:
    """Trees look for a split at the same points, as the period is a multiple of the weight, and count the same."""
    X, y = make_sparse(n=1200, d1=10, d2=50, q=0.05, seed=6)
    options: dict[str, Any] = {"n_estimators": 3, "lambda_value": 0.0, "max_features": 0.7, "grace_period": 30}
    options |= {"delta": 0.1, "leaf_prediction": leaf_prediction, "subspace": subspace, "random_state": 1}
    each = np.repeat(np.arange(len(y)), 3)
    once = sapwood.OnlineBaggingClassifier(**options).partial_fit(X, y, [0, 1], np.full(len(y), 3.0))
    times = sapwood.OnlineBaggingClassifier(**options).partial_fit(X[each], y[each], [0, 1])
    assert once.get_n_leaves() > 6
    for tree in range(3):
        assert once.to_dict(tree=tree) == times.to_dict(tree=tree)
    np.testing.assert_array_equal(once.predict_proba(X), times.predict_proba(X))


@pytest.mark.parametrize("subspace", ["tree", "node"])
def test_splits_are_on_candidates_and_models_see_all(subspace: Any) -> None:
    X, y = make_sparse(n=3000, d1=10, d2=50, q=0.05, seed=4)
    model = StreamingForestClassifier(max_features=0.3, subspace=subspace, n_estimators=6).fit(X, y)
    roots = {each.to_dict()["nodes"][0]["feature"] for each in model.estimators_}
    assert len(roots) > 1
    assert (model.feature_importances_ > 0).sum() > 1
    assert sum(len(features) for features in model.top_features(100).values()) > 20


# ---- kept and continued ----------------------------------------------------------------------------------------------


@every_forest
def test_saved_loaded_resumed_is_the_same_to_the_byte(name: str, tmp_path: Any) -> None:
    points = mixed_points(500, seed=1)
    parameters = {"n_estimators": 4, "random_state": 3, "n_jobs": 2}
    whole = learned(name, points, **parameters)
    half = learned(name, points[:250], **parameters)
    half.save(tmp_path / "half.sapwood")
    loaded, pickled = sapwood.load_model(tmp_path / "half.sapwood"), pickle.loads(pickle.dumps(half))
    assert type(loaded) is type(half)
    assert loaded.to_bytes() == half.to_bytes()
    for model in (loaded, pickled):
        for x, y in points[250:]:
            model.learn_one(x, y)
        assert model.to_bytes() == whole.to_bytes()
        assert model.predict_proba_one(points[0][0]) == whole.predict_proba_one(points[0][0])


def test_a_forest_with_trees_in_the_background_goes_on() -> None:
    """The error of the trees rises enough for a warning, and not for a drift."""
    parameters: dict[str, Any] = {"n_estimators": 3, "warning_delta": 0.3, "drift_delta": 1e-12}
    model = StreamingForestClassifier(leaf_prediction="majority", **parameters)
    rng = np.random.default_rng(0)
    points = [(x, y ^ int(i > 700 and rng.random() < 0.2)) for i, (x, y) in enumerate(turning(3000)[:1400])]
    again = None
    for x, y in points:
        model.learn_one(x, y)
        if again is not None:
            again.learn_one(x, y)
        elif core_of(model).n_background() > 0:
            again = StreamingForestClassifier.from_bytes(model.to_bytes())
    assert again is not None
    assert again.summary().n_points > 800
    assert again.to_bytes() == model.to_bytes()


def test_bytes_of_no_forest_are_refused() -> None:
    model = learned("StreamingForestClassifier", mixed_points(300), n_estimators=2, delta=0.3)
    core = core_of(model)
    data, keys, numbers = core.to_bytes(), core.named_keys(), core.number_keys()
    assert _core.Forest.from_bytes(data, keys, numbers).to_bytes() == data
    for size in range(0, len(data), max(1, len(data) // 200)):
        with pytest.raises(ModelFormatError):
            _core.Forest.from_bytes(data[:size], keys, numbers)
    rng = np.random.default_rng(0)
    for _ in range(300):
        broken = bytearray(data)
        broken[rng.integers(len(data))] ^= 1 << rng.integers(8)
        try:
            read = _core.Forest.from_bytes(bytes(broken), keys, numbers)
        except ModelFormatError:
            continue
        # What is read is a forest that can be, and goes on.
        read.learn_one({"age": 30.0, "flag": True}, 1, typed=True)
        read.to_bytes()
    with pytest.raises(ModelFormatError, match="magic"):
        _core.Forest.from_bytes(_core.Tree().to_bytes(), [])


def test_the_classes_that_a_forest_has_met_must_add_up() -> None:
    """A forest whose leaves answer by counts knows the share of the classes."""
    points = mixed_points(300)
    model = learned("StreamingForestClassifier", points, n_estimators=2, leaf_prediction="majority")
    core = core_of(model)
    data, keys, numbers = core.to_bytes(), core.named_keys(), core.number_keys()
    # The section: its name, its size, the weights of two trees, their mean and what they add; then the classes.
    at = data.index(b"\x05mixer") + 6 + 8 + 4 * 8
    off, on = struct.unpack_from("<2q", data, at)
    assert off + on == len(points)
    for of_class, can_be in (((off - 1, on + 1), True), ((off + 1, on + 1), False), ((-1, off + on + 1), False)):
        broken = data[:at] + struct.pack("<2q", *of_class) + data[at + 16 :]
        if can_be:
            _core.Forest.from_bytes(broken, keys, numbers)
            continue
        with pytest.raises(ModelFormatError, match="class"):
            _core.Forest.from_bytes(broken, keys, numbers)


def test_what_one_tree_has_found_is_not_drawn_to_the_share_of_the_classes() -> None:
    """Each word of a rare class is a candidate of few trees; leaves that have found nothing say the other class."""
    rng = np.random.default_rng(0)
    labels = rng.random(6000) < 0.2
    points = [({int(rng.integers(8))} if y else {int(8 + rng.integers(200))}, int(y)) for y in labels]
    right = 0
    model = StreamingForestClassifier(leaf_prediction="majority", max_features=0.1)
    for i, (x, y) in enumerate(points):
        right += i >= 3000 and model.learner.predict_one(x) == y
        model.learn_one(x, y)
    # 0.944 if only the trees and their mean are mixed.
    assert right / 3000 > 0.97


# ---- change ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("StreamingForestClassifier", "n_trees_swapped"),
        ("AdaptiveRandomForestClassifier", "n_trees_swapped"),
        ("StreamingRandomPatchesClassifier", "n_trees_swapped"),
        ("ADWINBaggingClassifier", "n_trees_reset"),
        ("LeveragingBaggingClassifier", "n_trees_reset"),
    ],
)
def test_change_is_answered(name: str, answer: str) -> None:
    model = getattr(sapwood, name)(n_estimators=3, leaf_prediction="majority")
    right = []
    for x, y in turning(4000):
        right.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    summary = model.summary()
    assert summary.n_drifts > 0
    assert getattr(summary, answer) > 0
    assert np.mean(right[3500:]) > 0.8


def test_detectors_see_the_answer_before_the_point_is_learned() -> None:
    """Every point has a feature of its own, by which a tree knows it once it has learned it; only before it errs."""
    rng = np.random.default_rng(3)
    model = sapwood.AdaptiveRandomForestClassifier(n_estimators=2, lambda_value=50.0, leaf_prediction="naive_bayes")
    known = []
    for i in range(1200):
        label = int(rng.integers(2)) if i > 600 else 0
        model.learn_one({f"only{i}"}, label)
        if i == 600:
            model.learn_one({"first of the other class"}, 1)
        known.append(model.predict_one({f"only{i}"}) == label)
    assert np.mean(known) > 0.9
    assert model.summary().n_drifts > 0


# ---- memory ----------------------------------------------------------------------------------------------------------


def test_max_bytes_holds_for_the_whole_forest() -> None:
    X, y = make_sparse(n=6000, d1=10, d2=20_000, q=0.002, seed=5)
    limit = 2_500_000
    model = StreamingForestClassifier(max_bytes=limit, n_estimators=5)
    for rows in chunks(6000, 500):
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
        assert model.summary().tree_bytes <= limit
    free = StreamingForestClassifier(n_estimators=5).fit(X, y)
    assert free.summary().tree_bytes > limit
    with pytest.raises(ValueError, match=r"max_bytes must be at least \d+ for 100 trees"):
        StreamingForestClassifier(max_bytes=limit, n_estimators=100).fit(X, y)


# ---- looking inside --------------------------------------------------------------------------------------------------


@every_forest
def test_single_trees_can_be_looked_into(name: str) -> None:
    X, y = make_sparse(n=1500, d1=10, d2=100, q=0.02, seed=3)
    model = getattr(sapwood, name)(n_estimators=3, random_state=1, delta=0.2).fit(X, y)
    texts = [model.export_text(tree=tree) for tree in range(3)]
    assert texts == [each.export_text() for each in model.estimators_]
    assert model.apply(X[:5]).shape == (5, 3)
    indicator, ends = model.decision_path(X[:5])
    assert indicator.shape == (5, ends[-1])
    assert model.get_n_leaves() == sum(each.get_n_leaves() for each in model.estimators_)
    assert model.get_depth() == max(each.get_depth() for each in model.estimators_)
    assert str(model.explain_one(X[0], tree=2)) == str(model.estimators_[2].explain_one(X[0]))
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.summary().n_trees == 3
    for bad in (3, -1, True, 1.0):
        with pytest.raises(ValueError, match="tree must be an integer from 0 to 2"):
            model.export_text(tree=bad)


def test_a_tree_without_points_says_so() -> None:
    """Of one point a bag of ten has trees that have drawn none: there is nothing to see in them."""
    forest = sapwood.OnlineBaggingClassifier(random_state=5)
    forest.learn_one({"a": True}, "x")
    seeds = [hashed(hashed(hashed(5) + tree) + OF_DRAWS) for tree in range(10)]
    empty = [tree for tree, seed in enumerate(seeds) if poisson(1, seed, 0) == 0]
    assert empty
    said = f"OnlineBaggingClassifier: tree must be one that has drawn a point, got {empty[0]}"
    for look in (forest.export_text, forest.to_dict, forest.to_dot):
        with pytest.raises(ValueError, match=said):
            look(tree=empty[0])
    with pytest.raises(ValueError, match=said):
        forest.explain_one({"a": True}, tree=empty[0])
    assert forest.predict_one({"a": True}) == "x"


def test_an_evaluation_without_points_in_the_first_tree_has_no_picture_of_it() -> None:
    from sapwood.evaluate import prequential

    # The first of the trees that draw nothing for the one point there is.
    first = next(seed for seed in range(99) if poisson(1, hashed(hashed(hashed(seed)) + OF_DRAWS), 0) == 0)
    forest = sapwood.OnlineBaggingClassifier(n_estimators=3, random_state=first)
    result = prequential(forest, [(["a"], "x")])
    assert result.n == 1
    assert "accuracy" in result.to_dict()["metrics"]


def test_evaluation_tells_the_size_of_a_forest() -> None:
    """So that the report draws how it grows."""
    from sapwood.evaluate import prequential

    model = StreamingForestClassifier(n_estimators=3)
    result = prequential(model, [(x, y) for x, y in mixed_points(600)], every=100)
    leaves = result.records["leaves"]
    assert len(leaves) == 6
    assert leaves[-1] == model.get_n_leaves() > 3
    assert result.tree is not None


@every_forest
def test_the_summary_and_the_report_of_a_forest(name: str, tmp_path: Any) -> None:
    from sapwood.evaluate import prequential

    result = prequential(getattr(sapwood, name)(n_estimators=3), turning(600), every=200)
    told = f"forest: 3 trees, {result['nodes']:.0f} nodes, {result['leaves']:.0f} leaves, depth {result['depth']:.0f}, "
    assert result.summary.splitlines()[-1].startswith(told)
    assert set(result.tally) == {"warnings", "drifts", "swapped", "reset"}
    page = result.save_report(tmp_path / "report.html").read_text()
    assert "trees swapped in" in page


@every_forest
def test_the_command_evaluates_a_forest(name: str, tmp_path: Any) -> None:
    points = tmp_path / "points.svm"
    rows = [(sorted(int(word[1:]) + 1 for word in x), y) for x, y in turning(300)]
    points.write_text("".join(f"{y} {' '.join(f'{j}:1' for j in x)}\n" for x, y in rows))
    learner = next(kind.command for kind in TREES if kind.name == name)
    assert "forest: 10 trees" in done("evaluate", "--learner", learner, points)


def test_a_copy_of_a_tree_answers_as_the_tree_and_is_not_the_forest() -> None:
    points = mixed_points(300)
    model = learned("StreamingForestClassifier", points, n_estimators=2)
    before = model.to_bytes()
    copy = model.estimators_[1]
    copy.learn_one({"age": 99.0, "new": True}, "yes")
    assert model.to_bytes() == before


def test_a_forest_is_not_exported_as_one_of_its_trees() -> None:
    from sapwood.export import to_rules

    model = learned("StreamingForestClassifier", mixed_points(50), n_estimators=2)
    with pytest.raises(TypeError, match="to_rules: model must be a single tree"):
        to_rules(model)


def test_rules_of_one_tree() -> None:
    from sapwood.export import to_rules

    model = learned("StreamingForestClassifier", mixed_points(300), n_estimators=2, leaf_prediction="majority")
    rules = to_rules(model, "python", tree=1)
    first, _, rest = rules.partition("\n")
    assert first == "# tree 1 of a forest, which answers by all of its trees"
    assert rest == to_rules(model.estimators_[1], "python")
    with pytest.raises(ValueError, match="tree must be an integer from 0 to 1, got 2"):
        to_rules(model, tree=2)
    with pytest.raises(ValueError, match=r"to_rules: tree must be None for a single tree, got 0"):
        to_rules(model.estimators_[1], tree=0)


@every_forest
def test_notebooks_show_a_forest(name: str) -> None:
    model = learned(name, mixed_points(200), n_estimators=3)
    shown = model._repr_html_()
    assert shown == model._repr_mimebundle_()["text/html"]
    assert name in shown
    assert "200 points, 3 trees" in shown
    assert shown.count("<tr>") == 1 + 3
    for word in ("<script", "http", "src="):
        assert word not in shown
    assert name in getattr(sapwood, name)()._repr_html_()


def test_notebooks_show_a_forest_of_river() -> None:
    river = pytest.importorskip("sapwood.river", reason="river, of the extra `river`, is not installed")
    model = river.StreamingForestClassifier(n_estimators=30)
    assert "StreamingForestClassifier" in model._repr_html_()
    for x, y in mixed_points(40):
        model.learn_one(x, y)
    assert "40 points, 30 trees" in model._repr_html_()
    assert "10 more trees" in model._repr_html_()


def test_an_evaluation_sees_the_trees_grow() -> None:
    from sapwood.evaluate import prequential

    points = turning(3_000)
    model = sapwood.AdaptiveRandomForestClassifier(n_estimators=4, random_state=1)
    found = prequential(model, points, every=250)
    assert [each.at for each in found.trees] == found.records["n"]
    assert [tree.leaves for tree in found.trees[-1].trees] == [each.get_n_leaves() for each in model.estimators_]
    assert sum(tree.leaves for tree in found.trees[-1].trees) == found.records["leaves"][-1]
    n_new = sum(tree.is_new for each in found.trees for tree in each.trees)
    assert 0 < n_new <= model.summary().n_trees_swapped + model.summary().n_trees_reset
    told = core_of(model).of_trees()
    # What was right between records adds up to what was right in all, of trees that were there from the first point.
    for place, one in enumerate(told):
        seen = [each.trees[place] for each in found.trees]
        if any(tree.is_new for tree in seen):
            continue
        assert sum(250 * (tree.accuracy or 0) for tree in seen) == pytest.approx(one["n_right"])
    assert found.to_dict()["trees"][0]["at"] == 250


def test_the_growth_of_a_forest_is_drawn(tmp_path: Any) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, of the extra `plot`, is not installed")
    from sapwood.evaluate import prequential

    model = sapwood.ASHTBaggingClassifier(n_estimators=14, grace_period=20, random_state=1)
    found = prequential(model, turning(2_000), every=200)
    figure = found.plot_forest()
    sizes, accuracies = figure.axes
    assert len(sizes.lines) == 14
    assert len(accuracies.lines) == 15
    together = np.asarray(accuracies.lines[-1].get_ydata(), dtype=float)
    assert sum(together) / 10 == pytest.approx(found["accuracy"])
    figure.savefig(tmp_path / "forest.png")
    assert (tmp_path / "forest.png").stat().st_size > 10_000
    few = prequential(StreamingForestClassifier(n_estimators=2), turning(100), every=50).plot_forest().axes[0]
    assert all(tick == int(tick) for tick in few.get_yticks()), "there are no halves of leaves"
    alone = prequential(sapwood.StreamingTreeClassifier(), turning(50))
    with pytest.raises(ValueError, match=r"plot_forest: the model must be a forest that has learned, got a Streaming"):
        alone.plot_forest()


@pytest.mark.parametrize(
    ("n_jobs", "error", "message"),
    [
        (0, ValueError, "n_jobs must not be 0, got 0"),
        (-65_537, ValueError, "n_jobs must be at least -65536, got -65537"),
        (65_537, ValueError, "n_jobs must be at most 65536, got 65537"),
        (1.5, TypeError, r"n_jobs must be an integer or None, got 1\.5"),
        (True, TypeError, "n_jobs must be an integer or None, got True"),
        ("2", TypeError, "n_jobs must be an integer or None, got '2'"),
    ],
)
def test_n_jobs_that_cannot_be(n_jobs: Any, error: type[Exception], message: str) -> None:
    """Neither at first nor later, when nothing more is learned."""
    with pytest.raises(error, match=f"StreamingForestClassifier: {message}"):
        StreamingForestClassifier(n_jobs=n_jobs).learn_one({"a"}, 1)
    model = StreamingForestClassifier(n_estimators=2).fit(np.eye(4), [0, 1, 0, 1])
    before = model.to_bytes()
    model.set_params(n_jobs=n_jobs)
    with pytest.raises(error, match=f"^StreamingForestClassifier.partial_fit: {message}"):
        model.partial_fit(np.eye(4), [0, 1, 0, 1])
    assert model.set_params(n_jobs=None).to_bytes() == before


def test_the_number_of_threads_may_change() -> None:
    """A model that was loaded learns with as many as there are here, not where it was saved."""
    X, y = make_sparse(n=300, d1=5, d2=30, q=0.05, seed=3)
    model = StreamingForestClassifier(n_estimators=3).fit(X, y)
    again = StreamingForestClassifier.from_bytes(model.to_bytes())
    again.set_params(n_jobs=2).partial_fit(X, y)
    assert core_of(again).n_jobs == 2
    model.partial_fit(X, y)
    assert core_of(model).n_jobs == 1
    assert again.set_params(n_jobs=None).to_bytes() == model.to_bytes()


# ---- in scikit-learn's world -----------------------------------------------------------------------------------------


@every_forest
def test_searches_clones_and_pipelines(name: str) -> None:
    classifier = getattr(sapwood, name)
    X, y = make_sparse(n=240, d1=5, d2=30, q=0.05, seed=3)
    grid = {"max_features": [0.3, 1.0], "lambda_value": [0.0, 1.0]}
    search = GridSearchCV(classifier(n_estimators=2, random_state=0), grid, cv=2).fit(X, y)
    assert set(search.best_params_) == set(grid)
    best = search.best_estimator_
    assert clone(best).get_params() == best.get_params()
    assert clone(best).fit(X, y).to_bytes() == best.to_bytes()
    assert not hasattr(clone(best), "classes_")
    texts, kinds = ["free money now", "lunch at noon"] * 40, ["spam", "ham"] * 40
    pipeline = make_pipeline(CountVectorizer(), classifier(n_estimators=2)).fit(texts, kinds)
    assert pipeline.predict(["free money", "noon"]).tolist() == ["spam", "ham"]
