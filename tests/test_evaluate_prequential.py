"""Test then train: the answers are those of a plain loop, whatever the stream is made of and the model offers."""

from __future__ import annotations

import json
import math
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB

from sapwood import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier
from sapwood.evaluate import Evaluation, PrequentialRun, prequential
from sapwood.stream import Batch

Labels = list[Any]


def make_stream(
    n: int, seed: int = 0, n_classes: int = 2, n_features: int = 12
) -> tuple[scipy.sparse.csr_array, Labels]:
    """Points whose class is told by three features, with some noise."""
    generator = np.random.default_rng(seed)
    X = (generator.random((n, n_features)) < 0.3).astype(np.int8)
    told = (X[:, 3] + 2 * X[:, 5] + X[:, 7]) % n_classes
    noise = generator.random(n) < 0.1
    told[noise] = generator.integers(n_classes, size=int(noise.sum()))
    return scipy.sparse.csr_array(X), told.tolist()


def as_points(X: scipy.sparse.csr_array, y: Labels) -> list[tuple[list[int], Hashable]]:
    return [(X.indices[X.indptr[i] : X.indptr[i + 1]].tolist(), y[i]) for i in range(len(y))]


class Majority:
    """Answers with the most frequent class so far; the smallest model there is."""

    def __init__(self) -> None:
        self.seen: Counter[Hashable] = Counter()
        self.learned = 0

    def predict_one(self, _x: object) -> Hashable | None:
        return self.seen.most_common(1)[0][0] if self.seen else None

    def learn_one(self, _x: object, y: Hashable) -> None:
        self.seen[y] += 1
        self.learned += 1


class Odds(Majority):
    """And with their shares."""

    def predict_proba_one(self, _x: object) -> dict[Hashable, float]:
        return {label: n / self.learned for label, n in self.seen.items()}


def batch_of(points: list[tuple[list[int], Hashable]], *, keys: bool = False) -> Batch:
    """Return points as the readers of streams give them: of columns, or of keys."""
    flat = [feature for x, _ in points for feature in x]
    y = np.empty(len(points), dtype=object)
    y[:] = [label for _, label in points]
    return Batch(
        y=y,
        indptr=np.cumsum([0, *(len(x) for x, _ in points)], dtype=np.int64),
        indices=None if keys else np.array(flat, dtype=np.int32),
        keys=[f"word {feature}" for feature in flat] if keys else None,
        n_features=None if keys else 1000,
        first_line=1,
    )


def same(left: Evaluation, right: Evaluation) -> None:
    """All but the times is equal."""
    for name, column in left.records.items():
        if name not in {"seconds", "points_per_second"}:
            assert np.array_equal(
                np.array(column, dtype=float), np.array(right.records[name], dtype=float), equal_nan=True
            ), name
    assert left.confusion == right.confusion
    assert left.splits == right.splits
    assert left.classes == right.classes


@pytest.mark.parametrize("learner", [HoeffdingTreeClassifier, ExtremelyFastDecisionTreeClassifier])
@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_rows_points_and_batches_are_one(learner: Callable[..., Any], n_classes: int) -> None:
    X, y = make_stream(1500, n_classes=n_classes)
    y = [f"class {label}" for label in y]
    points = as_points(X, y)
    # What a plain loop says.
    model = learner()
    predicted, losses = [], []
    for x, label in points:
        predicted.append(model.predict_one(x))
        losses.append(-math.log(max(model.predict_proba_one(x).get(label, 0.0), np.finfo(float).eps)))
        model.learn_one(x, label)
    models = [learner() for _ in range(4)]
    streams: list[Any] = [
        (X, y),
        points,
        [(X[:700], y[:700]), (X[700:], y[700:])],
        [batch_of(points[:10]), *points[10:20], batch_of([]), batch_of(points[20:1000]), (X[1000:], y[1000:])],
    ]
    results = [prequential(*pair, every=100) for pair in zip(models, streams, strict=True)]
    assert results[0]["accuracy"] == np.mean([a == b for a, b in zip(predicted, y, strict=True)])
    # One ulp of 1 is what a probability of 1 is taken to be away from 1.
    assert results[0]["log_loss"] == pytest.approx(np.mean(losses), abs=1e-9)
    for each in models:
        assert each.learner.fitted().tree.to_bytes() == model.learner.fitted().tree.to_bytes()
    for result in results[1:]:
        same(result, results[0])


