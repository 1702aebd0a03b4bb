"""Both learners on the first points of real streams."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from golden.case import enter
from golden.choices import BOLD, LEARNERS
from golden.model import Asked, grown

if TYPE_CHECKING:
    from golden.case import Fields


REAL = {
    "sms": ("sms/sms.orig.svm.gz", 3000),
    "a9a": ("a9a/a9a.shuf.svm.gz", 3000),
    "mushrooms": ("mushrooms/mushrooms.shuf.svm.gz", 3000),
    "farm": ("farm/farm.orig.svm.gz", 1000),
    "author-gender": ("author-gender/author-gender.shuf.svm.gz", 2000),
    "news20-words": ("news20-words/news20-words.multiclass.shuf.svm.gz", 1000),
}


@cache
def real(file: str, n: int) -> tuple[csr_matrix, np.ndarray]:
    """Return the first points of a data set."""
    from conftest import data_folder

    from sapwood.stream import read

    with read(data_folder() / file, batch_size=n) as reader:
        batch = next(reader)
    indices = np.asarray(batch.indices)
    X = csr_matrix((np.ones(len(indices)), indices, batch.indptr), shape=(len(batch), int(indices.max()) + 1))
    return X, batch.y


def enter_the_real() -> None:
    """Both learners, with their defaults and so that they grow, on the first points of real streams.

    Each hundred is predicted before it is learned.
    """

    def compute(learner: str, file: str, n: int, options: dict[str, Any]) -> Fields:
        further = n // 5
        X, y = real(file, n + further)
        classes = np.unique(y)
        right = 0

        def first(model: Any) -> None:
            nonlocal right
            for start in range(0, n, 100):
                if start:
                    right += int((model.predict(X[start : start + 100]) == y[start : start + 100]).sum())
                model.partial_fit(X[start : start + 100], y[start : start + 100], classes=classes)

        places = range(0, n + further, 61)
        asked = Asked(X[:: max(1, n // 400)], [X[i].indices.tolist() for i in places], y[list(places)].tolist())
        fields = grown(LEARNERS[learner](**options), first, lambda m: m.partial_fit(X[n:], y[n:]), asked)
        return {**fields, "accuracy_on_the_way": f"{right / (n - 100):.4f}"}

    for learner, (name, (file, n)), bold in product(LEARNERS, REAL.items(), (False, True)):
        enter(
            "trees-real",
            f"{learner}-{name}{'-bold' if bold else ''}",
            lambda a=learner, b=file, c=n, d=BOLD if bold else {}: compute(a, b, c, d),  # type: ignore[misc]
            file=file,
        )


enter_the_real()
