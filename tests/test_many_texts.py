"""Texts and points in one call: `learn_many` of the estimators learns what `learn_one` would, in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import sapwood
from sapwood.parameters import TREES

TEXTS = ["Win cash NOW, win", "lunch at noon", "Ünïcode cash prize", "", "see you at lunch", "prize now"] * 10
LABELS = ["spam", "ham", "spam", "ham", "ham", "spam"] * 10


def _columns() -> list[Any]:
    pd = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    pa = pytest.importorskip("pyarrow", reason="pyarrow, of the extra `arrow`, is not installed")
    pl = pytest.importorskip("polars", reason="polars is not installed")
    chunks = pa.chunked_array([TEXTS[:7], TEXTS[7:]])
    return [
        TEXTS,
        tuple(TEXTS),
        pd.Series(TEXTS),
        pd.Series(TEXTS, dtype="string"),
        pa.array(TEXTS),
        chunks,
        pl.Series(TEXTS),
    ]


@pytest.mark.parametrize("kind", [each.name for each in TREES])
def test_texts_are_learned_as_their_words_are(kind: str) -> None:
    words = CountVectorizer().build_analyzer()
    points = [list(dict.fromkeys(words(text))) for text in TEXTS]
    one = getattr(sapwood, kind)()
    for point, label in zip(points, LABELS, strict=True):
        one.learn_one(point, label)
    for texts in _columns():
        many = getattr(sapwood, kind)()
        many.learn_many(texts, LABELS)
        assert many.to_bytes() == one.to_bytes()
        assert many.predict_many(texts).tolist() == [one.predict_one(point) for point in points]
        expected = [list(one.predict_proba_one(point).values()) for point in points]
        assert many.predict_proba_many(texts) == pytest.approx(np.array(expected), abs=1e-12)


def test_points_are_learned_as_one_by_one() -> None:
    points = [{"age": 30 + i % 7, "member": i % 2 == 0, "country": "fi" if i % 3 else "se"} for i in range(60)]
    labels = [i % 2 for i in range(60)]
    one, many = sapwood.HoeffdingTreeClassifier(), sapwood.HoeffdingTreeClassifier()
    for point, label in zip(points, labels, strict=True):
        one.learn_one(point, label)
    many.learn_many(points, labels)
    assert many.to_bytes() == one.to_bytes()
    assert many.predict_many(points).tolist() == [one.predict_one(point) for point in points]
    assert many.predict_proba_many(points).shape == (60, 2)


def test_before_anything_was_learned() -> None:
    model = sapwood.StreamingTreeClassifier()
    assert model.predict_many(["ab", "cd"]).tolist() == [None, None]
    assert model.predict_proba_many(["ab", "cd"]).shape == (2, 0)


def test_what_is_refused_changes_nothing() -> None:
    model = sapwood.StreamingTreeClassifier()
    model.learn_many(["ab cd", "ef"], [1, 2])
    before = model.to_bytes()
    with pytest.raises(TypeError, match=r"^StreamingTreeClassifier\.learn_many: X must be texts, or points as "):
        model.learn_many(np.zeros((2, 3)), [1, 2])
    for wrong in (None, "ab cd", 3, (text for text in ("ab", "cd"))):
        for call in (model.predict_many, model.predict_proba_many, lambda X: model.learn_many(X, [1, 2])):
            with pytest.raises(TypeError, match=r"many: X must be texts, or points as learn_one takes them .*, got "):
                call(wrong)
    with pytest.raises(TypeError, match=r"learn_many: X must be texts or points, not both, got 'ab' and None$"):
        model.learn_many(["ab", None], [1, 2])
    with pytest.raises(TypeError, match=r"learn_many: y must be a sequence of labels, got NoneType$"):
        model.learn_many(["ab", "cd"], None)
    with pytest.raises(ValueError, match=r"learn_many: y must have a label for every point of X, 2 in all, got 1$"):
        model.learn_many(["ab", "cd"], [1])
    with pytest.raises(ValueError, match=r"learn_many: y must be a label, got None$"):
        model.learn_many(["ab", "cd"], [1, None])
    with pytest.raises(TypeError, match=r"predict_many: X must be texts, or points"):
        model.predict_many(np.zeros((2, 3)))
    assert model.to_bytes() == before
