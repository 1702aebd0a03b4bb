"""Spark for tests: processes on loopback only."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

MARKS = [
    pytest.mark.spark,
    # pyspark leaves its sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    # pyspark 3.5 compares the versions of what it needs, by setuptools or, without that, by Python itself.
    pytest.mark.filterwarnings("ignore:distutils Version classes:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The distutils package is deprecated:DeprecationWarning"),
]

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    # Several batches of Arrow per partition.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "150",
}


def why_no_spark() -> str | None:
    """Say why there is no Spark here; None if there is."""
    if shutil.which("java") is None:
        return "no Java: install a headless JRE 17, for example openjdk-17-jre-headless"
    for name in ("pyspark", "pyarrow"):
        if importlib.util.find_spec(name) is None:
            return f"no {name}: `make test-spark` installs it"
    return None


def why_no_connect() -> str | None:
    """Say why there is no server of Spark Connect here; None if there is."""
    found = importlib.util.find_spec("pyspark")
    jars = Path(found.origin).parent / "jars" if found is not None and found.origin is not None else Path()
    if not any(jars.glob("spark-connect_*.jar")):
        return "no server of Spark Connect: the package of pyspark 3.5 has none, that of 4 has"
    return None


def settled() -> None:
    """Set what processes of Spark read from their environment."""
    os.environ.pop("SPARK_HOME", None)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable


def session(master: str) -> Any:
    """Return a session of its own processes."""
    settled()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("sapwood tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def connected() -> Any:
    """Return a session of Spark Connect with a server on loopback."""
    settled()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote("local[2]")
    for name, value in {**SETTINGS, "spark.connect.grpc.binding.address": "127.0.0.1"}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
