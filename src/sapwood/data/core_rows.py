"""Points as the core takes them: by the ids of their features and of their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from numpy.typing import NDArray

    NumberRows: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]

__all__ = ["CoreRows"]


class CoreRows(NamedTuple):
    """Compressed rows of features that are on, and of numbers: offsets, ids and values; None if no row has any."""

    indptr: NDArray[np.int64]
    ids: NDArray[np.int32]
    numbers: NumberRows | None = None

    @staticmethod
    def of_one(ids: NDArray[np.int32], number_ids: NDArray[np.int32], values: NDArray[np.float64]) -> CoreRows:
        """Return a single point, as `_core.Tree.typed_point` has it."""
        return CoreRows(_one_row(ids), ids, (_one_row(number_ids), number_ids, values))

    def chunks(self, size: int) -> Iterator[CoreRows]:
        """Yield the rows in chunks of `size`, without a copy of what they hold; of no rows one chunk without any."""
        for start in range(0, max(len(self.indptr) - 1, 1), size):
            rows = slice(start, start + size + 1)
            ends = self.indptr[rows]
            numbers = None
            if self.numbers is not None:
                indptr, ids, values = self.numbers
                within = slice(indptr[rows][0], indptr[rows][-1])
                numbers = indptr[rows] - indptr[rows][0], ids[within], values[within]
            yield CoreRows(ends - ends[0], self.ids[ends[0] : ends[-1]], numbers)


def _one_row(ids: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.array([0, len(ids)], dtype=np.int64)
