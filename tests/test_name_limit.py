"""`max_name_bytes`: an endless supply of new words takes no more memory, and what is known stays known."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import done

import sapwood
from sapwood import HoeffdingTreeClassifier, StreamingForestClassifier, StreamingTreeClassifier, load_model
from sapwood.stream import read

LIMIT = 1 << 20
N = 5_000


def endless(n: int, start: int = 0) -> list[tuple[list[str], int]]:
    """Points with a word that tells the class and three that were never seen before."""
    return [([f"class{i % 2}", f"new{i}", f"newer{i}", f"ever{i}é"], i % 2) for i in range(start, start + n)]


def as_text(points: list[tuple[list[str], int]]) -> bytes:
    return "".join(f"{y}\t{' '.join(x)}\n" for x, y in points).encode()


@pytest.mark.parametrize("classifier", [HoeffdingTreeClassifier, StreamingForestClassifier])
def test_the_memory_of_names_is_bounded_after_every_point(classifier: Any) -> None:
    model, free = (classifier(max_name_bytes=limit, **_small(classifier)) for limit in (LIMIT, None))
    points = endless(N)
    for i, (x, y) in enumerate(points):
        model.learn_one(x, y)
        if i % 250 == 0:
            assert model.summary().vocabulary_bytes <= LIMIT
        free.learn_one(x, y)
    assert free.summary().vocabulary_bytes > 2 * LIMIT
    # What was new when there was no room is one of a few.
    names = model.learner.fitted().features_seen()
    shared = [name for name in names if name.startswith("(other names ")]
    assert 900 < len(shared) <= 1024
    assert {"class0", "class1"} <= set(names)
    right = sum(model.predict_one(x) == y for x, y in endless(100, start=10**6))
    assert right == 100


def _small(classifier: Any) -> dict[str, Any]:
    return {"n_estimators": 2} if classifier is StreamingForestClassifier else {}


def test_batches_and_single_points_make_the_same_model() -> None:
    points = endless(N)
    single, batches = HoeffdingTreeClassifier(max_name_bytes=LIMIT), HoeffdingTreeClassifier(max_name_bytes=LIMIT)
    for x, y in points:
        single.learn_one(x, str(y))
    for batch in read(io.BytesIO(as_text(points)), format="text", batch_size=700):
        batches.learner.learn(batch)
    assert single.to_bytes() == batches.to_bytes()
    # Words that were never met share features, too; those of one point may share one.
    unknown = endless(300, start=10**6)
    asked = read(io.BytesIO(as_text(unknown)), format="text", batch_size=300)
    found = batches.learner.predict_proba(next(iter(asked)))
    expected = [[single.predict_proba_one(x)[label] for label in ("0", "1")] for x, _ in unknown]
    np.testing.assert_array_equal(found, expected)


def test_a_model_that_was_kept_goes_on_alike(tmp_path: Path) -> None:
    model = StreamingTreeClassifier(max_name_bytes=LIMIT)
    for x, y in endless(N):
        model.learn_one(x, y)
    model.save(tmp_path / "m.sapwood")
    others = [load_model(tmp_path / "m.sapwood"), pickle.loads(pickle.dumps(model))]
    for x, y in endless(500, start=N):
        for each in (model, *others):
            each.learn_one(x, y)
    assert all(other.max_name_bytes == LIMIT for other in others)
    assert {other.to_bytes() for other in others} == {model.to_bytes()}
    assert {other.summary().n_features_seen for other in others} == {model.summary().n_features_seen}


def test_the_limit_in_force_is_the_one_that_is_kept() -> None:
    model = HoeffdingTreeClassifier(max_name_bytes=LIMIT)
    for x, y in endless(N):
        model.learn_one(x, y)
    model.set_params(max_name_bytes=None)  # for the next model that is fitted
    other = HoeffdingTreeClassifier.from_bytes(model.to_bytes())
    for x, y in endless(500, start=N):
        model.learn_one(x, y)
        other.learn_one(x, y)
    assert other.to_bytes() == model.to_bytes()
    assert other.summary().n_features_seen == model.summary().n_features_seen


def test_two_names_of_one_point_may_share_a_feature() -> None:
    model = HoeffdingTreeClassifier(max_name_bytes=LIMIT)
    for x, y in endless(N):
        model.learn_one(x, y)
    before = model.summary().n_features_seen
    # More than there are features to share.
    many = [f"another{i}" for i in range(3000)]
    model.learn_one(many, 0)
    text = f"0\t{' '.join(many)}\n".encode()
    (batch,) = read(io.BytesIO(text), format="text")
    rows = model.learner.fitted().rows(batch, make=True)
    assert len(rows.ids) == len(set(rows.ids.tolist())) <= 1024
    assert model.summary().n_features_seen <= before + 1024


def test_equal_names_share_one_feature_however_they_are_written() -> None:
    model = HoeffdingTreeClassifier(max_name_bytes=LIMIT)
    for x, y in endless(N):
        model.learn_one(x, y)
    for a, b in [(-1, -1.0), (2**31, 2.0**31), ((1, "a"), (1.0, "a")), (("b", (2,)), ("b", (2.0,)))]:
        model.learn_one([a], 0)
        before = model.summary().n_features_seen
        model.learn_one([b], 0)
        assert model.summary().n_features_seen == before


def test_the_names_of_shared_features_are_refused() -> None:
    model = HoeffdingTreeClassifier(max_name_bytes=LIMIT)
    model.learn_one(["a"], 0)
    with pytest.raises(ValueError, match="features must not be named as those that many names share"):
        model.learn_one(["(other names 17)"], 0)
    assert model.summary().n_features_seen == 1


def test_categories_share_features_too() -> None:
    model = StreamingTreeClassifier(max_name_bytes=LIMIT)
    for i in range(N):
        model.learn_one({"city": f"place number {i}", "age": i % 90, "member": i % 2 == 0}, i % 2)
    assert model.summary().vocabulary_bytes <= LIMIT + 200_000  # what is known of numbers and categories
    assert model.predict_one({"city": "elsewhere", "age": 20, "member": True}) == 0


@pytest.mark.parametrize("wrong", [0, 1000, -1, 2.5, "1MB", True])
def test_a_limit_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="max_name_bytes must be"):
        HoeffdingTreeClassifier(max_name_bytes=wrong).learn_one(["a"], 0)


def test_growth_by_batches_takes_none() -> None:
    model = StreamingTreeClassifier(batch_growth=True, leaf_prediction="majority", max_name_bytes=LIMIT)
    with pytest.raises(ValueError, match="max_name_bytes must be None for batch_growth, got 1048576"):
        model.fit([[0, 1], [1, 0]], [0, 1])


def test_columns_have_no_names() -> None:
    model = HoeffdingTreeClassifier(max_name_bytes=LIMIT)
    for i in range(20_000):
        model.learn_one([i, i + 1], i % 2)
    assert model.summary().n_features_seen == 20_001


def test_the_command_line_and_river_have_it(tmp_path: Path) -> None:
    texts = tmp_path / "t.tsv"
    texts.write_bytes(as_text(endless(N)))
    model = tmp_path / "m.sapwood"
    done("train", texts, "--model", model, "--max-name-bytes", "1MiB")
    assert load_model(model).max_name_bytes == LIMIT
    assert load_model(model).summary().vocabulary_bytes <= LIMIT
    assert "max_name_bytes" in sapwood.river.HoeffdingTreeClassifier(max_name_bytes=LIMIT)._get_params()
