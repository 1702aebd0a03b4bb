"""Statistics that one driver cannot hold: counts of features stay with Spark, in shards, and their best come to it.

A shard has the features whose ids a hash gives to it, in all leaves of a tree. What shards have counted is a table on
the file system of the checkpoint, one row per tree and shard. Every part of a batch reads one table and writes the
next: a task per shard adds what workers have counted, and says which features are best in each leaf that was touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions

import sapwood
from sapwood import _core
from sapwood.exceptions import ModelFormatError
from sapwood.spark.columns import SparkDataError, text_ids
from sapwood.spark.counting import NAMED, check_version, count_batches, namer
from sapwood.spark.mixed import named_flags

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession

    from sapwood.spark.columns import Columns
    from sapwood.spark.counting import Draws, Sent
    from sapwood.spark.grower import Grower

__all__ = ["Place", "Shards"]

Batches = Iterator[pa.RecordBatch]
Question = tuple[int, int, int, int]

_GIVEN = "tree int, shard int, n_rows long, state binary, delta binary, names array<string>"
"""What a task of a shard is given: what the shard has counted, and what workers have counted for it."""
_KEPT = (
    "tree int, shard int, n_rows long, step long, size long, "
    "state binary, classes binary, found binary, names array<string>"
)
"""What it leaves: what the shard has counted now, the points of each class that were new, its best features, and the
texts that are features of it: with the first tree alone, which has all."""
_PLACES = ("statistics-0", "statistics-1", "statistics-2")
_QUESTION = "tree int, number int, before long"


@dataclass(frozen=True)
class Place:
    """Where shards have what they have counted: one of three places, the number of shards, and of the last part."""

    name: str = ""
    shards: int = 0
    step: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return it as `Place(**fields)` takes it."""
        return asdict(self)


class Shards:
    """What the shards of some trees have counted, on the file system of a checkpoint.

    Guarantee: the table that `place` names when a model is saved is not written to before another is saved, so that a
    driver which ends at any time leaves a model and what belongs to it. There are three places: that of the last model
    that was saved, and two which parts of a batch read and write in turn.
    """

    def __init__(self, spark: SparkSession, path: str, place: Place, n_trees: int) -> None:
        self._spark = spark
        self._path = path.rstrip("/")
        self._saved = place.name
        self._n_trees = n_trees
        self.place = place
        self.n_bytes = 0

    def learn(
        self,
        frame: DataFrame,
        sent: Sequence[Sent],
        growers: Sequence[Grower],
        columns: Columns,
        *,
        part: int,
        n_parts: int,
        draws: Draws | None,
    ) -> tuple[int, int, int]:
        """Let trees learn a part of a frame.

        Returns its rows, of all parts, the bytes that came here, and the splits that were made.
        """
        count = divider(sent, columns, self.place.shards, part=part, n_parts=n_parts, draws=draws)
        rows = self._add(frame.mapInArrow(count, _GIVEN), growers)
        n_bytes = sum(len(row["found"] or b"") + len(row["classes"] or b"") for row in rows)
        n_splits = self._grow(rows, growers, columns.owner)
        return sum(row["n_rows"] for row in rows), n_bytes, n_splits

    def _add(self, given: DataFrame, growers: Sequence[Grower]) -> list[Any]:
        """Add what workers have counted to the table, in another place; return what shards say of it."""
        counting = [grower.tree.counting_leaves() for grower in growers]
        if self.place.step > 0:
            given = given.unionByName(self._table().withColumn("n_rows", functions.lit(0).cast("long")))
        add = adder(counting, growers[0].parameters, self.place.step, max(2, len(growers[0].classes)))
        added = given.repartition(self._n_trees * self.place.shards, "tree", "shard").mapInArrow(add, _KEPT)
        into = next(each for each in _PLACES if each not in (self._saved, self.place.name))
        added.write.mode("overwrite").parquet(f"{self._path}/{into}")
        before, self.place = self.place, Place(into, self.place.shards, self.place.step + 1)
        rows: list[Any] = self._read().select("tree", "shard", "n_rows", "step", "size", "classes", "found").collect()
        if not rows and before.step == 0:
            # There was no row yet, and so there are no shards.
            self.place = before
            return []
        self._check(rows, self._n_trees)
        self.n_bytes = sum(row["size"] for row in rows)
        return rows

    def _grow(self, rows: Sequence[Any], growers: Sequence[Grower], owner: str) -> int:
        """Let trees grow by what shards say; return how many leaves were split."""
        candidates = {}
        for tree, grower in enumerate(growers):
            mine = [row for row in rows if row["tree"] == tree and row["found"] is not None]
            # Every shard was told of all points, whichever features they have.
            told = {bytes(row["classes"]) for row in mine}
            if len(told) > 1:
                raise ModelFormatError(f"{owner}: all shards must have counted the same points, got others")
            delta = _core.Delta.from_bytes(told.pop()) if told else None
            if delta is not None and delta.n_met() > 0:
                grower.tree.absorb(delta)
                candidates[tree] = merged(mine)
        ranks = self._ranks({tree: growers[tree].tree.rank_questions(each) for tree, each in candidates.items()})
        n_splits = 0
        for tree, each in candidates.items():
            due = growers[tree].tree.due_splits(each, ranks.get(tree, {}))
            self._name(growers[tree], np.array([split.feature for split in due], dtype=np.uint64))
            growers[tree].tree.split_leaves(due)
            n_splits += len(due)
        return n_splits

    def states(self, tree: int) -> list[_core.Shard]:
        """Return what the shards of a tree have counted: all of it, here."""
        if self.place.step == 0:
            return []
        rows = self._read().where(functions.col("tree") == tree).select("tree", "shard", "step", "state").collect()
        self._check(rows, 1)
        return [_core.Shard.from_bytes(bytes(row["state"])) for row in rows]

    def _read(self) -> DataFrame:
        return self._spark.read.schema(_KEPT).parquet(f"{self._path}/{self.place.name}")

    def _table(self) -> DataFrame:
        none = functions.lit(None).cast("binary")
        return self._read().select("tree", "shard", "state", none.alias("delta"), "names")

    def _check(self, rows: Sequence[Any], n_trees: int) -> None:
        """Refuse rows of another part, or not one for each shard of so many trees."""
        wrong = {row["step"] for row in rows} - {self.place.step}
        pairs = [(row["tree"], row["shard"]) for row in rows]
        if wrong or len(set(pairs)) != len(pairs) or len(pairs) != n_trees * self.place.shards:
            raise ModelFormatError(
                f"{self._path}/{self.place.name} must hold part {self.place.step} of {self.place.shards} shards, "
                f"got {len(pairs)} rows of the parts {sorted(wrong | {self.place.step})}"
            )

    def _ranks(self, questions: dict[int, list[Question]]) -> dict[int, dict[Question, int]]:
        """Return the ranks that are asked for, by the sums of what each shard knows of them."""
        questions = {tree: each for tree, each in questions.items() if each}
        if not questions:
            return {}
        table = self._table().where(functions.col("tree").isin(list(questions)))
        found = table.select("tree", "state").mapInArrow(ranker(questions), _QUESTION)
        ranks = {tree: dict.fromkeys(each, 1) for tree, each in questions.items()}
        for row in found.collect():
            ranks[row["tree"]][questions[row["tree"]][row["number"]]] += row["before"]
        return ranks

    def _name(self, grower: Grower, ids: NDArray[np.uint64]) -> None:
        """Let a tree know the names of features that it is about to split on."""
        wanted = grower.unnamed_of(ids)
        if len(wanted) == 0:
            return
        names = self._read().where("names is not null").select("names")
        found = names.mapInArrow(namer(wanted, "names"), NAMED).collect()
        grower.name({int(np.int64(row["id"]).view(np.uint64)): row["name"] for row in found})


