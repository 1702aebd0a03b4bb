"""Both learners with a limit of memory."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from golden.case import enter
from golden.choices import BOLD, LEARNERS, LEAVES
from golden.model import from_matrices, from_points
from golden.points import matrix, points_of, weights_of

if TYPE_CHECKING:
    from golden.case import Fields


def enter_the_bounded() -> None:
    """Trees with a limit of memory: so small that nodes pause, and begin again."""

    def compute(learner: str, options: dict[str, Any], n_classes: int) -> Fields:
        stream = points_of(2500, n_classes, 21, drift=1200, rare=1200)
        return from_matrices(LEARNERS[learner](**BOLD, **options), stream, 1800)

    def one_by_one(learner: str) -> Fields:
        stream = [(list(features), y) for features, y in points_of(1500, 2, 22, drift=700, rare=900)]
        return from_points(LEARNERS[learner](**BOLD, max_bytes=1 << 16), stream, 1000, weights_of(1500))

    def resuming(learner: str, options: dict[str, Any]) -> Fields:
        from sapwood.evaluate import prequential

        stream = points_of(5000, 2, 21, drift=1200, rare=4000)
        fields = from_matrices(LEARNERS[learner](**options), stream, 4000)
        tally = prequential(LEARNERS[learner](**options), matrix(stream), auc=False, every=5000).tally
        return {**fields, "tally": ", ".join(f"{n} {name}" for name, n in sorted(tally.items()))}

    kinds: dict[str, tuple[dict[str, Any], int]] = {
        "certified": ({}, 2),
        "exhaustive_gini": ({"search": "exhaustive", "criterion": "gini"}, 2),
        "approximate": ({"search": "approximate"}, 2),
        "kearns_mansour": ({"criterion": "kearns_mansour"}, 2),
        "majority": ({"leaf_prediction": "majority"}, 2),
        "logistic_5": ({"leaf_prediction": "logistic"}, 5),
        "adaptive_3": ({}, 3),
    }
    for learner, size in product(LEARNERS, (1 << 16, 90_000, 160_000, 1 << 20)):
        for kind, (options, n_classes) in kinds.items():
            enter(
                "trees-bounded",
                f"{learner}-{kind}-{size}",
                lambda a=learner, b={**options, "max_bytes": size}, c=n_classes: compute(a, b, c),  # type: ignore[misc]
            )
    for learner, leaf, size in product(LEARNERS, LEAVES, (1 << 16, 90_000)):
        enter(
            "trees-bounded",
            f"{learner}-resuming-{leaf}-{size}",
            lambda a=learner, b={"delta": 0.01, "tau": 0.1, "leaf_prediction": leaf, "max_bytes": size}: resuming(a, b),  # type: ignore[misc]
        )
    for learner in LEARNERS:
        enter("trees-bounded", f"{learner}-weights-one", lambda a=learner: one_by_one(a))  # type: ignore[misc]


enter_the_bounded()
