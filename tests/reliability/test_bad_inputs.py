"""100,000 bad inputs over all entry points: each is refused, and leaves the model as it was to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tree_models import BOLD, CLASSIFIERS, Classifier, state, stream

CALLS = 50_000
BETWEEN_LOOKS = 500  # calls between two comparisons of the whole state


JUNK: list[Any] = [3, None, "text", b"x", [[]], [1, []], {"a": object()}, {1: float("inf")}, {"a": 1, 2: [3]}, 1.5]
LABELS: list[Any] = [[], {}, None, float("nan")]
WEIGHTS: list[Any] = [-1, -0.5, float("nan"), "1", None, 2**31, float("inf")]


def bad_matrix(rng: np.random.Generator) -> csr_matrix:
    """Return a row with an index that is none of its columns."""
    matrix = csr_matrix((np.ones(2), [1, 5], [0, 2]), shape=(1, 32))
    matrix.indices[rng.integers(2)] = rng.choice([-1, 32, 2**31 - 1, -(2**31)])
    return matrix


def bad_call(model: Any, rng: np.random.Generator) -> Callable[[], object]:
    """Return a call that must fail, drawn at random; most are of single points, which take the least time."""

    def one_of(things: list[Any]) -> Any:
        return things[rng.integers(len(things))]

    x = one_of(JUNK)
    new = {f"new {rng.integers(1000)}": 1}
    calls: list[Callable[[], object]] = [
        lambda: model.learn_one(x, int(rng.integers(4))),
        lambda: model.learn_one(new, one_of(LABELS)),
        lambda: model.learn_one(new, "new", w=one_of(WEIGHTS)),
        lambda: model.predict_one(x),
        lambda: model.predict_proba_one(x),
    ]
    if rng.random() < 0.05:
        calls = [lambda: model.partial_fit(bad_matrix(rng), [0]), lambda: model.predict(bad_matrix(rng))]
    return calls[rng.integers(len(calls))]


@pytest.mark.slow
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_bad_inputs(classifier: Classifier) -> None:
    X, y = stream(n=100)
    model = classifier(**BOLD).fit(X, y)
    before = state(model)
    rng = np.random.default_rng(1)
    for i in range(CALLS):
        call = bad_call(model, rng)
        with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
            call()
        assert classifier.__name__ in str(caught.value)
        if i % BETWEEN_LOOKS == 0:
            assert state(model) == before
    assert state(model) == before
