"""Tree classifiers in threads: separate ones in parallel, one read by many while it learns."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from many_threads import run_all
from tree_models import BOLD, CLASSIFIERS, Classifier, content, dicts, stream

from sapwood import DynamicTreeClassifier, HoeffdingTreeClassifier, StreamingTreeClassifier
from sapwood.data.batch import Batch
from sapwood.data.matrix import binary_batch
from sapwood.estimators.checks import labelled_batch

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


def flags(n: int, width: int) -> scipy.sparse.csr_matrix:
    """Return flags that are on at random."""
    return scipy.sparse.csr_matrix((np.random.default_rng(1).random((n, width)) < 0.2).astype(np.float64))


def test_what_is_learned_is_what_was_checked() -> None:
    """Another thread may change an array in the midst of a call, as no lock forbids: what is learned is a copy."""
    X = flags(50, 20)
    X.indptr = X.indptr.astype(np.int64)  # the type of the core, as that of the indices is
    dense = np.random.default_rng(1).normal(size=(50, 3))
    y, weights = np.arange(50, dtype=np.uint16) % 2, np.ones(50)
    reading = StreamingTreeClassifier().learner.reading

    def batch_of(matrix: Any) -> Batch:
        return labelled_batch(matrix, y, weights, owner="", columns=None, reading=reading, takes_numbers=True)

    for batch in (batch_of(X), batch_of(dense), binary_batch(X, y)):
        codes = batch.y if batch.coding is None else batch.coding.codes
        values = None if batch.numbers is None else batch.numbers.values
        for own in (batch.indptr, batch.indices, codes, batch.weights, values):
            for given in (X.indptr, X.indices, X.data, dense, y, weights):
                assert own is None or not np.shares_memory(own, given)


def test_arrays_that_change_in_the_midst_of_calls_break_nothing() -> None:
    """The model is refused points, or learns some; it is whole afterwards, and saved and read like any other."""
    X = flags(400, 60)
    y, weights, done = np.arange(400) % 2, np.ones(400), threading.Event()
    changing = X.copy()
    draw = np.random.default_rng(2)

    def change() -> None:
        while not done.is_set():
            at = draw.integers(1, 400)
            kept = changing.indptr[at]
            changing.indices[draw.integers(0, X.nnz)] = draw.choice([-1, 0, 7, 59, 60, 2**31 - 1])
            changing.indptr[at] = draw.choice([-1, 0, X.nnz, 2**31 - 1])
            weights[at] = draw.choice([1, 2, np.nan, -1, 1e300])
            changing.indptr[at] = kept
            if draw.random() < 0.2:
                changing.indices[:], weights[:] = X.indices, 1

    models = [StreamingTreeClassifier(), DynamicTreeClassifier(), HoeffdingTreeClassifier()]
    for model in models:
        model.partial_fit(X, y, classes=[0, 1])

    def learn() -> None:
        try:
            for turn in range(60):
                model = models[turn % 3]
                with suppress(ValueError):
                    model.partial_fit(changing, y, sample_weight=None if turn % 2 else weights)
                with suppress(ValueError):
                    model.predict(changing)
        finally:
            done.set()

    run_all([change, learn])
    for model in models:
        saved = model.to_bytes()
        assert type(model).from_bytes(saved).to_bytes() == saved
        assert np.isfinite(model.predict_proba(X)).all()
