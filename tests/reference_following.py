"""Trees that follow a changing stream in plain Python, written from their definitions.

In the trees that take points back nothing is counted as points come and go: whenever something is asked of a node, its
points are looked up among those that are kept, and counted then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from reference_adwin import ReferenceAdwin
from reference_models import Bayes, Counts, LeafModels, Mixing, Regression, Weights
from reference_options import Options
from reference_tree import Arbiter, Node, ReferenceTree, Way
from reference_weights import Weight


@dataclass(frozen=True)
class WindowedOptions(Options):
    """The parameters of CVFDT."""

    growth: str = "windowed"
    window_size: int = 50
    drift_delta: float = 0.002
    swap_delta: float = 0.05
    patience: int = 10_000
    half_life: int | None = 10_000


@dataclass(frozen=True)
class AdaptiveOptions(WindowedOptions):
    """The parameters of HAT."""

    growth: str = "adaptive"


@dataclass
class Contest:
    """Who was right where only one was, and what each has made of a stake of 1."""

    n: int = 0
    results: list[bool] = field(default_factory=list)

    def stake(self, is_won: bool) -> float:
        """Return the stake of the alternate, or, with False, of the node."""
        stake = 1.0
        for i, result in enumerate(self.results):
            bet = max(0.5, (self.results[:i].count(is_won) + 0.5) / (i + 1))
            stake *= 2 * bet if result == is_won else 2 * (1 - bet)
        return stake


@dataclass(eq=False)
class WatchedNode(Node):
    """A node, since when it has points, and what it knows of its errors and of its alternate."""

    since: int = 0
    counted_since: int = 0
    tested_since: int = 0
    """The number of the next point when a split was last looked for."""
    inherited: Counts = field(default_factory=list)
    """The classes of a leaf that are of no point that is kept."""
    errors: ReferenceAdwin = field(default_factory=ReferenceAdwin)
    alternate: WatchedNode | None = None
    contest: Contest = field(default_factory=Contest)
    rests_until: int = 0


@dataclass(frozen=True)
class Nobody:
    """Settles what no one sees, in an alternate: the first of what is equal but for rounding."""

    label: int

    def feature(self, way: Way) -> int | None:  # noqa: ARG002 - it has no answer
        return None

    def was_right(self, model: int, before: int) -> bool:  # noqa: ARG002 - it asks the label alone
        return self.label == 0


# The number of the first node that is made in an alternate.
FIRST_BESIDE = 2**62


class FollowingTree(ReferenceTree):
    """The trees of the growths "windowed" and "adaptive" by definition."""

    options: WindowedOptions
    root: WatchedNode

    def __init__(self, options: WindowedOptions) -> None:
        # The points that are kept, by their numbers.
        self.kept: dict[int, tuple[tuple[int, ...], int, Weight]] = {}
        self.next = 0
        # The node in whose alternate something is done, and how many nodes alternates ever had.
        self._owner: WatchedNode | None = None
        self._born_beside = 0
        # What the points of nodes depend on, when they were last looked up.
        self._recounted: tuple[object, list[WatchedNode]] = None, []
        # What the leaves of an alternate of the root share.
        self._beside = (Regression(Weights.zero(1)), Mixing())
        self.changes = {"drifts": 0, "alternates_started": 0, "alternates_swapped": 0, "alternates_dropped": 0}
        super().__init__(options)

    @property
    def is_windowed(self) -> bool:
        return self.options.growth == "windowed"

    @contextmanager
    def beside(self, node: WatchedNode) -> Iterator[None]:
        """Do something in the alternate of a node; that of the root has a trunk of its own."""
        self._owner = node
        has_trunk = node is self.root
        if has_trunk:
            self._swap_trunks()
        try:
            yield
        finally:
            if has_trunk:
                self._swap_trunks()
            self._owner = None

    def _swap_trunks(self) -> None:
        (self.trunk, self.mixing), self._beside = self._beside, (self.trunk, self.mixing)

    def _number_of(self, node: Node) -> int:
        if node.born < FIRST_BESIDE:
            return node.born
        assert self._owner is not None
        assert self._owner.alternate is not None
        return node.born - self._owner.alternate.born

    @property
    def next_born(self) -> int:
        """The number of the next node that is made, in the tree or in the alternate."""
        return self._born if self._owner is None else FIRST_BESIDE + self._born_beside

    @next_born.setter
    def next_born(self, born: int) -> None:
        if self._owner is None:
            self._born = born
        else:
            self._born_beside = born - FIRST_BESIDE

    def _may_swap(self, node: WatchedNode) -> bool:
        """Whether the tree would have no more leaves than it may."""
        assert node.alternate is not None
        most = self.options.max_leaves
        swapped = len(self.root.leaves()) - len(node.leaves()) + len(node.alternate.leaves())
        return most is None or swapped <= most

    def _n_leaves(self) -> int:
        if self._owner is None or self._owner.alternate is None:
            return super()._n_leaves()
        # In an alternate, those that the tree would have if it took its place.
        return super()._n_leaves() - len(self._owner.leaves()) + len(self._owner.alternate.leaves())

    def _may_have_leaves(self, n_leaves: int, instead_of: int) -> bool:
        if self._owner is None or self.options.max_leaves is None:
            return super()._may_have_leaves(n_leaves, instead_of)
        # To restructure may not make an alternate larger.
        return n_leaves <= instead_of

    def _leaf(self, way: Way, of_class: Counts, models: LeafModels | None) -> WatchedNode:
        plain = super()._leaf(way, of_class, models)
        if self._owner is not None:
            self._born -= 1
            plain.born = FIRST_BESIDE + self._born_beside
            self._born_beside += 1
        made = WatchedNode(**vars(plain), inherited=list(of_class), since=self.next, counted_since=self.next)
        made.tested_since = self.next
        made.errors = ReferenceAdwin(self.options.drift_delta)
        return made

    def cover_classes(self, n_classes: int) -> None:
        """Make room for more classes, before there are alternates."""
        super().cover_classes(n_classes)
        for node in self.all_nodes():
            node.inherited.extend([0] * (n_classes - len(node.inherited)))

    # ---- which points a node has

    def way_from(self, top: Node, features: Sequence[int]) -> list[WatchedNode]:
        """Return the nodes from one to the leaf below it that a point reaches."""
        nodes = [top]
        while nodes[-1].feature is not None:
            nodes.append(nodes[-1].children[nodes[-1].feature in features])
        return nodes  # type: ignore[return-value]  # all nodes of this tree are watched

    def met_by(self, features: Sequence[int]) -> list[WatchedNode]:
        """Return all nodes that a point reaches, in the tree and in the alternates beside them."""
        met = []
        for node in self.way_from(self.root, features):
            met.append(node)
            if node.alternate is not None:
                met += self.way_from(node.alternate, features)
        return met

    def all_nodes(self) -> list[WatchedNode]:
        nodes: list[WatchedNode] = []
        for node in self.root.nodes():
            assert isinstance(node, WatchedNode)
            nodes.append(node)
            nodes += [] if node.alternate is None else node.alternate.nodes()  # type: ignore[arg-type]  # likewise
        return nodes

    def recount(self) -> None:
        """Look up the points of every node, unless none can have others than when they were last looked up."""
        nodes = self.all_nodes()
        # A test changes no more of a node than what it says itself: that all of its points came before.
        of_nodes = [(id(node), node.feature, node.since, node.counted_since, node.looks) for node in nodes]
        state = (self.next, len(self.kept), self.n_classes, of_nodes)
        if state == self._recounted[0]:
            return
        # The nodes too, so that no other node is given the place of one, and with it its id.
        self._recounted = state, nodes
        for node in nodes:
            if node.feature is None:
                node.of_class = list(node.inherited)
            # The statistics of HAT end with a split.
            if node.feature is None or self.is_windowed:
                node.counted = [0] * self.n_classes
                node.on = {}
                node.tested_at = 0
        for number, (features, label, (times, _)) in self.kept.items():
            for node in self.met_by(features):
                if node.feature is None and number >= node.since:
                    node.of_class[label] += times
                if (node.feature is not None and not self.is_windowed) or number < node.counted_since:
                    continue
                if not node.looks:
                    continue
                node.counted[label] += times
                node.tested_at += times if number < node.tested_since else 0
                for j in features:
                    node.on.setdefault(j, [0] * self.n_classes)[label] += times

    # ---- a point

    def learn(self, features: Sequence[int], label: int, weight: float, arbiter: Arbiter) -> None:
        """Learn from a point."""
        self.cover_classes(label + 1)
        while len(self.kept) >= self.options.window_size:
            del self.kept[min(self.kept)]
        self.recount()
        path = self.way_from(self.root, features)
        leaf = path[-1]
        weighed = self._weights.rounded(weight)
        self.n += weighed.times
        self.kept[self.next] = (tuple(features), label, weighed)
        self.next += 1
        self._contend(path, features, label, weighed)
        self._teach(leaf, features, label, weighed, arbiter)
        is_right = self._was_right
        if (found := self._contestant(path)) is not None:
            with self.beside(found[0]):
                self._split_if_it_is_time(self.way_from(found[1], features)[-1], Nobody(label))
        if self.is_windowed:
            self._check_path(path, arbiter)
            self._watch_errors(path[:1], is_right)
        else:
            self._watch_errors(path, is_right)
            self._split_if_it_is_time(leaf, arbiter)
        self._decide(path)
        self.recount()

    def _contestant(self, path: Sequence[WatchedNode]) -> tuple[WatchedNode, WatchedNode] | None:
        """Return the node of a path that has an alternate, and that; there is at most one."""
        found = [(node, node.alternate) for node in path if node.alternate is not None]
        assert len(found) <= 1
        return found[0] if found else None

    def _contend(self, path: Sequence[WatchedNode], features: Sequence[int], label: int, weight: Weight) -> None:
        """Ask the tree and the alternate on a path for a point, and teach it to the alternate."""
        self._was_right = self._answer(path[-1], features) == label
        if (found := self._contestant(path)) is None:
            return
        node, alternate = found
        with self.beside(node):
            leaf = self.way_from(alternate, features)[-1]
            is_right = self._answer(leaf, features) == label
            self._teach(leaf, features, label, weight, Nobody(label), teaches_trunk=node is self.root)
        node.contest.n += 1
        if is_right != self._was_right:
            node.contest.results.append(is_right)

    def _answer(self, leaf: Node, features: Sequence[int]) -> int:
        proba = self._proba(leaf, features)
        return proba.index(max(proba))

    def _split_if_it_is_time(self, leaf: WatchedNode, arbiter: Arbiter) -> None:
        self.recount()
        if not leaf.looks:
            return
        before = leaf.tested_at
        has_split = self._split_if_due(leaf, arbiter)
        if has_split or leaf.tested_at != before:
            leaf.tested_since = self.next
        if has_split and self.is_windowed:
            self._have_the_window(leaf.children)

    def _have_the_window(self, children: Sequence[Node]) -> None:
        for child in children:
            assert isinstance(child, WatchedNode)
            child.inherited = [0] * self.n_classes
            child.since = child.counted_since = 0

    # ---- CVFDT

    def _check_path(self, path: Sequence[WatchedNode], arbiter: Arbiter) -> None:
        for node in path:
            if node.feature is None:
                self._split_if_it_is_time(node, arbiter)
                return
            if self._contestant(path[: path.index(node) + 1]) is not None or node.rests_until > self.next:
                continue
            self.recount()
            before = node.tested_at
            due = self._due_revision(node, Nobody(0))
            if node.tested_at != before:
                node.tested_since = self.next
            if due is not None:
                self._begin(node, 0)
                self.recount()
                assert node.alternate is not None
                self.tally["split"] += 1
                with self.beside(node):
                    self._grow(node.alternate, *due, node.alternate.models)
                node.alternate.tested_since = self.next
                self._have_the_window(node.alternate.children)

    # ---- errors

    def _watch_errors(self, path: Sequence[WatchedNode], is_right: bool) -> None:
        for node in path:
            node.errors.update(not is_right)
            if not node.errors.drift_detected:
                continue
            self.changes["drifts"] += 1
            reached = [number for number, (features, _, _) in self.kept.items() if node in self.met_by(features)]
            last = reached[-node.errors.width :]
            since = min(self.kept) if len(reached) < node.errors.width else last[0]
            if node.feature is None and self.options.growth == "adaptive":
                node.inherited = [0] * self.n_classes
                node.since = since
                node.counted_since = max(node.counted_since, since)
            above = path[: path.index(node)]
            if not node.errors.rose or self._contestant(above) is not None:
                continue
            if node.alternate is not None and node.contest.results.count(True) > node.contest.results.count(False):
                continue
            self._drop(node)
            self._begin(node, since)

    # ---- alternates

    def _begin(self, node: WatchedNode, since: int) -> None:
        """Let an alternate learn the points since a moment that reached its node, in place of all below that.

        That of a window counts all points of the window; its models learn those since the moment.
        """
        for below in node.nodes()[1:]:
            assert isinstance(below, WatchedNode)
            self._drop(below)
        self.changes["alternates_started"] += 1
        n_outputs = 1 if self.n_classes == 2 else self.n_classes
        models = LeafModels(Bayes([0] * self.n_classes), Regression(Weights.zero(n_outputs)))
        owns_trunk = node is self.root
        if owns_trunk:
            self._beside = (Regression(Weights.zero(1)), Mixing())
            self._beside[0].widen(n_outputs) if n_outputs > 1 else None
            self._beside[1].widen(self.n_classes) if n_outputs > 1 else None
        node.contest = Contest()
        with self.beside(node):
            leaf = node.alternate = self._leaf(node.way, [0] * self.n_classes, models)
            leaf.since = leaf.counted_since = 0 if self.is_windowed else since
            for number in sorted(self.kept):
                features, label, weight = self.kept[number]
                if number < leaf.since or node not in self.way_from(self.root, features):
                    continue
                if number < since:
                    leaf.of_class[label] += weight.times
                    continue
                self._teach(leaf, features, label, weight, Nobody(label), teaches_trunk=owns_trunk)
                leaf.of_class[label] += weight.times
                self._note_replayed(leaf, features, label, weight)

    def _note_replayed(self, leaf: WatchedNode, features: Sequence[int], label: int, weight: Weight) -> None:
        """Count a point in a new alternate, where counts are not looked up."""

    def _decide(self, path: Sequence[WatchedNode]) -> None:
        needed = -math.log(self.options.swap_delta)
        share = self._independent_share()
        for node in path:
            alternate = node.alternate
            if alternate is None:
                continue
            if math.log(node.contest.stake(True)) * share >= needed and self._may_swap(node):
                self.changes["alternates_swapped"] += 1
                if node is self.root:
                    self._swap_trunks()
                for each in sorted(alternate.nodes(), key=lambda made: made.born):
                    each.born = self._born
                    self._born += 1
                below = [each for each in node.nodes() if each is not node]
                self.tally["pruned"] += len(below) + 1
                for each in below:
                    assert isinstance(each, WatchedNode)
                    self._drop(each)
                self._put(alternate, node)
                return
            lost = math.log(node.contest.stake(False)) * share >= needed
            patience, window = self.options.patience, self.options.window_size
            patience = min(patience, window) if self.is_windowed else patience
            if lost or node.contest.n >= patience:
                self._drop(node)
                rest = 2 * (patience + window)
                node.rests_until = self.next + rest if self.is_windowed else 0
            return

    def _independent_share(self) -> float:
        """Return how many independent points a point is worth, by how often labels repeat among those that are kept."""
        labels = [self.kept[number][1] for number in sorted(self.kept)]
        by_chance = sum((labels.count(label) / len(labels)) ** 2 for label in set(labels))
        if len(set(labels)) < 2:
            return 0
        repeats = sum(a == b for a, b in pairwise(labels))
        correlation = (repeats / (len(labels) - 1) - by_chance) / (1 - by_chance)
        return (1 - correlation) / (1 + correlation) if correlation > 0 else 1

    def _drop(self, node: WatchedNode) -> None:
        if node.alternate is not None:
            self.changes["alternates_dropped"] += 1
            self.tally["pruned"] += len(node.alternate.nodes())
            node.alternate = None

    def _put(self, alternate: WatchedNode, node: WatchedNode) -> None:
        if node is self.root:
            self.root = alternate
            return
        for other in self.root.nodes():
            other.children = [alternate if child is node else child for child in other.children]


def stream_that_changes(seed: int, n: int, n_classes: int = 2) -> list[tuple[tuple[int, ...], int, float]]:
    """Make points whose labels show in other features after every third of the stream."""
    rng = np.random.default_rng(seed)
    d = 6
    stream: list[tuple[tuple[int, ...], int, float]] = [((j,), j % n_classes, 1) for j in range(d)]
    for i in range(n):
        label = int(rng.integers(n_classes))
        phase = 3 * i // n
        said = label if phase != 1 else n_classes - 1 - label
        rates = [(0.9 if (j + phase) % n_classes == said else 0.15) if j // 2 == phase else 0.3 for j in range(d)]
        features = tuple(j for j in range(d) if rng.random() < rates[j]) if rng.random() > 0.05 else ()
        stream.append((features, label, int(rng.integers(1, 3))))
    return stream
