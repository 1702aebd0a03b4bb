"""Points per second and bytes per micro-batch on Spark, beside one process: ``python -m benchmarks.spark``.

Needs the extra `spark` and Java. Every figure is of the same rows: `partial_fit` point by point, `partial_fit` by
batches, both in this process, and `SparkTreeClassifier.fit` on 1 and 2 executors in processes of their own, whose
session is warm.
"""

from __future__ import annotations

import argparse
import os
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


def seconds(call: Callable[[], Any], repeats: int) -> float:
    """Return the least time of several calls."""
    found = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return min(found)


def one_process(n: int, d: int, repeats: int) -> None:
    """Print the times of one process."""
    X, y = points(n, d)
    options: dict[str, Any] = {"leaf_prediction": "majority"}
    by_point = seconds(lambda: StreamingTreeClassifier(**options).partial_fit(X, y, classes=[0, 1]), repeats)
    by_batch = seconds(
        lambda: StreamingTreeClassifier(**options, batch_growth=True).partial_fit(X, y, classes=[0, 1]), repeats
    )
    print(f"{n:>9} {d:>8}  one process   {n / by_point:>10.0f}  by batches {n / by_batch:>10.0f} points per second")


def on_spark(spark: Any, executors: int, n: int, d: int, repeats: int) -> None:
    """Print the times and the bytes of Spark, of rows that are in memory there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    X, y = points(n, d)
    rows = pa.ListArray.from_arrays(X.indptr.astype(np.int32), X.indices.astype(np.int32))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/points.parquet"
        pq.write_table(pa.table({"features": rows, "label": pa.array(y)}), path)
        frame = spark.read.parquet(path).repartition(2 * executors).persist()
        frame.count()
        learner = SparkTreeClassifier(classes=[0, 1], sub_batches=1, leaf_prediction="majority")
        model = learner.fit(frame)
        took = seconds(lambda: learner.fit(frame), repeats)
        n_bytes = model.progress["delta_bytes"]
        print(
            f"{n:>9} {d:>8}  {executors} executors   {n / took:>10.0f} points per second, "
            f"delta {n_bytes} bytes ({n_bytes / X.nnz:.2f} per event), model {len(model.to_local().to_bytes())} bytes"
        )
        frame.unpersist()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--features", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    for d in given.features:
        for n in given.points:
            one_process(n, d, given.repeats)
    for executors in given.executors:
        spark = session(executors)
        for d in given.features:
            for n in given.points:
                on_spark(spark, executors, n, d, given.repeats)
        spark.stop()


if __name__ == "__main__":
    main()
