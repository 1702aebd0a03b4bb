"""Leaves that see numbers as numbers: what is saved of it, what is refused, and what an explanation shows."""

from __future__ import annotations

import random
import struct
from typing import Any

import numpy as np
import pytest
from reference_gaussians import Gaussians

import sapwood
from sapwood.exceptions import ModelFormatError
from sapwood.model_files import tree_file
from sapwood.model_files.sections import pack, unpack

SECTION, OF_TRUNK = b"\x09gaussians", b"\x0ftrunk_gaussians"


def clouds(n: int, seed: int = 1, n_classes: int = 2) -> list[tuple[dict[str, Any], int]]:
    """Return points of classes whose numbers lie around different centres."""
    draw = random.Random(seed)
    points: list[tuple[dict[str, Any], int]] = []
    for _ in range(n):
        label = draw.randrange(n_classes)
        point: dict[str, Any] = {f"x{i}": draw.gauss((label + i) % n_classes, 1) for i in range(4)}
        if draw.random() < 0.1:
            del point["x2"]
        points.append((point, label))
    return points


def tree_of(points: list[tuple[dict[str, Any], int]], **options: Any) -> sapwood.StreamingTreeClassifier:
    tree = sapwood.StreamingTreeClassifier(**options)
    for x, label in points:
        tree.learn_one(x, label)
    return tree


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_tree_that_was_read_goes_on_byte_for_byte(n_classes: int) -> None:
    points = clouds(900, n_classes=n_classes)
    whole, half = tree_of(points), tree_of(points[:400])
    assert {SECTION, OF_TRUNK} <= set(sections_of(half))
    again = sapwood.StreamingTreeClassifier.from_bytes(half.to_bytes())
    for x, label in points[400:]:
        again.learn_one(x, label)
    assert again.to_bytes() == whole.to_bytes()


def test_a_tree_without_numbers_has_nothing_of_it() -> None:
    tree = tree_of([({"a": True, "colour": "red"}, 0), ({"b": True}, 1)] * 20)
    assert sections_of(tree) == []


@pytest.mark.parametrize("missing", [(OF_TRUNK,), (SECTION, OF_TRUNK)])
def test_a_file_from_before_is_read_and_learns(missing: tuple[bytes, ...]) -> None:
    points = clouds(300)
    sections = unpack(tree_of(points).to_bytes())
    tree = sections["tree"]
    for name in missing:
        at, _, end = place_of(tree, name)
        tree = tree[:at] + tree[end:]
    before = pack({**sections, "tree": tree})
    old = sapwood.StreamingTreeClassifier.from_bytes(before)
    assert old.to_bytes() == before
    for x, label in points:
        old.learn_one(x, label)
    assert sections_of(old) == [SECTION, OF_TRUNK]


def test_a_forest_that_was_read_goes_on_byte_for_byte() -> None:
    points = clouds(500, n_classes=3)

    def forest_of(some: list[tuple[dict[str, Any], int]]) -> sapwood.StreamingForestClassifier:
        forest = sapwood.StreamingForestClassifier(n_estimators=3)
        for x, label in some:
            forest.learn_one(x, label)
        return forest

    whole, half = forest_of(points), forest_of(points[:250])
    assert OF_TRUNK in half.to_bytes()
    again = sapwood.StreamingForestClassifier.from_bytes(half.to_bytes())
    for x, label in points[250:]:
        again.learn_one(x, label)
    assert again.to_bytes() == whole.to_bytes()


@pytest.mark.parametrize("options", [{}, {"half_life": 50}, {"drift": True}])
def test_classes_may_come_late_and_files_in_between(options: dict[str, Any]) -> None:
    points = [(x, label if i < 300 else label + i % 20) for i, (x, label) in enumerate(clouds(700, n_classes=3))]
    whole, again = (sapwood.StreamingTreeClassifier(**options) for _ in range(2))
    for i, (x, label) in enumerate(points):
        whole.learn_one(x, label)
        again.learn_one(x, label)
        if i % 100 == 99:
            again = sapwood.StreamingTreeClassifier.from_bytes(again.to_bytes())
    assert again.to_bytes() == whole.to_bytes()
    assert sum(whole.predict_proba_one(points[0][0]).values()) == pytest.approx(1)


