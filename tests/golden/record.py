"""What is recorded, and what differs from it."""

from __future__ import annotations

import json
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from golden.case import CASES
from golden.digest import rounding

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = Path(__file__).resolve().parent / "recorded"


@cache
def recorded(group: str) -> dict[str, Any]:
    """Return what is recorded of a group: how the machine rounded, and the fields of its cases by name."""
    found: dict[str, Any] = json.loads((FOLDER / f"{group}.json").read_text(encoding="utf-8"))
    return found


def differences(recorded: Any, found: Any, name: str = "") -> list[str]:
    """Return the fields that differ, a line each."""
    if isinstance(recorded, dict) and isinstance(found, dict):
        names = sorted({*recorded, *found})
        return [line for each in names for line in differences(recorded.get(each), found.get(each), f"{name}.{each}")]
    return [] if recorded == found else [f"{name.removeprefix('.')}: recorded {recorded}, found {found}"]


def write(groups: Sequence[str]) -> None:
    """Compute and record groups."""
    FOLDER.mkdir(exist_ok=True)
    for group in groups:
        began = time.process_time()
        cases = {name: case.compute() for (of, name), case in CASES.items() if of == group}
        text = json.dumps({"rounding": rounding(), "cases": cases}, indent=1, sort_keys=True, ensure_ascii=False)
        (FOLDER / f"{group}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{group}: {len(cases)} cases in {time.process_time() - began:.1f} s of processor time")
