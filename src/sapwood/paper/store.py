"""Where finished pieces are kept, so that a run that was interrupted goes on where it was."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sapwood import _core, _timing
from sapwood.paper.machine import processor
from sapwood.paper.rows import Row, write_text

__all__ = ["Store"]


class Store:
    """A folder with a file for each piece that was finished.

    A piece is found again if it has the same name, the same parameters, the same build of sapwood and the same kind of
    processor: anything else would mix times that cannot be compared. Files are written whole or not at all.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, series: str, name: str, parameters: dict[str, Any]) -> list[Row] | None:
        """Return the rows of a finished piece, or None."""
        try:
            held = json.loads(self._path(series, name).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(held, dict) or held.get("made_by") != _made_by() or held.get("parameters") != parameters:
            return None
        rows: list[Row] = held["rows"]
        return rows

    def put(self, series: str, name: str, parameters: dict[str, Any], rows: list[Row]) -> None:
        """Keep the rows of a piece."""
        path = self._path(series, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        held = {"made_by": _made_by(), "parameters": parameters, "rows": rows}
        write_text(json.dumps(held), path)

    def _path(self, series: str, name: str) -> Path:
        return self._folder / series / f"{name}.json"


@cache
def _made_by() -> dict[str, str]:
    core = hashlib.sha256()
    for module in (_core, _timing):
        core.update(Path(str(module.__file__)).read_bytes())
    return {"sapwood": version("sapwood"), "core": core.hexdigest(), "processor": processor()}
