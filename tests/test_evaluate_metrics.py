"""Every metric equals what scikit-learn computes from the same points, over all, the last, or fading."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.evaluate import (
    F1,
    Accuracy,
    CalibrationError,
    ConfusionMatrix,
    Kappa,
    KappaTemporal,
    LogLoss,
    Metric,
    RocAuc,
)

Point = tuple[str, str, dict[Hashable, float]]
CLASSES = ("a", "b", "c")

METRICS: list[Callable[..., Metric]] = [
    Accuracy,
    Kappa,
    KappaTemporal,
    F1,
    LogLoss,
    RocAuc,
    CalibrationError,
    ConfusionMatrix,
]


@st.composite
def streams(draw: st.DrawFn, n_classes: int = 3) -> list[Point]:
    """Points with probabilities in 64ths, which add up to 1 exactly; at least one."""
    labels = CLASSES[:n_classes]
    points: list[Point] = []
    for _ in range(draw(st.integers(1, 40))):
        cuts = sorted(draw(st.lists(st.integers(0, 64), min_size=n_classes - 1, max_size=n_classes - 1)))
        shares = np.diff([0, *cuts, 64]) / 64
        points.append(
            (
                draw(st.sampled_from(labels)),
                draw(st.sampled_from(labels)),
                dict(zip(labels, shares.tolist(), strict=True)),
            )
        )
    return points


def fed(metric: Metric, points: Sequence[Point]) -> Metric:
    for point in points:
        metric.update(*point)
    return metric


def quiet(function: Callable[..., float], *args: Any, **options: Any) -> float:
    """What a function of scikit-learn returns, without its warnings about what is not defined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function(*args, **options))


def kappa_temporal(
    points: Sequence[Point], _shares: np.ndarray, weights: Sequence[float], unchanged: Sequence[bool]
) -> float:
    share = np.average([true == predicted for true, predicted, _ in points], weights=weights)
    same = np.average(unchanged, weights=weights)
    return float((share - same) / (1 - same)) if same < 1 - 1e-12 else math.nan


def calibration_error(
    points: Sequence[Point], shares: np.ndarray, weights: Sequence[float], _unchanged: Sequence[bool]
) -> float:
    """A bin at a time; of several most probable classes each counts as its share."""
    top = shares.max(axis=1)
    right = []
    for point, row, most in zip(points, shares, top, strict=True):
        best = [c for c, share in zip(CLASSES, row, strict=True) if share == most]
        right.append((point[0] in best) / len(best))
    error = 0.0
    for low in range(10):
        here = [i for i, p in enumerate(top) if min(int(p * 10), 9) == low]
        error += abs(sum(weights[i] * (top[i] - right[i]) for i in here))
    return float(error / sum(weights))


# What scikit-learn does not have.
BY_DEFINITION: dict[str, Callable[..., float]] = {
    "KappaTemporal": kappa_temporal,
    "CalibrationError": calibration_error,
}


def expected(name: str, points: Sequence[Point], weights: Sequence[float], unchanged: Sequence[bool]) -> float:
    """The metric by scikit-learn, and by its definition where that has none."""
    true = [point[0] for point in points]
    predicted = [point[1] for point in points]
    shares = np.array([[point[2].get(label, 0.0) for label in CLASSES] for point in points])
    if name == "Accuracy":
        return quiet(sklearn.metrics.accuracy_score, true, predicted, sample_weight=weights)
    if name == "Kappa":
        return quiet(sklearn.metrics.cohen_kappa_score, true, predicted, sample_weight=weights)
    if name == "F1":
        return quiet(sklearn.metrics.f1_score, true, predicted, average="macro", sample_weight=weights)
    if name == "LogLoss":
        shares = np.clip(shares, np.finfo(float).eps, 1 - np.finfo(float).eps)
        return quiet(sklearn.metrics.log_loss, true, shares, labels=CLASSES, sample_weight=weights)
    if name in BY_DEFINITION:
        return BY_DEFINITION[name](points, shares, weights, unchanged)
    assert name == "RocAuc"
    areas = [
        quiet(sklearn.metrics.roc_auc_score, [t == label for t in true], shares[:, k], sample_weight=weights)
        for k, label in enumerate(CLASSES)
        if 0 < sum(t == label for t in true) < len(true)
    ]
    return float(np.mean(areas)) if areas else math.nan


