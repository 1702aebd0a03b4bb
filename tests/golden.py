"""What the learners, the split finder and the streams do, in digests: cases, and how each is computed.

Only the public interface is used, so that the digests outlive any change of what is behind it. A case is a field by
field account: a digest says that something differs, the numbers in plain text beside it help to see what. Floats count
to the last bit. Memory in bytes is left out everywhere, and so are the bytes of files.

``python tests/golden.py --write [group ...]`` records the digests in ``tests/golden``, a file a group.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import hashlib
import io
import json
import lzma
import math
import pickle
import platform
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache, partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from sapwood import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier, SplitFinder, load_model

FOLDER = Path(__file__).resolve().with_suffix("")
Point = tuple[list[int], int]
Fields = dict[str, Any]
# Points in the order given, whichever way they come.
LEARNERS: dict[str, Any] = {
    "vfdt": partial(HoeffdingTreeClassifier, shuffle=False),
    "efdt": partial(ExtremelyFastDecisionTreeClassifier, shuffle=False),
}
LEAVES = ("adaptive", "majority", "naive_bayes", "logistic")
# Parameters that there were none of when the digests were recorded; what they are by default changes nothing.
NEW_PARAMETERS = ("class_weight", "shuffle")
IN_BYTES = ("tree_bytes", "vocabulary_bytes", "bytes", "bytes_per_point")
# What a criterion and a number of classes leave to choose from.
SEARCHES = {
    ("entropy", 2): ("certified", "exhaustive", "approximate"),
    ("entropy", 3): ("certified", "exhaustive"),
    ("entropy", 5): ("certified", "exhaustive"),
    ("gini", 2): ("certified", "exhaustive", "approximate"),
    ("gini", 3): ("certified", "exhaustive"),
    ("gini", 5): ("certified", "exhaustive"),
    ("kearns_mansour", 2): ("certified", "exhaustive"),
}
TESTS = {
    "entropy": ("hoeffding", "mcdiarmid", "gaussian"),
    "gini": ("hoeffding", "mcdiarmid", "gaussian"),
    "kearns_mansour": ("hoeffding", "gaussian"),
}
BOLD = {"delta": 0.2, "tau": 0.2}
# McDiarmid's bound is far wider: with the usual tau a short stream decides nothing.
BOLD_FOR = {("mcdiarmid", "entropy"): {"delta": 0.3, "tau": 15.0}, ("mcdiarmid", "gini"): {"delta": 0.3, "tau": 0.6}}


@dataclass(frozen=True)
class Case:
    """A case: its group and name, how its fields are computed, and what must be there for that."""

    group: str
    name: str
    compute: Callable[[], Fields]
    needs: str | None = None
    """An optional package."""
    file: str | None = None
    """A data set, in the folder of real data."""


CASES: dict[tuple[str, str], Case] = {}


def enter(group: str, name: str, compute: Callable[[], Fields], **needs: str | None) -> None:
    """Add a case."""
    assert (group, name) not in CASES, f"two cases are called {name}"
    CASES[group, name] = Case(group, name, compute, **needs)


# ---- digests ----------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return what JSON does not know as what it knows."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"kind": value.dtype.kind, "shape": value.shape, "values": value.tolist()}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if is_dataclass(value):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    raise TypeError(f"plain: value must be plain data, got {value!r}")


def digest(value: Any) -> str:
    """Return the digest of plain data, of a text, or of bytes.

    JSON has a float by its `repr`, which tells it to the last bit, and apart from an integer.
    """
    if not isinstance(value, bytes):
        text = value if isinstance(value, str) else json.dumps(value, default=plain, sort_keys=True)
        value = text.encode()
    return hashlib.sha256(value).hexdigest()[:12]


@cache
def rounding() -> str:
    """Return a digest of how this machine rounds: logarithms and exponentials may differ in the last bit elsewhere."""
    rng = random.Random(1)
    values = [rng.random() * 10.0 ** (i % 13 - 6) for i in range(5000)]
    functions = (math.log, math.log2, math.log1p, math.exp, math.expm1, math.sqrt, math.tanh)
    found = [f(min(x, 500.0)) for x in values for f in functions]
    return digest([platform.system(), platform.machine(), found])


# ---- streams of points --------------------------------------------------------------------------------------------


def drawn(rng: random.Random, chances: Iterable[tuple[int, float]]) -> list[int]:
    """Return the features that are on, of pairs of a feature and its chance."""
    return [feature for feature, chance in chances if rng.random() < chance]


@cache
def points_of(
    n: int, n_classes: int = 2, seed: int = 0, drift: int | None = None, rare: int = 12
) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return a stream on which trees grow: signals, an interplay, noise, ties, rare features, points without any.

    From the point `drift` on each signal is of the next class.
    """
    rng = random.Random(1000 * seed + n_classes)
    stream = []
    for i in range(n):
        y = min(int(rng.random() * (n_classes + 0.5)), n_classes - 1)
        side = rng.random() < 0.5
        shift = int(drift is not None and i >= drift)
        signal = [(30 + k, 0.85 if (k + shift) % n_classes == y else 0.08) for k in range(n_classes)]
        features = drawn(rng, [*((j, 0.08) for j in range(20)), *signal])
        features += [70 + j for j in features if j in (30, 31)]  # copies, which split exactly as well
        features += [40] * side + [41] * (side != (y % 2 == 1)) + [50] * (i % 5 != 0)
        if rng.random() < 0.2:
            features.append(200 + int(rng.random() * rare))
        stream.append((() if i % 17 == 3 else tuple(sorted(features)), y))
    return tuple(stream)


