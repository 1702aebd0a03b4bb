"""The streaming tree in plain Python on points with numbers and categories: every threshold and every set is tried.

What is asked of a point is a tuple: ``("on", slot)``, ``("above", attribute, threshold, missing passes)`` or
``("among", slots)``. The slot of a number is that of its presence; the models of leaves see further slots of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from reference_evidence import N_LOOKED_AT, OCCURRENCES_FOR_RANK, log_evidence, penalty, rarity, rarity_counted
from reference_gains import gain
from reference_intervals import Intervals
from reference_models import Counts
from reference_options import Options
from reference_ranges import KnownNumber
from reference_tree import NEAR, NEAR_EVIDENCE, Node, ReferenceTree
from reference_weights import Weight

Test = tuple[Any, ...]


def asked_by_nodes(core: Any, nodes: dict[str, Any]) -> list[Test | None]:
    """Return what each node of a tree of the core asks; None of a leaf."""
    typed = core.typed_tests()
    found: list[Test | None] = []
    for i, feature in enumerate(nodes["feature"].tolist()):
        if i not in typed:
            found.append(None if feature < 0 else ("on", feature))
        elif isinstance(typed[i][0], list):
            found.append(("among", tuple(typed[i][0])))
        else:
            found.append(("above", feature, *typed[i]))
    return found


@dataclass(frozen=True)
class MixedPoint:
    """The slots that are on, those of presences among them, and the numbers by attribute."""

    on: tuple[int, ...]
    numbers: dict[int, float]

    def passes(self, test: Test) -> bool:
        """Whether the point passes a test."""
        if test[0] == "on":
            return test[1] in self.on
        if test[0] == "among":
            return any(slot in self.on for slot in test[1])
        _, attribute, threshold, missing_passes = test
        return bool(self.numbers[attribute] > threshold if attribute in self.numbers else missing_passes)


class MixedReferenceTree(ReferenceTree):
    """The tree of ``sapwood._core.Tree`` on points with numbers and categories: leaves answer by majority, or mix."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        # By the number of a node: the intervals of each attribute.
        self.intervals: dict[int, dict[int, Intervals]] = {}
        # Of each attribute what is known of it; of each slot that is a value the category.
        self.known: dict[int, KnownNumber] = {}
        self.n_slots = 0
        self.category: dict[int, Any] = {}
        # Categories two of whose values were in one point.
        self.shared: set[Any] = set()

    def path(self, features: Any) -> list[Node]:
        """Return the nodes from the root to the leaf that a point reaches."""
        nodes = [self.root]
        while nodes[-1].feature is not None:
            nodes.append(nodes[-1].children[features.passes(nodes[-1].feature)])
        return nodes

    def cover_classes(self, n_classes: int) -> None:
        """Make room for `n_classes` classes."""
        more = [0] * (n_classes - self.n_classes)
        for of_node in self.intervals.values():
            for intervals in of_node.values():
                for each in intervals.of:
                    each.counts += more
        super().cover_classes(n_classes)

    def reserve(self) -> int:
        """Return the next slot."""
        self.n_slots += 1
        return self.n_slots - 1

    def meet(self, attribute: int, value: float) -> int:
        """Note a number of the point that is learned next; return the slot of its presence."""
        if attribute not in self.known:
            self.known[attribute] = KnownNumber(self.reserve(), value, self.n)
        known = self.known[attribute]
        if self.options.leaf_prediction == "mixed":
            known.meet(value, self.reserve)
        return known.presence

    def for_models(self, point: MixedPoint, n_points: int) -> list[int]:
        """Return what the models of a leaf see of a point, that of numbers last."""
        presences = {known.presence for known in self.known.values()}
        seen = [slot for slot in point.on if slot not in presences]
        for attribute, value in point.numbers.items():
            seen += self.known[attribute].seen_by_models(value, n_points)
        return seen

    def proba(self, point: MixedPoint) -> list[float]:
        """Return the probability of each class."""
        return self._proba(self.path(point)[-1], self.for_models(point, self.n), point.numbers)

    def learn_mixed(self, point: MixedPoint, label: int, arbiter: Any) -> None:
        """Learn from a point whose numbers were met."""
        assert self.options.leaf_prediction in {"majority", "mixed"}
        self.cover_classes(label + 1)
        values = [self.category[slot] for slot in point.on if slot in self.category]
        self.shared |= {each for each in values if values.count(each) > 1}
        path = self.path(point)
        leaf = path[-1]
        least = {"hoeffding": math.inf, "extremely_fast": 0.0}.get(self.options.growth)
        rare = rarity(self.n)
        if self.options.leaf_prediction == "mixed":
            # A number that has never differed tells nothing.
            varying = {number: value for number, value in point.numbers.items() if self.known[number].varies}
            seen = self.for_models(point, self.n + 1)
            self._teach(leaf, seen, label, Weight(1, 1.0), arbiter, numbers=varying)
        leaf.of_class[label] += 1
        self.n += 1
        for node in path:
            if node is not leaf and rare < (rarity_counted(sum(node.counted)) if least is None else least):
                continue
            node.reached += 1
            node.counted[label] += 1
            of_node: Any = node.on
            ranked: Any = node.ranked
            for slot in point.on:
                on = of_node.setdefault(("on", slot), [0] * self.n_classes)
                on[label] += 1
                if sum(on) == OCCURRENCES_FOR_RANK:
                    ranked.append(("on", slot))
            for attribute, value in point.numbers.items():
                here = self.intervals.setdefault(node.born, {}).setdefault(attribute, Intervals())
                here.add(value, label, 1, self.n_classes)
            features = dict(node.on)
            of_node |= self._others(node, arbiter.feature(node.way))
            changed = self._split_if_due(node, arbiter) if node is leaf else self._resplit_if_due(node, arbiter)
            node.on = features
            if changed:
                self._keep(node)
                break

    def _keep(self, node: Node) -> None:
        """Keep the threshold that a node asks about, and no other."""
        asked: Any = node.feature
        for attribute, intervals in self.intervals.get(node.born, {}).items():
            is_it = asked[0] == "above" and asked[1] == attribute
            intervals.kept = asked[2] if is_it else None

    # ---- tests beside those of features

    def _others(self, node: Node, answer: Test | None) -> dict[Test, Counts]:
        """Return the best test of each number and of each category, with where it passes, and that of the node."""
        found: dict[Test, Counts] = {}
        for attribute in self.intervals.get(node.born, {}):
            self._add_best(found, self._thresholds(node, attribute), node, answer)
        if self.n_classes == 2:
            for category in dict.fromkeys(self.category.values()):
                if category not in self.shared:
                    self._add_best(found, self._sets(node, category), node, answer)
        if node.feature is not None and node.feature[0] != "on":  # type: ignore[index]
            asked: Any = node.feature
            found[asked] = self._passing(node, asked)
        return found

    def _add_best(self, found: dict[Test, Counts], all_of: dict[Test, Counts], node: Node, answer: Test | None) -> None:
        gains = {test: gain(passed, node.counted, self.options.criterion) for test, passed in all_of.items()}
        most = max(gains.values(), default=0.0)
        tied = [test for test in gains if gains[test] >= most - NEAR]
        if tied:
            best = answer if answer in tied else tied[0]
            assert best is not None
            found[best] = all_of[best]

    def _passing(self, node: Node, test: Test) -> Counts:
        if test[0] == "among":
            return self._united(node, test[1])
        return self._above(node, test[1], test[2], missing_passes=test[3])

    def _united(self, node: Node, slots: Sequence[int]) -> Counts:
        found: Any = node.on
        rows = [found[("on", slot)] for slot in slots if ("on", slot) in found]
        return [sum(row[k] for row in rows) for k in range(self.n_classes)]

    def _above(self, node: Node, attribute: int, threshold: float, *, missing_passes: bool) -> Counts:
        passed = [0] * self.n_classes
        missing = list(node.counted)
        for each in self.intervals[node.born][attribute].of:
            for k, count in enumerate(each.counts):
                missing[k] -= count
                passed[k] += count if each.low > threshold else 0
        return [p + m for p, m in zip(passed, missing, strict=True)] if missing_passes else passed

    def _thresholds(self, node: Node, attribute: int) -> dict[Test, Counts]:
        """Return every threshold of a number, each with the missing values on either side."""
        intervals = self.intervals[node.born][attribute]
        above = [sum(counts) for counts in zip(*(each.counts for each in intervals.of), strict=True)]
        present = sum(above)
        missing = [n - k for n, k in zip(node.counted, above, strict=True)]
        found: dict[Test, Counts] = {}
        for i, each in enumerate(intervals.of[:-1]):
            above = [n - k for n, k in zip(above, each.counts, strict=True)]
            # If none is missing, the first that will be goes where most points are.
            sides = (False, True) if present < sum(node.counted) else (2 * sum(above) > present,)
            for side in sides:
                test = ("above", attribute, intervals.threshold(i), side)
                found[test] = [n + k for n, k in zip(above, missing, strict=True)] if side else above
        return found

    def _sets(self, node: Node, category: Any) -> dict[Test, Counts]:
        """Return every set of two values of a category or more that is better than each single value."""
        on: Any = node.on
        slots = sorted(slot for slot, name in self.category.items() if name == category and ("on", slot) in on)
        singles = [gain(on[("on", slot)], node.counted, self.options.criterion) for slot in slots]
        found: dict[Test, Counts] = {}
        for size in range(2, len(slots) + 1):
            for some in combinations(slots, size):
                united = self._united(node, some)
                if gain(united, node.counted, self.options.criterion) > max(singles) + NEAR:
                    found[("among", some)] = united
        return found

    # ---- what the tests of a tree make of them

    def _ranked(self, node: Node, answer: Any) -> tuple[list[Any], dict[Any, float]]:
        gains = {test: gain(on, node.counted, self.options.criterion) for test, on in node.on.items()}
        most = max(gains.values())
        tied = [test for test in gains if gains[test] >= most - NEAR]
        if len(tied) > 1:
            self.settled += 1
        first = answer if answer in tied else tied[0]
        return [first, *sorted((test for test in gains if test != first), key=lambda test: -gains[test])], gains

    def _needed(self, node: Node, feature: Any) -> float:
        """Return what the evidence of a test must reach: what is made of a feature shares with it."""
        if feature[0] == "above":
            gap = self.intervals[node.born][feature[1]].gap_of(feature[2])
            presence = super()._needed(node, ("on", self.known[feature[1]].presence))  # type: ignore[arg-type]
            return math.inf if gap is None else presence + math.log(penalty(gap)) + 2 * math.log(2)
        if feature[0] == "among":
            category = self.category[feature[1][0]]
            ranked: Any = node.ranked
            values = [test for test in ranked if self.category.get(test[1]) == category]
            if not all(("on", slot) in values for slot in feature[1]):
                return math.inf
            last = max(values.index(("on", slot)) for slot in feature[1])
            return super()._needed(node, values[last]) + (last + 1) * math.log(2)
        shares = feature[1] in self.category or any(known.presence == feature[1] for known in self.known.values())
        return super()._needed(node, feature) + (math.log(2) if shares else 0)

    def _has_evidence(self, node: Node, gains: dict[Any, float], answer: bool) -> bool:
        is_certain = is_possible = False
        for test, found in gains.items():
            missing = self._needed(node, test) - log_evidence(node.on[test], node.counted)
            if missing > NEAR_EVIDENCE:
                continue
            ahead = sum(gains[other] > found + NEAR for other in gains)
            or_level = sum(gains[other] >= found - NEAR for other in gains if other != test)
            is_certain |= missing < -NEAR_EVIDENCE and or_level < N_LOOKED_AT
            is_possible |= ahead < N_LOOKED_AT
        if is_possible and not is_certain:
            self.settled += 1
            return answer
        return is_certain
