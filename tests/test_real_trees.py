"""Prequential accuracy: each point is predicted before it is learned, with the defaults."""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.datasets import load_svmlight_file
from tree_models import CLASSIFIERS, Classifier, dicts

from sapwood import HoeffdingTreeClassifier
from sapwood._tree_classifier import StreamingTreeClassifier
from sapwood.datasets import make_sparse


def accuracy(model: StreamingTreeClassifier, points: list[dict[int, float]], labels: list[float]) -> float:
    """Return the share of points whose label was predicted before it was told."""
    right = 0
    for x, y in zip(points, labels, strict=True):
        right += model.predict_one(x) == y
        model.learn_one(x, y)
    return right / len(labels)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_stream_of_the_paper(classifier: Classifier) -> None:
    X, y = make_sparse(10_000, 10, 10_000, 0.001, seed=1)
    assert accuracy(classifier(), dicts(X), y.tolist()) >= 0.99


@pytest.mark.parametrize(
    ("file", "least"),
    [
        ("sms/sms.orig", 0.976),
        ("farm/farm.orig", 0.868),
        ("a9a/a9a.shuf", 0.840),
        ("mushrooms/mushrooms.shuf", 0.992),
        ("author-gender/author-gender.shuf", 0.798),
    ],
)
def test_real_streams(shared_data: Path, file: str, least: float) -> None:
    path = shared_data / f"{file}.svm.gz"
    if not path.is_file():
        pytest.skip(f"no data set {path.name} in the folder of real data")
    X, y = load_svmlight_file(str(path))
    assert accuracy(HoeffdingTreeClassifier(), dicts(X), y.tolist()) >= least
