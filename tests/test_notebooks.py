"""The notebooks of examples/ run, and hold what a run has shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


def cells_of(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["paper", "table", "text"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path: Path) -> None:
    """The cells are plain Python, and assert what they are about."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells_of(path):
        exec(compile("".join(cell["source"]), path.name, "exec"), scope)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_was_run_from_the_top(path: Path) -> None:
    cells = cells_of(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert any(cell["outputs"] for cell in cells)
    assert not [
        output
        for cell in cells
        for output in cell["outputs"]
        if output["output_type"] in {"error", "stream"} and output.get("name") == "stderr"
    ]