@pytest.mark.parametrize("learner", [HoeffdingTreeClassifier, ExtremelyFastDecisionTreeClassifier])
@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_batches_with_keys_are_points(learner: Callable[..., Any], n_classes: int) -> None:
    X, y = make_stream(1500, n_classes=n_classes)
    points = as_points(X, y)
    named = [([f"word {feature}" for feature in x], label) for x, label in points]
    models = [learner() for _ in range(3)]
    streams: list[Any] = [
        named,
        [batch_of(points[:700], keys=True), batch_of([], keys=True), batch_of(points[700:], keys=True)],
        [*named[:50], batch_of(points[50:], keys=True)],
    ]
    results = [prequential(*pair, every=70) for pair in zip(models, streams, strict=True)]
    for model, result in zip(models[1:], results[1:], strict=True):
        assert model.to_bytes() == models[0].to_bytes()
        same(result, results[0])


def test_a_stream_is_binary_whatever_the_threshold_of_the_model() -> None:
    X, y = make_stream(300)
    points = as_points(X, y)
    results = [prequential(HoeffdingTreeClassifier(binarize=b), [batch_of(points)], every=70) for b in (0.0, 5.0)]
    same(*results)
    assert results[0].splits or results[0]["accuracy"] > 0.5


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 30), st.integers(1, 30))
@settings(max_examples=30)
def test_records_are_what_scikit_learn_says_of_the_points_so_far(seed: int, n: int, window: int, every: int) -> None:
    X, y = make_stream(n, seed)
    result = prequential(Odds(), as_points(X, y), window=window, every=every)
    model = Odds()
    predicted = []
    for x, label in as_points(X, y):
        predicted.append(model.predict_one(x))
        model.learn_one(x, label)
    assert result.records["n"] == sorted({*range(every, n + 1, every), n})
    for i, moment in enumerate(result.records["n"]):
        right = [a == b for a, b in zip(predicted[:moment], y[:moment], strict=True)]
        assert result.records["accuracy"][i] == pytest.approx(np.mean(right))
        assert result.records["accuracy_window"][i] == pytest.approx(np.mean(right[-window:]))
    answered = [(a, b) for a, b in zip(y, predicted, strict=True) if b is not None]
    assert sum(result.confusion.values()) == result.n == n
    assert result.confusion[y[0], None] == 1
    expected = Counter(answered)
    assert {pair: k for pair, k in result.confusion.items() if pair[1] is not None} == expected


def test_a_model_without_probabilities_has_no_metrics_of_them() -> None:
    result = prequential(Majority(), as_points(*make_stream(300)))
    assert math.isnan(result["log_loss"])
    assert math.isnan(result["roc_auc"])
    assert math.isnan(result["calibration_error"])
    assert (result.reliability, result.top_features) == ({}, {})
    assert "log loss" not in result.summary
    assert result["accuracy"] > 0.4
    assert result.tree is None
    assert result.splits == ()


@pytest.mark.parametrize("dense", [False, True])
def test_scikit_learn_models_by_rows(dense: bool) -> None:
    X, y = make_stream(200)
    matrix: Any = X.toarray() if dense else X
    model = BernoulliNB()
    predicted: list[Any] = [None]
    model.partial_fit(matrix[:1], y[:1], classes=[0, 1])
    for i in range(1, 200):
        predicted += model.predict(matrix[i : i + 1]).tolist()
        model.partial_fit(matrix[i : i + 1], y[i : i + 1])
    result = prequential(BernoulliNB(), (matrix, y))
    assert result["accuracy"] == np.mean([a == b for a, b in zip(predicted, y, strict=True)])
    assert result["roc_auc"] > 0.5
    # Points that are rows themselves.
    rows = [(matrix[i : i + 1] if not dense else matrix[i], y[i]) for i in range(200)]
    same(prequential(BernoulliNB(), rows, classes=[0, 1]), result)
    blocks = prequential(BernoulliNB(), (matrix, y), block=50, every=100)
    assert blocks.n == 200
    assert blocks.confusion[0, None] + blocks.confusion[1, None] == 50
    assert prequential(SGDClassifier(), (matrix, y)).n == 200


def test_what_was_learned_before_is_known() -> None:
    X, y = make_stream(2000)
    model = HoeffdingTreeClassifier().fit(X[:1000], y[:1000])
    n_splits = model.get_n_leaves() - 1
    result = prequential(model, (X[1000:], y[1000:]))
    assert result.n == 1000
    assert (0, None) not in result.confusion
    assert len(result.splits) == model.get_n_leaves() - 1 - n_splits
    assert all(0 < split.at <= 1000 for split in result.splits)


