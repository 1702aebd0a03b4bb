"""Model files with random changes and right checksums: each is refused as it is read, or serves like any other.

``python -m tests.reliability.mutated_models --seconds 60 --seed 1`` prints how many files there were and what became of
them, and writes each that broke the promise to a folder of its own.
"""

from __future__ import annotations

import argparse
import random
import struct
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import sapwood
from sapwood.exceptions import ModelFormatError
from sapwood.learner import TreeLearner
from sapwood.model_files import tree_file
from sapwood.model_files.sections import pack, unpack
from sapwood.parameters.learners import tree_called

__all__ = ["models", "mutated", "trial"]

LEARNERS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (sapwood.HoeffdingTreeClassifier, {"leaf_prediction": "majority"}),
    (sapwood.HoeffdingTreeClassifier, {"leaf_prediction": "naive_bayes", "search": "approximate"}),
    (sapwood.HoeffdingTreeClassifier, {"leaf_prediction": "adaptive", "search": "exhaustive"}),
    (sapwood.ExtremelyFastDecisionTreeClassifier, {"leaf_prediction": "logistic"}),
    (sapwood.ExtremelyFastDecisionTreeClassifier, {"leaf_prediction": "mixed"}),
    (sapwood.StreamingTreeClassifier, {}),
    (sapwood.StreamingTreeClassifier, {"max_bytes": 65_536}),
    (sapwood.StreamingTreeClassifier, {"max_name_bytes": 1 << 20}),
    (sapwood.StreamingTreeClassifier, {"drift": True, "drift_delta": 0.3, "patience": 50}),
    (sapwood.StreamingTreeClassifier, {"revision": "restructure", "delta": 0.3}),
    (sapwood.SlidingWindowTreeClassifier, {"window_size": 80, "delta": 0.3}),
    (sapwood.HoeffdingAdaptiveTreeClassifier, {"drift_delta": 0.3}),
    (sapwood.AdaptiveSizeHoeffdingTreeClassifier, {}),
    (sapwood.DynamicTreeClassifier, {"max_depth": 3}),
    (sapwood.StreamingForestClassifier, {"n_estimators": 2}),
    (sapwood.AdaptiveRandomForestClassifier, {"n_estimators": 2}),
    (sapwood.ADWINBaggingClassifier, {"n_estimators": 2}),
)
WORDS: tuple[Any, ...] = ("a", "bb", 3, (1, "x"), b"y", None, 2.5, "ä", -7, "", "longer words", 2**60)
FINE = {"refused", "served"}
# What sits at the borders of the fields of a model.
NUMBERS = (0, 1, 2, 3, 7, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**63 - 1, 2**64 - 1)
REALS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-320, 1e300, -1e300, float("nan"), float("inf"), float("-inf"))
# The parts of a tree, and of each tree of a forest, as they are named in its bytes; a size follows.
PARTS = (
    b"\7options",
    b"\6counts",
    b"\12attributes",
    b"\6models",
    b"\11gaussians",
    b"\17trunk_gaussians",
    b"\5nodes",
    b"\6growth",
)
TEXTS = (b"NaN", b"null", b"true", b"-1", b"1e999", b'{"float":"nan"}', b'{"float":"inf"}', b"[]", b"{}", b'""', b"0")


def models(seed: int) -> list[bytes]:
    """Models of every learner, small enough that a random change hits something."""
    choice = random.Random(seed)
    return [
        _model(make, options, n_classes, n, choice)
        for make, options in LEARNERS
        for n_classes in ((1, 2, 4) if options.get("search") != "approximate" else (2,))
        for n in (3, 60, 300)
    ]


def _model(make: Any, options: dict[str, Any], n_classes: int, n: int, choice: random.Random) -> bytes:
    if "grace_period" in make().get_params():
        options = {**options, "grace_period": 10}
    model = make(**options)
    labels = ["no", "yes", "maybe", "never"][:n_classes]
    for _ in range(n):
        label = choice.randrange(n_classes)
        words: Any = list({word for word in WORDS if choice.random() < 0.2} | {WORDS[label]})
        if _learns_numbers(model) and choice.random() < 0.8:
            words = {"age": choice.gauss(label, 0.7), "country": choice.choice("abc" if label else "bcd"), "flag": True}
        model.learn_one(words, labels[label])
    return tree_file.to_bytes(model.learner.kind, model.learner.parameters, model.learner.fitted())


def mutated(data: bytes, choice: random.Random) -> bytes:
    """A file with one to three changes to the bytes of a section, and the checksums of what it is now."""
    sections = unpack(data)
    # Half of the changes are of the section with the structure of the tree or the forest.
    [structure] = {"tree", "forest"} & sections.keys()
    others = sorted(sections.keys() - {structure})
    for _ in range(choice.choice((1, 1, 2, 3))):
        name = structure if choice.random() < 0.5 else choice.choice(others)
        sections[name] = _changed(sections[name], choice)
    return pack(sections)


