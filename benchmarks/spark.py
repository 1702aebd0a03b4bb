"""Points per second and bytes per micro-batch on Spark, beside one process: ``python -m benchmarks.spark``.

Needs the extra `spark` and Java. Every figure is of the same rows: `partial_fit` point by point, `partial_fit` by
batches, both in this process, and `SparkTreeClassifier.fit` on 1 and 2 executors in processes of their own, whose
session is warm. The three take turns, and the ratio is that of Spark to point by point, of medians.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from sapwood import StreamingTreeClassifier
from sapwood.spark import SparkTreeClassifier

ACTIVE = 20  # features that are on in a point


def points(n: int, d: int, seed: int = 1) -> tuple[Any, Any]:
    """Return points of which one feature says the class, and the others fall off as words of a text do."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    ids = np.minimum((d ** rng.random((n, ACTIVE))).astype(np.int64), d - 1)
    ids[:, 0] = np.where(rng.random(n) < 0.9, y, 1 - y)
    X = scipy.sparse.csr_matrix((np.ones(ids.size), ids.ravel(), np.arange(0, ids.size + 1, ACTIVE)), shape=(n, d))
    X.sum_duplicates()
    X.data[:] = 1
    return X, y


def session(executors: int) -> Any:
    """Return a session with so many executors on loopback."""
    os.environ.pop("SPARK_HOME", None)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master(f"local-cluster[{executors},1,1024]")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return spark


def alternated(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Return the median time of each of several calls, which take turns: what else the machine does, it does to all."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            found[name].append(time.perf_counter() - began)
    return {name: statistics.median(times) for name, times in found.items()}


def compare(spark: Any, executors: int, size: tuple[int, int], repeats: int, shards: int | None) -> None:
    """Print points per second of one process and of Spark, of rows that are in memory there, and bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n, d = size
    X, y = points(n, d)
    rows = pa.ListArray.from_arrays(X.indptr.astype(np.int32), X.indices.astype(np.int32))
    options: dict[str, Any] = {"leaf_prediction": "majority"}
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/points.parquet"
        pq.write_table(pa.table({"features": rows, "label": pa.array(y)}), path)
        frame = spark.read.parquet(path).repartition(2 * executors).persist()
        frame.count()
        numbers = itertools.count()

        def on_spark() -> Any:
            learner = SparkTreeClassifier(classes=[0, 1], sub_batches=1, shards=shards, **options)
            return learner.fit(frame, None if shards is None else f"{folder}/{next(numbers)}")

        model = on_spark()
        took = alternated(
            {
                "by point": lambda: StreamingTreeClassifier(**options).partial_fit(X, y, classes=[0, 1]),
                "by batch": lambda: StreamingTreeClassifier(**options, batch_growth=True).partial_fit(
                    X, y, classes=[0, 1]
                ),
                "spark": on_spark,
            },
            repeats,
        )
        frame.unpersist()
    n_bytes = model.progress["delta_bytes"]
    print(
        f"| {executors} | {d:,} | {n:,} | {n / took['by point']:,.0f} | {n / took['by batch']:,.0f} "
        f"| {n / took['spark']:,.0f} | {took['spark'] / took['by point']:.0f} "
        f"| {n_bytes:,}, {n_bytes / X.nnz:.2f} |",
        flush=True,
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--features", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--shards", type=int, help="keep what is counted in so many shards")
    given = parser.parse_args()
    print("| executors | d | points per batch | by point | by batch | Spark | ratio | bytes to the driver, per event |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for executors in given.executors:
        spark = session(executors)
        for d in given.features:
            for n in given.points:
                compare(spark, executors, (n, d), given.repeats, given.shards)
        spark.stop()


if __name__ == "__main__":
    main()
