"""Models kept as bytes, files and pickles come back as they were, and go on as they would have."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import json
import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tree_models import BOLD, CLASSIFIERS, Classifier, content, dicts, state, stream

from sapwood import (
    ExtremelyFastDecisionTreeClassifier,
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    SlidingWindowTreeClassifier,
    StreamingForestClassifier,
    StreamingTreeClassifier,
    load_model,
)
from sapwood.estimators import TreeClassifier
from sapwood.exceptions import ModelFormatError
from sapwood.learner import TreeModel
from sapwood.model_files.sections import pack, unpack

every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


def by_file(model: TreeClassifier, folder: Path) -> TreeClassifier:
    """Return what is loaded after a model was saved."""
    model.save(folder / "model")
    return load_model(folder / "model")


@every_classifier
@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes", "logistic", "adaptive"])
@pytest.mark.parametrize("search", ["certified", "exhaustive"])
def test_a_copy_goes_on_as_the_original(
    classifier: Classifier, leaf_prediction: str, search: str, tmp_path: Path
) -> None:
    X, y = stream(n=400, n_classes=3)
    model = classifier(leaf_prediction=leaf_prediction, search=search, random_state=3, **BOLD).fit(X[:200], y[:200])
    copies = [
        classifier.from_bytes(model.to_bytes()),
        by_file(model, tmp_path),
        classifier.load(tmp_path / "model"),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        copy.copy(model),
    ]
    before = state(model)
    for other in copies:
        assert type(other) is classifier
        assert state(other) == before
        assert other.to_bytes() == model.to_bytes()
        assert np.array_equal(other.predict_proba(X), model.predict_proba(X))
    copies[0].partial_fit(X[200:], y[200:])
    assert state(model) == before, "a copy is independent"
    model.partial_fit(X[200:], y[200:])
    for x, label in zip(dicts(X[200:]), y[200:].tolist(), strict=True):
        copies[1].learn_one(x, label)
    for other in copies[2:]:
        other.partial_fit(X[200:], y[200:])
    assert {content(other) for other in copies} == {content(model)}


RESUMED: list[tuple[Any, dict[str, Any]]] = [
    (StreamingTreeClassifier, {}),
    (StreamingTreeClassifier, {"drift": True}),
    (StreamingTreeClassifier, {"drift": True, "revision": "restructure"}),
    (HoeffdingTreeClassifier, {"delta": 0.05, "tau": 0.2}),
    (ExtremelyFastDecisionTreeClassifier, {"delta": 0.05, "tau": 0.2}),
    (HoeffdingAdaptiveTreeClassifier, {"delta": 0.05, "tau": 0.2}),
    (SlidingWindowTreeClassifier, {"window_size": 150, "delta": 0.05, "tau": 0.2}),
    (StreamingForestClassifier, {"n_estimators": 3}),
]


# In both streams the evidence of a threshold is enough a hundred points before it was once seen to be.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("classifier", "parameters"), RESUMED, ids=lambda value: getattr(value, "__name__", str(value))
)
@pytest.mark.parametrize(("seed", "n_classes"), [(1, 2), (5, 3)])
def test_a_model_of_numbers_that_is_read_after_every_point_goes_on_as_one_that_is_not(
    classifier: Any, parameters: dict[str, Any], seed: int, n_classes: int
) -> None:
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(600, 3)), 2)
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] > 0) * (n_classes == 3)
    is_noise = random.random(len(y)) < 0.2
    y[is_noise] = random.integers(0, n_classes, is_noise.sum())
    X[random.random(X.shape) < 0.1] = np.nan
    model = classifier(**parameters)
    resumed = clone(model)
    for i in range(500):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=range(n_classes))
        resumed.partial_fit(X[i : i + 1], y[i : i + 1], classes=range(n_classes))
        saved = model.to_bytes()
        assert resumed.to_bytes() == saved, f"after {i + 1} points"
        resumed = classifier.from_bytes(saved)


@every_classifier
def test_names_and_labels_come_back(classifier: Classifier, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    X, y = stream(n=100)
    frame = pandas.DataFrame(X.toarray().astype(bool), columns=[f"fünf {j}" for j in range(X.shape[1])])
    model = classifier(**BOLD).partial_fit(frame, np.array(["no", "yes"])[y], classes=["yes", "no", "never"])
    other = by_file(model, tmp_path)
    assert other.feature_names_in_.tolist() == list(frame.columns)
    assert (other.classes_.tolist(), other.classes_.dtype.kind) == (["never", "no", "yes"], "U")
    assert np.array_equal(other.predict_proba(frame), model.predict_proba(frame))
    with pytest.raises(ValueError, match="only, got 'perhaps'"):
        other.partial_fit(frame, ["perhaps"] * 100)
    other.partial_fit(frame, ["never"] * 100)
    model.partial_fit(frame, ["never"] * 100)
    assert content(other) == content(model)


@pytest.mark.parametrize(
    "labels",
    [
        [True, False],
        [1.5, 2.0],
        ["a", 1, (2, "x"), b"\xff\0", 2**80, 0.25],
        [np.int8(3), np.int8(-3)],
    ],
    ids=repr,
)
def test_labels_and_features_of_many_types(labels: list[Any], tmp_path: Path) -> None:
    model = HoeffdingTreeClassifier()
    for i, label in enumerate(labels):
        model.learn_one([i, "text", ("a", 1), b"\0", -7, 0.5, None, 2**60], label)
    other = by_file(model, tmp_path)
    assert other.classes_.tolist() == model.classes_.tolist()
    assert other.classes_.dtype == model.classes_.dtype
    assert other.features_seen_ == model.features_seen_
    assert not hasattr(other, "n_features_in_")
    assert content(other) == content(model)
    assert other.predict_one(["text"]) == model.predict_one(["text"])


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "bool", "S3", "U2", "object"])
def test_types_of_classes_come_back(dtype: str) -> None:
    X, y = stream(n=50)
    model = HoeffdingTreeClassifier().fit(X, y.astype(dtype))
    other = HoeffdingTreeClassifier.from_bytes(model.to_bytes())
    assert other.classes_.dtype.kind == model.classes_.dtype.kind
    assert other.classes_.tolist() == model.classes_.tolist()


@every_classifier
def test_one_class_and_no_point(classifier: Classifier) -> None:
    model = classifier()
    assert type(pickle.loads(pickle.dumps(model))) is classifier
    with pytest.raises(NotFittedError):
        model.to_bytes()
    with pytest.raises(NotFittedError):
        model.save("nowhere")
    model.learn_one([1], "only")
    assert pickle.loads(pickle.dumps(model)).predict_proba_one([]) == {"only": 1.0}
    declared = classifier().partial_fit([[1, 0]], [0], classes=[0, 1], sample_weight=[0])
    other = pickle.loads(pickle.dumps(declared))
    assert other.classes_.tolist() == [0, 1]
    assert other.predict_one([0]) is None


class Derived(HoeffdingTreeClassifier):
    """A class of a user's own."""