def merged(rows: Sequence[Any]) -> _core.Candidates:
    """Return the best features of all shards, in the order of the shards."""
    each = [_core.Candidates.from_bytes(bytes(row["found"])) for row in sorted(rows, key=lambda row: int(row["shard"]))]
    for other in each[1:]:
        each[0].merge(other)
    return each[0]


def divider(
    sent: Sequence[Sent], columns: Columns, n_shards: int, *, part: int, n_parts: int, draws: Draws | None
) -> Callable[[Batches], Batches]:
    """Count rows as `counting.counter` does; out comes a row of `_GIVEN` per tree and shard."""
    version = sapwood.__version__

    def divide(batches: Batches) -> Batches:
        check_version(version)
        texts: list[pa.Array] = []
        # The parts of a batch are read from the same rows.
        read = noting(batches, texts) if part == 0 else batches
        counts, n_rows = count_batches(read, sent, columns, part=part, n_parts=n_parts, draws=draws)
        names: list[pa.Array | None] = [None] * n_shards
        if texts:
            known = pa.chunked_array(texts).unique()
            places = _core.shards_of(text_ids(known), n_shards)
            names = [known.filter(pa.array(places == shard)) for shard in range(n_shards)]
        for tree, each in counts.items():
            deltas = [delta.to_bytes() for delta in each.delta.divided(n_shards)]
            # The rows of the partition are told once, and its texts.
            told = [n_rows if tree == shard == 0 else 0 for shard in range(n_shards)]
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array([tree] * n_shards, pa.int32()),
                    pa.array(range(n_shards), pa.int32()),
                    pa.array(told, pa.int64()),
                    pa.nulls(n_shards, pa.binary()),
                    pa.array(deltas, pa.binary()),
                    lists(names if tree == 0 else [None] * n_shards),
                ],
                names=["tree", "shard", "n_rows", "state", "delta", "names"],
            )

    return divide


