"""Training that is disturbed in every way, and must come to the same model, byte for byte.

``python -m tests.reliability.soak --hours 1`` trains one stream after the other with ``sapwood train --checkpoint
--resume``. Runs are killed, stopped by SIGTERM or SIGINT, or find a folder that cannot be written to, a disk that is
full or an input that is cut short, in the middle of a gzip file too; each goes on where the last one was. The model at
the end must be that of a run which nobody disturbed. Prints how often each fault came.

Who may mount a file system (the superuser, mostly) has one of its own for the models, in memory, which is filled up and
made read-only; for others a limit on the size of files stands for a full disk, and the mode of the folder for the rest.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Soak", "main"]

COMMAND = [sys.executable, "-c", "from sapwood.cli import main; main()"]
MOST_SECONDS = 120
OPTIONS = (
    ("--learner", "tree"),
    ("--learner", "efdt", "--delta", "0.1"),
    ("--learner", "vfdt", "--delta", "0.1", "--leaf-prediction", "naive_bayes"),
)


Fault: TypeAlias = Callable[[Path, Path, tuple[str, ...]], None]


class Soak:
    """One folder of streams and models, and what has been done to them; to be used in a ``with`` statement."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.faults: Counter[str] = Counter()
        self.models = 0
        self.disk = folder / "disturbed"
        self.disk.mkdir()
        self.is_mounted = self._mount("-t", "tmpfs", "-o", "size=64m", "tmpfs")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.is_mounted:
            subprocess.run(["umount", str(self.disk)], check=True)

    def _mount(self, *options: str) -> bool:
        if shutil.which("mount") is None:
            return False
        return subprocess.run(["mount", *options, str(self.disk)], capture_output=True, check=False).returncode == 0

    def round(self) -> None:
        """Train one stream with faults until it is done; raise AssertionError if the model is another one."""
        stream = self._write_stream()
        options = self.random.choice(OPTIONS)
        expected = self.folder / "expected" / "model"
        model = self.disk / "model"
        expected.parent.mkdir(exist_ok=True)
        for path in (expected, model):
            path.unlink(missing_ok=True)
        self._must_succeed(stream, expected, options)
        faults = self._faults()
        for _ in range(self.random.randrange(2, 8)):
            name = self.random.choice(list(faults))
            faults[name](stream, model, options)
            self.faults[name] += 1
        self._must_succeed(stream, model, options)
        assert model.read_bytes() == expected.read_bytes(), f"another model after {dict(self.faults)}"
        left = [path.name for path in model.parent.iterdir() if path != model]
        assert not left, f"files left behind: {left}"
        self.models += 1

    def _faults(self) -> dict[str, Fault]:
        found: dict[str, Fault] = {
            "kill -9": lambda *run: self._signalled(signal.SIGKILL, *run),
            "SIGTERM": lambda *run: self._signalled(signal.SIGTERM, *run),
            "SIGINT": lambda *run: self._signalled(signal.SIGINT, *run),
            "input cut short": self._cut_short,
            "disk full": self._disk_full,
        }
        if self.is_mounted or os.geteuid() != 0:  # the superuser writes to any folder, whatever its mode
            found["folder read-only"] = self._read_only
        return found

    def _write_stream(self) -> Path:
        n = self.random.randrange(500, 4000)
        words = [f"word{i}" for i in range(200)]
        lines = []
        for _ in range(n):
            label = self.random.choice(["no", "yes", "maybe"])
            lines.append(f"{label}\t{' '.join(self.random.choices(words, k=6))} {label[: self.random.randrange(3)]}x\n")
        text = "".join(lines).encode()
        if self.random.random() < 1 / 2:
            path = self.folder / "stream.tsv.gz"
            path.write_bytes(gzip.compress(text, compresslevel=1))
        else:
            path = self.folder / "stream.tsv"
            path.write_bytes(text)
        return path

    def _command(self, stream: Path, model: Path, options: tuple[str, ...]) -> list[str]:
        every = f"every={self.random.choice((50, 100, 333))}"
        return [*COMMAND, "train", str(stream), "-m", str(model), "--resume", "--checkpoint", every, "-q", *options]

    def _must_succeed(self, stream: Path, model: Path, options: tuple[str, ...]) -> None:
        run = subprocess.run(
            self._command(stream, model, options), capture_output=True, timeout=MOST_SECONDS, check=False
        )
        assert run.returncode == 0, run.stderr.decode()

    def _signalled(self, number: int, stream: Path, model: Path, options: tuple[str, ...]) -> None:
        with subprocess.Popen(self._command(stream, model, options), stderr=subprocess.PIPE) as running:
            time.sleep(self.random.uniform(0.1, 1.5))
            running.send_signal(number)
            _, errors = running.communicate(timeout=MOST_SECONDS)
        # It may have been done before, or not have begun to listen: while Python starts, SIGINT is a fatal error.
        is_starting = number == signal.SIGINT and errors.endswith(b"KeyboardInterrupt\n") and b"sapwood" not in errors
        assert running.returncode in {0, -number, 128 + number} or is_starting, errors.decode()

    def _cut_short(self, stream: Path, model: Path, options: tuple[str, ...]) -> None:
        whole = stream.read_bytes()
        part = self.folder / "part" / stream.name
        part.parent.mkdir(exist_ok=True)
        rest = whole[: self.random.randrange(len(whole))]
        # Half a line of text is a line like any other; the middle of a gzip file is seen to be one.
        part.write_bytes(rest if stream.suffix == ".gz" else rest.rpartition(b"\n")[0])
        run = subprocess.run(
            self._command(part, model, options), capture_output=True, timeout=MOST_SECONDS, check=False
        )
        # Too short for what was learned before, or of one class: said in one sentence.
        assert run.returncode in {0, 2}, run.stderr.decode()
        assert run.stderr.count(b"\n") <= 2, run.stderr.decode()

    def _disk_full(self, stream: Path, model: Path, options: tuple[str, ...]) -> None:
        """Leave little room on the disk, or let the process write no file beyond a size: both fail within a file."""
        size = self.random.randrange(10, 40_000)

        def limit() -> None:
            if not self.is_mounted:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        before = model.read_bytes() if model.exists() else None
        if self.is_mounted:
            assert self._mount("-o", f"remount,size={shutil.disk_usage(self.disk).used + size}")
        try:
            run = subprocess.run(
                self._command(stream, model, options),
                capture_output=True,
                timeout=MOST_SECONDS,
                check=False,
                preexec_fn=limit,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            )
        finally:
            if self.is_mounted:
                assert self._mount("-o", "remount,size=64m")
        assert run.returncode in {0, 1}, run.stderr.decode()
        if run.returncode == 1 and before is not None:
            assert model.exists()
            assert str(model).encode() in run.stderr, run.stderr.decode()

    def _read_only(self, stream: Path, model: Path, options: tuple[str, ...]) -> None:
        if self.is_mounted:
            assert self._mount("-o", "remount,ro")
        else:
            model.parent.chmod(0o500)
        try:
            run = subprocess.run(
                self._command(stream, model, options), capture_output=True, timeout=MOST_SECONDS, check=False
            )
        finally:
            if self.is_mounted:
                assert self._mount("-o", "remount,rw")
            else:
                model.parent.chmod(0o700)
        assert run.returncode == 2, run.stderr.decode()


def main() -> None:
    """Disturb training for a while."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = random.randrange(2**32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    end = time.monotonic() + 3600 * options.hours
    with tempfile.TemporaryDirectory() as folder, Soak(Path(folder), seed) as soak:
        while time.monotonic() < end:
            soak.round()
    print(f"{soak.models:,} models, each the same as without faults; {soak.faults.total():,} faults:")
    for name, count in sorted(soak.faults.items()):
        print(f"{count:9,}  {name}")


if __name__ == "__main__":
    main()