def test_an_alternate_of_the_root_has_numbers_of_its_own() -> None:
    """It has a trunk of its own, which is saved as well, and takes the place of the other."""

    def point(i: int) -> tuple[dict[str, float], int]:
        draw = random.Random(i)
        label = draw.randrange(2)
        return {"a": draw.gauss(2 * label if i < 900 else -2 * label, 1), "b": draw.gauss(0, 1)}, label

    whole, again = (sapwood.HoeffdingAdaptiveTreeClassifier(leaf_prediction="mixed", drift_delta=0.3) for _ in range(2))
    n_trunks = set()
    size_of_trunk = 4 + 2 * (4 + 2 * 3 * 8)
    for i in range(2200):
        x, label = point(i)
        whole.learn_one(x, label)
        again.learn_one(x, label)
        if i % 20 == 19:
            tree = unpack(whole.to_bytes())["tree"]
            if OF_TRUNK in tree:
                _, start, end = place_of(tree, OF_TRUNK)
                # Behind the trunks is a weight for each leaf, of which there are a few.
                n_trunks.add((end - start) // size_of_trunk)
            again = sapwood.HoeffdingAdaptiveTreeClassifier.from_bytes(again.to_bytes())
    assert n_trunks == {1, 2}
    assert whole.get_n_leaves() * 8 < size_of_trunk
    assert again.to_bytes() == whole.to_bytes()


def many_numbers() -> tuple[Any, Any]:
    """Return points of 40 classes, which come one after the other, in 100 numbers."""
    draw = np.random.default_rng(0)
    centres = draw.normal(size=(40, 100))
    y = np.minimum(draw.integers(0, 40, 1500), np.arange(1500) // 30)
    return centres[y] + draw.normal(size=(1500, 100)), y


@pytest.mark.parametrize(
    "model",
    [
        sapwood.StreamingTreeClassifier(max_bytes=80_000),
        sapwood.StreamingTreeClassifier(max_bytes=300_000),
        sapwood.StreamingForestClassifier(n_estimators=2, max_bytes=900_000),
    ],
)
def test_a_limit_of_memory_holds_for_numbers_and_after_reading(model: Any) -> None:
    """Numbers take memory for every class, of which a tree with a limit may have had room for a few."""
    X, y = many_numbers()
    for start in range(0, len(y), 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100], classes=list(range(40)))
        assert bytes_of(model) <= model.max_bytes
    again = type(model).from_bytes(model.to_bytes())
    assert bytes_of(again) <= min(1.1 * bytes_of(model), model.max_bytes)
    assert again.to_bytes() == model.to_bytes()
    again.partial_fit(X[:50], y[:50])
    assert bytes_of(again) <= model.max_bytes


def bytes_of(model: Any) -> int:
    summary = model.summary()
    found: int = summary.tree_bytes if hasattr(summary, "tree_bytes") else summary.forest_bytes
    return found


def test_sections_of_numbers_are_for_leaves_that_mix() -> None:
    points = clouds(60)
    mixed = unpack(tree_of(points, max_leaves=1).to_bytes())["tree"]
    for options in ({"leaf_prediction": "majority"}, {"leaf_prediction": "adaptive"}):
        sections = unpack(tree_of(points, max_leaves=1, **options).to_bytes())
        at = sections["tree"].index(b"\x05nodes")
        for name in (SECTION, OF_TRUNK):
            begin, _, end = place_of(mixed, name)
            tree = sections["tree"][:at] + mixed[begin:end] + sections["tree"][at:]
            with pytest.raises(ModelFormatError, match="must have leaves that mix"):
                tree_file.from_bytes(pack({**sections, "tree": tree}))


def test_numbers_of_the_trunk_are_those_of_the_forest() -> None:
    """Of a forest that does not mix there are none, nor has one of its trees any; without them a file is read."""

    def forest_of(**options: Any) -> dict[str, bytes]:
        forest = sapwood.StreamingForestClassifier(n_estimators=2, **options)
        for x, label in clouds(60):
            forest.learn_one(x, label)
        return unpack(forest.to_bytes())

    sections = forest_of()
    mixed = sections["tree"]
    begin, start, end = place_of(mixed, OF_TRUNK)
    numbers = mixed[begin:end]
    before = pack({**sections, "tree": mixed[:begin] + mixed[end:]})
    old = sapwood.StreamingForestClassifier.from_bytes(before)
    assert old.to_bytes() == before
    for x, label in clouds(60):
        old.learn_one(x, label)
    assert OF_TRUNK in old.to_bytes()

    for at, form, value, words in (
        (0, "<I", 2**31, "the numbers of a leaf or of the trunk"),
        (4, "<i", 99, "different numbers of the model"),
        (8, "<d", 1e6, "must be a count of at most"),
    ):
        changed = bytearray(mixed)
        struct.pack_into(form, changed, start + at, value)
        with pytest.raises(ModelFormatError, match=words):
            tree_file.from_bytes(pack({**sections, "tree": bytes(changed)}))

    counts = forest_of(leaf_prediction="majority")
    at = counts["tree"].index(b"\x05mixer")
    with pytest.raises(ModelFormatError, match="must have leaves that mix"):
        tree_file.from_bytes(pack({**counts, "tree": counts["tree"][:at] + numbers + counts["tree"][at:]}))

    # Into the first tree, which has a section of its own with the weights of its leaves: they stay.
    own, own_start, own_end = place_of(mixed[end:], OF_TRUNK)
    own, own_start, own_end = own + end, own_start + end, own_end + end
    assert struct.unpack_from("<I", mixed, own_start) == (0,)
    # A number without values: any value would be of a point that the tree itself has not learned.
    clouds_of_none = bytes(4 + 2 * 3 * 8)
    more = len(clouds_of_none)
    tree = bytearray(mixed[:own_start] + struct.pack("<I", 1) + clouds_of_none + mixed[own_start + 4 :])
    struct.pack_into("<Q", tree, own + len(OF_TRUNK), own_end - own_start + more)
    for size_at in sizes_around(mixed, own):
        (size,) = struct.unpack_from("<Q", tree, size_at)
        struct.pack_into("<Q", tree, size_at, size + more)
    with pytest.raises(ModelFormatError, match="must be those of its forest"):
        tree_file.from_bytes(pack({**sections, "tree": bytes(tree)}))


@pytest.mark.parametrize(("section", "size"), [(SECTION, 12), (OF_TRUNK, 12)])
def test_a_section_says_something(section: bytes, size: int) -> None:
    """One of nothing would not be there when the model is saved again; nor has what is not there a sign."""
    sections = unpack(tree_of(clouds(40), max_leaves=1).to_bytes())
    begin, _, end = place_of(sections["tree"], section)
    of_nothing = section + struct.pack("<Q", size) + bytes(size)
    with pytest.raises(ModelFormatError, match="a section of numbers must say something"):
        tree_file.from_bytes(pack({**sections, "tree": sections["tree"][:begin] + of_nothing + sections["tree"][end:]}))
    sections = unpack(tree_of([*clouds(40), ({"x9": 1.0}, 0), ({"x9": 2.0}, 0)], max_leaves=1).to_bytes())
    tree = bytearray(sections["tree"])
    _, _, end = place_of(tree, section)
    # The last number has no values in the second class: 24 zeros, before the weight of the leaf if it is the trunk.
    at = end - 24 - (8 if section == OF_TRUNK else 0)
    assert tree[at : at + 24] == bytes(24)
    for i in range(3):
        changed = tree[:]
        struct.pack_into("<d", changed, at + 8 * i, -0.0)
        with pytest.raises(ModelFormatError, match=r"must be those of values|must be a count"):
            tree_file.from_bytes(pack({**sections, "tree": bytes(changed)}))


def sizes_around(forest: bytes, at: int) -> list[int]:
    """Return where the sizes stand of the section of a tree in a forest, and of the tree in it, around a place."""
    section = forest.rindex(b"\x04tree", 0, at)
    bytes_of_tree = forest.rindex(b"saptree\n", 0, at)
    return [section + 5, bytes_of_tree - 8]


def test_what_needs_no_split_is_not_lost_by_one() -> None:
    """Thirty classes, each one cloud in six numbers: leaves have few points of each, and the stream has many."""
    draw = np.random.default_rng(3)
    centres = draw.normal(size=(30, 6)) * 1.5
    y = draw.integers(0, 30, 6000)
    X = centres[y] + draw.normal(size=(6000, 6))

    def right_of(**options: Any) -> float:
        model = sapwood.StreamingTreeClassifier(random_state=1, **options).fit(X[:4000], y[:4000])
        assert options or model.get_n_leaves() > 3
        return float(model.score(X[4000:], y[4000:]))

    assert right_of() > right_of(max_leaves=1) - 0.02


def place_of(tree: bytes | bytearray, section: bytes) -> tuple[int, int, int]:
    """Return where a section begins, where what it holds does, and where it ends."""
    at = tree.index(section)
    start = at + len(section) + 8
    (size,) = struct.unpack_from("<Q", tree, at + len(section))
    return at, start, start + size


def sections_of(model: sapwood.StreamingTreeClassifier) -> list[bytes]:
    """Return which of the two sections of numbers a tree has."""
    tree = unpack(model.to_bytes())["tree"]
    return [name for name in (SECTION, OF_TRUNK) if name in tree]


# Where the parts of the only leaf are: its weight, how many numbers, then an attribute and the clouds of two classes;
# and those of the trunk, which has four numbers, before the weight of the only leaf.
WEIGHT, SIZE, NUMBER, N, MEAN, SQUARES = 0, 8, 12, 16, 24, 32
NUMBERS_OF_TRUNK = 4 + 4 * (4 + 2 * 3 * 8)


@pytest.mark.parametrize(
    ("section", "at", "form", "value", "words"),
    [
        (SECTION, WEIGHT, "<d", float("nan"), "the weight of an expert on numbers must be finite"),
        (SECTION, WEIGHT, "<d", 1e30, "at most 2\\^31 in absolute value"),
        (SECTION, SIZE, "<I", 2**31, "the numbers of a leaf"),
        (SECTION, NUMBER, "<i", -1, "different numbers of the model"),
        (SECTION, NUMBER, "<i", 99, "different numbers of the model"),
        (SECTION, NUMBER, "<i", 1, "different numbers of the model"),
        (SECTION, N, "<d", -1.0, "must be a count of at most"),
        (SECTION, N, "<d", 0.5, "must be a count of at most"),
        (SECTION, N, "<d", 1e6, "must be a count of at most"),
        (SECTION, MEAN, "<d", float("inf"), "the mean of a number must be finite"),
        (SECTION, MEAN, "<d", 1e200, "must be those of values"),
        (SECTION, SQUARES, "<d", -1.0, "must be those of values"),
        (SECTION, SQUARES, "<d", 1e300, "must be those of values"),
        (OF_TRUNK, SIZE - 8, "<I", 2**31, "the numbers of a leaf or of the trunk"),
        (OF_TRUNK, NUMBER - 8, "<i", 99, "different numbers of the model"),
        (OF_TRUNK, NUMBER - 8, "<i", 1, "different numbers of the model"),
        (OF_TRUNK, MEAN - 8, "<d", float("nan"), "the mean of a number must be finite"),
        (OF_TRUNK, N - 8, "<d", 1e6, "must be a count of at most"),
        (OF_TRUNK, SQUARES - 8, "<d", -1.0, "must be those of values"),
        (OF_TRUNK, NUMBERS_OF_TRUNK, "<d", float("nan"), "the weight of an expert on numbers must be finite"),
        (OF_TRUNK, NUMBERS_OF_TRUNK, "<d", -1e30, "at most 2\\^31 in absolute value"),
    ],
)
def test_what_no_tree_has_is_refused(section: bytes, at: int, form: str, value: float, words: str) -> None:
    model = tree_of(clouds(40), max_leaves=1)
    assert model.get_n_leaves() == 1
    sections = unpack(model.to_bytes())
    tree = bytearray(sections["tree"])
    _, start, _ = place_of(tree, section)
    assert struct.unpack_from("<I", tree, start + SIZE - (8 if section == OF_TRUNK else 0)) == (4,)
    struct.pack_into(form, tree, start + at, value)
    with pytest.raises(ModelFormatError, match=words):
        tree_file.from_bytes(pack({**sections, "tree": bytes(tree)}))


@pytest.mark.parametrize(("section", "at"), [(SECTION, 0), (OF_TRUNK, NUMBERS_OF_TRUNK)])
def test_an_explanation_has_what_numbers_say(section: bytes, at: int) -> None:
    """A number adds the log-odds of its densities, times the weight of the expert, and all adds up to the answer.

    The only leaf has the points of the stream, and so says what the trunk says.
    """
    model = tree_of(clouds(2000), max_leaves=1)
    sections = unpack(model.to_bytes())
    tree = bytearray(sections["tree"])
    _, start, _ = place_of(tree, section)
    (weight,) = struct.unpack_from("<d", tree, start + at)
    assert weight > 0.05
    struct.pack_into("<d", tree, start + at, 0.0)
    without = sapwood.StreamingTreeClassifier.from_bytes(pack({**sections, "tree": bytes(tree)}))
    x = {"x0": 0.25, "x1": 0.5, "x2": 0.75}
    explained = model.explain_one(x)
    told = np.log(explained.probabilities)
    assert explained.log_odds(1, 0) == pytest.approx(told[1] - told[0], abs=1e-9)
    learned = Gaussians()
    for point, label in clouds(2000)[1:]:  # a number is learned from the point on that was the first to differ
        learned.learn({int(name[1]): value for name, value in point.items()}, label, 1)
    for name, value in x.items():
        densities = learned.scores({int(name[1]): value}, [0, 0])
        added = log_odds_of(model, x, name) - log_odds_of(without, x, name)
        assert added == pytest.approx(weight * (densities[1] - densities[0]), rel=1e-6, abs=1e-9)


def log_odds_of(model: sapwood.StreamingTreeClassifier, x: dict[str, Any], name: str) -> float:
    """Return what all that is made of a number adds to the log-odds of the second class."""
    return sum(each.scores[1] - each.scores[0] for each in model.explain_one(x).evidence if each.key == name)
