"""The classifiers that follow a changing stream, as users meet them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sapwood import (
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    SlidingWindowTreeClassifier,
    load_model,
)
from sapwood.datasets import make_text
from sapwood.evaluate import prequential

BOTH = [
    SlidingWindowTreeClassifier(window_size=700, tau=0.2, delta=0.1, swap_delta=0.2, shuffle=False),
    HoeffdingAdaptiveTreeClassifier(window_size=2000, tau=0.2, delta=0.1, drift_delta=0.05, shuffle=False),
]
each = pytest.mark.parametrize("model", BOTH, ids=lambda model: type(model).__name__)


@pytest.fixture(scope="module")
def changing() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Points whose label is one of their features, then another, then the opposite of the first."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(4500, 8), dtype=np.uint8)
    y = np.concatenate([X[:1500, 0], X[1500:3000, 1], 1 - X[3000:, 0]]).astype(np.int64)
    return X, y ^ (rng.random(4500) < 0.1)


def fresh(model: Any) -> Any:
    return type(model)(**model.get_params())


@each
def test_a_saved_model_goes_on_as_if_it_had_not_stopped(model: Any, changing: Any, tmp_path: Path) -> None:
    X, y = changing
    whole = fresh(model).partial_fit(X, y, classes=[0, 1])
    parts = fresh(model)
    for start in range(0, X.shape[0], 750):
        parts.partial_fit(X[start : start + 750], y[start : start + 750], classes=[0, 1])
        parts.save(tmp_path / "model")
        parts = load_model(tmp_path / "model")
    assert parts.to_bytes() == whole.to_bytes()
    summary = whole.summary()
    assert summary.n_splits_made > 0
    assert summary.recent_bytes > 0
    assert summary.n_alternates_started > 0


@each
def test_it_recovers_where_a_tree_that_remembers_does_not(model: Any, changing: Any) -> None:
    X, y = changing
    follows = prequential(fresh(model).set_params(leaf_prediction="majority"), (X, y))["accuracy"]
    remembers = prequential(HoeffdingTreeClassifier(tau=0.2, delta=0.1, leaf_prediction="majority"), (X, y))["accuracy"]
    assert follows > remembers + 0.05


@each
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"search": "approximate"},
            "search must be one of 'certified', 'exhaustive', got 'approximate'",
        ),
        ({"split_test": "evidence"}, "split_test must be one of 'hoeffding', 'mcdiarmid', 'gaussian', got 'evidence'"),
        ({"window_size": 0}, "window_size must be at least 1, got 0"),
        ({"patience": 0}, "patience must be at least 1, got 0"),
        ({"swap_delta": 1.0}, "swap_delta must be between 0 and 1, got 1"),
    ],
    ids=str,
)
def test_what_it_refuses(model: Any, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fresh(model).set_params(**changed).fit(np.eye(4), [0, 1, 0, 1])


@each
def test_the_points_are_part_of_the_memory(model: Any, changing: Any) -> None:
    X, y = changing
    limited = fresh(model).set_params(max_bytes=1 << 17, window_size=50_000).fit(X, y)
    summary = limited.summary()
    assert summary.tree_bytes <= 1 << 17
    assert 0 < summary.recent_bytes <= 1 << 16


@pytest.mark.parametrize("name", ["SlidingWindowTreeClassifier", "HoeffdingAdaptiveTreeClassifier"])
def test_river_has_the_same_tree(name: str) -> None:
    river = pytest.importorskip("sapwood.river")
    sapwood = pytest.importorskip("sapwood")
    X, y = make_text(600, d=40, length=5, seed=4)
    one, other = getattr(river, name)(window_size=200), getattr(sapwood, name)(window_size=200)
    for i, label in enumerate(y):
        point = dict.fromkeys(X.indices[X.indptr[i] : X.indptr[i + 1]].tolist(), 1)
        one.learn_one(point, int(label))
        other.learn_one(point, int(label))
    assert one.classifier.to_bytes() == other.to_bytes()