def test_splits_are_told_with_when_and_how_long() -> None:
    # The feature that tells the class changes, so that splits are given up.
    X, y = make_stream(6000, n_features=12)
    y[3000:] = X.toarray()[3000:, 9].tolist()
    model = ExtremelyFastDecisionTreeClassifier()
    result = prequential(model, (X, y), every=50)
    nodes = model.learner.fitted().tree.nodes()
    there = sorted(nodes["split_at"][nodes["feature"] >= 0].tolist())
    assert [split.at for split in result.splits if split.until is None] == there
    given_up = [split for split in result.splits if split.until is not None]
    assert given_up
    assert all(split.at < split.until <= 6000 for split in given_up if split.until is not None)
    assert any(split.anew for split in result.splits)
    assert result.tally["split"] + result.tally["resplit"] >= len(result.splits)
    assert result.tree is not None
    assert result["nodes"] == len(result.tree.nodes)
    names = [f"word {i}" for i in range(12)]
    named = prequential(ExtremelyFastDecisionTreeClassifier(), (X, y), every=50, feature_names=names)
    assert named.splits[0].feature.startswith("word ")


def test_records_of_a_long_stream_stay_few() -> None:
    result = prequential(Majority(), ((None, i % 3 == 0) for i in range(100_000)), auc=False)
    assert 64 <= len(result.records["n"]) <= 129
    assert result.records["n"][-1] == 100_000
    steps = np.diff(result.records["n"])
    assert len(set(steps.tolist())) == 1


def test_an_empty_stream() -> None:
    result = prequential(HoeffdingTreeClassifier(), [])
    assert result.n == 0
    assert math.isnan(result["accuracy"])
    assert result.tree is None
    assert "0 points" in result.summary
    json.loads(result.to_json())


def test_one_point() -> None:
    result = prequential(HoeffdingTreeClassifier(), [(["free", "call"], "spam")])
    assert (result.n, result["accuracy"]) == (1, 0)
    assert result.confusion == {("spam", None): 1}
    assert result.tree is not None


def test_plain_data() -> None:
    X, y = make_stream(500)
    result = prequential(HoeffdingTreeClassifier(), (X, y), every=100)
    data = json.loads(result.to_json())
    assert data["n"] == 500
    assert data["records"]["n"] == [100, 200, 300, 400, 500]
    assert data["metrics"]["accuracy"] == result["accuracy"]
    assert [curve["class"] for curve in data["reliability"]] == [None, *data["classes"]]
    assert data["reliability"][0]["error"] == data["metrics"]["calibration_error"]
    assert all(sum(curve["n"]) == 499 for curve in data["reliability"])  # the first point had no answer
    assert [each["class"] for each in data["top_features"]] == sorted(data["classes"])
    assert all(0 < len(each["features"]) <= 10 for each in data["top_features"])
    assert data["parameters"]["criterion"] == "entropy"
    assert data["versions"]["sapwood"]
    table = result.to_dataframe()
    assert table["n"].tolist() == [100, 200, 300, 400, 500]
    assert (table["points_per_second"] > 0).all()
    assert str(result) == result.summary
    assert "accuracy" in result.summary
    with pytest.raises(KeyError, match="Evaluation: column must be one of"):
        result["acuracy"]


def test_progress_is_told() -> None:
    told: list[tuple[int, float]] = []
    X, y = make_stream(3000)
    prequential(HoeffdingTreeClassifier(), (X, y), progress=lambda run: told.append((run.n, run.accuracy_window)))
    assert told[-1][0] == 3000
    assert [n for n, _ in told] == sorted(n for n, _ in told)
    assert 0.5 < told[-1][1] <= 1


def test_whoever_watches_may_stop_it() -> None:
    X, y = make_stream(3000)
    result = prequential(HoeffdingTreeClassifier(), as_points(X, y), progress=PrequentialRun.stop)
    assert result.interrupted
    assert 0 < result.n < 3000
    assert "interrupted" in result.summary


