"""Both learners on synthetic streams: every combination of choices, every parameter, every way to hand over points."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from golden.case import enter
from golden.choices import BOLD, BOLD_FOR, LEARNERS, LEAVES, SEARCHES, TESTS
from golden.model import from_matrices
from golden.points import points_of
from golden.ways import WAYS, dataframe, river

if TYPE_CHECKING:
    from golden.case import Fields


def enter_the_grid() -> None:
    """Both learners with every search, criterion, split test and leaf prediction there is, on a stream that drifts."""

    def compute(learner: str, n_classes: int, options: dict[str, Any]) -> Fields:
        return from_matrices(LEARNERS[learner](**options), points_of(700, n_classes, drift=400), 520)

    for learner, ((criterion, n_classes), searches), leaf in product(LEARNERS, SEARCHES.items(), LEAVES):
        for search, test in product(searches, TESTS[criterion]):
            options = {
                "criterion": criterion,
                "search": search,
                "split_test": test,
                "leaf_prediction": leaf,
                **BOLD_FOR.get((test, criterion), BOLD),
            }
            name = f"{learner}-{criterion}-{search}-{test}-{leaf}-{n_classes}"
            enter("trees-synthetic", name, lambda a=learner, b=n_classes, c=options: compute(a, b, c))  # type: ignore[misc]


PARAMETERS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "max_depth_0": {**BOLD, "max_depth": 0},
    "max_depth_1": {**BOLD, "max_depth": 1},
    "max_depth_3": {**BOLD, "max_depth": 3},
    "max_leaves_1": {**BOLD, "max_leaves": 1},
    "max_leaves_4": {**BOLD, "max_leaves": 4},
    "min_gain": {**BOLD, "min_gain": 0.05},
    "grace_period_7": {**BOLD, "grace_period": 7},
    "grace_period_200": {**BOLD, "grace_period": 200},
    "delta_small": {"delta": 1e-9, "tau": 0.3},
    "delta_large": {"delta": 0.49, "tau": 0.0},
    "tau_large": {"delta": 0.01, "tau": 1.5},
    "alpha_small": {**BOLD, "search": "approximate", "alpha": 0.001},
    "alpha_large": {**BOLD, "search": "approximate", "alpha": 2.0, "criterion": "gini"},
    "random_state_0": {**BOLD, "random_state": 0},
    "random_state_7": {**BOLD, "random_state": 7},
    "random_state_exhaustive": {**BOLD, "random_state": 7, "search": "exhaustive", "criterion": "gini"},
    "random_state_approximate": {**BOLD, "random_state": 7, "search": "approximate"},
    "binarize_none": {**BOLD, "binarize": None},
}
OF_EFDT: dict[str, dict[str, Any]] = {
    "min_samples_reevaluate_1": {**BOLD, "min_samples_reevaluate": 1},
    "min_samples_reevaluate_150": {**BOLD, "min_samples_reevaluate": 150},
    "reevaluate_gaussian": {**BOLD, "min_samples_reevaluate": 5, "split_test": "gaussian", "criterion": "gini"},
    "reevaluate_random_state": {**BOLD, "min_samples_reevaluate": 3, "random_state": 5},
}


def enter_the_parameters() -> None:
    """Every other parameter, and ways to hand over points: weights, classes that come late, single points."""
    for learner, (name, options) in product(LEARNERS, {**PARAMETERS, **OF_EFDT}.items()):
        if learner == "efdt" or name not in OF_EFDT:
            enter(
                "trees-synthetic",
                f"{learner}-{name}",
                lambda a=learner, b=options: from_matrices(LEARNERS[a](**b), points_of(800, 2, 3, drift=450), 600),  # type: ignore[misc]
            )
    for learner, (name, compute) in product(LEARNERS, WAYS.items()):
        enter("trees-synthetic", f"{learner}-{name}", lambda a=learner, b=compute: b(LEARNERS[a]))  # type: ignore[misc]
    for learner, (name, table) in product(LEARNERS, {"dataframe_names": True, "dataframe_numbers": False}.items()):
        enter(
            "trees-synthetic",
            f"{learner}-{name}",
            lambda a=learner, b=table: dataframe(LEARNERS[a], named=b),  # type: ignore[misc]
            needs="pandas",
        )
    for learner, many in product(LEARNERS, (False, True)):
        enter(
            "trees-synthetic",
            f"{learner}-river_{'many' if many else 'one'}",
            lambda a=learner, b=many: river(a, many=b),  # type: ignore[misc]
            needs="river",
        )


enter_the_grid()
enter_the_parameters()
