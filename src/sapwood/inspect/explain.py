"""Explanations of the predictions of a tree."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sapwood.data.core_rows import CoreRows
from sapwood.inspect.core_tree import CoreTree
from sapwood.inspect.model_features import ModelFeatures
from sapwood.inspect.names import FeatureNames, shortened
from sapwood.inspect.node_test import IS_ON, NodeTest
from sapwood.inspect.view import NodeView, TreeView, places_of
from sapwood.wording import counted

__all__ = ["Evidence", "Explanation", "TestTaken", "explain_one", "explain_row", "scores_at"]

_SHOWN = 10
_NAME_WIDTH = 32
_TELLING = {
    "majority": "the shares of the classes in the leaf",
    "naive_bayes": "naive Bayes of the leaf",
    "trunk": "the logistic regression of the whole stream",
    "logistic": "logistic regression, that of the whole stream and the leaf's correction",
    "mixed": "a mix of all its models and of those of the whole stream",
}


@dataclass(frozen=True)
class TestTaken:
    """A test on the way of a point: its feature, whether the point passed, and the class shares before and after.

    `on` says whether the feature was on or, for a typed `test`, whether the point passed it.
    """

    __test__ = False  # for pytest: the name is of a test in a tree

    feature: str
    key: Hashable
    on: bool
    gain: float
    node: int
    before: tuple[float, ...]
    after: tuple[float, ...]
    test: NodeTest = IS_ON

    def contribution(self, place: int) -> float:
        """Return what the test adds to the share of the class at `place`."""
        return self.after[place] - self.before[place]


@dataclass(frozen=True)
class Evidence:
    """What an active feature adds to the score of each class, in the model that predicts."""

    feature: str
    key: Hashable
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Explanation:
    """The prediction of a tree for one point, broken down into two sums.

    The first sum: the share of a class in the leaf is its share in the root plus the contributions of the `tests` on
    the way. The contribution of a test is the share in the node that it led to minus the share among the points that
    passed through the node of the test.

    The second sum: the model of the leaf gives each class a score, its `intercept` plus the scores of the `evidence`.
    The probability of a class is proportional to the exponential of its score. So `log_odds`, the logarithm of the
    ratio of the probabilities of two classes, is the difference of their scores. Where the leaf predicts by
    ``"majority"``, there is no evidence, and the tests are the whole explanation. Where it
    predicts by ``"mixed"``, the score of a feature is what it adds to every model times the weight of the model, and
    the intercept is the rest: the intercepts of the models, the classes of the leaf, and what is cut off where a model
    is too sure.

    `label` is the most probable class, and `against` the next, None if only one class is known.
    """

    classes: tuple[Any, ...]
    probabilities: tuple[float, ...]
    label: Any
    against: Any
    leaf: int
    n: int
    model: str
    tests: tuple[TestTaken, ...]
    root_shares: tuple[float, ...]
    intercept: tuple[float, ...]
    evidence: tuple[Evidence, ...]  # that with the most influence between `label` and `against` first

    @property
    def scores(self) -> tuple[float, ...]:
        """The score of each class: its intercept plus all evidence."""
        return tuple(
            math.fsum([start, *(each.scores[k] for each in self.evidence)]) for k, start in enumerate(self.intercept)
        )

    def log_odds(self, label: Any = None, against: Any = None) -> float:
        """Return the logarithm of the ratio of the probabilities of two classes, by default `label` and `against`.

        It is infinite where no other class is known.
        """
        first, second = self._places(label, against)
        return math.inf if second is None else self.scores[first] - self.scores[second]

    def contributions(self, label: Any = None, against: Any = None) -> list[tuple[str, float]]:
        """Return the terms of `log_odds`: the intercept, then the features by name, the most influential first."""
        first, second = self._places(label, against)
        if second is None:
            return []
        features = [(each.feature, each.scores[first] - each.scores[second]) for each in self.evidence]
        features.sort(key=lambda item: -abs(item[1]))
        return [("(intercept)", self.intercept[first] - self.intercept[second]), *features]

    def _places(self, label: Any, against: Any) -> tuple[int, int | None]:
        places: list[int] = []
        for name, given, default in (("label", label, self.label), ("against", against, self.against)):
            chosen = default if given is None else given
            if chosen is None and name == "against":
                return places[0], None
            if chosen not in self.classes:
                raise ValueError(f"Explanation: {name} must be one of {list(self.classes)!r}, got {chosen!r}")
            places.append(self.classes.index(chosen))
        return places[0], places[1]

    def __str__(self) -> str:
        return "\n".join([self._headline(), "", *self._tell_tests(), "", *self._tell_evidence()])

    def _repr_html_(self) -> str:
        """Return the explanation as HTML, which notebooks show."""
        from sapwood.inspect.html import explanation_html

        return explanation_html(self)

    def _headline(self) -> str:
        place = self.classes.index(self.label)
        others = sorted((p, -k) for k, p in enumerate(self.probabilities) if k != place)[::-1]
        told = [f"{_text(self.classes[-k])} {p:.3f}" for p, k in others[:_SHOWN]]
        more = [f"{len(others) - _SHOWN} more"] if len(others) > _SHOWN else []
        rest = f" ({', '.join(told + more)})" if told else ""
        return f"{_text(self.label)}: probability {self.probabilities[place]:.3f}{rest}"

    def _tell_tests(self) -> list[str]:
        place = self.classes.index(self.label)
        count = len(self.tests)
        leaf = f"leaf {self.leaf}, of {counted(self.n, 'point')}"
        lines = [f"{counted(count, 'test')} on the way to {leaf}; the share of {_text(self.label)}:"]
        # The tests of most consequence, in the order in which they were taken.
        ranked = sorted(range(count), key=lambda i: (-abs(self.tests[i].contribution(place)), i))
        shown = sorted(ranked[:_SHOWN])
        rows = [("(root)", "", f"{self.root_shares[place]:.3f}", "")]
        for i in shown:
            test = self.tests[i]
            state = f"{test.test.state(test.on)}, gain {test.gain:.3f}"
            rows.append((_text(test.feature), state, f"{test.after[place]:.3f}", f"{test.contribution(place):+.3f}"))
        if count > len(shown):
            rest = math.fsum(self.tests[i].contribution(place) for i in ranked[_SHOWN:])
            rows.append((f"({counted(count - len(shown), 'other test')})", "", "", f"{rest:+.3f}"))
        return lines + _aligned(rows)

    def _tell_evidence(self) -> list[str]:
        telling = f"The leaf answers by {_TELLING[self.model]}"
        if self.against is None:
            return [f"{telling}; no other class is known."]
        lines = [f"{telling}; log-odds of {_text(self.label)} against {_text(self.against)}:"]
        named = self.contributions()
        rows = [(_text(name), f"{value:+.3f}") for name, value in named[: _SHOWN + 1]]
        if len(named) > _SHOWN + 1:
            rest = math.fsum(value for _, value in named[_SHOWN + 1 :])
            rows.append((f"({counted(len(named) - _SHOWN - 1, 'other feature')})", f"{rest:+.3f}"))
        return lines + _aligned([*rows, ("(sum)", f"{self.log_odds():+.3f}")])


def explain_one(
    tree: CoreTree,
    x: object,
    *,
    classes: Sequence[Any],
    feature_names: FeatureNames = None,
    criterion: str = "entropy",
    in_order: Sequence[Any] | None = None,
) -> Explanation:
    """Explain the prediction of a tree for a point.

    The tree is read several times, so it must not learn meanwhile.

    Parameters
    ----------
    tree : _core.Tree or _core.DynamicTree
        The tree.
    x : dict or iterable of hashable objects
        The point, as the tree learns it. Features that the tree has never seen have no effect and are not mentioned.
    classes, feature_names, criterion, in_order
        As in `TreeView.of`.
    """
    view = TreeView.of(tree, classes, feature_names, criterion, in_order, owner="explain_one")
    point = CoreRows.of_one(*tree.typed_point(x))
    return explain_row(tree, view, point, places_of(classes, in_order), feature_names)


def explain_row(
    tree: CoreTree,
    view: TreeView,
    point: CoreRows,
    places: Sequence[int],
    feature_names: FeatureNames = None,
    *,
    owner: str = "explain_one",
) -> Explanation:
    """Explain the prediction of a tree, given its view, for a point: a single row.

    `places` are the numbers of the classes of the view in the tree. `owner` is the function named in errors.
    """
    classes = view.classes
    path = [view.nodes[number] for number in tree.decision_path(*point)[1].tolist()]
    leaf = path[-1]
    tests = []
    for node, child in pairwise(path):
        assert node.feature is not None
        assert node.gain is not None
        assert node.test is not None
        tests.append(
            TestTaken(
                feature=node.feature,
                key=node.key,
                on=child.number == node.on,
                gain=node.gain,
                node=node.number,
                before=node.shares,
                after=child.shares,
                test=node.test,
            )
        )
    assert leaf.model is not None
    told = tree.predict_proba(*point)[0, places]
    # The core has two classes at least; the only one that was met has all probability, as in predict_proba.
    probabilities = told / told.sum() if len(classes) > 1 else np.ones(1)
    first, *others = np.argsort(-probabilities, kind="stable").tolist()  # ties go to the first class, as in predict
    slots, scores, intercept = scores_at(tree, point, leaf, places, probabilities)
    features = ModelFeatures(tree, feature_names, owner)
    against = others[0] if others else first
    ranked = np.argsort(-np.abs(scores[:, first] - scores[:, against]), kind="stable")
    return Explanation(
        classes=classes,
        probabilities=tuple(probabilities.tolist()),
        label=classes[first],
        against=classes[against] if others else None,
        leaf=leaf.number,
        n=leaf.n,
        model=leaf.model,
        tests=tuple(tests),
        root_shares=path[0].shares,
        intercept=tuple(intercept),
        evidence=tuple(Evidence(*features.of(slots[i]), tuple(scores[i].tolist())) for i in ranked),
    )


def scores_at(
    tree: CoreTree,
    point: CoreRows,
    leaf: NodeView,
    places: Sequence[int],
    probabilities: npt.NDArray[np.float64] | None = None,
) -> tuple[list[int], npt.NDArray[np.float64], list[float]]:
    """Return the features of a point that speak at its leaf, what each adds to the scores, and these before any speaks.

    Features are by their number in the tree. The scores are of the classes of the view. The features are in the order
    in which the tree first met them, whatever their order in the point. Only a leaf that mixes needs `probabilities`.
    """
    if leaf.model == "majority":
        return [], np.zeros((0, len(places))), [math.log(share) if share else -math.inf for share in leaf.shares]
    numbers = None if point.numbers is None else point.numbers[1:]
    slots, trunk, correction, shares, trunk_intercept, correction_intercept = tree.evidence(point.ids, numbers)
    if leaf.model == "naive_bayes":
        scores = shares[:, places]
        intercept = [math.log(count + 1) for count in leaf.counts]
    elif leaf.model == "mixed":
        scores = _of_classes(trunk + correction)[:, places]
        assert probabilities is not None
        # A probability may be 0 as rounded.
        start = np.log(np.maximum(probabilities, np.finfo(np.float64).tiny)) - scores.sum(axis=0)
        intercept = (start - start.mean()).tolist()
    else:
        with_correction = leaf.model == "logistic"
        scores = _of_classes(trunk + correction if with_correction else trunk)[:, places]
        starts = trunk_intercept + correction_intercept if with_correction else trunk_intercept
        start = _of_classes(starts[np.newaxis])[0, places]
        # What the classes have in common says nothing.
        intercept = (start - start.mean()).tolist()
    order = np.argsort(slots)
    return slots[order].tolist(), scores[order], intercept


def _of_classes(outputs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the score of each class from the outputs of logistic regression, a row each.

    One output for two classes, the score of the second less that of the first, is half of it for each.
    """
    return np.hstack([-outputs / 2, outputs / 2]) if outputs.shape[1] == 1 else outputs


def _text(value: object) -> str:
    return shortened(str(value), _NAME_WIDTH)


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows as lines in columns: the first at the left, the others at the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *rest in rows:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
        lines.append("    " + "  ".join(cells).rstrip())
    return lines
