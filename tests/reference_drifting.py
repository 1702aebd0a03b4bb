"""Sapwood's own tree where it follows a changing stream, in plain Python, written from its definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reference_evidence import OCCURRENCES_FOR_RANK, rarity, rarity_counted
from reference_following import AdaptiveOptions, FollowingTree, Nobody, WatchedNode
from reference_tree import Arbiter, Node
from reference_weights import Weight


@dataclass(frozen=True)
class DriftOptions(AdaptiveOptions):
    """The parameters of sapwood's own tree where it follows a stream."""

    growth: str = "streaming"
    drift: bool = True


class DriftingTree(FollowingTree):
    """The tree of the growth "streaming" with drift: all points count, and alternates begin where errors rise."""

    options: DriftOptions

    def learn(self, features: Sequence[int], label: int, weight: float, arbiter: Arbiter) -> None:
        """Learn from a point."""
        self.cover_classes(label + 1)
        while len(self.kept) >= self.options.window_size:
            del self.kept[min(self.kept)]
        path = self.way_from(self.root, features)
        rare = rarity(self.n)
        counting = self._counting(path, rare)
        weighed = self._weights.rounded(weight)
        self.kept[self.next] = (tuple(features), label, weighed)
        self.next += 1
        self._contend(path, features, label, weighed)
        if (found := self._contestant(path)) is not None:
            node, alternate = found
            with self.beside(node):
                way = self.way_from(alternate, features)
                way[-1].of_class[label] += weighed.times
                self._count(self._counting(way, rare), features, label, weighed, Nobody(label))
        self._teach(path[-1], features, label, weighed, arbiter)
        path[-1].of_class[label] += weighed.times
        self.n += weighed.times
        remade = self._count(counting, features, label, weighed, arbiter)
        if remade is not None:
            assert isinstance(remade, WatchedNode)
            path = path[: path.index(remade) + 1]
        self._watch_errors(path, self._was_right)
        self._decide(path)

    def _counting(self, way: Sequence[WatchedNode], rare: int) -> list[Node]:
        return [node for node in way if node is way[-1] or rare >= rarity_counted(sum(node.counted))]

    def _note_replayed(self, leaf: WatchedNode, features: Sequence[int], label: int, weight: Weight) -> None:
        if not leaf.looks:
            return
        times = min(weight.times, 1) if self.options.split_test == "evidence" else weight.times
        leaf.counted[label] += times
        for j in features if times > 0 else ():
            on = leaf.on.setdefault(j, [0] * self.n_classes)
            on[label] += times
            if sum(on) == OCCURRENCES_FOR_RANK:
                leaf.ranked.append(j)
        leaf.tested_at = sum(leaf.counted)

    def _resplit_if_due(self, node: Node, arbiter: Arbiter) -> bool:
        below = node.nodes()[1:]
        if not super()._resplit_if_due(node, arbiter):
            return False
        for each in below:
            assert isinstance(each, WatchedNode)
            self._drop(each)
        return True