def matrix(stream: Sequence[tuple[Sequence[int], int]], width: int = 0) -> tuple[csr_matrix, np.ndarray]:
    """Return a stream as a matrix in CSR format, and its labels."""
    indptr = np.cumsum([0] + [len(features) for features, _ in stream])
    indices = np.array([j for features, _ in stream for j in features], dtype=np.int64)
    width = max(width, int(indices.max(initial=0)) + 1)
    X = csr_matrix((np.ones(len(indices)), indices, indptr), shape=(len(stream), width))
    return X, np.array([y for _, y in stream], dtype=np.int64)


# ---- trees ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """What a model is asked: a matrix, or None, and single points, with the classes of these."""

    X: Any
    points: Sequence[Any]
    classes: Sequence[Any]


def looked_at(model: Any, asked: Asked) -> Fields:
    """Return all that a user sees of a model, memory apart."""
    summary = {name: value for name, value in asdict(model.summary()).items() if name not in IN_BYTES}
    paused = summary.pop("n_paused")
    ones = [model.predict_one(x) for x in asked.points]
    right = sum(a == b for a, b in zip(ones, asked.classes, strict=True))
    fields: Fields = {
        "accuracy": f"{right / max(len(ones), 1):.4f}",
        "summary": ", ".join(f"{value} {short(name)}" for name, value in summary.items()),
        "tree": digest(model.to_dict()),
        "text": digest(model.export_text() + model.export_text(max_depth=2, decimals=6) + model.to_dot(max_depth=None)),
        "explain": digest([explained(model.explain_one(x)) for x in asked.points[-6:]]),
        "one": digest([ones, [list(model.predict_proba_one(x).items()) for x in asked.points]]),
    }
    if model.max_bytes is not None:
        fields["paused"] = paused
    if hasattr(model, "classes_"):
        seen = [model.classes_, model.features_seen_, model.n_points_, model.get_depth(), model.get_n_leaves()]
        fields["importances"] = digest([model.feature_importances_, *seen])
    if asked.X is not None:
        path = model.decision_path(asked.X)
        fields["predict"] = digest(model.predict(asked.X))
        fields["proba"] = digest(np.ascontiguousarray(model.predict_proba(asked.X), dtype=np.float64).tobytes())
        fields["paths"] = digest([model.apply(asked.X), path.indptr, path.indices, list(path.shape)])
    return fields


def short(name: str) -> str:
    """Return the last word of a name, or the one before it where that says more."""
    return name.removeprefix("n_").removeprefix("splits_").removeprefix("nodes_").removesuffix("_seen")


def explained(explanation: Any) -> list[Any]:
    """Return an explanation: its parts, the sums of these, and its text."""
    return [explanation, explanation.scores, explanation.log_odds(), explanation.contributions(), str(explanation)]


THEN = ("summary", "paused", "tree", "explain", "one", "proba")
KEPT = ("it is the same", "it is saved as the same bytes", "it goes on the same")


def grown(model: Any, first: Callable[[Any], Any], then: Callable[[Any], Any], asked: Asked) -> Fields:
    """Return the fields of a model that learns, is saved and loaded, and goes on learning, loaded and not.

    `kept` tells whether all of `KEPT` is true of the loaded model. It must be, save that with a limit of memory it may
    go on otherwise: what it has room for depends on how the memory came about.
    """
    first(model)
    fields = looked_at(model, asked)
    loaded, same_bytes = saved_and_loaded(model)
    same = looked_at(loaded, asked) == fields
    then(model)
    then(loaded)
    after = looked_at(model, asked)
    fields["then"] = {name: after[name] for name in THEN if name in after}
    after_loaded = looked_at(loaded, asked)
    lost = [name for name, kept in zip(KEPT, (same, same_bytes, after_loaded == after), strict=True) if not kept]
    fields["kept"] = "all" if not lost else f"not: {', '.join(lost)}"
    if after_loaded != after:
        fields["then_loaded"] = {name: after_loaded[name] for name in THEN if name in after_loaded}
    return fields


def saved_and_loaded(model: Any) -> tuple[Any, bool]:
    """Return a model that was saved and loaded, and whether it is saved again as the same bytes."""
    if not hasattr(model, "save"):
        return pickle.loads(pickle.dumps(model)), True
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder) / "model", Path(folder) / "again"
        model.save(path)
        loaded = type(model).load(path)
        assert type(load_model(path)) is type(model)
        loaded.save(again)
        same = path.read_bytes() == again.read_bytes() == loaded.to_bytes()
    return loaded, same


def from_matrices(
    model: Any,
    stream: Sequence[tuple[Sequence[int], int]],
    cut: int,
    *,
    classes: Sequence[int] | None = None,
    weights: Sequence[int] | None = None,
) -> Fields:
    """Let a model learn a stream by `partial_fit`, in two parts, and ask it about every third point."""
    X, y = matrix(stream)
    declared = sorted({label for _, label in stream}) if classes is None else classes
    w = None if weights is None else np.array(weights)

    def learn(start: int, end: int) -> Callable[[Any], Any]:
        part = slice(start, end)
        return lambda m: m.partial_fit(X[part], y[part], classes=declared, sample_weight=None if w is None else w[part])

    asked = Asked(X[::3], [list(features) for features, _ in stream[::29]], [label for _, label in stream[::29]])
    return grown(model, learn(0, cut), learn(cut, len(stream)), asked)


def from_points(
    model: Any, stream: Sequence[tuple[Any, Any]], cut: int, weights: Sequence[int] | None = None, X: Any = None
) -> Fields:
    """Let a model learn a stream by `learn_one`, in two parts, and ask it about some of the points."""

    def learn(start: int, end: int) -> Callable[[Any], Any]:
        def each(m: Any) -> None:
            for i in range(start, end):
                x, y = stream[i]
                m.learn_one(x, y, w=1 if weights is None else weights[i])

        return each

    asked = Asked(X, [x for x, _ in stream[::11]], [y for _, y in stream[::11]])
    return grown(model, learn(0, cut), learn(cut, len(stream)), asked)


