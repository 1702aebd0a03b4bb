"""Forests that are the same to the last byte: over threads, chunks and single points, copies and files, and papers."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

import sapwood
from sapwood import _core
from sapwood.data import Batch
from sapwood.parameters import TREES

FORESTS = [kind.name for kind in TREES if kind.core == "Forest"]
every_forest = pytest.mark.parametrize("name", FORESTS)
# What makes trees of a few hundred points split, warn and drift.
BOLD: dict[str, Any] = {"delta": 0.3, "warning_delta": 0.3, "drift_delta": 0.1, "n_estimators": 3, "random_state": 4}


class Weighed(NamedTuple):
    """A point, its class and its weight."""

    x: dict[str, Any]
    y: str
    w: float


def points_of_all_kinds(n: int, seed: int = 0, n_words: int = 1) -> list[Weighed]:
    """Return flags, numbers and categories, some missing, of weights that are not whole or 0.

    The rule turns half way; a third class, a number and a category come after a third of the points. Each point has so
    many words, of which few come again if they are many.
    """
    rng = np.random.default_rng(seed)
    points = []
    for i in range(n):
        age, country = float(rng.integers(20, 60)), "abc"[rng.integers(3)]
        is_yes = ((age > 40) if i < n // 2 else (country == "b")) ^ (rng.random() < 0.05)
        x: dict[str, Any] = {"age": age, "country": country, "flag": rng.random() < 0.5}
        x |= {f"w{j}": True for j in rng.integers(30 * n_words**2, size=n_words)}
        y = "yes" if is_yes else "no"
        if i > n // 3:
            x |= {"late": float(rng.normal()), "shade": "xyz"[rng.integers(3)]}
            y = "maybe" if rng.random() < 0.1 else y
        for name in ("age", "country"):
            if rng.random() < 0.1:
                del x[name]
        points.append(Weighed(x, y, float(rng.choice([0.0, 0.3, 1.0, 1.0, 2.5]))))
    return points


def batch_of(points: Sequence[Weighed]) -> Batch:
    """Return points as one batch."""
    batch = Batch.of_points([point.x for point in points], [point.y for point in points])
    return replace(batch, weights=np.array([point.w for point in points]))


def learned(
    name: str, points: Sequence[Weighed], sizes: Sequence[int] | None = None, asks: bool = False, **parameters: Any
) -> Any:
    """Return a forest that has learned points, in batches of sizes in turn, or one by one."""
    model = getattr(sapwood, name)(**parameters)
    start = turn = 0
    while start < len(points):
        if sizes is None:
            model.learn_one(points[start].x, points[start].y, w=points[start].w)
            start += 1
            continue
        part = points[start : start + sizes[turn % len(sizes)]]
        teach = model.learner.test_then_learn if asks else model.learner.learn
        teach(batch_of(part))
        start, turn = start + len(part), turn + 1
    return model


def bytes_of(model: Any) -> bytes:
    """Return the file of a model, which would tell how many threads made it."""
    return bytes(model.set_params(n_jobs=None).to_bytes())


@every_forest
@pytest.mark.parametrize("leaf_prediction", ["mixed", "naive_bayes"])
def test_neither_threads_nor_chunks_nor_single_points_matter(name: str, leaf_prediction: Any) -> None:
    points = points_of_all_kinds(700)
    parameters = {**BOLD, "leaf_prediction": leaf_prediction}
    one_by_one = learned(name, points, **parameters)
    expected = bytes_of(one_by_one)
    for n_jobs, sizes in ((1, [700]), (3, [700]), (2, [1, 97, 13]), (-1, [350])):
        for asks in (False, True):
            found = learned(name, points, sizes, asks, n_jobs=n_jobs, **parameters)
            assert bytes_of(found) == expected, (n_jobs, sizes, asks)
    assert one_by_one.get_n_leaves() > 3
    assert one_by_one.summary().n_drifts > 0 or parameters_of(name)["on_drift"] == "nothing"


@every_forest
@pytest.mark.parametrize("leaf_prediction", ["mixed", "naive_bayes"])
def test_nor_do_they_where_memory_is_limited(name: str, leaf_prediction: Any) -> None:
    """So that leaves, and the trunk that all share, stop learning what is new."""
    points = points_of_all_kinds(600, n_words=25)
    parameters = {**BOLD, "leaf_prediction": leaf_prediction}
    free, limit = learned(name, points, [600], **parameters).summary().tree_bytes, 620_000
    one_by_one = learned(name, points, max_bytes=limit, **parameters)
    assert one_by_one.summary().tree_bytes <= limit < free
    expected = bytes_of(one_by_one)
    for n_jobs, sizes in ((1, [600]), (3, [600]), (2, [1, 297, 13])):
        found = learned(name, points, sizes, n_jobs=n_jobs, max_bytes=limit, **parameters)
        assert bytes_of(found) == expected, (n_jobs, sizes)


@pytest.mark.parametrize("leaf_prediction", ["mixed", "majority"])
@pytest.mark.parametrize("name", [name for name in FORESTS if getattr(sapwood, name)().on_drift == "swap"])
def test_copies_made_in_the_midst_of_a_warning_go_on(name: str, leaf_prediction: Any, tmp_path: Any) -> None:
    """While a tree learns in the background, and until it has taken the place."""
    points = points_of_all_kinds(800, seed=1)
    model = getattr(sapwood, name)(**BOLD | {"drift_delta": 0.01, "leaf_prediction": leaf_prediction})
    copies: list[Any] = []
    n_swapped = 0
    for point in points:
        model.learn_one(point.x, point.y, w=point.w)
        for each in copies:
            each.learn_one(point.x, point.y, w=point.w)
        if not copies and core_of(model).n_background() > 0:
            model.save(tmp_path / "model.sapwood")
            copies = [sapwood.load_model(tmp_path / "model.sapwood"), type(model).from_bytes(model.to_bytes())]
            copies += [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
            n_swapped = model.summary().n_trees_swapped
            for each in copies:
                assert each.to_bytes() == model.to_bytes()
                assert core_of(each).n_background() > 0
    assert copies
    assert model.summary().n_trees_swapped > n_swapped
    for each in copies:
        assert each.to_bytes() == model.to_bytes()


def core_of(model: Any) -> _core.Forest:
    """Return the forest of the core that a model holds."""
    found = model.learner.fitted().tree
    assert isinstance(found, _core.Forest)
    return found


def parameters_of(name: str) -> dict[str, Any]:
    """Return the defaults of a forest."""
    found: dict[str, Any] = getattr(sapwood, name)().get_params()
    return found
