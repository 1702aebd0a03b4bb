"""Batches read ahead are those of the reader, in a thread that ends with whoever asked for it."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sapwood.stream import ReadAhead, StreamError, read

LINES = "".join(f"{i % 2} {1 + i % 7}:1 {9 + i % 50}:1\n" for i in range(1000))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "stream.svm"
    path.write_text(LINES)
    return path


def reading() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "sapwood-read-ahead"]


@pytest.mark.parametrize("batch_size", [1, 7, 400, 5000])
def test_the_batches_are_those_of_the_reader(path: Path, batch_size: int) -> None:
    expected = [list(batch.points()) for batch in read(path, batch_size=batch_size)]
    with read(path, batch_size=batch_size) as reader, ReadAhead(reader) as ahead:
        assert [list(batch.points()) for batch in ahead] == expected
        assert next(ahead, None) is None
    assert not reading()


def test_what_precedes_an_error_comes_before_it(path: Path) -> None:
    path.write_text(LINES + "nonsense\n" + LINES)
    sizes: list[int] = []
    with read(path, batch_size=300) as reader, ReadAhead(reader) as ahead:
        with pytest.raises(StreamError, match="line 1001"):
            sizes.extend(len(batch) for batch in ahead)
        assert next(ahead, None) is None
    assert sizes == [300, 300, 300, 100]
    assert not reading()


@pytest.mark.parametrize("taken", [0, 1, 3])
def test_the_thread_ends_though_batches_are_left(path: Path, taken: int) -> None:
    with read(path, batch_size=10) as reader, ReadAhead(reader) as ahead:
        for _ in range(taken):
            next(ahead)
    assert not reading()


def test_an_interrupt_ends_the_batches(path: Path) -> None:
    with read(path, batch_size=10) as reader, ReadAhead(reader) as ahead:
        assert len(next(ahead)) == 10
        ahead.interrupt()
        with pytest.raises(KeyboardInterrupt):
            next(ahead)
    assert not reading()


def test_what_is_no_file_is_read_by_whoever_asks() -> None:
    class Pipe(io.RawIOBase):
        rest = LINES.encode()
        threads: ClassVar[set[str]] = set()

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            self.threads.add(threading.current_thread().name)
            part, self.rest = self.rest[: len(buffer)], self.rest[len(buffer) :]
            buffer[: len(part)] = part
            return len(part)

    pipe = Pipe()
    with read(pipe, batch_size=100) as reader, ReadAhead(reader) as ahead:
        assert sum(len(batch) for batch in ahead) == 1000
    assert pipe.threads == {threading.current_thread().name}


def test_an_interrupt_of_the_reader_comes_out_too(path: Path) -> None:
    with read(path, batch_size=10) as reader:
        reader.interrupt()
        with ReadAhead(reader) as ahead, pytest.raises(KeyboardInterrupt):
            next(ahead)
    assert not reading()


class Endless(io.RawIOBase):
    """A file that says that it has an end, and repeats a line without coming to it."""

    def __init__(self, line: bytes) -> None:
        super().__init__()
        self._chunk = line * 1000

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return 0

    def seek(self, offset: int, whence: int = 0) -> int:
        return 1 << 40 if whence else offset

    def read(self, size: int = -1) -> bytes:  # noqa: ARG002 - as files have it
        return self._chunk


@pytest.mark.parametrize(
    ("line", "options"),
    [(b"no point at all\n", {"on_error": "skip"}), (b"1 3:1\n", {"start": 10**12})],
    ids=["bad lines", "points to pass over"],
)
def test_an_interrupt_is_heard_while_there_is_no_batch(line: bytes, options: dict[str, Any]) -> None:
    outcome: list[type[BaseException] | None] = []

    def run() -> None:
        with read(Endless(line), format="svmlight", **options) as reader, ReadAhead(reader) as ahead:
            threading.Timer(0.2, ahead.interrupt).start()
            with pytest.raises(KeyboardInterrupt) as caught:
                next(ahead)
        outcome.append(caught.type)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout=30)
    assert outcome == [KeyboardInterrupt], "the reader goes on for ever"