def enter_the_grid() -> None:
    """Both learners with every search, criterion, split test and leaf prediction there is, on a stream that drifts."""

    def compute(learner: str, n_classes: int, options: dict[str, Any]) -> Fields:
        return from_matrices(LEARNERS[learner](**options), points_of(700, n_classes, drift=400), 520)

    for learner, ((criterion, n_classes), searches), leaf in product(LEARNERS, SEARCHES.items(), LEAVES):
        for search, test in product(searches, TESTS[criterion]):
            options = {
                "criterion": criterion,
                "search": search,
                "split_test": test,
                "leaf_prediction": leaf,
                **BOLD_FOR.get((test, criterion), BOLD),
            }
            name = f"{learner}-{criterion}-{search}-{test}-{leaf}-{n_classes}"
            enter("trees-synthetic", name, lambda a=learner, b=n_classes, c=options: compute(a, b, c))  # type: ignore[misc]


PARAMETERS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "max_depth_0": {**BOLD, "max_depth": 0},
    "max_depth_1": {**BOLD, "max_depth": 1},
    "max_depth_3": {**BOLD, "max_depth": 3},
    "max_leaves_1": {**BOLD, "max_leaves": 1},
    "max_leaves_4": {**BOLD, "max_leaves": 4},
    "min_gain": {**BOLD, "min_gain": 0.05},
    "grace_period_7": {**BOLD, "grace_period": 7},
    "grace_period_200": {**BOLD, "grace_period": 200},
    "delta_small": {"delta": 1e-9, "tau": 0.3},
    "delta_large": {"delta": 0.49, "tau": 0.0},
    "tau_large": {"delta": 0.01, "tau": 1.5},
    "alpha_small": {**BOLD, "search": "approximate", "alpha": 0.001},
    "alpha_large": {**BOLD, "search": "approximate", "alpha": 2.0, "criterion": "gini"},
    "random_state_0": {**BOLD, "random_state": 0},
    "random_state_7": {**BOLD, "random_state": 7},
    "random_state_exhaustive": {**BOLD, "random_state": 7, "search": "exhaustive", "criterion": "gini"},
    "random_state_approximate": {**BOLD, "random_state": 7, "search": "approximate"},
    "binarize_none": {**BOLD, "binarize": None},
}
OF_EFDT: dict[str, dict[str, Any]] = {
    "min_samples_reevaluate_1": {**BOLD, "min_samples_reevaluate": 1},
    "min_samples_reevaluate_150": {**BOLD, "min_samples_reevaluate": 150},
    "reevaluate_gaussian": {**BOLD, "min_samples_reevaluate": 5, "split_test": "gaussian", "criterion": "gini"},
    "reevaluate_random_state": {**BOLD, "min_samples_reevaluate": 3, "random_state": 5},
}


def enter_the_parameters() -> None:
    """Every other parameter, and ways to hand over points: weights, classes that come late, single points."""
    for learner, (name, options) in product(LEARNERS, {**PARAMETERS, **OF_EFDT}.items()):
        if learner == "efdt" or name not in OF_EFDT:
            enter(
                "trees-synthetic",
                f"{learner}-{name}",
                lambda a=learner, b=options: from_matrices(LEARNERS[a](**b), points_of(800, 2, 3, drift=450), 600),  # type: ignore[misc]
            )
    ways: dict[str, Callable[[Any], Fields]] = {
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
        "dense_below_zero": dense_below_zero,
        "long_stream": long_stream,
        "ties_only": ties_only,
        "one_class": one_class,
        "pickled": pickled,
    }
    for learner, (name, compute) in product(LEARNERS, ways.items()):
        enter("trees-synthetic", f"{learner}-{name}", lambda a=learner, b=compute: b(LEARNERS[a]))  # type: ignore[misc]
    for learner, (name, table) in product(LEARNERS, {"dataframe_names": True, "dataframe_numbers": False}.items()):
        enter(
            "trees-synthetic",
            f"{learner}-{name}",
            lambda a=learner, b=table: dataframe(LEARNERS[a], named=b),  # type: ignore[misc]
            needs="pandas",
        )
    for learner, many in product(LEARNERS, (False, True)):
        enter(
            "trees-synthetic",
            f"{learner}-river_{'many' if many else 'one'}",
            lambda a=learner, b=many: river(a, many=b),  # type: ignore[misc]
            needs="river",
        )


def random_state_object(learner: Any) -> Fields:
    """Draw the seed of the ties from a RandomState."""
    return from_matrices(learner(**BOLD, random_state=np.random.RandomState(3)), points_of(600, 2, 3), 400)


def weights_of(n: int) -> list[int]:
    """Return weights, 0 among them."""
    return [(1, 0, 2, 1, 5, 1, 0)[i % 7] for i in range(n)]


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
            model.learn_one(dict.fromkeys(features, 1), label)

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
        stream.append((named if i % 2 else dict.fromkeys(named, 1.0), ("ham", "spam")[y]))
    fields = from_points(learner(**BOLD), stream, 350)
    model = learner(**BOLD)
    for x, label in stream:
        model.learn_one(x, label)
    fields["unmet"] = digest(
        [explained(model.explain_one({**dict.fromkeys(x, True), "unmet": 1})) for x, _ in stream[:9]]
    )
    fields["named"] = digest(model.export_text(feature_names=lambda key: f"<{key}>"))
    return fields


