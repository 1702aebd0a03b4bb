"""An explanation adds up to the prediction: the tests to the shares of the leaf, the evidence to the probabilities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from grown_trees import LETTERS, MAIL, chain_tree, message, wide_tree, word_tree
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from sapwood import _core
from sapwood.inspect.explain import Explanation, explain_one

MODELS = ("adaptive", *_core.LEAF_PREDICTIONS[:3])


def explained(tree: _core.Tree, x: Any, classes: tuple[str, ...]) -> Explanation:
    """Explain a point, and check that both sums are what they must be."""
    told = explain_one(tree, x, classes=classes)
    probabilities = tree.predict_proba_one(x, 0.0)
    assert told.probabilities == pytest.approx(probabilities, rel=1e-12)
    assert told.label == classes[int(np.argmax(probabilities))]
    # The second sum: intercept and evidence are the logarithms of the probabilities, up to what all have in common.
    assert softmax(told.scores) == pytest.approx(probabilities, rel=1e-9, abs=1e-13)
    for first in classes:
        for second in classes:
            contributions = told.contributions(first, second)
            if told.model != "majority":
                total = told.log_odds(first, second)
                assert math.fsum(value for _, value in contributions) == pytest.approx(total, abs=1e-9)
            assert contributions[0][0] == "(intercept)"
            influence = [abs(value) for _, value in contributions[1:]]
            assert influence == sorted(influence, reverse=True)
    # The first sum: the shares of the root and what the tests add are the shares of the leaf.
    shares = np.array(told.root_shares)
    for test in told.tests:
        assert test.before == pytest.approx(shares, abs=1e-12)
        shares = shares + [test.contribution(place) for place in range(len(classes))]
        assert test.on == (test.feature in set(x))
    if told.model == "majority":
        assert shares == pytest.approx(probabilities, abs=1e-12)
        assert told.evidence == ()
    return told


@pytest.mark.parametrize("leaf_prediction", MODELS)
def test_sums_for_two_classes(leaf_prediction: str) -> None:
    tree = word_tree(tau=0.1, leaf_prediction=leaf_prediction)
    assert tree.n_nodes() > 3
    rng = np.random.default_rng(7)
    for _ in range(50):
        x, _ = message(rng)
        told = explained(tree, x, MAIL)
        if told.model != "majority":
            assert {each.feature for each in told.evidence} == x.keys()
    explained(tree, {}, MAIL)


@pytest.mark.parametrize("leaf_prediction", MODELS)
def test_sums_for_several_classes(leaf_prediction: str) -> None:
    tree = wide_tree(leaf_prediction=leaf_prediction)
    for code in range(16):
        explained(tree, {f"bit {j}": True for j in range(4) if code >> j & 1}, LETTERS)


@pytest.mark.parametrize("growth", ["hoeffding", "extremely_fast"])
@given(
    points=st.lists(
        st.tuples(st.sets(st.integers(0, 5)), st.integers(0, 2), st.sampled_from([1, 50])), min_size=1, max_size=40
    ),
    x=st.sets(st.integers(0, 7)),
    leaf_prediction=st.sampled_from(MODELS),
)
def test_sums_for_any_points(
    growth: str, points: list[tuple[set[int], int, int]], x: set[int], leaf_prediction: str
) -> None:
    tree = _core.Tree(growth=growth, delta=0.4, tau=0.5, leaf_prediction=leaf_prediction)
    for features, label, weight in points:
        tree.learn_one(dict.fromkeys(sorted(features), True), label, weight, 0.0)
    classes = tuple("abc"[: tree.n_classes()])
    told = explain_one(tree, dict.fromkeys(sorted(x), True), classes=classes)
    probabilities = tree.predict_proba_one(dict.fromkeys(sorted(x), True), 0.0)
    assert softmax(told.scores) == pytest.approx(probabilities, rel=1e-9, abs=1e-13)


def test_prediction_that_is_certain_beyond_rounding() -> None:
    """The probability is 1 to the last bit, and its log-odds are told all the same."""
    tree = _core.Tree(leaf_prediction="logistic", max_depth=0)
    for i in range(4000):
        word = f"word {i % 40}"
        tree.learn_one({word: True}, 1, 1, 0.0)
        tree.learn_one({}, 0, 1, 0.0)
    x = {f"word {j}": True for j in range(40)}
    assert tree.predict_proba_one(x, 0.0)[1] == 1.0
    told = explain_one(tree, x, classes=MAIL)
    assert 40 < told.log_odds() < math.inf
    few = {f"word {j}": True for j in range(3)}
    probability = tree.predict_proba_one(few, 0.0)[1]
    odds = explain_one(tree, few, classes=MAIL).log_odds()
    assert odds == pytest.approx(math.log(probability) - math.log1p(-probability), abs=1e-9)
    # What a word says does not depend on the others, nor does the intercept.
    one, other = dict(told.contributions()), dict(explain_one(tree, few, classes=MAIL).contributions())
    assert all(one[name] == pytest.approx(other[name], abs=1e-9) for name in other)


def test_intercept_is_of_the_leaf_and_not_of_the_point() -> None:
    """It is read from the core, to the last bit, and not computed back from a probability."""
    tree = word_tree(tau=0.1, leaf_prediction="logistic")
    rng = np.random.default_rng(7)
    intercepts: dict[int, set[tuple[float, ...]]] = {}
    for _ in range(200):
        told = explain_one(tree, message(rng)[0], classes=MAIL)
        intercepts.setdefault(told.leaf, set()).add(told.intercept)
    assert len(intercepts) > 1
    assert all(len(found) == 1 for found in intercepts.values())


def test_one_class_alone() -> None:
    tree = _core.Tree()
    tree.learn_one({"a": 1}, 0, 1, 0.0)
    told = explain_one(tree, {"a": 1}, classes=["ham"])
    assert told.probabilities == (1.0,)
    assert (told.label, told.against) == ("ham", None)
    assert told.log_odds() == math.inf
    assert told.contributions() == []
    assert "no other class is known" in str(told)


def test_classes_in_another_order() -> None:
    tree = wide_tree()
    x = {"bit 0": 1, "bit 2": 1}
    told = explain_one(tree, x, classes=LETTERS)
    turned = explain_one(tree, x, classes=LETTERS, in_order=LETTERS[::-1])
    assert turned.classes == LETTERS[::-1]
    assert turned.probabilities == pytest.approx(told.probabilities[::-1])
    assert turned.label == told.label
    assert turned.log_odds() == pytest.approx(told.log_odds())
    assert dict(turned.contributions("A", "C")) == pytest.approx(dict(told.contributions("A", "C")))


def test_features_never_seen_say_nothing() -> None:
    tree = word_tree()
    told = explain_one(tree, {"free": True, "aardvark": True, 7: True}, classes=MAIL)
    assert {each.feature for each in told.evidence} == {"free"}


def test_names_of_features() -> None:
    tree = _core.Tree(delta=0.4, tau=0.5)
    for _ in range(10):
        tree.learn_one({3: True, 5: True}, 1, 1, 0.0)
        tree.learn_one({5: True}, 0, 1, 0.0)
    told = explain_one(tree, {3: True, 5: True}, classes=MAIL)
    assert {each.feature for each in told.evidence} == {"x[3]", "x[5]"}
    assert {each.key for each in told.evidence} == {3, 5}
    assert [test.feature for test in told.tests] == ["x[3]"]
    names = [f"column {j}" for j in range(6)]
    told = explain_one(tree, {3: True, 5: True}, classes=MAIL, feature_names=names)
    assert {each.feature for each in told.evidence} == {"column 3", "column 5"}
    assert "column 3" in str(told)
    assert "x[" not in str(told)


def test_wrong_labels() -> None:
    told = explain_one(word_tree(), {"free": 1}, classes=MAIL)
    with pytest.raises(ValueError, match=r"^Explanation: label must be one of \['ham', 'spam'\], got 'eggs'$"):
        told.log_odds("eggs")
    with pytest.raises(ValueError, match=r"^Explanation: against must be one of \['ham', 'spam'\], got 'eggs'$"):
        told.contributions("ham", "eggs")


# ---- to be read -----------------------------------------------------------------------------------------------------


def test_text() -> None:
    tree = _core.Tree(delta=0.4, tau=0.5, leaf_prediction="naive_bayes")
    for _ in range(4):
        tree.learn_one({"free": True, "now": True}, 1, 1, 0.0)
        tree.learn_one({"lunch": True, "now": True}, 0, 1, 0.0)
    assert str(explain_one(tree, {"free": True, "now": True}, classes=MAIL)) == (
        "spam: probability 0.929 (ham 0.071)\n"
        "\n"
        "1 test on the way to leaf 2, of 4 points; the share of spam:\n"
        "    (root)                  0.500\n"
        "    free    on, gain 1.000  1.000  +0.500\n"
        "\n"
        "The leaf answers by naive Bayes of the leaf; log-odds of spam against ham:\n"
        "    (intercept)  +1.609\n"
        "    free         +0.930\n"
        "    now          +0.026\n"
        "    (sum)        +2.565"
    )


def test_text_of_a_long_way_is_short() -> None:
    told = explain_one(chain_tree(2000), {}, classes=MAIL)
    assert len(told.tests) == 2000
    text = str(told)
    assert len(text.splitlines()) < 30
    assert "2,000 tests on the way" in text
    assert "(1,990 other tests)" in text


def test_text_of_many_features_is_short() -> None:
    tree = _core.Tree(leaf_prediction="naive_bayes")
    words = {f"word {j}": True for j in range(100)}
    tree.learn_one(words, 0, 1, 0.0)
    tree.learn_one({}, 1, 1, 0.0)
    text = str(explain_one(tree, words, classes=MAIL))
    assert "(90 other features)" in text
    assert len(text.splitlines()) < 25


def test_text_of_many_classes_is_short() -> None:
    tree = _core.Tree()
    for k in range(40):
        tree.learn_one({f"word {k}": 1}, k, 1, 0.0)
    text = str(explain_one(tree, {"word 3": 1}, classes=range(40)))
    assert "29 more)" in text
