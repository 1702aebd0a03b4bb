"""A table with numbers, categories, flags and missing values, and the ways to write it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

COUNTRIES = ["fi", "se", "no", "dk", "is"]


def mixed(n: int = 900, seed: int = 3) -> tuple[pd.DataFrame, list[str]]:
    """Return a table on which trees grow by numbers, categories and flags, with missing values, and its labels."""
    rng = np.random.default_rng(seed)
    country = rng.integers(0, len(COUNTRIES), n)
    age = rng.normal(40, 12, n).round(1)
    member = rng.random(n) < 0.3
    score = 2.0 * (age > 45) + 2.0 * (country < 2) + 1.5 * member - 2.2 + rng.normal(0, 0.6, n)
    table = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "country": pd.Series([COUNTRIES[k] if rng.random() > 0.1 else None for k in country], dtype=object),
            "member": member,
            "visits": rng.poisson(2, n),
            "constant": 7.0,
        }
    )
    return table, np.where(score > 0, "yes", "no").tolist()


def dicts(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as dicts, which lack what is missing."""
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def as_csv(table: pd.DataFrame, labels: list[str]) -> bytes:
    text: str = table.assign(label=labels).to_csv(index=False)
    return text.encode()


def as_json_lines(table: pd.DataFrame, labels: list[str]) -> bytes:
    return "".join(json.dumps({**row, "label": y}) + "\n" for row, y in zip(dicts(table), labels, strict=True)).encode()
