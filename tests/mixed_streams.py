"""Streams of points with numbers, categories and flags, and how ties of trees that learn them are settled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from reference_numbers import Test

Row = tuple[dict[str, Any], int]
"""A point and its class."""

HOSTILE: dict[str, list[Row]] = {
    "one value": [({"x": 3.0}, i % 2) for i in range(40)],
    "all missing": [({"x": math.nan}, i % 2) for i in range(40)],
    "one class": [({"x": float(i)}, 0) for i in range(40)],
    "sorted labels": [({"x": float(i % 7), "k": "ab"[i % 2]}, int(i >= 60)) for i in range(120)],
    "presence tells": [({"x": float(i % 5)} if i % 2 else {}, i % 2) for i in range(60)],
    "late number": [({"x": float(i)} if i > 40 else {"f": True}, i % 2) for i in range(90)],
    "two values at once": [({"k": "abc"[i % 3], "x": float(i % 4)}, int(i % 3 > 0)) for i in range(80)],
    "beyond what was": [({"x": float((-3) ** (i // 10))}, i % 2 if i < 50 else int(i % 3 == 0)) for i in range(100)],
    "late category": [({"k": "abc"[i % 3]} if i > 40 else {"f": True}, int(i % 3 > 0)) for i in range(90)],
    "differs late": [({"x": 1.0 if i < 50 else float(i % 3)}, int(i % 3 == 0)) for i in range(100)],
    "neighbours": [({"x": math.nextafter(1.0, 2.0) if i % 3 else 1.0}, int(i % 3 > 0)) for i in range(60)],
    "nearly nothing": [({"x": 5e-324 * (i % 3)}, int(i % 3 > 0)) for i in range(60)],
}

ROWS = st.lists(
    st.tuples(
        st.fixed_dictionaries(
            {},
            optional={
                "x": st.sampled_from([-1.0, 0.0, 0.5, 2.0, 1e300]),
                "y": st.integers(0, 90).map(float),
                "k": st.sampled_from("abcd"),
                "f": st.booleans(),
            },
        ),
        st.integers(0, 1),
    ),
    max_size=60,
)


@dataclass
class AsTheCoreDid:
    """Settles ties of the reference by what the core did with the point."""

    tests: list[Test | None]
    nodes: dict[str, Any]

    def feature(self, way: Any) -> Test | None:
        at = 0
        for test, passed in way:
            if self.tests[at] != test:
                return None
            at = int(self.nodes["on" if passed else "off"][at])
        return self.tests[at]
