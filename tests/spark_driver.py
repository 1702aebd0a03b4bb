"""A driver in a process of its own, which learns what there is of a stream and may end in the middle of a batch.

Arguments: the folder of the stream, the checkpoint, the master, when to end, and the number of shards, 0 for none.
"before:2" kills the process before it saves batch 2, "after:2" after that, "within:2" when shards have counted its
first part; "never" lets it come to its end. The master "connect" is Spark Connect: all files are learned as one batch.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from spark_points import OPTIONS, SCHEMA
from spark_session import connected, session

from sapwood.spark import SparkTreeClassifier, SparkTreeModel
from sapwood.spark.shards import Shards
from sapwood.spark.store import Saved, Store


def die_at(when: str) -> None:
    """Let this process be killed around the moment at which a batch is saved."""
    moment, _, batch = when.partition(":")
    save = Store.save

    def killed(store: Store, saved: Saved) -> None:
        if moment == "before" and saved.batch == int(batch):
            os.kill(os.getpid(), signal.SIGKILL)
        save(store, saved)
        if moment == "after" and saved.batch == int(batch):
            os.kill(os.getpid(), signal.SIGKILL)

    Store.save = killed  # type: ignore[method-assign, assignment]
    learn = Shards.learn

    def killed_within(shards: Shards, frame: Any, sent: Any, growers: Any, columns: Any, **others: Any) -> Any:
        told = learn(shards, frame, sent, growers, columns, **others)
        if moment == "within" and columns.batch == int(batch):
            os.kill(os.getpid(), signal.SIGKILL)
        return told

    Shards.learn = killed_within  # type: ignore[method-assign, assignment]


def main() -> None:
    """Learn, and print the number of the last batch and the digest of the model."""
    folder, checkpoint, master, when, n_shards = sys.argv[1:]
    options: dict[str, Any] = {"classes": [0, 1, 2], "sub_batches": 2, **OPTIONS}
    sharded = {**options, "leaf_prediction": "majority", "shards": int(n_shards)}
    learner = SparkTreeClassifier(**(sharded if int(n_shards) else options))
    if master == "connect":
        # At rest: a batch of a stream runs in a process of the server, which must start within ten seconds.
        rows = connected().read.schema(SCHEMA).json(folder)
        model = learner.fit(rows.repartition(3), checkpoint if int(n_shards) else None)
        assert model.transform(rows).where("prediction is not null").count() == rows.count()
        print("learned", model.batch, model.digest(), flush=True)
        return
    if when != "never":
        die_at(when)
    spark = session(master)
    # Other partitions in every process: they leave no trace.
    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(folder)
    query = learner.start(stream.repartition(1 + os.getpid() % 3), checkpoint, trigger={"availableNow": True})
    query.awaitTermination()
    model = SparkTreeModel.load(spark, checkpoint)
    assert model.progress["batch"] == model.batch
    print("learned", model.batch, model.digest(), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