@pytest.mark.parametrize("metric", METRICS[:-1])
@given(points=st.integers(2, 3).flatmap(streams), window=st.integers(1, 50), fading=st.sampled_from([1.0, 0.99, 0.7]))
@settings(max_examples=40)
def test_equals_scikit_learn(metric: Callable[..., Metric], points: list[Point], window: int, fading: float) -> None:
    name = metric.__name__
    unchanged = [False] + [points[i][0] == points[i - 1][0] for i in range(1, len(points))]
    n = len(points)
    whole = fed(metric(), points)
    last = fed(metric(window=window), points)
    faded = fed(metric(fading=fading), points)
    start = max(0, n - window)
    near: dict[str, Any] = {"rel": 1e-9, "abs": 1e-12, "nan_ok": True}
    if metric is CalibrationError:
        near["abs"] = 1e-7  # a third, where three classes are equally probable, is rounded to 2^-24
    assert last.value == pytest.approx(expected(name, points[start:], [1] * (n - start), unchanged[start:]), **near)
    # Histograms of scores tell how far off they may be.
    slack = {**near}
    if isinstance(whole, RocAuc) and isinstance(faded, RocAuc):
        assert isinstance(last, RocAuc)
        assert last.largest_error == 0
        errors = [whole.largest_error, faded.largest_error]
        slack["abs"] = max([error for error in errors if not math.isnan(error)], default=0)
        slack["abs"] += 1e-12
    assert whole.value == pytest.approx(expected(name, points, [1] * n, unchanged), **slack)
    weights = [fading ** (n - 1 - i) for i in range(n)]
    assert faded.value == pytest.approx(expected(name, points, weights, unchanged), **slack)


@given(points=streams())
@settings(max_examples=20)
def test_reading_at_every_point_changes_nothing(points: list[Point]) -> None:
    for make in METRICS:
        for memory in ({}, {"window": 5}, {"fading": 0.9}):
            metric = make(**memory)
            for point in points:
                metric.update(*point)
                assert isinstance(metric.value, float)
            # A kappa far below zero divides by what chance leaves: what differs is in proportion to it.
            unread = fed(make(**memory), points).value
            assert metric.value == pytest.approx(unread, nan_ok=True, rel=1e-12, abs=1e-12)


@given(points=streams())
def test_confusion_matrix_equals_scikit_learn(points: list[Point]) -> None:
    metric = ConfusionMatrix()
    fed(metric, points)
    true = [point[0] for point in points]
    predicted = [point[1] for point in points]
    matrix = sklearn.metrics.confusion_matrix(true, predicted, labels=[*metric.classes, "none of them"])[:-1, :-1]
    assert (metric.matrix[:, :-1] == matrix).all()
    assert not metric.matrix[:, -1].any()
    assert fed(ConfusionMatrix(fading=0.9), points).matrix.sum() == pytest.approx(1)  # type: ignore[attr-defined]


@pytest.mark.parametrize("memory", [{}, {"window": 3}, {"fading": 0.5}])
def test_nothing_is_nan(memory: dict[str, Any]) -> None:
    for make in METRICS:
        assert math.isnan(make(**memory).value)


@pytest.mark.parametrize("memory", [{}, {"window": 100}, {"fading": 0.5}, {"fading": 1e-30}])
def test_one_class_only(memory: dict[str, Any]) -> None:
    point: Point = ("a", "a", {"a": 1.0})
    for n in (1, 1000):
        values = {make.__name__: fed(make(**memory), [point] * n).value for make in METRICS}
        assert values["Accuracy"] == values["F1"] == values["ConfusionMatrix"] == 1
        assert values["LogLoss"] == pytest.approx(0, abs=1e-12)
        # Against chance, or a class that is the only one, there is nothing to be better at.
        assert math.isnan(values["Kappa"])
        assert math.isnan(values["RocAuc"])
        assert math.isnan(values["KappaTemporal"]) or values["KappaTemporal"] == 1


def test_a_class_that_appears_late() -> None:
    points: list[Point] = [("a", "a", {"a": 1.0}) for _ in range(300)]
    points += [("b", "a", {"a": 1.0}), ("b", "b", {"a": 0.2, "b": 0.8})]
    assert fed(Accuracy(), points).value == pytest.approx(301 / 302)
    # Of the pairs of a `b` and an `a`, 300 are in order and 300 tied, where nothing was known of `b`.
    assert fed(RocAuc(), points).value == pytest.approx(0.75)
    assert fed(RocAuc(window=1000), points).value == pytest.approx(0.75)
    # 36.04 for a class held impossible.
    assert fed(LogLoss(window=2), points).value == pytest.approx((-math.log(np.finfo(float).eps) - math.log(0.8)) / 2)


def test_no_answer_is_wrong_and_no_class() -> None:
    accuracy, f1, confusion = Accuracy(), F1(), ConfusionMatrix()
    for metric in (accuracy, f1, confusion):
        metric.update("a", None)
        metric.update("a", "a")
    assert accuracy.value == confusion.value == 0.5
    assert f1.value == pytest.approx(2 / 3)
    assert confusion.classes == ["a"]
    assert confusion.matrix.tolist() == [[1, 1]]


