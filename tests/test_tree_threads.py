"""Tree classifiers in threads: separate ones in parallel, one read by many while it learns."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from many_threads import run_all
from tree_models import BOLD, CLASSIFIERS, Classifier, content, dicts, stream

every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


@every_classifier
def test_separate_models_in_parallel(classifier: Classifier) -> None:
    X, y = stream(n=1000, n_classes=3)
    alone = classifier(**BOLD).fit(X, y)
    models = [classifier(**BOLD) for _ in range(4)]
    run_all([lambda model=model: model.fit(X, y) for model in models])  # type: ignore[misc]  # bound at once
    assert {content(model) for model in models} == {content(alone)}


@every_classifier
def test_many_read_while_others_learn(classifier: Classifier) -> None:
    """Classes appear meanwhile; each answer is one of some moment."""
    X, y = stream(n=600, n_classes=5)
    model = classifier(**BOLD).fit(X[:20], y[:20] % 2)
    done = threading.Event()

    def learn(start: int) -> Callable[[], None]:
        def run() -> None:
            try:
                for x, label in zip(dicts(X[start::2]), y[start::2].tolist(), strict=True):
                    model.learn_one(x, label)
            finally:
                done.set()

        return run

    def read() -> None:
        while not done.is_set():
            assert np.allclose(model.predict_proba(X[:50]).sum(axis=1), 1)
            assert set(model.predict(X[:50]).tolist()) <= set(range(5))
            assert sum(model.predict_proba_one([30]).values()) == pytest.approx(1)
            model.summary()
            model.decision_path(X[:50])
            classifier.from_bytes(model.to_bytes())

    run_all([learn(0), learn(1), read, read])
    assert model.n_points_ == 620
    assert model.classes_.tolist() == list(range(5))


def test_a_writer_does_not_wait_for_readers_that_never_pause() -> None:
    """Eight threads predict without pause; each point learned meanwhile waits for a few of them, not for all."""
    X, y = stream(n=2000, n_classes=3)
    model = CLASSIFIERS[0](**BOLD).fit(X, y)
    done = threading.Event()
    answered: list[int] = []

    def read() -> None:
        n = 0
        while not done.is_set():
            model.predict(X)
            n += 1
        answered.append(n)

    def learn() -> None:
        try:
            for x, label in zip(dicts(X[:20]), y[:20].tolist(), strict=True):
                model.learn_one(x, label)
        finally:
            done.set()

    run_all([read] * 8 + [learn])
    # A turn for each point: the readers get in a few times in between, not thousands of times.
    assert sum(answered) < 20 * 8 * 10
