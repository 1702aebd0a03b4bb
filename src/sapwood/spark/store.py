"""The model of a stream, kept with the number of its batch wherever Spark can write."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException

from sapwood.exceptions import ModelFormatError
from sapwood.spark.shards import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["NOTHING", "Saved", "Store"]

_SCHEMA = "batch long, digest string, progress string, model binary, statistics string"
_SLOTS = ("model-0", "model-1")
_RECENT = 100  # batches of which something is told, as many as Spark itself keeps


@dataclass(frozen=True)
class Saved:
    """A model, the last batch that it has learned, and what is told of the last batches, the last one last.

    Where its shards have what they have counted, if it has shards, is part of it: both are saved at once.
    """

    batch: int = -1
    model: bytes = b""
    recent_progress: list[dict[str, Any]] = field(default_factory=list)
    place: Place | None = None

    def followed_by(self, batch: int, model: bytes, progress: dict[str, Any], place: Place | None = None) -> Saved:
        """Return what is saved after the next batch."""
        recent = [*self.recent_progress, progress][-_RECENT:]
        return replace(self, batch=batch, model=model, recent_progress=recent, place=place)


NOTHING = Saved()


class Store:
    """Two places for a model, which are written in turn.

    Guarantee: at any time one of them holds a model that was written whole, with the number of its batch in the same
    row of the same file; a file appears at once when Spark commits it. A crash while one is written leaves the other.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self._path = path.rstrip("/")
        self._older = _SLOTS[0]

    def load(self) -> Saved:
        """Return what was saved last; `NOTHING` if nothing was."""
        found = {slot: self._read(slot) for slot in _SLOTS}
        # What was learned at rest has the number of nothing.
        self._older, newer = sorted(_SLOTS, key=lambda slot: (found[slot].batch, bool(found[slot].model)))
        return found[newer]

    def save(self, saved: Saved) -> None:
        """Write a model, after `load`, into the place that does not hold the last one."""
        digest, told = hashlib.sha256(saved.model).hexdigest(), json.dumps(saved.recent_progress)
        statistics = None if saved.place is None else json.dumps(saved.place.to_dict())
        row = (saved.batch, digest, told, saved.model, statistics)
        frame = self._spark.createDataFrame([row], _SCHEMA).coalesce(1)
        frame.write.mode("overwrite").parquet(f"{self._path}/{self._older}")

    def _read(self, slot: str) -> Saved:
        try:
            rows = self._spark.read.schema(_SCHEMA).parquet(f"{self._path}/{slot}").collect()
        except AnalysisException as error:
            # Spark 4 has another name for it.
            if getattr(error, "getCondition", error.getErrorClass)() != "PATH_NOT_FOUND":
                raise
            return NOTHING
        if not rows:
            # The place was emptied, and the driver ended before it was written.
            return NOTHING
        if len(rows) > 1:
            raise ModelFormatError(f"{self._path}/{slot} must hold one model, got {len(rows)}")
        row = rows[0]
        model = bytes(row["model"])
        if hashlib.sha256(model).hexdigest() != row["digest"]:
            raise ModelFormatError(f"{self._path}/{slot} must hold the model that its digest is of, got another")
        place = None if row["statistics"] is None else Place(**json.loads(row["statistics"]))
        return Saved(row["batch"], model, json.loads(row["progress"]), place)
