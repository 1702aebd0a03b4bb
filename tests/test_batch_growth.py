"""Growth by batches: the tree against the reference, and that order leaves no trace."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from batch_points import Points, of_classes, rows_of
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_batch import BatchReference, part_of, text_id
from reference_options import Options
from streams import HOSTILE
from tree_twins import AsTheCoreDid, Twins, arrays_of

from sapwood import StreamingTreeClassifier, load_model
from sapwood._core import Delta, Gradients, Router, Tree

BOLD: dict[str, Any] = {"batch_growth": True, "leaf_prediction": "naive_bayes", "delta": 0.3}


# ---- the tree --------------------------------------------------------------------------------------------------------


class BatchTwins(Twins):
    """A tree of the core that grows by batches, and the reference."""

    def __init__(self, options: Options, search: str = "certified") -> None:
        super().__init__(options, search)
        self.reference = BatchReference(options)

    def learn_batch(self, points: Points, n_classes: int) -> None:
        """Learn from a batch, and compare the trees."""
        indptr, ids, labels, weights = arrays_of(points)
        self.core.learn_batch(indptr, ids, labels, weights.astype(np.int32), n_classes)
        nodes = self.core.nodes()
        assert isinstance(self.reference, BatchReference)
        self.reference.cover_classes(n_classes)
        self.reference.learn_batch(points, AsTheCoreDid(nodes, ()))
        self.compare_nodes(nodes)


def met_in_ascending_order(points: Points, size: int) -> Points:
    """Call features by the numbers that the core gives them: ascending within a batch."""
    numbers: dict[int, int] = {}
    for start in range(0, len(points), size):
        for j in sorted({j for features, _, weight in points[start : start + size] if weight for j in features}):
            numbers.setdefault(j, len(numbers))
    return [(tuple(numbers.get(j, 99) for j in features), label, weight) for features, label, weight in points]


@pytest.mark.parametrize("size", [1, 7, 40])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("split_test", ["evidence", "hoeffding", "gaussian"])
@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes"])
def test_the_tree_is_that_of_the_reference(split_test: str, leaf_prediction: str, n_classes: int, size: int) -> None:
    options = Options(
        growth="batch", split_test=split_test, delta=0.3, tau=0.3, leaf_prediction=leaf_prediction, max_depth=6
    )
    points = met_in_ascending_order(of_classes(n_classes, 240), size)
    for search in ("certified", "exhaustive"):
        twins = BatchTwins(options, search)
        for start in range(0, len(points), size):
            twins.learn_batch(points[start : start + size], n_classes)
            twins.compare_predictions(points[start][0])
        assert twins.reference.tally["split"] > 0


@pytest.mark.parametrize("size", [1, 7, 40])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("leaf_prediction", ["logistic", "adaptive", "mixed"])
def test_models_take_the_steps_of_the_reference(leaf_prediction: str, n_classes: int, size: int) -> None:
    """Weights from 0 to 3, so that slopes are by weight, and some points are none."""
    rng = np.random.default_rng(3)
    options = Options(growth="batch", split_test="evidence", delta=0.3, leaf_prediction=leaf_prediction, max_depth=4)
    points = [(features, label, int(rng.integers(4))) for features, label, _ in of_classes(n_classes, 240)]
    points = met_in_ascending_order(points, size)
    twins = BatchTwins(options)
    for start in range(0, len(points), size):
        twins.learn_batch(points[start : start + size], n_classes)
        twins.compare_predictions(points[start][0])
        twins.compare_models([j for j in points[start][0] if points[start][2] > 0])
    assert size == 1 or twins.reference.tally["split"] > 0


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_streams(name: str) -> None:
    points = met_in_ascending_order([(features, label, 1) for features, label in HOSTILE[name]()], 30)
    n_classes = max(2, *(label + 1 for _, label, _ in points))
    twins = BatchTwins(Options(growth="batch", split_test="evidence", delta=0.3, leaf_prediction="majority"))
    for start in range(0, len(points), 30):
        twins.learn_batch(points[start : start + 30], n_classes)


def matrix(points: Points, d: int = 40) -> tuple[Any, Any]:
    """Return points of weight 1 as a matrix and labels."""
    indptr, ids, labels, _ = arrays_of(points)
    return scipy.sparse.csr_matrix((np.ones(len(ids)), ids, indptr), shape=(len(points), d)), labels.astype(np.int64)


@settings(deadline=None)
@given(
    rng=st.randoms(use_true_random=False),
    n_parts=st.integers(1, 4),
    sub_batches=st.integers(1, 3),
    leaf_prediction=st.sampled_from(["naive_bayes", "logistic", "adaptive", "mixed"]),
)
def test_the_estimator_is_a_function_of_what_the_batches_hold(
    rng: Any, n_parts: int, sub_batches: int, leaf_prediction: str
) -> None:
    """The same bytes for any order of the rows, and by deltas of any parts on a machine that never saw a row."""
    given: dict[str, Any] = {**BOLD, "leaf_prediction": leaf_prediction, "sub_batches": sub_batches}
    model = StreamingTreeClassifier(**given)
    shuffled = StreamingTreeClassifier(**given)
    options = Options(growth="batch", split_test="evidence", delta=0.3, leaf_prediction=leaf_prediction).of_core()
    driver = Tree(**options, sub_batches=sub_batches)
    driver.cover_classes(3)
    points = of_classes(3, 150)
    for start in range(0, 150, 50):
        batch = points[start : start + 50]
        model.partial_fit(*matrix(batch), classes=[0, 1, 2])
        rng.shuffle(batch)
        shuffled.partial_fit(*matrix(batch), classes=[0, 1, 2])
        for part in range(sub_batches):
            sent = driver.router().to_bytes(), driver.answers(), driver.named_keys()
            deltas: list[Delta] = []
            gradients: list[Gradients] = []
            for worker in range(n_parts):
                # A worker knows the bytes of the router, those of what leaves answer, and its rows.
                indptr, ids, labels, _ = rows_of(batch[worker::n_parts])
                delta = Router.from_bytes(sent[0]).count(indptr, ids, labels, None, part, sub_batches)
                deltas.append(Delta.from_bytes(delta.to_bytes()))
                if driver.learns_gradients():
                    found = Tree.from_bytes(*sent[1:]).gradients(indptr, ids, labels, None, part, sub_batches)
                    gradients.append(Gradients.from_bytes(found.to_bytes()))
            for more in deltas[1:]:
                deltas[0].merge(more)
            for also in gradients[1:]:
                gradients[0].merge(also)
            driver.absorb(deltas[0], gradients[0] if gradients else None)
            driver.grow()
    assert model.get_n_leaves() > 2
    assert shuffled.to_bytes() == model.to_bytes()
    assert driver.to_bytes() == model.learner.fitted().tree.to_bytes()
    assert driver.named_keys() == model.features_seen_


def test_parts_of_a_batch_are_batches_of_their_own() -> None:
    points = of_classes(2, 400)
    parts: list[Points] = [[], [], [], []]
    for features, label, weight in points:
        parts[part_of(features, label, 4)].append((features, label, weight))
    assert min(map(len, parts)) > 0
    together = StreamingTreeClassifier(**BOLD, sub_batches=4).partial_fit(*matrix(points), classes=[0, 1])
    apart = StreamingTreeClassifier(**BOLD)
    for part in parts:
        apart.partial_fit(*matrix(part), classes=[0, 1])
    assert together.get_n_leaves() == apart.get_n_leaves() > 2
    X, _ = matrix(points)
    np.testing.assert_array_equal(together.predict_proba(X), apart.predict_proba(X))


def test_names_are_met_in_the_order_of_their_ids() -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"b": [True, False, True], "a": [True, True, False], "c": [False, True, True]})
    model = StreamingTreeClassifier(**BOLD).partial_fit(X, [0, 1, 0], classes=[0, 1])
    assert model.features_seen_ == sorted("abc", key=text_id)


def test_fit_is_one_batch_in_any_order() -> None:
    points = of_classes(3, 200)
    X, y = matrix(points)
    model = StreamingTreeClassifier(**BOLD, sub_batches=8).fit(X, y)
    again = StreamingTreeClassifier(**BOLD, sub_batches=8, random_state=None).fit(X[::-1], y[::-1])
    assert again.to_bytes() == model.to_bytes()
    assert model.get_n_leaves() > 2
    assert model.n_points_ == 200


@pytest.mark.parametrize("leaf_prediction", ["naive_bayes", "adaptive", "mixed"])
def test_a_model_goes_on_from_its_file_and_its_pickle(leaf_prediction: str) -> None:
    points = of_classes(3, 200)
    options: dict[str, Any] = {**BOLD, "leaf_prediction": leaf_prediction, "sub_batches": 2}
    models = [StreamingTreeClassifier(**options).partial_fit(*matrix(points[:100]), classes=[0, 1, 2])]
    models += [type(models[0]).from_bytes(models[0].to_bytes()), pickle.loads(pickle.dumps(models[0]))]
    for model in models:
        model.partial_fit(*matrix(points[100:]))
        assert model.get_params()["sub_batches"] == 2
    assert len({model.to_bytes() for model in models}) == 1


def test_files_of_other_trees_do_not_know_the_parameters(tmp_path: Any) -> None:
    model = StreamingTreeClassifier().fit(*matrix(of_classes(2, 50)))
    assert b"batch_growth" not in model.to_bytes()
    model.save(tmp_path / "model")
    assert load_model(tmp_path / "model").get_params()["batch_growth"] is False


def test_weights_count_where_the_test_takes_them() -> None:
    points = of_classes(2, 120)
    X, y = matrix(points)
    weights = np.arange(120) % 3
    options: dict[str, Any] = {**BOLD, "split_test": "hoeffding"}
    weighted = StreamingTreeClassifier(**options).partial_fit(X, y, classes=[0, 1], sample_weight=weights)
    repeated = np.repeat(np.arange(120), weights)
    plain = StreamingTreeClassifier(**options).partial_fit(X[repeated], y[repeated], classes=[0, 1])
    np.testing.assert_array_equal(weighted.predict_proba(X), plain.predict_proba(X))
    assert weighted.n_points_ == plain.n_points_ == weights.sum()


@pytest.mark.parametrize("split_test", ["evidence", "hoeffding"])
@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes"])
def test_weighted_points_make_the_tree_of_the_reference(split_test: str, leaf_prediction: str) -> None:
    rng = np.random.default_rng(4)
    options = Options(growth="batch", split_test=split_test, delta=0.3, tau=0.3, leaf_prediction=leaf_prediction)
    points = [(features, label, int(rng.integers(4))) for features, label, _ in of_classes(3, 240)]
    points = met_in_ascending_order(points, 40)
    twins = BatchTwins(options)
    for start in range(0, len(points), 40):
        twins.learn_batch(points[start : start + 40], 3)
        twins.compare_predictions(points[start][0])
    assert twins.reference.tally["split"] > 0


def test_to_evidence_a_point_is_one_point_whatever_its_weight() -> None:
    """The splits are those without weights; the answers are those of points that are repeated."""
    points = of_classes(2, 300)
    X, y = matrix(points)
    plain = StreamingTreeClassifier(**BOLD).partial_fit(X, y, classes=[0, 1])
    thrice = StreamingTreeClassifier(**BOLD).partial_fit(X, y, classes=[0, 1], sample_weight=np.full(300, 3))
    assert thrice.get_n_leaves() == plain.get_n_leaves() > 1
    assert thrice.n_points_ == 900
    assert (thrice.apply(X) == plain.apply(X)).all()
    root = StreamingTreeClassifier(**BOLD, max_depth=0)
    weights = np.where(y == 1, 3, 1)
    root.partial_fit(X, y, classes=[0, 1], sample_weight=weights)
    repeated = np.repeat(np.arange(300), weights)
    same = StreamingTreeClassifier(**BOLD, max_depth=0).partial_fit(X[repeated], y[repeated], classes=[0, 1])
    np.testing.assert_array_equal(root.predict_proba(X), same.predict_proba(X))


def test_what_is_refused_changes_nothing() -> None:
    X, y = matrix(of_classes(2, 60))
    refused: list[tuple[dict[str, Any], str]] = [
        ({"leaf_prediction": "majority", "max_bytes": 1 << 20}, "max_bytes must be None for batch_growth, got 1048576"),
        ({"drift": True}, "drift must be False for batch_growth, got True"),
        ({"half_life": 5}, "half_life must be 10000 for batch_growth, got 5"),
        ({"revision": "restructure"}, "revision must be 'replace' for batch_growth, got 'restructure'"),
        ({"leaf_prediction": "majority", "sub_batches": 0}, "sub_batches must be at least 1, got 0"),
    ]
    for parameters, message in refused:
        with pytest.raises(ValueError, match=message):
            StreamingTreeClassifier(batch_growth=True, **parameters).fit(X, y)
    with pytest.raises(TypeError, match="batch_growth must be True or False"):
        StreamingTreeClassifier(batch_growth=1).fit(X, y)  # type: ignore[arg-type]
    model = StreamingTreeClassifier(**BOLD).partial_fit(X, y, classes=[0, 1])
    before = model.to_bytes()
    with pytest.raises(ValueError, match="learn_one: points must come in batches, by partial_fit, for batch_growth"):
        model.learn_one([1, 2], 0)
    with pytest.raises(ValueError, match=r"sample_weight must be whole for batch_growth, got 0\.5"):
        model.partial_fit(X, y, sample_weight=np.full(60, 0.5))
    with pytest.raises(ValueError, match="partial_fit: y must hold the classes"):
        model.partial_fit(X, y + 5)
    assert model.to_bytes() == before
