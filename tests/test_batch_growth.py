"""Growth by batches: deltas against plain counting, the tree against the reference, and that order leaves no trace."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_batch import BatchReference, counted, part_of, text_id
from reference_tree import Options
from streams import HOSTILE
from tree_twins import AsTheCoreDid, Twins, arrays_of, drifting

from sapwood import SplitFinder, StreamingTreeClassifier, load_model
from sapwood._core import Delta, Gradients, Router, Tree, ids_of_names, ids_of_texts
from sapwood.exceptions import ModelFormatError

Points = list[tuple[tuple[int, ...], int, int]]
BOLD: dict[str, Any] = {"batch_growth": True, "leaf_prediction": "naive_bayes", "delta": 0.3}

POINTS = st.lists(
    st.tuples(st.frozensets(st.integers(0, 9), max_size=4).map(tuple), st.integers(0, 2), st.integers(0, 3)),
    max_size=40,
)


def whole(points: Points) -> Points:
    """Return points with weights as the core takes them."""
    return [(features, label, int(weight)) for features, label, weight in points]


def rows_of(points: Points) -> tuple[Any, Any, Any, Any]:
    """Return points as those who count take them."""
    indptr, ids, labels, weights = arrays_of(points)
    return indptr, ids.astype(np.uint64), labels, weights.astype(np.int32)


def grown(points: Points, n_classes: int = 3, **options: Any) -> Tree:
    """Return a tree that has learned batches of 20 points."""
    tree = Tree(growth="batch", split_test="hoeffding", delta=0.4, tau=0.4, leaf_prediction="naive_bayes", **options)
    for start in range(0, len(points), 20):
        indptr, ids, labels, weights = arrays_of(points[start : start + 20])
        tree.learn_batch(indptr, ids, labels, weights.astype(np.int32), n_classes)
    tree.cover_classes(n_classes)
    return tree


def of_classes(n_classes: int, n: int = 160, seed: int = 3) -> Points:
    """Return a stream in which trees grow."""
    return whole(drifting(seed=seed, n=n, n_classes=n_classes))  # type: ignore[arg-type]


TREES = [grown([]), grown(of_classes(3)), grown(of_classes(3, 300, 5), max_depth=2)]


# ---- deltas ----------------------------------------------------------------------------------------------------------


@given(points=POINTS, which=st.sampled_from(range(len(TREES))))
def test_a_delta_holds_what_plain_counting_finds(points: Points, which: int) -> None:
    router = TREES[which].router()
    indptr, ids, labels, weights = rows_of(points)
    leaves, born, features, classes, counts = router.count(indptr, ids, labels, weights).counts()
    of_class, on = counted(points, router.leaves(indptr, ids).tolist(), 3)
    assert leaves == of_class
    assert list(leaves) == sorted(leaves)
    keys = list(zip(born.tolist(), features.tolist(), classes.tolist(), strict=True))
    assert keys == sorted(keys)
    assert dict(zip(keys, counts.tolist(), strict=True)) == on


def test_a_router_leads_points_as_its_tree_does() -> None:
    for tree in TREES:
        points = of_classes(3, 200, 8)
        indptr, ids, _, _ = rows_of(points)
        path_ends, path = tree.decision_path(indptr, ids.astype(np.int32))
        nodes = path[path_ends[1:] - 1]
        assert tree.router().leaves(indptr, ids).tolist() == tree.nodes()["born"][nodes].tolist()


@given(points=POINTS, cuts=st.lists(st.integers(0, 40), max_size=5), rng=st.randoms(use_true_random=False))
def test_order_and_partition_leave_no_trace_in_the_bytes(points: Points, cuts: list[int], rng: Any) -> None:
    router = TREES[1].router()
    together = router.count(*rows_of(points))
    shuffled = list(points)
    rng.shuffle(shuffled)
    ends = [0, *sorted(min(cut, len(points)) for cut in cuts), len(points)]
    parts = [router.count(*rows_of(shuffled[a:b])) for a, b in pairwise(ends)]
    rng.shuffle(parts)
    while len(parts) > 1:
        # Any way to put brackets.
        at = rng.randrange(len(parts) - 1)
        parts[at].merge(Delta.from_bytes(parts.pop(at + 1).to_bytes()))
    assert parts[0].to_bytes() == together.to_bytes()
    assert parts[0].n_met() == sum(weight > 0 for _, _, weight in points)


@given(points=POINTS)
def test_bytes_go_there_and_back_and_no_part_of_them_is_a_delta(points: Points) -> None:
    data = TREES[1].router().count(*rows_of(points)).to_bytes()
    assert Delta.from_bytes(data).to_bytes() == data
    for size in range(len(data)):
        with pytest.raises(ModelFormatError):
            Delta.from_bytes(data[:size])
    with pytest.raises(ModelFormatError):
        Delta.from_bytes(data + b"\0")


@pytest.mark.parametrize("of", ["delta", "router"])
def test_bytes_that_are_changed_are_refused_or_mean_something_else(of: str) -> None:
    router = TREES[1].router()
    data = router.to_bytes() if of == "router" else router.count(*rows_of(of_classes(3, 60))).to_bytes()
    read: Any = Router.from_bytes if of == "router" else Delta.from_bytes
    refused = 0
    for at in range(len(data)):
        for value in {0, 1, 0x7F, 0x80, 0xFF, data[at] ^ 1} - {data[at]}:
            other = data[:at] + bytes([value]) + data[at + 1 :]
            try:
                found = read(other)
            except ModelFormatError:
                refused += 1
            else:
                # What is read is written the same way: every delta has one way to be written.
                assert found.to_bytes() == other
    assert refused > len(data)


def test_a_router_goes_to_bytes_and_back() -> None:
    for tree in TREES:
        router = tree.router()
        again = Router.from_bytes(router.to_bytes())
        assert again.to_bytes() == router.to_bytes()
        assert again.version() == router.version()
        indptr, ids, labels, weights = rows_of(of_classes(3, 50))
        assert (
            again.count(indptr, ids, labels, weights).to_bytes()
            == router.count(indptr, ids, labels, weights).to_bytes()
        )


def test_a_delta_of_another_version_is_refused_and_changes_nothing() -> None:
    points = of_classes(3, 60)
    tree = grown(of_classes(3))
    before = tree.to_bytes()
    other = TREES[2].router().count(*rows_of(points))
    with pytest.raises(ValueError, match="delta must be counted by this version of the tree"):
        tree.absorb(other)
    with pytest.raises(ValueError, match="other must be counted by the same version"):
        tree.router().count(*rows_of(points)).merge(other)
    assert tree.to_bytes() == before


def test_gradients_that_are_not_those_of_the_delta_are_refused_and_change_nothing() -> None:
    points = of_classes(3, 60)
    tree = Tree(growth="batch", leaf_prediction="mixed")
    tree.cover_classes(3)
    delta, gradients = tree.router().count(*rows_of(points)), tree.gradients(*rows_of(points))
    with pytest.raises(ValueError, match="gradients must be given for the leaf_prediction 'mixed', got none"):
        tree.absorb(delta)
    with pytest.raises(ValueError, match="gradients must be of the points of the delta"):
        tree.absorb(delta, tree.gradients(*rows_of(points[:3])))
    assert tree.n_met() == 0
    tree.absorb(delta, gradients)
    before = tree.to_bytes()
    with pytest.raises(ValueError, match="gradients must be of these weights of the tree"):
        tree.absorb(delta, gradients)
    with pytest.raises(ValueError, match="other must be of the same version of the weights"):
        tree.gradients(*rows_of(points)).merge(gradients)
    assert tree.to_bytes() == before
    plain = grown(of_classes(3))
    with pytest.raises(ValueError, match="gradients must be left out for the leaf_prediction 'naive_bayes', got some"):
        plain.absorb(plain.router().count(*rows_of(points)), gradients)
    with pytest.raises(ValueError, match="leaf_prediction must be 'logistic', 'adaptive' or 'mixed' for gradients"):
        plain.gradients(*rows_of(points))


def test_rows_that_cannot_be_counted() -> None:
    router = TREES[0].router()
    one = np.array([0, 2], dtype=np.int64)
    label = np.zeros(1, dtype=np.uint16)
    with pytest.raises(ValueError, match="features of a point must be unique, got 7 twice in row 0"):
        router.count(one, np.array([7, 7], dtype=np.uint64), label)
    with pytest.raises(ValueError, match="labels must be from 0 to 2, got 3 in row 0"):
        router.count(one, np.array([1, 7], dtype=np.uint64), label + np.uint16(3))
    with pytest.raises(ValueError, match="weights must be at least 0, got -1"):
        router.count(one, np.array([1, 7], dtype=np.uint64), label, np.array([-1], dtype=np.int32))


def test_ids_of_names() -> None:
    names = ["", "cash", "déjà vu", "\U0001f333"]
    assert ids_of_names([5, *names]).tolist() == [5, *map(text_id, names)]
    data = "".join(names).encode()
    offsets = np.cumsum([0] + [len(name.encode()) for name in names], dtype=np.int64)
    assert ids_of_texts(offsets, np.frombuffer(data, dtype=np.uint8)).tolist() == [text_id(name) for name in names]
    with pytest.raises(ValueError, match="features must be columns or text for batch_growth, got -1"):
        ids_of_names([-1])


# ---- counts in and out of a search -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("criterion", "search"),
    [("entropy", "exhaustive"), ("gini", "exhaustive"), ("entropy", "certified"), ("gini", "certified")],
)
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_added_counts_are_added_points(name: str, criterion: Any, search: Any, n_classes: int) -> None:
    """After every batch the finder of counts has the splits of the one of points, to the last bit."""
    stream = [(features, label % n_classes) for features, label in HOSTILE[name]()]
    by_points = SplitFinder(criterion, search, n_classes=n_classes)
    by_counts = SplitFinder(criterion, search, n_classes=n_classes)
    for start, size in zip(range(0, len(stream), 25), [1, 25, 3, 25] * 100, strict=False):
        batch = SplitFinder(criterion, "exhaustive", n_classes=n_classes)
        for features, label in stream[start : start + size]:
            by_points.add(features, label)
            batch.add(features, label)
        by_counts.add_counts(*batch.all_counts())
        assert by_counts.top(5) == by_points.top(5)
        assert by_counts.best() == by_points.best()
        by_counts.validate()
        for found, expected in zip(by_counts.all_counts(), by_points.all_counts(), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_counts_for_the_approximate_search() -> None:
    stream = of_classes(2, 120)
    by_counts, exact = SplitFinder("gini", "approximate"), SplitFinder("gini", "exhaustive")
    for start in range(0, 120, 30):
        batch = SplitFinder("gini")
        for features, label, _ in stream[start : start + 30]:
            batch.add(features, label)
            exact.add(features, label)
        by_counts.add_counts(*batch.all_counts())
        by_counts.validate()
        found, best = by_counts.best(), exact.best()
        assert found is not None
        assert best is not None
        assert found.score <= best.score * 1.1 + 1e-9


def test_counts_that_no_points_have() -> None:
    finder = SplitFinder()
    finder.add([1], 0)
    for arguments, message in [
        (([1, 1], [3], [[2], [0]]), "counts within their class"),
        (([1, 1], [3, 3], [[1, 0], [0, 1]]), "every feature once"),
        (([1, 1], [-3], [[1], [0]]), "features must hold numbers from 0"),
        (([1], [3], [[1]]), "every class"),
        (([1, 1], [3], [1, 0]), "on must have 2 dimensions, got 1"),
        (([2**31 - 1, 0], [], np.empty((2, 0))), "points must be at most"),
    ]:
        with pytest.raises((ValueError, OverflowError), match=message):
            finder.add_counts(*arguments)  # type: ignore[arg-type]  # lists of numbers
    with pytest.raises(TypeError, match=r"SplitFinder\.add_counts: class_counts must hold integers"):
        finder.add_counts([0.5, 1], [3], [[1], [0]])
    assert finder.n == 1


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
