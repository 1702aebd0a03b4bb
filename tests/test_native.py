"""Each native test, ``tests/native/<header>_test.cpp``, is a case here: built, run, and its output shown if it fails.

The programs are compiled as the wheel is; with ``SAPWOOD_TEST_SANITIZE=ON``, as ``.ci/run`` sets it, they run under the
address and undefined-behaviour sanitizers instead, which takes several times as long.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

SOURCES = sorted(Path(__file__).parent.joinpath("native").glob("*_test.cpp"))


def run(*command: str | Path, cwd: Path) -> None:
    """Run a command, and fail with all that it said unless it succeeds."""
    result = subprocess.run(
        command, cwd=cwd, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if result.returncode != 0:
        line = " ".join(map(str, command))
        pytest.fail(f"{line}: exit status {result.returncode}\n{result.stdout}", pytrace=False)


@pytest.fixture(scope="module")
def cmake() -> str:
    """The cmake installed with the tests before any other."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    found = shutil.which("cmake", path=path)
    if found is None:
        pytest.fail("cmake must be installed for the native tests; it is in the extra `test`", pytrace=False)
    return found


@pytest.fixture(scope="module")
def build(cmake: str, repository: Path) -> Path:
    """The build directory of the native tests."""
    sanitize = os.environ.get("SAPWOOD_TEST_SANITIZE", "OFF")
    presets = {"ON": "native-sanitized", "OFF": "native-release"}
    if sanitize not in presets:
        pytest.fail(f"SAPWOOD_TEST_SANITIZE must be ON or OFF, got {sanitize!r}", pytrace=False)
    preset = presets[sanitize]
    ninja = shutil.which("ninja", path=str(Path(cmake).parent)) or "ninja"
    run(cmake, "--preset", preset, f"-DCMAKE_MAKE_PROGRAM={ninja}", cwd=repository)
    folder = repository / "build" / preset
    # All at once, on all cores; whatever does not compile is left for its own test to tell.
    subprocess.run([cmake, "--build", folder, "--", "-k", "0"], cwd=repository, capture_output=True, check=False)
    return folder


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_native(source: Path, cmake: str, build: Path, repository: Path) -> None:
    run(cmake, "--build", build, "--target", source.stem, cwd=repository)
    run(build / "tests" / "native" / source.stem, cwd=build)
