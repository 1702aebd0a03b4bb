"""Trees on Spark from streams: exactly once, through kills of executors and drivers, on a cluster and on Connect."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from spark_points import OPTIONS, SCHEMA, digest_of, driven, one_machine, rows_of, write_batch
from spark_session import MARKS, session, why_no_connect

pytestmark = MARKS

# How many kills of each kind there are at random moments, beside those at moments that are chosen.
KILLS = int(os.environ.get("SAPWOOD_SPARK_KILLS", "0"))


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A driver with two executors in processes of their own."""
    made = session("local-cluster[2,1,1024]")
    yield made
    made.stop()


BATCHES = [rows_of(n, seed) for seed, n in enumerate([300, 250, 1, 300], 1)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a stream, with all of its batches."""
    made = tmp_path / "stream"
    for number, rows in enumerate(BATCHES):
        write_batch(made, number, rows)
    return made


@pytest.mark.skipif(KILLS == 0, reason="a minute per kill: SAPWOOD_SPARK_KILLS=10 asks for ten of each kind")
def test_a_driver_that_is_killed_at_random_before_and_after_its_save(tmp_path: Path) -> None:
    rng = random.Random(int(os.environ.get("SAPWOOD_SEED", "0")))
    # Each kill comes at most two batches after the last.
    batches = [rows_of(rng.randint(1, 200), seed) for seed in range(4 * KILLS + 1)]
    folder, checkpoint = tmp_path / "stream", tmp_path / "checkpoint"
    for number, rows in enumerate(batches):
        write_batch(folder, number, rows)
    moments = ["before"] * KILLS + ["after"] * KILLS
    rng.shuffle(moments)
    done = 0
    for moment in moments:
        at = done + rng.randint(0, 1)
        assert driven(folder, checkpoint, f"{moment}:{at}") == []
        done = at if moment == "before" else at + 1
    expected = digest_of(one_machine(batches, sub_batches=2))
    assert driven(folder, checkpoint) == [f"learned {len(batches) - 1} {expected}"]


def test_a_driver_that_is_killed_before_and_after_its_save_learns_every_batch_once(
    folder: Path, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    assert driven(folder, checkpoint, "before:1") == []
    assert driven(folder, checkpoint, "after:3") == []
    # The last batch comes again, and is skipped, whether or not another follows; that goes on from there.
    assert driven(folder, checkpoint) == [f"learned 3 {digest_of(one_machine(BATCHES, sub_batches=2))}"]
    more = rows_of(200, 9)
    write_batch(folder, 9, more)
    expected = digest_of(one_machine([*BATCHES, more], sub_batches=2))
    assert driven(folder, checkpoint) == [f"learned 4 {expected}"]


@pytest.mark.skipif(why_no_connect() is not None, reason=str(why_no_connect()))
def test_spark_connect_learns_the_same_tree(folder: Path, tmp_path: Path) -> None:
    expected = digest_of(one_machine([[row for rows in BATCHES for row in rows]], sub_batches=2))
    assert driven(folder, tmp_path / "checkpoint", master="connect") == [f"learned -1 {expected}"]


def executors(spark: Any) -> list[int]:
    """Return the processes of the executors of a session."""
    name = spark.sparkContext.applicationId
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:  # it ended meanwhile
            continue
        if b"CoarseGrainedExecutorBackend" in command and name.encode() in command:
            found.append(int(entry.name))
    return found


@pytest.mark.parametrize("kill_number", range(1 + KILLS))
def test_an_executor_that_is_killed_in_the_middle_of_a_batch(spark: Any, kill_number: int) -> None:
    from sapwood.spark import SparkTreeClassifier

    rows = rows_of(3000, 5)
    frame = spark.createDataFrame(rows, SCHEMA).repartition(7)
    wait = random.Random(kill_number).uniform(0, 2) if kill_number else 0.0
    killed: list[int] = []
    done = threading.Event()

    def kill() -> None:
        """Kill an executor once it has been given something to do."""
        tracker = spark.sparkContext.statusTracker()
        done.wait(wait)
        while not done.is_set():
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            alive = executors(spark)
            if alive and any(stage is not None and stage.numActiveTasks > 0 for stage in stages):
                os.kill(alive[0], signal.SIGKILL)
                killed.append(alive[0])
                return
            time.sleep(0.002)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        model = SparkTreeClassifier(classes=[0, 1, 2], sub_batches=3, **OPTIONS).fit(frame)
    finally:
        done.set()
        killer.join()
    assert len(killed) == 1
    assert model.digest() == digest_of(one_machine([rows], sub_batches=3))


def test_a_bad_row_stops_the_stream_and_leaves_the_model(spark: Any, tmp_path: Path) -> None:
    from sapwood.spark import SparkTreeClassifier, SparkTreeModel

    source, checkpoint = tmp_path / "stream", str(tmp_path / "checkpoint")
    write_batch(source, 0, BATCHES[0])
    write_batch(source, 1, [*BATCHES[1], ([3, 4], 8)])
    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(source))
    learner = SparkTreeClassifier(classes=[0, 1, 2], sub_batches=2, **OPTIONS)
    with pytest.raises(ValueError, match="checkpoint must hold a model, got none"):
        SparkTreeModel.load(spark, checkpoint)
    query = learner.start(stream, checkpoint, name="bad", trigger={"availableNow": True})
    with pytest.raises(Exception, match="batch 1, column 'label' must hold the classes 0, 1, 2 only, got 8"):
        query.awaitTermination()
    model = SparkTreeModel.load(spark, checkpoint)
    assert model.batch == 0
    assert model.digest() == digest_of(one_machine(BATCHES[:1], sub_batches=2))
    other = SparkTreeClassifier(classes=[0, 1, 2], sub_batches=5, **OPTIONS)
    with pytest.raises(Exception, match="sub_batches must be as in the checkpoint, 2, got 5"):
        other.start(stream, checkpoint, trigger={"availableNow": True}).awaitTermination()


def test_what_is_told_of_every_batch(spark: Any, tmp_path: Path) -> None:
    """To a listener, and with the model: rows, leaves, bytes, seconds, and how right the model before the batch was."""
    from sapwood.spark import SparkTreeClassifier, SparkTreeModel

    source, checkpoint = tmp_path / "stream", str(tmp_path / "checkpoint")
    for number, rows in enumerate(BATCHES[:2]):
        write_batch(source, number, rows)
    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(source))
    told: list[dict[str, Any]] = []

    def listen(progress: dict[str, Any]) -> None:
        # The batch is saved by then.
        assert SparkTreeModel.load(spark, checkpoint).progress == progress
        told.append(progress)

    learner = SparkTreeClassifier(classes=[0, 1, 2], sub_batches=2, **OPTIONS)
    started = learner.start(stream, checkpoint, trigger={"availableNow": True}, listener=listen, accuracy=True)
    started.awaitTermination()
    model = SparkTreeModel.load(spark, checkpoint)
    assert model.recent_progress == told
    # Answering does not change what is learned.
    assert model.digest() == digest_of(one_machine(BATCHES[:2], sub_batches=2))
    before = one_machine(BATCHES[:1], sub_batches=2)
    right = sum(before.predict_one(features) == label for features, label in BATCHES[1])
    assert [each["accuracy"] for each in told] == [None, right / len(BATCHES[1])]
    assert [each["n_rows"] for each in told] == [len(rows) for rows in BATCHES[:2]]
    assert [each["n_points"] for each in told] == [300, 550]
    assert told[0]["n_leaves"] == before.get_n_leaves()
    for each in told:
        assert set(each) == {
            *("batch", "n_rows", "n_splits", "n_points", "n_leaves"),
            *("delta_bytes", "router_bytes", "seconds", "accuracy"),
        }
        assert each["delta_bytes"] > 0
        assert each["seconds"] > 0


def test_the_example(repository: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(repository / "examples" / "spark_stream.py")]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert "batch 2: 6000 points" in ran.stdout
    assert "nanobind" not in ran.stderr
