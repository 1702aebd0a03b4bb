"""Each native test, ``tests/native/<header>_test.cpp``, is a case here: built, run, and its output shown if it fails.

The programs are compiled as the wheel is; with ``SAPWOOD_TEST_SANITIZE=ON``, as ``.ci/run`` sets it, they run under the
address and undefined-behaviour sanitizers instead, which takes several times as long. One worker builds them all, the
others wait for it; then each runs some. A program is built once more, alone, only where something did not compile.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SOURCES = sorted(Path(__file__).parent.joinpath("native").glob("*_test.cpp"))

# Programs that take long run in parts, which other workers can take over.
PARTS = {"approximate_test": 4, "certified_test": 4, "following_test": 3, "fuzz_test": 5}
# Long oracles: half a second or more as the wheel is compiled. `make check` leaves them out.
SLOW = {
    "adaptive_size_test",
    "approximate_test",
    "certificate_test",
    "certified_test",
    "composite_test",
    "counters_test",
    "dynamic_tree_test",
    "evidence_test",
    "following_test",
    "fuzz_test",
    "model_io_test",
    "model_refusals_test",
    "out_of_memory_test",
    "phase_test",
    "record_table_test",
    "restructuring_test",
    "streaming_tree_test",
    "summed_counts_test",
}


# Of each block of memory four calls that led to it are kept, by default thirty: walking the stack takes up to a third
# of the time. What is found is the same; a longer stack is one run with ASAN_OPTIONS away.
FRAMES = "malloc_context_size=4"


def cases() -> list[object]:
    """Every program, or part of one: its name and its arguments."""
    found: list[object] = []
    for source in SOURCES:
        parts = PARTS.get(source.stem, 1)
        marks = [pytest.mark.slow] if source.stem in SLOW else []
        for part in range(parts):
            arguments = (str(part), str(parts)) if parts > 1 else ()
            name = "-".join([source.stem, *arguments[:1]])
            found.append(pytest.param(source.stem, arguments, id=name, marks=marks))
    return found


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold a lock that no other worker holds meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    with folder.joinpath(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(*command: str | Path, cwd: Path) -> None:
    """Run a command, and fail with all that it said unless it succeeds."""
    result = subprocess.run(
        command,
        cwd=cwd,
        env={"ASAN_OPTIONS": FRAMES, **os.environ},
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if result.returncode != 0:
        line = " ".join(map(str, command))
        pytest.fail(f"{line}: exit status {result.returncode}\n{result.stdout}", pytrace=False)
    # What was counted, for `pytest -rP`.
    print(result.stdout)


@pytest.fixture(scope="module")
def cmake() -> str:
    """The cmake installed with the tests before any other."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    found = shutil.which("cmake", path=path)
    if found is None:
        pytest.fail("cmake must be installed for the native tests; it is in the extra `test`", pytrace=False)
    return found


@pytest.fixture(scope="module")
def build(cmake: str, repository: Path) -> tuple[Path, bool]:
    """The build directory of the native tests, and whether all of them compiled."""
    sanitize = os.environ.get("SAPWOOD_TEST_SANITIZE", "OFF")
    presets = {"ON": "native-sanitized", "OFF": "native-release"}
    if sanitize not in presets:
        pytest.fail(f"SAPWOOD_TEST_SANITIZE must be ON or OFF, got {sanitize!r}", pytrace=False)
    preset = presets[sanitize]
    ninja = shutil.which("ninja", path=str(Path(cmake).parent)) or "ninja"
    folder = repository / "build" / preset
    with only_one(folder):
        run(cmake, "--preset", preset, f"-DCMAKE_MAKE_PROGRAM={ninja}", cwd=repository)
        # All at once, on all cores; whatever does not compile is left for its own test to tell.
        built = subprocess.run(
            [cmake, "--build", folder, "--", "-k", "0"], cwd=repository, capture_output=True, check=False
        )
    return folder, built.returncode == 0


@pytest.mark.parametrize(("program", "arguments"), cases())
def test_native(
    program: str, arguments: tuple[str, ...], cmake: str, build: tuple[Path, bool], repository: Path
) -> None:
    folder, is_built = build
    if not is_built:
        with only_one(folder):
            run(cmake, "--build", folder, "--target", program, cwd=repository)
    run(folder / "tests" / "native" / program, *arguments, cwd=folder)
