"""What the models know: the weights that are told are those of the models, averaged over the leaves by their points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from grown_trees import LETTERS, MAIL, message, wide_tree, word_tree
from sklearn.exceptions import NotFittedError

from sapwood import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier, _core
from sapwood.inspect.explain import explain_one
from sapwood.inspect.strongest_features import evidence_of_features, top_features
from sapwood.inspect.view import TreeView


def by_single_points(tree: _core.Tree, classes: tuple[str, ...]) -> np.ndarray:
    """The scores of features by the evidence of points that have one feature: of a tree of a single leaf."""
    found = np.zeros((tree.n_features_seen(), len(classes)))
    for slot, key in enumerate(tree.keys()):
        for each in explain_one(tree, {key: True}, classes=classes).evidence:
            assert each.key == key
            found[slot] = each.scores
    return found


@pytest.mark.parametrize("leaf_prediction", ["mixed", "adaptive", "naive_bayes", "logistic", "majority"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_of_a_leaf_are_those_of_its_model(leaf_prediction: str, n_classes: int) -> None:
    options: dict[str, Any] = {"leaf_prediction": leaf_prediction, "max_depth": 0}
    if n_classes == 2:
        classes: tuple[str, ...] = MAIL
        tree = word_tree(500, **options)
    else:
        classes = LETTERS
        rng = np.random.default_rng(0)
        tree = _core.Tree(**options)
        for _ in range(500):
            y = int(rng.integers(4))
            tree.learn_one({f"word {j}": True for j in {y, *rng.integers(0, 9, 2).tolist()}}, y, 1, 0.0)
    assert tree.feature_scores() == pytest.approx(by_single_points(tree, classes), abs=1e-6)
    assert tree.feature_scores().any() == (leaf_prediction != "majority")


@pytest.mark.parametrize("leaf_prediction", ["mixed", "adaptive"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_are_the_mean_over_the_leaves(leaf_prediction: str, n_classes: int) -> None:
    options: dict[str, Any] = {"leaf_prediction": leaf_prediction}
    tree = word_tree(tau=0.1, **options) if n_classes == 2 else wide_tree(**options)
    classes = MAIL if tree.n_classes() == 2 else LETTERS
    view = TreeView.of(tree, classes)
    leaves = [node for node in view.nodes if node.is_leaf]
    assert len(leaves) > 3
    rng = np.random.default_rng(0)
    keys = tree.keys()
    # Points that reach each leaf, and what each feature that is on says there.
    told: dict[int, dict[Any, tuple[float, ...]]] = {leaf.number: {} for leaf in leaves}
    for _ in range(20000):
        x = {key: True for key in keys if rng.random() < 0.4}
        ids = tree.point(x, 0.0)
        number = int(tree.decision_path(np.array([0, len(ids)], dtype=np.int64), ids)[1][-1])
        if any(key not in told[number] for key in x):
            told[number].update({each.key: each.scores for each in explain_one(tree, x, classes=classes).evidence})
    total = sum(leaf.n for leaf in leaves)
    found = tree.feature_scores()
    for slot, key in enumerate(keys):
        tested = [node.key for node in view.nodes if not node.is_leaf]
        if key in tested:
            continue  # at the leaves where it is off no point has it
        mean = np.zeros(len(classes))
        for leaf in leaves:
            scores = told[leaf.number].get(key, (0.0,) * len(classes))
            mean += leaf.n / total * np.array(scores)
        assert found[slot] == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize("leaf_prediction", ["mixed", "adaptive", "naive_bayes", "majority"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_of_a_forest_are_the_mean_of_those_of_copies_of_its_trees(leaf_prediction: str, n_classes: int) -> None:
    """A copy of a tree has the trunk of the forest, which the tree itself has not."""
    forest = _core.Forest(n_estimators=3, leaf_prediction=leaf_prediction, lambda_value=1.0, seed=4)
    rng = np.random.default_rng(1)
    for _ in range(400):
        label = int(rng.integers(n_classes))
        forest.learn_one({f"word {label}": True, f"word {rng.integers(9)}": True}, label, 1, 0.0)
    copies = [forest.tree(number).feature_scores() for number in range(3)]
    assert forest.feature_scores() == pytest.approx(np.mean(copies, axis=0), abs=1e-12)
    assert forest.feature_scores().any() == (leaf_prediction != "majority")


def test_evidence_is_the_log_odds_against_the_others() -> None:
    two = np.array([[-0.5, 0.5], [1.0, 1.0]])
    assert evidence_of_features(two).tolist() == [[-1.0, 1.0], [0.0, 0.0]]
    three = np.array([[3.0, 0.0, 0.0]])
    assert evidence_of_features(three).tolist() == [[3.0, -1.5, -1.5]]


def test_trunk_and_correction_are_plus_and_minus() -> None:
    tree = word_tree(300, leaf_prediction="logistic", max_depth=0)
    told = top_features(tree, 100, classes=MAIL)
    _, trunk, correction, _, _, _ = tree.evidence(tree.point(dict.fromkeys(tree.keys(), 1), 0.0))
    weights = (trunk + correction)[:, 0]
    assert [weight for _, weight in told["spam"]] == pytest.approx(sorted(weights[weights > 0], reverse=True))
    assert [weight for _, weight in told["ham"]] == pytest.approx(sorted(-weights[weights < 0], reverse=True))
    assert len(told["ham"]) + len(told["spam"]) == np.count_nonzero(weights)


def grown(kind: Any, **options: Any) -> Any:
    rng = np.random.default_rng(3)
    model = kind(**options)
    for _ in range(2000):
        x, y = message(rng)
        model.learn_one(x, MAIL[y])
    return model


@pytest.mark.parametrize("kind", [HoeffdingTreeClassifier, ExtremelyFastDecisionTreeClassifier])
def test_words_of_spam_speak_for_spam(kind: Any) -> None:
    model = grown(kind)
    told = model.top_features(5)
    assert list(told) == ["ham", "spam"] == model.classes_.tolist()
    assert len(told["spam"]) == 5
    weights = [weight for _, weight in told["spam"]]
    assert weights == sorted(weights, reverse=True)
    assert all(weight > 0 for weight in weights)
    assert not {"the", "and", "you"} & {name for name, _ in told["spam"]}
    upper = model.top_features(5, feature_names=str.upper)
    assert [(name.upper(), weight) for name, weight in told["spam"]] == upper["spam"]


def test_the_face_of_river_tells_the_same() -> None:
    pytest.importorskip("river", reason="river, of the extra `river`, is not installed")
    from sapwood.river import HoeffdingTreeClassifier as OfRiver

    assert grown(OfRiver).top_features(3) == grown(HoeffdingTreeClassifier).top_features(3)


def test_a_model_of_one_class_has_nothing_to_tell_apart() -> None:
    model = HoeffdingTreeClassifier()
    model.learn_one({"a": 1}, "only")
    assert model.top_features() == {"only": []}


def test_what_is_refused() -> None:
    with pytest.raises(NotFittedError):
        HoeffdingTreeClassifier().top_features()
    model = grown(HoeffdingTreeClassifier, leaf_prediction="majority")
    words = (
        r"^HoeffdingTreeClassifier\.top_features: leaf_prediction must be one with models of the features, "
        r"got 'majority'; feature_importances_ has the features that the splits use$"
    )
    with pytest.raises(ValueError, match=words):
        model.top_features()
    for wrong in (0, -1, 1.5, "3", True):
        with pytest.raises(ValueError, match=r"top_features: k must be an integer of at least 1, got "):
            grown(HoeffdingTreeClassifier).top_features(wrong)


def test_importances_count_splits_only() -> None:
    model = HoeffdingTreeClassifier(max_depth=0)
    for _ in range(50):
        model.learn_one({"free": True}, "spam")
        model.learn_one({"lunch": True}, "ham")
    assert not model.feature_importances_.any()
    (name, weight), *_ = model.top_features()["spam"]
    assert name == "free"
    assert math.isfinite(weight)