def text_values(learner: Any) -> Fields:
    """Have values of text, booleans and numbers in one point."""
    stream: list[tuple[Any, bool]] = []
    for i, (features, y) in enumerate(points_of(500, 2, 11)):
        on = set(features)
        x = {"sky": "blue" if 30 in on else "grey", "wet": 31 in on, "load": 0.75 if 41 in on else 0.25}
        stream.append((x | {"side": int(40 in on), f"user{i % 9}": "", "place": f"p{i % 5}"}, y == 1))
    return from_points(learner(**BOLD, binarize=0.5), stream, 350)


def mixed_names(learner: Any) -> Fields:
    """Have names of every type that a file can hold."""
    forms: list[Callable[[int], Any]] = [int, str, lambda j: (j, "pair"), lambda j: j + 0.5, lambda j: f"é{j}".encode()]
    stream = [([forms[j % 5](j) for j in features], y) for features, y in points_of(400, 3, 12)]
    return from_points(learner(**BOLD), stream, 300)


def numbers_binarized(learner: Any) -> Fields:
    """Have numbers in a sparse matrix, of which those above 1.5 are on."""
    X, y = matrix(points_of(500, 2, 13))
    X.data = np.array([(0.5, 1.5, 2.0, 7.25)[i % 4] for i in range(X.nnz)])
    points = [dict(zip(X[i].indices.tolist(), X[i].data.tolist(), strict=True)) for i in range(0, 500, 20)]
    return grown(
        learner(**BOLD, binarize=1.5),
        lambda m: m.fit(X[:300], y[:300]),
        lambda m: m.partial_fit(X[300:], y[300:]),
        Asked(X[::3], points, y[::20].tolist()),
    )