def test_f1_of_one_class() -> None:
    points: list[Point] = [("a", "b", {}), ("b", "b", {}), ("b", "a", {}), ("a", "a", {}), ("b", "b", {})]
    true, predicted = [p[0] for p in points], [p[1] for p in points]
    score = sklearn.metrics.f1_score(true, predicted, pos_label="b")
    assert fed(F1(positive="b"), points).value == pytest.approx(score)
    assert math.isnan(fed(F1(positive="z"), points).value)


def test_a_window_forgets_without_a_trace() -> None:
    generator = np.random.default_rng(5)
    old: list[Point] = [("a", "b", {"a": float(p), "b": 1 - float(p)}) for p in generator.random(5000) ** 9]
    new: list[Point] = [("b", "b", {"a": float(p), "b": 1 - float(p)}) for p in generator.random(50)]
    assert fed(LogLoss(window=50), old + new).value == pytest.approx(fed(LogLoss(), new).value, rel=1e-12)


def test_bins_of_scores_are_fine_enough() -> None:
    generator = np.random.default_rng(6)
    metric = RocAuc()
    scores = generator.beta(0.5, 0.5, 5000)
    true = generator.random(5000) < scores
    for score, label in zip(scores.tolist(), true.tolist(), strict=True):
        metric.update(label, None, {True: score, False: 1 - score})
    assert metric.value == pytest.approx(sklearn.metrics.roc_auc_score(true, scores), abs=metric.largest_error)
    assert metric.largest_error < 2e-3


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"window": 0}, ValueError, "Accuracy: window must be at least 1, got 0"),
        ({"window": 2.0}, TypeError, "Accuracy: window must be an integer, got 2.0"),
        ({"window": True}, TypeError, "Accuracy: window must be an integer, got True"),
        ({"fading": 0}, ValueError, "Accuracy: fading must be above 0 and at most 1, got 0"),
        ({"fading": math.nan}, ValueError, "Accuracy: fading must be above 0 and at most 1, got nan"),
        ({"fading": "1"}, TypeError, "Accuracy: fading must be a number, got '1'"),
        ({"window": 5, "fading": 0.5}, ValueError, "Accuracy: window must be None where fading is given, got 5"),
    ],
)
def test_parameters_are_checked(wrong: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        Accuracy(**wrong)
    assert str(caught.value) == message


def test_a_wrong_update_changes_nothing() -> None:
    metric = LogLoss()
    metric.update("a", "a", {"a": 0.5})
    wrong: list[tuple[Any, ...]] = [
        (None, "a", {"a": 0.5}),
        ("a", "a", None),
        ("a", "a", 0.5),
        ("a", "a", {"a": math.nan}),
        ("a", "a", {"a": 1.5}),
        ([], "a", {"a": 0.5}),
        ("a", [], {"a": 0.5}),
    ]
    for arguments in wrong:
        with pytest.raises((TypeError, ValueError)):
            metric.update(*arguments)
    assert metric.value == pytest.approx(math.log(2))


def test_repr_says_the_value() -> None:
    assert repr(fed(Accuracy(window=10), [("a", "a", {}), ("b", "a", {})])) == "Accuracy(window=10): 0.5"
    assert repr(F1(positive="spam")) == "F1(positive='spam'): nan"


def test_reliability_curve() -> None:
    metric = CalibrationError()
    for i in range(10):
        metric.update("a" if i < 8 else "b", "a", {"a": 0.75, "b": 0.25})
    metric.update("b", "b", {"a": 0.0, "b": 1.0})
    metric.update("a", None, {})  # no answer
    curve = metric.curve
    assert curve.n == (0, 0, 0, 0, 0, 0, 0, 10, 0, 1)
    assert (curve.mean[7], curve.share[7]) == (0.75, 0.8)
    assert (curve.mean[9], curve.share[9]) == (1.0, 1.0)
    assert all(math.isnan(curve.mean[i]) and math.isnan(curve.share[i]) for i in (0, 1, 2, 3, 4, 5, 6, 8))
    assert metric.value == curve.error == pytest.approx(10 / 11 * 0.05)


def test_calibration_over_a_window_forgets_exactly() -> None:
    rng = np.random.default_rng(0)
    metric = CalibrationError(window=1)
    for share in rng.random(2000).tolist():
        metric.update("a", "a", {"a": share, "b": 1 - share})
    metric.update("a", "a", {"a": 1.0, "b": 0.0})
    assert metric.value == 0.0
    assert sum(metric.curve.n) == 1