def test_classes_of_models(tmp_path: Path) -> None:
    X, y = stream(n=50)
    hoeffding = HoeffdingTreeClassifier().fit(X, y)
    derived = Derived().fit(X, y)
    assert type(by_file(derived, tmp_path)) is HoeffdingTreeClassifier
    assert type(Derived.load(tmp_path / "model")) is Derived
    assert type(Derived.from_bytes(hoeffding.to_bytes())) is Derived
    assert type(TreeClassifier.from_bytes(hoeffding.to_bytes())) is HoeffdingTreeClassifier
    with pytest.raises(
        ModelFormatError, match=r"FastDecisionTreeClassifier.from_bytes: the model must be .*, got a Hoe"
    ):
        ExtremelyFastDecisionTreeClassifier.from_bytes(hoeffding.to_bytes())


def test_parameters_come_back() -> None:
    X, y = stream(n=50)
    options: dict[str, Any] = {
        "criterion": "gini",
        "delta": np.float32(0.25),
        "max_depth": np.int64(3),
        "max_bytes": 1 << 20,
    }
    model = HoeffdingTreeClassifier(**options, binarize=None).fit(X, y)
    assert HoeffdingTreeClassifier.from_bytes(model.to_bytes()).get_params() == model.get_params()
    drawn = HoeffdingTreeClassifier(random_state=np.random.RandomState(1)).fit(X, y)
    seed = HoeffdingTreeClassifier.from_bytes(drawn.to_bytes()).random_state
    assert isinstance(seed, int)
    assert content(HoeffdingTreeClassifier(random_state=seed).fit(X, y)) == content(drawn)
    assert isinstance(pickle.loads(pickle.dumps(drawn)).random_state, np.random.RandomState)
    assert clone(pickle.loads(pickle.dumps(model))).get_params() == model.get_params()