def noting(batches: Batches, texts: list[pa.Array]) -> Batches:
    """Give batches on, and note the texts that are their features."""
    for batch in batches:
        for found, _ in named_flags([("features", batch.column(0))]):
            texts.append(found.cast(pa.string()))
        yield batch


def lists(arrays: Sequence[pa.Array | None]) -> pa.Array:
    """Return a column of lists of texts."""
    ends = np.cumsum([0, *(0 if each is None else len(each) for each in arrays)])
    values = pa.concat_arrays([pa.array([], pa.string()), *(each for each in arrays if each is not None)])
    mask = pa.array([each is None for each in arrays])
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), values, mask=mask)


def adder(
    counting: Sequence[NDArray[np.uint64]], parameters: dict[str, Any], after: int, n_classes: int
) -> Callable[[Batches], Batches]:
    """Add what workers have counted to what shards have, which must be what they had after the part `after`."""
    version = sapwood.__version__
    criterion, each_once = parameters["criterion"], parameters["split_test"] == "evidence"

    def add(batches: Batches) -> Batches:
        check_version(version)
        states: dict[tuple[int, int], bytes] = {}
        deltas: dict[tuple[int, int], list[bytes]] = {}
        names: dict[tuple[int, int], list[pa.Array]] = {}
        n_rows: dict[tuple[int, int], int] = {}
        for batch in batches:
            texts = batch.column("names")
            for i, row in enumerate(batch.drop_columns(["names"]).to_pylist()):
                key = (row["tree"], row["shard"])
                n_rows[key] = n_rows.get(key, 0) + row["n_rows"]
                if texts[i].is_valid:
                    names.setdefault(key, []).append(texts[i].values)
                if row["delta"] is not None:
                    deltas.setdefault(key, []).append(row["delta"])
                elif key in states:
                    raise ModelFormatError(f"shard {key[1]} of tree {key[0]} must be kept once, got it twice")
                else:
                    states[key] = row["state"]
        for key in sorted(n_rows):
            state = states.pop(key, None)
            shard = _core.Shard(n_classes) if state is None else _core.Shard.from_bytes(state)
            if (state is None) != (after == 0) or shard.step() > after:
                raise ModelFormatError(
                    f"shard {key[1]} of tree {key[0]} must be as it was after part {after}, got it "
                    f"{'not at all' if state is None else f'after part {shard.step()}'}"
                )
            yield added(shard, key, deltas.pop(key, []), n_rows[key], names.pop(key, []))

    def added(
        shard: _core.Shard, key: tuple[int, int], given: list[bytes], n: int, names: list[pa.Array]
    ) -> pa.RecordBatch:
        classes = found = None
        if given:
            delta = _core.Delta.from_bytes(given[0])
            for each in given[1:]:
                delta.merge(_core.Delta.from_bytes(each))
            if delta.n_met() > 0:
                shard.absorb(delta, after + 1, counting[key[0]], each_once)
            classes = delta.without_features().to_bytes()
            found = shard.candidates(delta, criterion).to_bytes()
        data = shard.to_bytes()
        columns = [key[0], key[1], n, after + 1, len(data), data, classes, found]
        types = [*[pa.int32()] * 2, *[pa.int64()] * 3, *[pa.binary()] * 3]
        return pa.RecordBatch.from_arrays(
            [
                *[pa.array([value], kind) for value, kind in zip(columns, types, strict=True)],
                lists([unique_texts(names) if names else None]),
            ],
            names=["tree", "shard", "n_rows", "step", "size", "state", "classes", "found", "names"],
        )

    return add


def unique_texts(texts: Sequence[pa.Array]) -> pa.Array:
    """Return texts without repeats; raise SparkDataError if two have one hash."""
    unique = pa.chunked_array(texts, pa.string()).unique()
    ids = text_ids(unique)
    order = np.argsort(ids, kind="stable")
    same = np.flatnonzero(ids[order][1:] == ids[order][:-1])
    if len(same):
        pair = [unique[int(order[same[0] + i])].as_py() for i in (0, 1)]
        raise SparkDataError(f"texts must have different hashes, got {pair[0]!r} and {pair[1]!r}")
    return unique


def ranker(questions: dict[int, list[Question]]) -> Callable[[Batches], Batches]:
    """Say of each shard how many of its features have a rank before each one that is asked about."""

    def rank(batches: Batches) -> Batches:
        for batch in batches:
            for row in batch.to_pylist():
                asked = questions[row["tree"]]
                before = _core.Shard.from_bytes(row["state"]).n_before(asked)
                yield pa.RecordBatch.from_arrays(
                    [
                        pa.array([row["tree"]] * len(asked), pa.int32()),
                        pa.array(range(len(asked)), pa.int32()),
                        pa.array(before.astype(np.int64)),
                    ],
                    names=["tree", "number", "before"],
                )

    return rank
