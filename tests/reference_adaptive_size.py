"""Hoeffding trees of adaptive size (ASHT) in plain Python: what is cut when a tree has grown too large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reference_models import Bayes, LeafModels, Regression, Weights
from reference_options import Options
from reference_tree import Arbiter, ReferenceTree


@dataclass(frozen=True)
class SizedOptions(Options):
    """The parameters of a tree that is cut."""

    growth: str = "adaptive_size"
    max_size: int = 3
    when_full: str = "drop_root"


class SizedTree(ReferenceTree):
    """A tree that is looked at after every point, and cut if it has more inner nodes than it may."""

    def learn(self, features: Sequence[int], label: int, weight: float, arbiter: Arbiter) -> None:
        """Learn from a point."""
        super().learn(features, label, weight, arbiter)
        assert isinstance(self.options, SizedOptions)
        nodes = self.root.nodes()
        if sum(node.feature is not None for node in nodes) <= self.options.max_size:
            return
        if self.options.when_full == "reset":
            self.tally["pruned"] += len(nodes)
            n_outputs = 1 if self.n_classes == 2 else self.n_classes
            models = LeafModels(Bayes([0] * self.n_classes), Regression(Weights.zero(n_outputs)))
            self.root = self._leaf((), [0] * self.n_classes, models)
            return
        self.root = self.path(features)[1]
        kept = self.root.nodes()
        self.tally["pruned"] += len(nodes) - len(kept)
        for node in kept:
            node.way = node.way[1:]
            if node.feature is None and not node.looks:
                # It is less deep than before, and may look for a split from now on.
                node.looks = self.options.max_depth is None or len(node.way) < self.options.max_depth
                node.reached = 0
