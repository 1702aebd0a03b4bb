"""Ways to hand over points: weights, classes that come late, names, tables, single points."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from golden.choices import AS_RECORDED, BOLD
from golden.digest import digest
from golden.model import Asked, explained, from_matrices, from_points, grown, looked_at
from golden.points import matrix, points_of, weights_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from golden.case import Fields
    from golden.points import Point


def random_state_object(learner: Any) -> Fields:
    """Draw the seed of the ties from a RandomState."""
    return from_matrices(learner(**BOLD, random_state=np.random.RandomState(3)), points_of(600, 2, 3), 400)


def weighted(learner: Any) -> Fields:
    """Weigh the rows of matrices."""
    return from_matrices(learner(**BOLD), points_of(500, 3, 4), 350, weights=weights_of(500))


def weighted_one(learner: Any) -> Fields:
    """Weigh single points, the first with 0."""
    stream = [(list(features), y) for features, y in points_of(500, 2, 4)]
    return from_points(learner(**BOLD), stream, 350, [0, *weights_of(499)])


def late(n: int, n_classes: int, seed: int) -> list[Point]:
    """Return a stream in which class k is first met after k shares of it."""
    stream = points_of(n, n_classes, seed)
    return [(list(features), min(y, i * n_classes // n)) for i, (features, y) in enumerate(stream)]


def late_classes_declared(learner: Any) -> Fields:
    """Declare five classes, of which one is never met and the others come late."""
    return from_matrices(learner(**BOLD), late(600, 4, 5), 250, classes=[9, 3, 2, 1, 0])


def late_classes_one(learner: Any) -> Fields:
    """Let classes, of several types, come late by `learn_one`."""
    called = ["zero", 1, (2, "two"), 2.5]
    return from_points(learner(**BOLD), [(x, called[y]) for x, y in late(600, 4, 6)], 250)


def late_classes_mixed(learner: Any) -> Fields:
    """Learn a matrix first, then single points of classes that it did not have."""
    stream = late(600, 3, 7)
    X, y = matrix(stream)

    def first(model: Any) -> None:
        model.fit(X[:150], y[:150])
        for features, label in stream[150:300]:
            model.learn_one(features, label)

    def then(model: Any) -> None:
        for features, label in stream[300:]:
            model.learn_one(dict.fromkeys(features, True), label)

    return grown(learner(**BOLD), first, then, Asked(X[::3], [x for x, _ in stream[::20]], y[::20].tolist()))


def classes_of_text(learner: Any) -> Fields:
    """Have classes of text, declared in another order than the sorted one."""
    X, y = matrix(points_of(500, 3, 8))
    names = np.array(["pear", "apple", "fig"])[y]
    asked = Asked(X[::3], [list(f) for f, _ in points_of(500, 3, 8)[::20]], names[::20].tolist())
    declared = ["pear", "fig", "apple"]
    return grown(
        learner(**BOLD),
        lambda m: m.partial_fit(X[:300], names[:300], classes=declared),
        lambda m: m.partial_fit(X[300:], names[300:]),
        asked,
    )


def fit_again(learner: Any) -> Fields:
    """Fit twice: the first is forgotten."""
    X, y = matrix(points_of(500, 2, 9))
    asked = Asked(X[::3], [list(f) for f, _ in points_of(500, 2, 9)[::20]], y[::20].tolist())
    return grown(
        learner(**BOLD), lambda m: m.fit(X[:99], 1 - y[:99]).fit(X[:300], y[:300]), lambda m: m.fit(X, y), asked
    )


def words(learner: Any) -> Fields:
    """Call features by words, in lists and in dicts, with words that only the questions have."""
    stream: list[tuple[Any, str]] = []
    for i, (features, y) in enumerate(points_of(500, 2, 10)):
        named = [f"word {j}" for j in features]
        stream.append((named if i % 2 else dict.fromkeys(named, True), ("ham", "spam")[y]))
    fields = from_points(learner(**BOLD), stream, 350)
    model = learner(**BOLD)
    for x, label in stream:
        model.learn_one(x, label)
    fields["unmet"] = digest(
        [explained(model.explain_one({**dict.fromkeys(x, True), "unmet": True})) for x, _ in stream[:9]]
    )
    fields["named"] = digest(model.export_text(feature_names=lambda key: f"<{key}>"))
    return fields


def text_values(learner: Any) -> Fields:
    """Have values of text and booleans in one point."""
    stream: list[tuple[Any, bool]] = []
    for i, (features, y) in enumerate(points_of(500, 2, 11)):
        on = set(features)
        x = {"sky": "blue" if 30 in on else "grey", "wet": 31 in on, "load": 41 in on}
        stream.append((x | {"side": 40 in on, f"user{i % 9}": "", "place": f"p{i % 5}"}, y == 1))
    return from_points(learner(**BOLD), stream, 350)


def mixed_names(learner: Any) -> Fields:
    """Have names of every type that a file can hold."""
    forms: list[Callable[[int], Any]] = [int, str, lambda j: (j, "pair"), lambda j: j + 0.5, lambda j: f"é{j}".encode()]
    stream = [([forms[j % 5](j) for j in features], y) for features, y in points_of(400, 3, 12)]
    return from_points(learner(**BOLD), stream, 300)


def numbers_binarized(learner: Any) -> Fields:
    """Have numbers in a sparse matrix, of which those above 1.5 are on."""
    X, y = matrix(points_of(500, 2, 13))
    X.data = np.array([(0.5, 1.5, 2.0, 7.25)[i % 4] for i in range(X.nnz)])
    points = [dict(zip(X[i].indices.tolist(), (X[i].data > 1.5).tolist(), strict=True)) for i in range(0, 500, 20)]
    return grown(
        learner(**BOLD, binarize=1.5),
        lambda m: m.fit(X[:300], y[:300]),
        lambda m: m.partial_fit(X[300:], y[300:]),
        Asked(X[::3], points, y[::20].tolist()),
    )


def long_stream(learner: Any) -> Fields:
    """Learn a longer stream of many features with the usual delta."""
    return from_matrices(learner(tau=0.1), points_of(6000, 3, 15, drift=4000, rare=1500), 5000)


def ties_only(learner: Any) -> Fields:
    """Have five features for each of three signals, that are always on together."""
    stream = [([10 * j + k for j in f if j in (30, 40, 41) for k in range(5)], y) for f, y in points_of(500, 2, 16)]
    return from_matrices(learner(**BOLD, random_state=11), stream, 300)


def one_class(learner: Any) -> Fields:
    """Meet a single class, and a second one only after the model was saved."""
    stream = [(list(features), int(i >= 200 and y)) for i, (features, y) in enumerate(points_of(400, 2, 17))]
    return from_points(learner(**BOLD), stream, 200)


def pickled(learner: Any) -> Fields:
    """Go on after a pickle."""
    X, y = matrix(points_of(500, 3, 18))
    asked = Asked(X[::3], [list(f) for f, _ in points_of(500, 3, 18)[::20]], y[::20].tolist())
    model = pickle.loads(pickle.dumps(learner(**BOLD).fit(X[:300], y[:300])))
    return looked_at(pickle.loads(pickle.dumps(model.partial_fit(X[300:], y[300:]))), asked)


def dataframe(learner: Any, *, named: bool) -> Fields:
    """Learn from tables of pandas, with names of text or without."""
    pandas = import_module("pandas")
    X, y = matrix(points_of(400, 2, 19))
    columns = [f"column {j}" for j in range(X.shape[1])] if named else list(range(X.shape[1]))
    table = pandas.DataFrame(X.toarray() > 0, columns=columns)
    points = [{columns[j]: True for j in features} for features, _ in points_of(400, 2, 19)[::20]]
    return grown(
        learner(**BOLD),
        lambda m: m.fit(table[:300], y[:300]),
        lambda m: m.partial_fit(table[300:], y[300:]),
        Asked(table[::3], points, y[::20].tolist()),
    )


def river(learner: str, *, many: bool) -> Fields:
    """Learn by way of `sapwood.river`, from dicts or from tables."""
    module = import_module("sapwood.river")
    kinds = {"vfdt": module.HoeffdingTreeClassifier, "efdt": module.ExtremelyFastDecisionTreeClassifier}
    model = kinds[learner](**BOLD, leaf_prediction=AS_RECORDED["leaf_prediction"])
    stream = [({f"f{j}": True for j in features}, ("no", "yes")[y]) for features, y in points_of(400, 2, 20)]
    if not many:
        return from_points(model, stream, 300)
    pandas = import_module("pandas")
    table = pandas.DataFrame([{f"f{j}": f"f{j}" in x for j in range(120)} for x, _ in stream])
    labels = pandas.Series([y for _, y in stream])
    asked = Asked(None, [x for x, _ in stream[::11]], labels[::11].tolist())
    fields = grown(
        model,
        lambda m: m.learn_many(table[:300], labels[:300]),
        lambda m: m.learn_many(table[300:], labels[300:]),
        asked,
    )
    shares = model.predict_proba_many(table[::9])
    told = [model.predict_many(table[::9]).tolist(), list(shares.columns), shares.to_numpy(dtype=np.float64)]
    return {**fields, "many": digest(told)}


WAYS: dict[str, Callable[[Any], Fields]] = {
    "random_state_object": random_state_object,
    "weights": weighted,
    "weights_one": weighted_one,
    "late_classes_declared": late_classes_declared,
    "late_classes_one": late_classes_one,
    "late_classes_mixed": late_classes_mixed,
    "classes_of_text": classes_of_text,
    "fit_again": fit_again,
    "words": words,
    "text_values": text_values,
    "mixed_names": mixed_names,
    "numbers_binarized": numbers_binarized,
    "long_stream": long_stream,
    "ties_only": ties_only,
    "one_class": one_class,
    "pickled": pickled,
}