class Colour(enum.Enum):
    """A label as users have them."""

    RED = 1
    BLUE = 2


class Size(enum.IntEnum):
    """A label that equals an integer, and must not come back as one."""

    SMALL = 1
    LARGE = 2


class Word(NamedTuple):
    """A feature that equals a tuple."""

    stem: str
    ending: str


def points_of_any_type() -> list[tuple[Any, Any]]:
    return [
        ([Colour.RED, 3, "text", frozenset({1})], Colour.RED),
        ([Colour.BLUE, 7], frozenset({"blue"})),
        ([Word("see", "ing"), dt.date(2020, 1, 1)], Size.LARGE),
        ([], dt.date(2021, 1, 1)),
    ]


@every_classifier
@pytest.mark.parametrize("copied", [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy, copy.copy])
def test_pickles_keep_labels_and_features_of_any_type(classifier: Classifier, copied: Any) -> None:
    model = classifier(**BOLD)
    for x, y in points_of_any_type() * 10:
        model.learn_one(x, y)
    other = copied(model)
    assert state(other) == state(model)
    for x, y in points_of_any_type():
        assert other.predict_proba_one(x) == model.predict_proba_one(x)
        assert [(type(label), label) for label in (other.predict_one(x),)] == [(type(y), y)]
        for each in (model, other):
            each.learn_one([Colour.RED, "new"], y)
    assert content(other) == content(model)
    assert [type(key) for key in other.features_seen_] == [type(key) for key in model.features_seen_]


def test_pickles_keep_a_matrix_with_labels_of_any_type() -> None:
    X, y = stream(n=60)
    labels = np.array([Colour.RED, Colour.BLUE])[y]
    model = HoeffdingTreeClassifier(**BOLD).partial_fit(X, labels, classes=np.array(list(Colour)))
    other = pickle.loads(pickle.dumps(model))
    assert other.classes_.tolist() == model.classes_.tolist()
    assert other.predict(X).tolist() == model.predict(X).tolist()
    longs = HoeffdingTreeClassifier().fit(X, y.astype(np.longdouble))
    assert HoeffdingTreeClassifier.from_bytes(longs.to_bytes()).classes_.tolist() == [0, 1]


