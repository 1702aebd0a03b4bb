"""Digests of plain data, and of how this machine rounds."""

from __future__ import annotations

import hashlib
import json
import math
import platform
import random
from dataclasses import is_dataclass
from functools import cache
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return what JSON does not know as what it knows."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"kind": value.dtype.kind, "shape": value.shape, "values": value.tolist()}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if is_dataclass(value):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    raise TypeError(f"plain: value must be plain data, got {value!r}")


def digest(value: Any) -> str:
    """Return the digest of plain data, of a text, or of bytes.

    JSON has a float by its `repr`, which tells it to the last bit, and apart from an integer.
    """
    if not isinstance(value, bytes):
        text = value if isinstance(value, str) else json.dumps(value, default=plain, sort_keys=True)
        value = text.encode()
    return hashlib.sha256(value).hexdigest()[:12]


@cache
def rounding() -> str:
    """Return a digest of how this machine rounds: logarithms and exponentials may differ in the last bit elsewhere."""
    rng = random.Random(1)
    values = [rng.random() * 10.0 ** (i % 13 - 6) for i in range(5000)]
    functions = (math.log, math.log2, math.log1p, math.exp, math.expm1, math.sqrt, math.tanh)
    found = [f(min(x, 500.0)) for x in values for f in functions]
    return digest([platform.system(), platform.machine(), found])