def dense_below_zero(learner: Any) -> Fields:
    """Have a dense matrix in which 0 is on; single points cannot be asked about then."""
    X, y = matrix(points_of(400, 2, 14))
    dense = np.where(X.toarray()[:, :80] > 0, -1.0, 0.0)
    return grown(
        learner(**BOLD, binarize=-0.5),
        lambda m: m.fit(dense[:300], y[:300]),
        lambda m: m.partial_fit(dense[300:], y[300:]),
        Asked(dense[::3], [], []),
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
    table = pandas.DataFrame(X.toarray(), columns=columns)
    points = [{columns[j]: 1 for j in features} for features, _ in points_of(400, 2, 19)[::20]]
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
    model = kinds[learner](**BOLD)
    stream = [({f"f{j}": 1 for j in features}, ("no", "yes")[y]) for features, y in points_of(400, 2, 20)]
    if not many:
        return from_points(model, stream, 300)
    pandas = import_module("pandas")
    table = pandas.DataFrame([{f"f{j}": int(f"f{j}" in x) for j in range(120)} for x, _ in stream])
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


# ---- trees with a limit of memory ---------------------------------------------------------------------------------


def enter_the_bounded() -> None:
    """Trees with a limit of memory: so small that nodes pause, and begin again."""

    def compute(learner: str, options: dict[str, Any], n_classes: int) -> Fields:
        stream = points_of(2500, n_classes, 21, drift=1200, rare=1200)
        return from_matrices(LEARNERS[learner](**BOLD, **options), stream, 1800)

    def one_by_one(learner: str) -> Fields:
        stream = [(list(features), y) for features, y in points_of(1500, 2, 22, drift=700, rare=900)]
        return from_points(LEARNERS[learner](**BOLD, max_bytes=1 << 16), stream, 1000, weights_of(1500))

    def resuming(learner: str, options: dict[str, Any]) -> Fields:
        from sapwood.evaluate import prequential

        stream = points_of(5000, 2, 21, drift=1200, rare=4000)
        fields = from_matrices(LEARNERS[learner](**options), stream, 4000)
        tally = prequential(LEARNERS[learner](**options), matrix(stream), auc=False, every=5000).tally
        return {**fields, "tally": ", ".join(f"{n} {name}" for name, n in sorted(tally.items()))}

    kinds: dict[str, tuple[dict[str, Any], int]] = {
        "certified": ({}, 2),
        "exhaustive_gini": ({"search": "exhaustive", "criterion": "gini"}, 2),
        "approximate": ({"search": "approximate"}, 2),
        "kearns_mansour": ({"criterion": "kearns_mansour"}, 2),
        "majority": ({"leaf_prediction": "majority"}, 2),
        "logistic_5": ({"leaf_prediction": "logistic"}, 5),
        "adaptive_3": ({}, 3),
    }
    for learner, size in product(LEARNERS, (1 << 16, 90_000, 160_000, 1 << 20)):
        for kind, (options, n_classes) in kinds.items():
            enter(
                "trees-bounded",
                f"{learner}-{kind}-{size}",
                lambda a=learner, b={**options, "max_bytes": size}, c=n_classes: compute(a, b, c),  # type: ignore[misc]
            )
    for learner, leaf, size in product(LEARNERS, LEAVES, (1 << 16, 90_000)):
        enter(
            "trees-bounded",
            f"{learner}-resuming-{leaf}-{size}",
            lambda a=learner, b={"delta": 0.01, "tau": 0.1, "leaf_prediction": leaf, "max_bytes": size}: resuming(a, b),  # type: ignore[misc]
        )
    for learner in LEARNERS:
        enter("trees-bounded", f"{learner}-weights-one", lambda a=learner: one_by_one(a))  # type: ignore[misc]


# ---- trees of real data -------------------------------------------------------------------------------------------

REAL = {
    "sms": ("sms/sms.orig.svm.gz", 3000),
    "a9a": ("a9a/a9a.shuf.svm.gz", 3000),
    "mushrooms": ("mushrooms/mushrooms.shuf.svm.gz", 3000),
    "farm": ("farm/farm.orig.svm.gz", 1000),
    "author-gender": ("author-gender/author-gender.shuf.svm.gz", 2000),
    "news20-words": ("news20-words/news20-words.multiclass.shuf.svm.gz", 1000),
}


@cache
def real(file: str, n: int) -> tuple[csr_matrix, np.ndarray]:
    """Return the first points of a data set."""
    from conftest import data_folder

    from sapwood.stream import read

    with read(data_folder() / file, batch_size=n) as reader:
        batch = next(reader)
    indices = np.asarray(batch.indices)
    X = csr_matrix((np.ones(len(indices)), indices, batch.indptr), shape=(len(batch), int(indices.max()) + 1))
    return X, batch.y


def enter_the_real() -> None:
    """Both learners, with their defaults and so that they grow, on the first points of real streams.

    Each hundred is predicted before it is learned.
    """

    def compute(learner: str, file: str, n: int, options: dict[str, Any]) -> Fields:
        further = n // 5
        X, y = real(file, n + further)
        classes = np.unique(y)
        right = 0

        def first(model: Any) -> None:
            nonlocal right
            for start in range(0, n, 100):
                if start:
                    right += int((model.predict(X[start : start + 100]) == y[start : start + 100]).sum())
                model.partial_fit(X[start : start + 100], y[start : start + 100], classes=classes)

        places = range(0, n + further, 61)
        asked = Asked(X[:: max(1, n // 400)], [X[i].indices.tolist() for i in places], y[list(places)].tolist())
        fields = grown(LEARNERS[learner](**options), first, lambda m: m.partial_fit(X[n:], y[n:]), asked)
        return {**fields, "accuracy_on_the_way": f"{right / (n - 100):.4f}"}

    for learner, (name, (file, n)), bold in product(LEARNERS, REAL.items(), (False, True)):
        enter(
            "trees-real",
            f"{learner}-{name}{'-bold' if bold else ''}",
            lambda a=learner, b=file, c=n, d=BOLD if bold else {}: compute(a, b, c, d),  # type: ignore[misc]
            file=file,
        )


# ---- the split finder ---------------------------------------------------------------------------------------------

LENGTH = 160


def noise(labels: Iterable[int], seed: int, d: int = 18, chance: float = 0.15) -> list[Point]:
    """Return points with these labels whose features say nothing."""
    rng = random.Random(seed)
    return [(drawn(rng, ((j, chance) for j in range(d))), y) for y in labels]


def labels_of(n_classes: int, seed: int, n: int = LENGTH) -> list[int]:
    """Return labels, each as likely as the next."""
    rng = random.Random(seed)
    return [int(rng.random() * n_classes) for _ in range(n)]


def sorted_labels(k: int) -> list[Point]:
    """Come one class after the other."""
    return noise([i * k // LENGTH for i in range(LENGTH)], 31)


def single_class(k: int) -> list[Point]:
    """Come of the last class only."""
    return noise([k - 1] * LENGTH, 32)


def always_on(k: int) -> list[Point]:
    """Have a feature on in every point."""
    return [([*features, 99], y) for features, y in noise(labels_of(k, 33), 34)]


def empty_points(k: int) -> list[Point]:
    """Have no feature in most points, and none at all at first."""
    points = noise(labels_of(k, 35), 36)
    return [(features if i > 20 and i % 3 == 0 else [], y) for i, (features, y) in enumerate(points)]


def ties(k: int) -> list[Point]:
    """Have each feature three times, and its opposite once."""
    points = noise(labels_of(k, 37), 38, d=6, chance=0.3)
    return [
        ([*f, *(j + 100 for j in f), *(j + 50 for j in f), *(200 + j for j in range(6) if j not in f)], y)
        for f, y in points
    ]


def drifting(k: int) -> list[Point]:
    """Have signals that are of the next class from the middle on."""
    points = noise(labels_of(k, 39), 40)
    return [([*f, 40 + (y + (i > LENGTH // 2)) % k], y) for i, (f, y) in enumerate(points)]


def single_point(k: int) -> list[Point]:
    """Come alone."""
    return [([5, 3], k - 1)]


def large_ids(k: int) -> list[Point]:
    """Have the largest and the smallest ids there are, and some that never come again."""
    points = noise(labels_of(k, 41), 42)
    return [([*(2**31 - 1 - j if j % 2 else j for j in f), 1000 + i], y) for i, (f, y) in enumerate(points)]


def grown_stream(k: int) -> list[Point]:
    """Come as those that trees learn from."""
    return [(list(f), y) for f, y in points_of(400, k, 43, drift=200)]


HOSTILE: dict[str, Callable[[int], list[Point]]] = {
    "sorted": sorted_labels,
    "one_class": single_class,
    "always_on": always_on,
    "empty": empty_points,
    "ties": ties,
    "drift": drifting,
    "one_point": single_point,
    "large_ids": large_ids,
    "grown": grown_stream,
}


class Account:
    """What a finder answers along the way."""

    def __init__(self) -> None:
        self.best: list[Any] = []
        self.top: list[Any] = []
        self.margin: list[Any] = []
        self.seen: list[Any] = []

    def ask(self, finder: SplitFinder, i: int) -> None:
        """Ask for the best split; every few points for more."""
        self.best.append(finder.best())
        if i % 7 == 0:
            self.top.append(finder.top(5))
            self.margin.append(finder.margin())
            self.seen.append([finder.n, finder.class_counts, finder.n_features_seen, repr(finder)])

    def fields(self, finder: SplitFinder) -> Fields:
        """Return the account, with the end in plain text."""
        finder.validate()
        best = finder.best()
        end = "none" if best is None else f"feature {best.feature}, gain {best.gain:.6f}"
        return {
            "end": f"{finder.n} points, {finder.n_features_seen} features: {end}",
            "best": digest(self.best),
            "top": digest([*self.top, finder.top(1000)]),
            "margin": digest([*self.margin, finder.margin()]),
            "seen": digest(self.seen),
            "work": digest([finder.work, finder.n_trees]),
        }


def followed(finder: SplitFinder, stream: Sequence[Point]) -> Fields:
    """Ask after every point, and once more by way of a matrix."""
    account = Account()
    again = finder.copy()
    for i, (features, y) in enumerate(stream):
        finder.add(features, y)
        account.ask(finder, i)
    fields = account.fields(finder)
    # Every feature must be a column that scipy has room for.
    if all(j < 10_000 for features, _ in stream for j in features):
        X, y_all = matrix([(sorted(features), y) for features, y in stream])
        trace = again.add_many(X, y_all, trace=True)
        fields["trace"] = digest([trace.feature, trace.score])
    return fields


def removed(finder: SplitFinder, k: int) -> Fields:
    """Take back every point after 40 more, and in the end all but ten."""
    stream = grown_stream(k)
    account = Account()
    for i, (features, y) in enumerate(stream):
        finder.add(features, y, 1 + i % 2)
        if i >= 40:
            old = i - 40
            finder.remove(stream[old][0], stream[old][1], 1 + old % 2)
        account.ask(finder, i)
    for i in range(len(stream) - 40, len(stream) - 10):
        finder.remove(stream[i][0], stream[i][1], 1 + i % 2)
        account.ask(finder, i)
    return account.fields(finder)


def weighed(finder: SplitFinder, k: int) -> Fields:
    """Weigh the points, the first with 0."""
    account = Account()
    for i, (features, y) in enumerate(grown_stream(k)):
        finder.add(features, y, (0, 1, 3, 10_000, 2)[i % 5])
        account.ask(finder, i)
    return account.fields(finder)


def merged(finder: SplitFinder, k: int, over: str) -> Fields:
    """Take in another finder, of other points or of other features, and itself; go on, also after a pickle."""
    stream = grown_stream(k)
    exact = SplitFinder(finder.criterion, "exhaustive", n_classes=k)
    account = Account()
    for i, (features, y) in enumerate(stream[:300]):
        if over == "features":
            finder.add([j for j in features if j % 2], y)
            exact.add([j for j in features if j % 2 == 0], y)
        else:
            (finder, exact)[i % 2].add(features, y)
        account.ask(finder, i)
    finder.merge(exact, over=over)
    account.ask(finder, 0)
    finder.merge(finder)
    account.ask(finder, 0)
    kept: SplitFinder = pickle.loads(pickle.dumps(finder))
    assert pickle.dumps(kept) == pickle.dumps(finder)
    for i, (features, y) in enumerate(stream[300:]):
        kept.add(features, y)
        account.ask(kept, i)
    return account.fields(kept)


def enter_the_finders() -> None:
    """Every search, criterion and number of classes on hostile streams, and with points changed afterwards."""
    for (criterion, k), searches in SEARCHES.items():
        for search in searches:
            kind = f"{criterion}-{search}-{k}"

            def new(a: Any = criterion, b: Any = search, c: int = k, alpha: float = 0.1) -> SplitFinder:
                return SplitFinder(a, b, alpha, c)

            for name, make in HOSTILE.items():
                enter("split-finder", f"{kind}-{name}", lambda a=new, b=make, c=k: followed(a(), b(c)))  # type: ignore[misc]
            enter("split-finder", f"{kind}-weights", lambda a=new, c=k: weighed(a(), c))  # type: ignore[misc]
            for over in ("points", "features"):
                enter(
                    "split-finder",
                    f"{kind}-merge_{over}",
                    lambda a=new, b=over, c=k: merged(a(), c, b),  # type: ignore[misc]
                )
            if search != "approximate":
                enter("split-finder", f"{kind}-remove", lambda a=new, c=k: removed(a(), c))  # type: ignore[misc]
                continue
            for alpha in (1e-3, 0.5, 3.0):
                enter(
                    "split-finder",
                    f"{kind}-alpha_{alpha:g}",
                    lambda a=new, b=alpha: followed(a(alpha=b), grown_stream(2)),  # type: ignore[misc]
                )


# ---- streams, evaluation and the command line ---------------------------------------------------------------------

SVMLIGHT = b"# a remark\n1 3:1 7:0.5\n-1 4:1 # another\n\n1\n-1 1:0 2:2 9:1e-3\n2.5 3:1\n"
CSV = b'sky;wind;wet;class\nblue;0.5;1;go\n;2;0;stay\n"gr;ey";-1;1;stay\nblue;;0;go\n'
JSONL = (
    b'{"label": "a", "x": 1, "y": true, "z": "red"}\n{"label": 2, "x": 0, "y": false, "tags": ["p", "q"]}\n'
    b'{"label": null, "w": 0.25, "z": "blue"}\n'
)
TEXT = "spam\tWin a prize, win now!\nham\tSee you now, café at 5\nham\t\nspam\tPRIZE prize Ünïcode\n".encode()
BAD = b"1 3:1\n1 5:1 4:1\nx 3:1\n-1 2:1\n1 3:one\n"
READ: dict[str, tuple[bytes, dict[str, Any]]] = {
    "svmlight": (SVMLIGHT, {}),
    "svmlight_binarize": (SVMLIGHT, {"binarize": 0.5}),
    "svmlight_batches_start": (SVMLIGHT, {"batch_size": 2, "start": 1}),
    "svmlight_n_features": (SVMLIGHT, {"n_features": 12, "format": "svmlight"}),
    "svmlight_bad_lines": (BAD, {"on_error": "skip"}),
    "svmlight_stopped": (BAD, {}),
    "csv": (CSV, {"format": "csv"}),
    "csv_label": (CSV, {"format": "csv", "label": "wet", "ignore": ["sky"], "delimiter": ";"}),
    "csv_binarize": (CSV, {"format": "csv", "binarize": 0.75}),
    "csv_unlabelled": (CSV, {"format": "csv", "labelled": False, "label": "class"}),
    "jsonl": (JSONL, {"on_error": "skip"}),
    "jsonl_label": (JSONL, {"label": "z", "ignore": ["label"], "on_error": "skip"}),
    "text": (TEXT, {}),
    "text_hashed": (TEXT, {"n_features": 64}),
    "text_unlabelled": (TEXT, {"labelled": False, "format": "text"}),
    "gzip": (gzip.compress(SVMLIGHT, mtime=0), {}),
    "bzip2": (bz2.compress(TEXT), {}),
    "xz": (lzma.compress(JSONL), {"on_error": "skip"}),
}


def all_read(data: bytes, options: dict[str, Any]) -> Fields:
    """Return the points of a stream, and how it ended."""
    from sapwood.stream import StreamError, read

    points: list[Any] = []
    sizes: list[Any] = []
    ended = "at its end"
    with read(io.BytesIO(data), **options) as reader:
        try:
            for batch in reader:
                points.extend(batch.points())
                sizes.append([len(batch), batch.first_line, batch.n_features, batch.y.dtype.kind, batch.indptr])
        except StreamError as error:
            ended = str(error)
        told = [reader.format, reader.compression, reader.n_lines, reader.position, reader.errors]
    return {
        "end": f"{reader.n_points} points in {reader.format}, {reader.errors.count} bad, ended {ended}",
        "points": digest(points),
        "batches": digest(sizes),
        "reader": digest(told),
    }


def text_of_bigrams() -> Fields:
    """Read text with a vectorizer of scikit-learn."""
    vectorizer = import_module("sklearn.feature_extraction.text").CountVectorizer(ngram_range=(1, 2), lowercase=False)
    return all_read(TEXT, {"vectorizer": vectorizer})


def written() -> Fields:
    """Write a stream in the svmlight format, and read it again."""
    from sapwood.stream import write_svmlight

    X, y = matrix([(features, label) for features, label in points_of(100, 3, 44)])
    file = io.BytesIO()
    write_svmlight(file, X, y)
    return {"bytes": digest(file.getvalue()), **all_read(file.getvalue(), {})}


def generated() -> Fields:
    """Generate the synthetic streams of the package."""
    from sapwood.datasets import make_sparse, make_text

    X, y = make_sparse(n=400, d1=5, d2=300, q=0.02, seed=3)
    T, z = make_text(n=300, d=200, seed=4)
    return {
        "sparse": digest([X.indptr, X.indices, y]),
        "text": digest([T.indptr, T.indices, z]),
        "end": f"{X.nnz} and {T.nnz} features on",
    }


def as_recorded(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a model without the new ones."""
    return {name: value for name, value in parameters.items() if name not in NEW_PARAMETERS}


def evaluated(learner: str, way: str) -> Fields:
    """Test then train, from a matrix, from points or from batches; times and memory are left out."""
    from sapwood.evaluate import prequential
    from sapwood.stream import read, write_svmlight

    stream = points_of(900, 3, 45, drift=500)
    X, y = matrix(stream)
    model = LEARNERS[learner](**BOLD)
    given: Any = (X, y)
    options: dict[str, Any] = {"window": 200, "fading": 0.99, "every": 150}
    if way == "points":
        given = [([f"w{j}" for j in features], "abc"[label]) for features, label in stream]
    elif way == "batches":
        file = io.BytesIO()
        write_svmlight(file, X, y)
        given, options = read(io.BytesIO(file.getvalue()), batch_size=128), {"positive": 1}
    found = prequential(model, given, **options)
    told = found.to_dict()
    untimed = {name: told[name] for name in ("model", "parameters", "settings", "n", "interrupted", "classes")}
    untimed["parameters"] = as_recorded(untimed["parameters"])
    records = {
        name: [None if value is None else float(value) for value in column]
        for name, column in sorted(told["records"].items())
        if name not in (*IN_BYTES, "seconds", "points_per_second")
    }
    return {
        "accuracy": f"{found['accuracy']:.4f}",
        "log_loss": f"{found['log_loss']:.4f}",
        "metrics": digest(sorted(told["metrics"].items())),
        "records": digest(records),
        "columns": sorted(records),
        "run": digest(untimed),
        "confusion": digest(told["confusion"]),
        "splits": digest(told["splits"]),
        "tally": digest(sorted(told["tally"].items())),
        "tree": digest(model.to_dict()),
    }


COMMANDS: dict[str, tuple[str, list[str]]] = {
    "svmlight_vfdt": ("svm", ["--learner", "vfdt", "--delta", "0.2", "--tau", "0.2"]),
    "svmlight_efdt": ("svm", ["--learner", "efdt", "--delta", "0.2", "--tau", "0.2", "--criterion", "gini"]),
    "svmlight_seed": ("svm", ["--learner", "vfdt", "--tau", "0.3", "--seed", "4", "--leaf-prediction", "naive_bayes"]),
    "text_vfdt": ("tsv", ["--learner", "vfdt", "--tau", "0.3", "--ngrams", "2"]),
    "text_hashed_efdt": ("tsv", ["--learner", "efdt", "--tau", "0.3", "--n-features", "128"]),
    "csv_vfdt": ("csv", ["--learner", "vfdt", "--tau", "0.3", "--label", "class", "--split-test", "gaussian"]),
    "jsonl_efdt": ("jsonl", ["--learner", "efdt", "--tau", "0.3", "--search", "exhaustive"]),
}


def file_in(form: str) -> bytes:
    """Return a small stream in a format, by its extension."""
    stream = points_of(600, 2, 46)
    names = ("ham", "spam")
    if form == "svm":
        lines = [" ".join([str(2 * y - 1), *(f"{j}:1" for j in f)]) for f, y in stream]
    elif form == "tsv":
        lines = [f"{names[y]}\t{' '.join(f'word{j}' for j in f)}" for f, y in stream]
    elif form == "csv":
        rows = [[str(int(j in f)) for j in (1, 30, 31, 40)] + ["on" if 41 in f else "off", names[y]] for f, y in stream]
        lines = ["a,b,c,d,e,class", *map(",".join, rows)]
    else:
        lines = [json.dumps({"label": names[y], **{f"k{j}": 1 for j in f}}) for f, y in stream]
    return "".join(line + "\n" for line in lines).encode()


def commanded(form: str, options: list[str]) -> Fields:
    """Train by the command, at once and in two parts, predict, and show the model."""
    from command_line import done

    with tempfile.TemporaryDirectory() as folder:
        data, model, again = (Path(folder) / name for name in (f"stream.{form}", "model", "again"))
        data.write_bytes(file_in(form))
        told = json.loads(done("train", data, "--model", model, *options, "--json", "--quiet"))
        # The first part is a file that ends early; the second goes on in the whole one.
        lines = data.read_bytes().splitlines(keepends=True)
        part = Path(folder) / f"part.{form}"
        part.write_bytes(b"".join(lines[:300]))
        done("train", part, "--model", again, *options, "--quiet")
        done("train", data, "--model", again, *options, "--quiet", "--resume")
        held = data if form != "tsv" else Path(folder) / "held.tsv"
        if form == "tsv":
            held.write_bytes(b"".join(line.partition(b"\t")[2] for line in lines))
        wanted = ["--labelled"] if form != "tsv" else []
        labels = done("predict", held, "--model", model, "--quiet", *wanted)
        shown = json.loads(done("inspect", model, "--json"))
        shown["parameters"] = as_recorded(shown["parameters"])
        fields = {
            "summary": ", ".join(f"{value} {name}" for name, value in told.items() if name not in (*IN_BYTES, "model")),
            "labels": digest(labels),
            "proba": digest(done("predict", held, "--model", model, "--quiet", "--proba", *wanted)),
            "json": digest(done("predict", held, "--model", model, "--quiet", "--proba", "--json", *wanted)),
            "tree": digest(done("inspect", model, "--quiet")),
            "inspect": digest(
                [shown[name] for name in ("class", "parameters", "stream", "best_features", "rules", "tree")]
            ),
            "resumed_is_same": model.read_bytes() == again.read_bytes(),
        }
        fields["splits"] = digest(done("splits", data, "--every", "50", "--top", "3", "--quiet"))
        return fields


def enter_the_streams() -> None:
    """Readers of every format, evaluation, and the command line."""
    for name, (data, options) in READ.items():
        enter("streams", f"read-{name}", lambda a=data, b=options: all_read(a, b))  # type: ignore[misc]
    enter("streams", "read-text_bigrams", text_of_bigrams)
    enter("streams", "write-svmlight", written)
    enter("streams", "generate", generated)
    for learner, way in product(LEARNERS, ("matrix", "points", "batches")):
        enter("streams", f"evaluate-{learner}-{way}", lambda a=learner, b=way: evaluated(a, b))  # type: ignore[misc]
    for name, (form, given) in COMMANDS.items():
        enter("streams", f"command-{name}", lambda a=form, b=given: commanded(a, b), needs="typer")  # type: ignore[misc]


enter_the_grid()
enter_the_parameters()
enter_the_bounded()
enter_the_real()
enter_the_finders()
enter_the_streams()
GROUPS = tuple(dict.fromkeys(group for group, _ in CASES))


# ---- recording ----------------------------------------------------------------------------------------------------


@cache
def recorded(group: str) -> dict[str, Any]:
    """Return what is recorded of a group: how the machine rounded, and the fields of its cases by name."""
    found: dict[str, Any] = json.loads((FOLDER / f"{group}.json").read_text(encoding="utf-8"))
    return found


def differences(recorded: Any, found: Any, name: str = "") -> list[str]:
    """Return the fields that differ, a line each."""
    if isinstance(recorded, dict) and isinstance(found, dict):
        names = sorted({*recorded, *found})
        return [line for each in names for line in differences(recorded.get(each), found.get(each), f"{name}.{each}")]
    return [] if recorded == found else [f"{name.removeprefix('.')}: recorded {recorded}, found {found}"]


def write(groups: Sequence[str]) -> None:
    """Compute and record groups."""
    FOLDER.mkdir(exist_ok=True)
    for group in groups:
        began = time.process_time()
        cases = {name: case.compute() for (of, name), case in CASES.items() if of == group}
        text = json.dumps({"rounding": rounding(), "cases": cases}, indent=1, sort_keys=True, ensure_ascii=False)
        (FOLDER / f"{group}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{group}: {len(cases)} cases in {time.process_time() - began:.1f} s of processor time")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Record golden digests.")
    parser.add_argument("--write", action="store_true", required=True, help="record them in tests/golden")
    parser.add_argument("groups", nargs="*", metavar="group", help=f"which: {', '.join(GROUPS)}; by default all")
    arguments = parser.parse_args()
    write(arguments.groups or GROUPS)
