"""Growth by batches on numbers, categories and missing values, in plain Python: values first, then counts of bins."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from reference_batch import BatchReference, part_of
from reference_evidence import OCCURRENCES_FOR_RANK
from reference_intervals import Intervals
from reference_numbers import MixedPoint, MixedReferenceTree
from reference_options import Options
from reference_ranges import KnownNumber
from reference_tree import Node

N_RANGES = 64
SETTLED_AFTER = 1024
FEW_SETTLED_AFTER = 65536
LARGEST = 1.7976931348623157e308


@dataclass(frozen=True)
class BatchPoint:
    """A point by what all who count agree on: ids of features, of categories with their attribute, and of numbers."""

    on: dict[int, Any]
    numbers: dict[int, float]
    label: int
    weight: int = 1

    def part(self, n_parts: int) -> int:
        """Return the part of its batch that it belongs to."""
        return part_of(self.on, self.label, n_parts, self.numbers.items())


@dataclass
class Grid:
    """The bins of a number: edges that are only added to, and the values until they are enough."""

    edges: list[float] = field(default_factory=list)
    values: Counter[float] = field(default_factory=Counter)
    settled: bool = False

    def bin_of(self, value: float) -> int:
        """Return the bin that a value is in."""
        return sum(edge < value for edge in self.edges)

    def bounds(self, which: int) -> tuple[float, float]:
        """Return the least and the largest number of a bin."""
        low = math.nextafter(self.edges[which - 1], math.inf) if which > 0 else -LARGEST
        return low, self.edges[which] if which < len(self.edges) else LARGEST

    def meet(self, values: Counter[float]) -> None:
        """Note the values of a batch, and divide bins that have too many of them."""
        self.values += values
        known = sorted(self.values)
        n = self.values.total()
        more: list[float] = []
        for which in range(len(self.edges) + 1):
            here = [value for value in known if self.bin_of(value) == which]
            few = len(known) <= N_RANGES
            ranges = len(here) if few else sum(self.values[value] for value in here) * N_RANGES // n
            more += self._edges(here, ranges)
        self.edges = sorted([*self.edges, *more])

    def _edges(self, values: list[float], n_ranges: int) -> list[float]:
        n = sum(self.values[value] for value in values)
        edges: list[float] = []
        below = 0
        for value, above in pairwise(values):
            below += self.values[value]
            is_due = len(values) <= n_ranges or below * n_ranges >= (len(edges) + 1) * n
            if is_due and len(edges) + 1 < n_ranges:
                edges.append(middle(value, above))
        return edges

    def in_bins(self) -> Intervals:
        """Return the values so far by bin."""
        counts: Counter[int] = Counter()
        for value, n in self.values.items():
            counts[self.bin_of(value)] += n
        found = Intervals()
        found.add_bins([(*self.bounds(which), [counts[which]]) for which in sorted(counts)])
        return found

    def settle_if_due(self) -> None:
        """Forget the values once they are enough."""
        enough = SETTLED_AFTER if len(self.values) > N_RANGES else FEW_SETTLED_AFTER
        if len(self.values) > 1 and self.values.total() >= enough:
            self.settled = True
            self.values = Counter()


def middle(below: float, above: float) -> float:
    """Return a number between two."""
    found = below + (above - below) / 2
    if not math.isfinite(found):
        found = below / 2 + above / 2
    return found if below <= found < above else below


class MixedBatchReference(MixedReferenceTree, BatchReference):
    """The tree of ``sapwood._core.Tree(growth="batch")`` on points with numbers and categories, by definition."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.n_met = 0
        self.grids: dict[int, Grid] = {}
        # Of ids the attributes and the slots.
        self.attributes: dict[int, int] = {}
        self.slots: dict[int, int] = {}
        # The points that the tree has met with those that it is about to learn.
        self._n_then = 0

    def learn_parts(self, points: Iterable[BatchPoint], arbiter: Any, n_parts: int = 1) -> None:
        """Learn a batch: the values of all of it, then its parts one after the other."""
        points = [point for point in points if point.weight > 0]
        self._meet_values(points)
        for part in range(n_parts):
            self._learn_part([point for point in points if point.part(n_parts) == part], arbiter)

    def point(self, given: BatchPoint) -> MixedPoint:
        """Return a point by what the tree knows of it."""
        numbers = {self.attributes[j]: value for j, value in given.numbers.items() if j in self.attributes}
        on = [self.slots[j] for j in given.on if j in self.slots]
        return MixedPoint((*on, *(self.known[attribute].presence for attribute in numbers)), numbers)

    def proba_of(self, given: BatchPoint) -> list[float]:
        """Return the probability of each class."""
        point = self.point(given)
        return self._proba(self.path(point)[-1], self.for_models(point, self.n_met))

    def models_see(self, features: Any) -> Sequence[int]:
        """Return what the models of leaves see of a point that is learned."""
        return self.for_models(features, self._n_then)

    def _meet_values(self, points: Sequence[BatchPoint]) -> None:
        values: dict[int, Counter[float]] = {}
        for point in points:
            for j, value in point.numbers.items():
                values.setdefault(j, Counter())[value + 0.0] += 1
        for j in sorted(values):
            attribute = self.attributes.setdefault(j, len(self.attributes))
            if attribute not in self.known:
                self.known[attribute] = KnownNumber(self.reserve(), min(values[j]), self.n_met)
            known, grid = self.known[attribute], self.grids.setdefault(attribute, Grid())
            if grid.settled:
                continue
            grid.meet(values[j])
            if len(grid.values) > 1:
                known.varies = True
                if self.options.leaf_prediction != "majority":
                    known.ranges.n, known.ranges.recent = grid.values.total(), grid.in_bins()
                    known.ranges.review(self.reserve)
            grid.settle_if_due()

    def _learn_part(self, given: Sequence[BatchPoint], arbiter: Any) -> None:
        attribute_of = {j: attribute for point in given for j, attribute in point.on.items()}
        for j in sorted(attribute_of):
            if j not in self.slots:
                self.slots[j] = self.reserve()
                if attribute_of[j] is not None:
                    self.category[self.slots[j]] = attribute_of[j]
        points = [(self.point(each), each.label, each.weight) for each in given]
        for point, _, _ in points:
            for attribute in point.numbers:
                self.known[attribute].n_present += 1
        self._n_then = self.n_met + len(points)
        if self.options.leaf_prediction in {"logistic", "adaptive", "mixed"}:
            self._learn_slopes(points)  # type: ignore[arg-type]  # here a point is more than features
        before = {leaf.born: dict(leaf.on) for leaf in self.root.leaves()}
        touched: dict[int, set[int]] = {}
        bins: dict[tuple[int, int], dict[int, list[int]]] = {}
        for point, label, weight in points:
            leaf = self.path(point)[-1]
            assert leaf.models is not None
            leaf.models.bayes.learn(self.models_see(point), label, weight)
            leaf.of_class[label] += weight
            self.n += weight
            times = 1 if self.options.split_test == "evidence" else weight
            leaf.reached += times
            if not leaf.looks:
                continue
            leaf.counted[label] += times
            on: Any = leaf.on
            for slot in point.on:
                test = ("on", slot)
                on[test] = [n + times * (k == label) for k, n in enumerate(on.get(test, [0] * self.n_classes))]
                touched.setdefault(leaf.born, set()).add(slot)
            for attribute, value in point.numbers.items():
                which = self.grids[attribute].bin_of(value)
                here = bins.setdefault((leaf.born, attribute), {})
                here.setdefault(which, [0] * self.n_classes)[label] += times
        self.n_met += len(points)
        self._add_bins(bins, before)
        for leaf in sorted(self.root.leaves(), key=lambda node: node.born):
            self._rank(leaf, touched.get(leaf.born, set()))
            if leaf.looks:
                self._ask(leaf, arbiter)

    def _add_bins(self, bins: dict[tuple[int, int], dict[int, list[int]]], before: dict[int, Any]) -> None:
        for (born, attribute), counts in bins.items():
            known, of_node = self.known[attribute], self.intervals.setdefault(born, {})
            if not known.varies:
                continue
            if attribute not in of_node:
                of_node[attribute] = Intervals()
                # All values so far were the first.
                present = before[born].get(("on", known.presence))
                if present is not None:
                    of_node[attribute].add_bins([(known.first, known.first, present)])
            grid = self.grids[attribute]
            of_node[attribute].add_bins([(*grid.bounds(which), counts[which]) for which in sorted(counts)])

    def _rank(self, leaf: Node, touched: set[int]) -> None:
        on: Any = leaf.on
        ranked: Any = leaf.ranked
        for slot in sorted(touched):
            if ("on", slot) not in ranked and sum(on[("on", slot)]) >= OCCURRENCES_FOR_RANK:
                ranked.append(("on", slot))

    def _ask(self, leaf: Node, arbiter: Any) -> None:
        features: Any = dict(leaf.on)
        leaf.on |= self._others(leaf, arbiter.feature(leaf.way))
        changed = self._split_if_due(leaf, arbiter)
        leaf.on = features
        if changed:
            self._keep(leaf)
