"""Learn a tree from a stream on Apache Spark, stop, go on from the checkpoint, and take the model home.

Needs the extra `spark` and Java 17: ``pip install sapwood[spark]``, then ``python examples/spark_stream.py``. All of it
runs in processes of this machine, which talk to each other on loopback.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from sapwood.datasets import make_text
from sapwood.spark import SparkTreeClassifier, SparkTreeModel

N_BATCHES = 3


def start_spark() -> Any:
    """Return a session that listens on loopback only."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def write_batches(folder: Path) -> None:
    """Write files of points, each of which the stream takes for a batch."""
    X, y = make_text(n=6000, d=2000, seed=1)
    rows = [
        {"features": [f"word {j}" for j in X.indices[X.indptr[i] : X.indptr[i + 1]]], "label": int(y[i])}
        for i in range(X.shape[0])
    ]
    folder.mkdir()
    for number in range(N_BATCHES):
        lines = "".join(json.dumps(row) + "\n" for row in rows[number::N_BATCHES])
        (folder / f"{number}.json").write_text(lines, encoding="utf-8")


def main() -> None:
    """Learn what there is of the stream, and show the model."""
    spark = start_spark()
    with tempfile.TemporaryDirectory() as home:
        write_batches(Path(home) / "stream")
        checkpoint = str(Path(home) / "checkpoint")
        stream = (
            spark.readStream.schema("features array<string>, label int")
            .option("maxFilesPerTrigger", 1)
            .json(str(Path(home) / "stream"))
        )
        learner = SparkTreeClassifier(classes=[0, 1], sub_batches=4)
        # Without a trigger it goes on for ever; started again with the same checkpoint, it goes on where it ended.
        learner.start(stream, checkpoint, trigger={"availableNow": True}).awaitTermination()
        model = SparkTreeModel.load(spark, checkpoint)
        print(f"batch {model.batch}: {model.progress['n_points']} points, {model.progress['n_leaves']} leaves")
        rows = spark.read.schema("features array<string>, label int").json(str(Path(home) / "stream"))
        right = model.transform(rows).where("prediction = label").count()
        print(f"right for {right} of {rows.count()} points that it has seen")
        print(model.to_local().export_text(max_depth=2))
    spark.stop()


if __name__ == "__main__":
    main()