def test_pickles_without_a_feature_are_refused() -> None:
    model = HoeffdingTreeClassifier()
    model.learn_one([Colour.RED], "a")
    data, _, *rest = model.learner.fitted().__getstate__()
    with pytest.raises(ModelFormatError, match=r"the features of the trunk must be features of the model, got 1$"):
        TreeModel.of_state(model.kind, model.get_params(), (data, [], *rest))


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (
            [frozenset({1})],
            "a",
            "features must be None, booleans, numbers, text, bytes or tuples of these, got frozenset",
        ),
        (["text"], Colour.RED, "classes must be None, .* of these, got <Colour.RED: 1>"),
        ([Word("a", "b")], "a", r"features must be .*, got Word\(stem='a', ending='b'\)"),
    ],
)
def test_what_has_no_place_in_a_file_says_so(x: Any, y: Any, message: str, tmp_path: Path) -> None:
    model = HoeffdingTreeClassifier()
    model.learn_one(x, y)
    with pytest.raises(TypeError, match=rf"^HoeffdingTreeClassifier.to_bytes: {message}"):
        model.to_bytes()
    with pytest.raises(TypeError, match=rf"^HoeffdingTreeClassifier.save: {message}"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_parameter_that_cannot_be_read_again_is_not_written() -> None:
    model = HoeffdingTreeClassifier().fit([[1]], [0]).set_params(delta=3)
    with pytest.raises(ValueError, match=r"^HoeffdingTreeClassifier.to_bytes: delta must be between"):
        model.to_bytes()


def parts(model: TreeClassifier) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the sections of a model, and its fields."""
    sections = unpack(model.to_bytes())
    return sections, json.loads(sections["estimator"])


WRONG_FIELDS: list[tuple[str, Any]] = [
    ("class", "os.system"),
    ("class", 3),
    ("class", "ExtremelyFastDecisionTreeClassifier"),
    ("parameters", []),
    ("parameters", {}),
    ("binarize", "0"),
    ("binarize", True),
    ("binarize", 10**400),
    ("class_type", "<U1000000000"),
    ("class_type", "bool"),
    ("class_type", "str"),
    ("class_order", [0, 0]),
    ("class_order", [0, 7]),
    ("class_order", [0]),
    ("class_order", []),
    ("class_order", [False, True]),
    ("class_order", {}),
    ("classes_declared", 1),
    ("n_features_in", -1),
    ("n_features_in", 2.0),
    ("n_features_in", 2**40),
    ("feature_names_in", ["a"]),
    ("feature_names_in", ["a"] * 32),
    ("feature_names_in", [1] * 32),
    ("unheard of", 1),
]


@pytest.mark.parametrize(("field", "value"), WRONG_FIELDS, ids=lambda value: repr(value)[:40])
def test_every_field_is_checked(field: str, value: Any) -> None:
    X, y = stream(n=60, n_classes=3)
    model = HoeffdingTreeClassifier(**BOLD).fit(X[:, :32], y)
    sections, about = parts(model)
    sections["estimator"] = json.dumps({**about, field: value}).encode()
    with pytest.raises(ModelFormatError, match=r"^HoeffdingTreeClassifier.from_bytes: .+"):
        HoeffdingTreeClassifier.from_bytes(pack(sections))


@pytest.mark.parametrize(
    ("name", "value"),
    [("delta", 0.7), ("delta", "x"), ("criterion", 1), ("max_depth", 1.5), ("random_state", -1), ("binarize", "no"),
     ("grace_period", 2**70), ("criterion", None), ("other", 1)],
)  # fmt: skip
def test_every_parameter_is_checked(name: str, value: Any) -> None:
    sections, about = parts(HoeffdingTreeClassifier().fit([[1], [0]], [0, 1]))
    about["parameters"][name] = value
    sections["estimator"] = json.dumps(about).encode()
    with pytest.raises(ModelFormatError, match="parameters must be an object of" if name == "other" else name):
        HoeffdingTreeClassifier.from_bytes(pack(sections))


def test_sections_must_agree() -> None:
    X, y = stream(n=60, n_classes=3)
    model = HoeffdingTreeClassifier(**BOLD).fit(X, y)
    other, _ = parts(HoeffdingTreeClassifier(**BOLD).fit(X[:, :5], y % 2))
    for name in ("classes", "features", "tree"):
        sections, _ = parts(model)
        sections[name] = other[name]
        with pytest.raises(ModelFormatError):
            HoeffdingTreeClassifier.from_bytes(pack(sections))
    for name in ("estimator", "classes", "features", "tree"):
        sections, _ = parts(model)
        for wrong in (b"", b"[]", b"null", b"{", b"[" * 100_000, b"\xff", b'[1, 1.0, "a"]'):
            sections[name] = wrong
            with pytest.raises(ModelFormatError):
                HoeffdingTreeClassifier.from_bytes(pack(sections))
        del sections[name]
        with pytest.raises(ModelFormatError, match="sections"):
            HoeffdingTreeClassifier.from_bytes(pack(sections))


def test_files_that_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none")
    for data in (b"", b"sapwood", pickle.dumps({"a": 1})):
        (tmp_path / "file").write_bytes(data)
        with pytest.raises(ModelFormatError):
            load_model(tmp_path / "file")
    for wrong in (None, 3, "text"):
        with pytest.raises(TypeError):
            HoeffdingTreeClassifier.from_bytes(wrong)  # type: ignore[arg-type]  # that is the test
