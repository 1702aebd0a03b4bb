"""What the leaves of the reference tree predict with: counts, naive Bayes, logistic regressions, and a mix of all.

Written from the definitions, in plain Python. Only where a weight is kept in single precision does the order of
operations follow the core, as there a difference in rounding would be a difference to be seen.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from reference_gaussians import Gaussians
from reference_weights import Weight

MODELS = ("majority", "naive_bayes", "trunk", "logistic")

# What each expert weighs in a mix that has learned nothing.
FIRST_WEIGHTS = (0, 0, 0.25, 0.25, 0.25, 0.25, 0, 0, 0)
# The same where there are numbers, and the place of the expert on those of the leaf.
FIRST_WEIGHTS_OF_NUMBERS = (0, 0, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 0, 1 / 6, 1 / 6)
OF_NUMBERS = 7

Counts = list[int]


def float32(value: float) -> float:
    """Round to the precision in which weights are kept."""
    return float(np.float32(value))


@dataclass
class Weights:
    """The weights of a feature or of an intercept, one for each output, and the sums of their squared gradients."""

    of: list[float]
    squares: list[float]

    @classmethod
    def zero(cls, n_outputs: int) -> Weights:
        """Return weights before any point."""
        return cls([0.0] * n_outputs, [0.0] * n_outputs)

    def step(self, gradient: Sequence[float], rate: float, first_square: float) -> None:
        """Take an AdaGrad step."""
        for k, g in enumerate(gradient):
            self.squares[k] = float32(self.squares[k] + g * g)
            self.of[k] = float32(self.of[k] - rate * g / math.sqrt(first_square + self.squares[k]))

    def __deepcopy__(self, memo: dict[int, Any]) -> Weights:
        return Weights(list(self.of), list(self.squares))

    def widen(self, n_outputs: int) -> None:
        """Go over to more outputs. One output is the score of the class 1 less that of the class 0."""
        if len(self.of) == 1:
            self.of = [-self.of[0] / 2, self.of[0] / 2]
            self.squares = self.squares * 2
        self.of += [0.0] * (n_outputs - len(self.of))
        self.squares += [0.0] * (n_outputs - len(self.squares))


@dataclass
class Regression:
    """A sparse logistic regression: an intercept, and weights for every feature met."""

    intercept: Weights
    features: dict[int, Weights] = field(default_factory=dict)

    def add_scores(self, features: Sequence[int], scores: list[float]) -> None:
        """Add what it says of a point to the scores."""
        met = [self.features[j] for j in features if j in self.features]
        for weights in (self.intercept, *met):
            for k, weight in enumerate(weights.of):
                scores[k] += weight

    def step(
        self, features: Sequence[int], gradient: Sequence[float], rate: float = 0.15, first_square: float = 0.05
    ) -> None:
        """Learn from a point."""
        self.intercept.step(gradient, rate, first_square)
        for j in features:
            self.features.setdefault(j, Weights.zero(len(gradient))).step(gradient, rate, first_square)

    def widen(self, n_outputs: int) -> None:
        """Go over to more outputs."""
        for weights in (self.intercept, *self.features.values()):
            weights.widen(n_outputs)


@dataclass
class Bayes:
    """The counts of naive Bayes."""

    n_of_class: Counts
    on: dict[int, Counts] = field(default_factory=dict)

    def scores(self, features: Sequence[int], of_class: Sequence[int]) -> list[float]:
        """Return the logarithm of what is proportional to the probability of each class."""
        n = sum(self.n_of_class)
        scores = [math.log(count + 1) for count in of_class]
        for j in features:
            on = self.on.get(j)
            if on is None:
                continue
            among_all = (sum(on) + 0.5) / (n + 1)
            for k, n_k in enumerate(self.n_of_class):
                scores[k] += math.log((on[k] + among_all) / (n_k + 1))
        return scores

    def learn(self, features: Sequence[int], label: int, weight: int) -> None:
        """Count a point; one that counts for nothing leaves no trace."""
        if weight == 0:
            return
        self.n_of_class[label] += weight
        for j in features:
            self.on.setdefault(j, [0] * len(self.n_of_class))[label] += weight

    def __deepcopy__(self, memo: dict[int, Any]) -> Bayes:
        return Bayes(list(self.n_of_class), {j: list(on) for j, on in self.on.items()})

    def widen(self, n_classes: int) -> None:
        """Go over to more classes."""
        for counts in (self.n_of_class, *self.on.values()):
            counts.extend([0] * (n_classes - len(counts)))


@dataclass
class LeafModels:
    """The models of a leaf, how often each of MODELS was right, and what each expert weighs in the mix."""

    bayes: Bayes
    correction: Regression
    right: Counts = field(default_factory=lambda: [0] * len(MODELS))
    mixer: list[float] = field(default_factory=lambda: list(FIRST_WEIGHTS))
    gaussians: Gaussians = field(default_factory=Gaussians)

    def fade_mixer(self, half_life: int | None) -> None:
        """Let the weights of the mix go back towards those that they began with, half of the way in a half-life."""
        if half_life is not None:
            keep = 2 ** (-1 / half_life)
            begun = FIRST_WEIGHTS if self.mixer[OF_NUMBERS] == 0 else FIRST_WEIGHTS_OF_NUMBERS
            self.mixer = [first + keep * (weight - first) for first, weight in zip(begun, self.mixer, strict=True)]

    def learn_numbers(self, numbers: Mapping[int, float], label: int, times: int) -> None:
        """Learn numbers as numbers; with the first of them the experts on numbers join the mix."""
        self.gaussians.learn(numbers, label, times)
        if self.gaussians.values and self.mixer[OF_NUMBERS] == 0:
            others, theirs = self.mixer[:OF_NUMBERS], self.mixer[OF_NUMBERS:]
            self.mixer = [weight * (2 / 3) for weight in others] + [weight + 1 / 6 for weight in theirs]

    def fade_record(self, half_life: int | None) -> None:
        """Count what was before half, whenever the best model has been right a half-life more."""
        if half_life is not None and max(self.right) >= 2 * half_life:
            self.right = [count // 2 for count in self.right]


def handed_down(models: LeafModels | None) -> LeafModels | None:
    """Return a copy for a child of a leaf: of what is of the points of one leaf alone it has nothing."""
    copied = copy.deepcopy(models)
    if copied is not None:
        copied.gaussians = Gaussians()
    return copied


def probabilities(scores: Sequence[float]) -> list[float]:
    """Return the probabilities that scores stand for: of two classes if there is one score."""
    if len(scores) == 1:
        one = 1 / (1 + math.exp(-scores[0]))
        return [1 - one, one]
    largest = max(scores)
    terms = [math.exp(score - largest) for score in scores]
    return [term / sum(terms) for term in terms]


def gradient_of(scores: Sequence[float], label: int, weight: float) -> list[float]:
    """Return the derivative of the logistic loss of a point by each score, times its weight."""
    gradient = [(p - (k == label)) * weight for k, p in enumerate(probabilities(scores))]
    return gradient if len(scores) > 1 else gradient[1:]


# ---- leaves that mix -------------------------------------------------------------------------------------------------

TRUNK_STEPS = (1.2, 3.6, 0.4)
LEAF_STEP = 1.2
BAYES_SCALE = 0.3
CLIP = 8.0
# Naive Bayes of the stream, which has all weight while labels come sorted.
TRUNK_BAYES = 6
RATE = 2 / (7 * CLIP**2)
NO_NUMBERS: Mapping[int, float] = {}


@dataclass
class TrunkWeights:
    """The weights of a feature in three regressions, and the sums of squared gradients of the first of them."""

    of: list[list[float]]
    squares: list[float]

    @classmethod
    def zero(cls, n_outputs: int) -> TrunkWeights:
        """Return weights before any point."""
        return cls([[0.0] * n_outputs for _ in TRUNK_STEPS], [0.0] * n_outputs)

    def step(self, gradients: Sequence[Sequence[float]], scale: float) -> None:
        """Take an AdaGrad step in each; of two classes in single precision throughout."""
        one = np.float32(1)
        for k, g in enumerate(gradients[0]):
            if len(self.squares) == 1:
                squares = np.float32(self.squares[k]) + np.float32(g * g)
                per = one / np.sqrt(one + squares)
                self.squares[k] = float(squares)
                for of, step, own in zip(self.of, TRUNK_STEPS, gradients, strict=True):
                    of[k] = float(np.float32(of[k]) + np.float32(-(step * scale) * own[k]) * per)
            else:
                self.squares[k] = float32(self.squares[k] + g * g)
                shrink = 1 / math.sqrt(1 + self.squares[k])
                for of, step, own in zip(self.of, TRUNK_STEPS, gradients, strict=True):
                    of[k] = float32(of[k] - step * scale * own[k] * shrink)

    def widen(self, n_outputs: int) -> None:
        """Go over to more outputs, each regression as one alone does."""
        wide = [Weights(of, list(self.squares)) for of in self.of]
        for weights in wide:
            weights.widen(n_outputs)
        self.of = [weights.of for weights in wide]
        self.squares = wide[0].squares


def level(opinion: Sequence[float]) -> list[float]:
    """Return an opinion with 0 for the class thought likeliest, and no class below -CLIP."""
    return [max(score - max(opinion), -CLIP) for score in opinion]


def opinion_of_numbers(gaussians: Gaussians, numbers: Mapping[int, float], of_class: Counts) -> list[float]:
    """Return what is said of numbers as numbers, of points of these classes: nothing before the first number."""
    return gaussians.scores(numbers, of_class) if gaussians.values else [0.0] * len(of_class)


@dataclass
class Mixing:
    """What leaves that mix share: three regressions, naive Bayes and numbers of all points, and how long points are."""

    n_classes: int = 2
    intercept: TrunkWeights = field(default_factory=lambda: TrunkWeights.zero(1))
    features: dict[int, TrunkWeights] = field(default_factory=dict)
    bayes: Bayes = field(default_factory=lambda: Bayes([0, 0]))
    gaussians: Gaussians = field(default_factory=Gaussians)
    n_points: int = 0
    n_active: int = 0
    # The labels learned, each with the length of its run.
    last: int = -1
    run: int = 0
    returns: int = 0

    @property
    def n_outputs(self) -> int:
        """One output suffices for two classes."""
        return 1 if self.n_classes == 2 else self.n_classes

    def widen(self, n_classes: int) -> None:
        """Go over to more classes."""
        self.n_classes = n_classes
        self.bayes.widen(n_classes)
        for weights in (self.intercept, *self.features.values()):
            weights.widen(n_classes)

    def labels_are_sorted(self) -> bool:
        """Whether classes came in runs that are no accident, and have not come back three times."""
        if self.returns >= 3 or self.run < 2:
            return False
        counts = self.bayes.n_of_class
        return self.run * math.log((sum(counts) + 1) / (counts[self.last] + 1)) > 30

    def weights(self, models: LeafModels) -> list[float]:
        """Return what each expert weighs: what the mixer says, or all for the one that needs no order."""
        return [float(e == TRUNK_BAYES) for e in range(len(models.mixer))] if self.labels_are_sorted() else models.mixer

    def trunk_scores(self, features: Sequence[int]) -> list[list[float]]:
        """Return the scores of the trunks."""
        scores = [list(of) for of in self.intercept.of]
        for j in features:
            if j in self.features:
                scores = [
                    [score + weight for score, weight in zip(one, of, strict=True)]
                    for one, of in zip(scores, self.features[j].of, strict=True)
                ]
        return scores

    def regressions(self, models: LeafModels, features: Sequence[int]) -> list[list[float]]:
        """Return the scores of the trunks, and of the first of them corrected by the leaf."""
        scores = self.trunk_scores(features)
        corrected = list(scores[0])
        models.correction.add_scores(features, corrected)
        return [*scores, corrected]

    def opinions(
        self,
        models: LeafModels,
        of_class: Counts,
        features: Sequence[int],
        numbers: Mapping[int, float] = NO_NUMBERS,
    ) -> list[list[float]]:
        """Return what each expert says: the log-odds of two classes, a score for each of more."""
        gaussians = opinion_of_numbers(models.gaussians, numbers, of_class)
        trunk_gaussians = opinion_of_numbers(self.gaussians, numbers, self.bayes.n_of_class)
        majority = [math.log(count + 1) for count in of_class]
        leaf_bayes = [BAYES_SCALE * score for score in models.bayes.scores(features, of_class)]
        trunk_bayes = [BAYES_SCALE * score for score in self.bayes.scores(features, self.bayes.n_of_class)]
        regressions = self.regressions(models, features)
        if self.n_classes > 2:
            others = (trunk_bayes, gaussians, trunk_gaussians)
            return [level(opinion) for opinion in (majority, leaf_bayes, *regressions, *others)]
        odds = [[scores[1] - scores[0]] for scores in (majority, leaf_bayes, trunk_bayes, gaussians, trunk_gaussians)]
        return [[min(max(one[0], -CLIP), CLIP)] for one in (*odds[:2], *regressions, *odds[2:])]

    def predict_proba(
        self,
        models: LeafModels,
        of_class: Counts,
        features: Sequence[int],
        numbers: Mapping[int, float] = NO_NUMBERS,
    ) -> list[float]:
        """Return the probability of each class."""
        return probabilities(self.mix(self.weights(models), self.opinions(models, of_class, features, numbers)))

    def mix(self, mixer: Sequence[float], opinions: Sequence[Sequence[float]]) -> list[float]:
        """Return the weighted sum of the opinions."""
        mixed = [0.0] * self.n_outputs
        for weight, opinion in zip(mixer, opinions, strict=True):
            mixed = [score + weight * said for score, said in zip(mixed, opinion, strict=True)]
        return mixed

    def teach(
        self,
        models: LeafModels,
        of_class: Counts,
        features: Sequence[int],
        label: int,
        weight: Weight,
        *,
        teaches_trunk: bool = True,
        numbers: Mapping[int, float] = NO_NUMBERS,
    ) -> None:
        """Let every model learn a point, and the mixer how far to trust each. All begin from what was before it.

        Counts take the weight as it was rounded; steps are scaled by the weight itself.
        """
        if teaches_trunk:
            self.meet(features)
        opinions = self.opinions(models, of_class, features, numbers)
        errors = gradient_of(self.mix(models.mixer, opinions), label, 1)
        corrected = gradient_of(self.regressions(models, features)[3], label, weight.exact)
        # However heavy the point, the step is at most the inverse of the curvature of its loss.
        curvature = sum(max(abs(said) for said in opinion) ** 2 for opinion in opinions) / 4
        step = min(RATE * weight.exact, 1 / curvature) if curvature > 0 else 0.0
        for e, opinion in enumerate(opinions if not self.labels_are_sorted() else []):
            models.mixer[e] -= step * sum(error * said for error, said in zip(errors, opinion, strict=True))
        models.bayes.learn(features, label, weight.times)
        scale = self.scale()
        if teaches_trunk:
            self.teach_trunk(features, label, weight, numbers)
        models.correction.step(features, corrected, LEAF_STEP * scale, 1.0)
        models.learn_numbers(numbers, label, weight.times)

    def meet(self, features: Sequence[int]) -> None:
        """Note how long a point is that is to be learned."""
        self.n_points += 1
        self.n_active += len(features)

    def scale(self) -> float:
        """Return what step sizes are multiplied by."""
        return 1 / math.sqrt(max(1.0, self.n_active / max(1, self.n_points)))

    def teach_trunk(
        self, features: Sequence[int], label: int, weight: Weight, numbers: Mapping[int, float] = NO_NUMBERS
    ) -> None:
        """Let what leaves share learn a point that was met."""
        gradients = [gradient_of(scores, label, weight.exact) for scores in self.trunk_scores(features)]
        scale = self.scale()
        if label != self.last:
            self.returns += self.bayes.n_of_class[label] > 0
            self.run = 0
        self.last, self.run = label, self.run + 1
        self.bayes.learn(features, label, weight.times)
        self.gaussians.learn(numbers, label, weight.times)
        self.intercept.step(gradients, scale)
        for j in features:
            self.features.setdefault(j, TrunkWeights.zero(self.n_outputs)).step(gradients, scale)