@pytest.mark.parametrize("when", ["reading", "learning"])
def test_an_interrupt_keeps_what_is_done(when: str) -> None:
    model = Odds()

    def interrupt() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    def stream() -> Iterator[tuple[object, Hashable]]:
        for i in range(10_000):
            if when == "reading" and i == 1234:
                interrupt()
            yield i, i % 2

    learn = model.learn_one

    def learn_one(x: object, y: Hashable) -> None:
        if when == "learning" and x == 1234:
            interrupt()
        learn(x, y)

    model.learn_one = learn_one  # type: ignore[assignment,method-assign]
    before = signal.getsignal(signal.SIGINT)
    result = prequential(model, stream(), every=100)
    assert result.interrupted
    assert result.n == model.learned
    assert 1000 < result.n <= 1235
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_between_test_and_training_elsewhere() -> None:
    """In a thread no handler of ours is there; what was not learned is not counted."""
    model = Odds()
    learn = model.learn_one

    def learn_one(x: object, y: Hashable) -> None:
        if x == 77:
            raise KeyboardInterrupt
        learn(x, y)

    model.learn_one = learn_one  # type: ignore[assignment,method-assign]
    found: list[Evaluation] = []
    thread = threading.Thread(target=lambda: found.append(prequential(model, ((i, i % 2) for i in range(500)))))
    thread.start()
    thread.join()
    assert (found[0].n, found[0].interrupted) == (77, True)


def test_an_error_is_raised_and_what_was_done_is_kept() -> None:
    def stream() -> Iterator[tuple[Any, Hashable]]:
        for i in range(300):
            yield [i % 5], i % 2
        raise ValueError("reviews.svm, line 301: expected index:value, found 'abc'")

    run = PrequentialRun(HoeffdingTreeClassifier(), every=1000)
    with pytest.raises(ValueError, match="line 301"):
        run.feed(stream())
    assert run.result().n == 300
    run = PrequentialRun(HoeffdingTreeClassifier())
    with pytest.raises((TypeError, ValueError)):
        run.feed([([1, 2], "a"), ({3: object()}, "b"), ([4], "a")])
    assert run.result().n == 1
    run.feed([([4], "a")])
    assert run.result().n == 2


def test_a_matrix_is_checked_before_anything_is_learned() -> None:
    X, y = make_stream(100)
    model = HoeffdingTreeClassifier().fit(X, y)
    before = model.to_bytes()
    with pytest.raises(ValueError, match="features"):
        prequential(model, (X[:, :5], y))
    bad: npt.NDArray[np.float64] = X.toarray().astype(float)
    bad[77, 3] = math.inf
    with pytest.raises(ValueError, match="infinity"):
        prequential(model, (bad, y))
    assert model.to_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((object(), []), {}, TypeError, "prequential: model must have learn_one and predict_one, or partial_fit"),
        ((Majority(), 5), {}, TypeError, "prequential: stream must be"),
        ((Majority(), "text"), {}, TypeError, "prequential: stream must be"),
        ((Majority(), [5]), {}, TypeError, "prequential: stream must hold points"),
        ((Majority(), []), {"window": 0}, ValueError, "prequential: window must be at least 1, got 0"),
        ((Majority(), []), {"fading": 2}, ValueError, "prequential: fading must be above 0 and at most 1, got 2"),
        ((Majority(), []), {"every": 1.5}, TypeError, "prequential: every must be an integer, got 1.5"),
        ((Majority(), []), {"block": 2}, ValueError, "prequential: block must be 1"),
        (
            (Majority(), (np.zeros((2, 2)), [1])),
            {},
            ValueError,
            "prequential: y must have a label for every row, 2 in all",
        ),
        ((BernoulliNB(), [({"a": 1}, 0)]), {"classes": [0]}, TypeError, "prequential: x must be a row of numbers"),
        ((BernoulliNB(), [(np.zeros(2), 0)]), {}, ValueError, "prequential: classes must be given"),
    ],
)
def test_wrong_calls(arguments: tuple[Any, Any], options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        prequential(*arguments, **options)
    assert str(caught.value).startswith(message)


def test_river_models() -> None:
    river_naive_bayes = pytest.importorskip("river.naive_bayes", reason="river is not installed")
    X, y = make_stream(300)
    result = prequential(river_naive_bayes.BernoulliNB(), (X, y))
    assert result.n == 300
    assert result["accuracy"] > 0.5
    assert result["log_loss"] < 1


def test_real_text(shared_data: Any) -> None:
    file = shared_data / "sms" / "sms.orig.svm.gz"
    if not file.is_file():
        pytest.skip(f"no {file.name} among the real data")
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(file))
    model = HoeffdingTreeClassifier()
    result = prequential(model, (X, y.astype(int)))
    assert result["accuracy"] >= 0.976
    assert result["roc_auc"] > 0.97
    assert sklearn.metrics.accuracy_score(y, model.predict(X)) > result["accuracy"]