def _learns_numbers(tree: Any) -> bool:
    """Whether a tree splits on numbers and categories beside flags."""
    return bool(tree_called(type(tree).__name__).takes_numbers and tree.search != "approximate")


def _place(data: bytes, choice: random.Random) -> int:
    """Where to change bytes: anywhere, or in a part of a tree, so that small parts are met as often as large ones."""
    found = [part for part in PARTS if part in data]
    if not found or choice.random() < 0.5:
        return choice.randrange(len(data) + 1)
    part = choice.choice(found)
    name = choice.choice([i for i in range(len(data)) if data.startswith(part, i)])
    size = struct.Struct("<Q")
    start = min(name + len(part) + size.size, len(data))
    (length,) = size.unpack(data[start - size.size : start])
    return choice.randint(start, min(start + length, len(data)))


def _changed(data: bytes, choice: random.Random) -> bytes:
    at = _place(data, choice)
    end = min(len(data), at + choice.randrange(20))
    number = struct.pack("<Q", choice.choice(NUMBERS))[: choice.choice((1, 2, 4, 8))]
    real = struct.pack("<d", choice.choice(REALS))
    text = choice.choice(TEXTS)
    byte = data[at] if at < len(data) else 0
    return choice.choice(
        (
            data[:at] + bytes([choice.randrange(256)]) + data[at + 1 :],
            data[:at] + number + data[at + len(number) :],
            data[:at] + real + data[at + len(real) :],
            data[:at] + text + data[at + choice.choice((0, len(text))) :],
            data[:at] + data[end:],
            data[:end] + data[at:],
            data[:at] + bytes([(byte + choice.choice((-1, 1, 1, 16))) % 256]) + data[at + 1 :],
            data[:at] + bytes([byte ^ (1 << choice.randrange(8))]) + data[at + 1 :],
        )
    )


def trial(data: bytes) -> str:
    """Read a file and, if it is accepted, use it in every way. Anything but a ModelFormatError in reading is raised."""
    try:
        learner = tree_file.from_bytes(data)
    except ModelFormatError:
        return "refused"
    _use(learner)
    return "served"


def _use(learner: TreeLearner) -> None:
    from sapwood.trees import classifier_of

    written = tree_file.to_bytes(learner.kind, learner.parameters, learner.fitted())
    again = tree_file.from_bytes(written)
    if tree_file.to_bytes(again.kind, again.parameters, again.fitted()) != written:
        raise AssertionError("a model that was accepted is written in two ways")
    tree = classifier_of(learner)
    points: list[Any] = [[], list(WORDS[:3]), list(WORDS[3:9]), ["new"]]
    if _learns_numbers(tree):
        points += [{"age": 0.5, "country": "b", "flag": True}, {"age": -3.0, "new": 2.5, "country": "z"}]
        points += [{"age": 1e308, "new": -1e308}, {"age": 5e-324, "new": 1e100}]
    for point in points:
        _uses(tree, point)
    _views(tree)
    labels = tree.classes_.tolist()
    for i, point in enumerate(points * 8):
        tree.learn_one(point, labels[i % len(labels)])
        tree.predict_proba_one(point)
    _views(tree)


def _uses(tree: Any, point: list[Any]) -> None:
    tree.predict_one(point)
    probabilities = list(tree.predict_proba_one(point).values())
    if not all(0 <= p <= 1 + 1e-9 for p in probabilities) or abs(sum(probabilities) - 1) > 1e-6:
        raise AssertionError(f"probabilities must be shares, got {probabilities}")
    tree.explain_one(point)


def _views(tree: Any) -> None:
    tree.export_text()
    tree.to_dict()
    tree.to_dot()
    tree.summary()
    if tree.leaf_prediction != "majority":
        tree.top_features(3)


def _complaint(data: bytes) -> str:
    """What became of a file: served, refused, or how it broke the promise."""
    try:
        return trial(data)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {str(error)[:100]}"


def main() -> int:
    """Run for a while; the exit status is 0 if no file broke the promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("mutated-models"), help="where files that fail are written")
    options = parser.parse_args()
    warnings.simplefilter("error")
    choice = random.Random(options.seed)
    seeds = models(options.seed)
    outcomes: Counter[str] = Counter()
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        data = mutated(choice.choice(seeds), choice)
        outcome = _complaint(data)
        outcomes[outcome] += 1
        if outcome not in FINE and outcomes[outcome] == 1:
            options.keep.mkdir(exist_ok=True)
            path = options.keep / f"{len(outcomes)}.sapwood"
            path.write_bytes(data)
            print(f"{path}: {outcome}", file=sys.stderr)
    for outcome, count in outcomes.most_common():
        print(f"{count:9,}  {outcome}")
    return int(not set(outcomes) <= FINE)


if __name__ == "__main__":
    sys.exit(main())
