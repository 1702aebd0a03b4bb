"""What every test shares: Hypothesis profiles and the folder of real data."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, find_browser, open_browser
from hypothesis import HealthCheck, settings
from spark_session import why_no_spark

# A shell lets what it runs in the background ignore Ctrl-C; tests of interrupts, and the children they start, heed it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[1]

# No deadline in any profile: the time of one example on a shared machine says nothing about its correctness.
# `dev` looks somewhere new at every run, and so does `save`, at a quarter of the examples: `make check` runs so often
# that it has soon seen as many. `ci` looks at the same examples at every run, `thorough` far longer.
settings.register_profile("dev", deadline=None)
settings.register_profile("save", deadline=None, max_examples=25)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "thorough", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


# Files of long oracles, of whole programs in processes of their own, and of real data: `make check` leaves them out.
SLOW = frozenset(
    f"test_{name}.py"
    for name in (
        "certified",
        "cli_docs",
        "cli_process",
        "cli_resume",
        "cli_stream",
        "cli_train",
        "demo",
        "evaluate_prequential",
        "following_reference",
        "forest_reference",
        "forests_identical",
        "forks",
        "golden",
        "numbers_reference",
        "packages",
        "paper",
        "paper_figures",
        "paper_report",
        "paper_resume",
        "race",
        "real_data",
        "real_trees",
        "report_browser",
        "split_finder_oracle",
        "split_finder_threads",
        "streaming_reference",
        "tree_pictures",
        "tree_reference",
        "tree_threads",
        "trees_identical",
        "trees_sklearn",
    )
)
# What begins first: training that is disturbed, which goes on for a fixed time; then the native tests.
FIRST = ("test_soak.py", "test_native.py")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files of nothing but slow tests unread where they would be left out: to collect them takes seconds."""
    if collection_path.name in SLOW and config.getoption("markexpr", default="") == "not slow":
        return True
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is slow, and put what takes the longest first, so that the others go on beside it: see FIRST.

    What starts the processes of Spark is left out unless its marker is asked for.
    """
    why = "it starts the processes of Spark: `make test-spark` runs it"
    if "spark" in str(config.getoption("markexpr", default="")):
        why = why_no_spark() or ""
    for item in items:
        if why and item.get_closest_marker("spark") is not None:
            item.add_marker(pytest.mark.skip(reason=why))
        if item.path.name in SLOW:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: FIRST.index(item.path.name) if item.path.name in FIRST else len(FIRST))


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return ROOT


def data_folder() -> Path:
    """Where real data sets are looked for: ``SAPWOOD_DATA``, or ``shared/data`` beside the repository."""
    named = os.environ.get("SAPWOOD_DATA")
    return Path(named) if named else ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets; skips without one."""
    folder = data_folder()
    if os.environ.get("SAPWOOD_DATA") and not folder.is_dir():
        # Asked for by name and not there is a mistake, not a machine without data.
        pytest.fail(f"shared_data: SAPWOOD_DATA must be a folder, got {os.environ['SAPWOOD_DATA']!r}")
    if not folder.is_dir():
        pytest.skip("no real data: set SAPWOOD_DATA, or put it in shared/data beside the repository")
    return folder


def pytest_configure(config: pytest.Config) -> None:
    """Let a tree that forgets read numbers as flags in tests of all estimators; what it says of that has its own."""
    config.addinivalue_line("filterwarnings", "ignore::sapwood.exceptions.NumbersAsFlagsWarning")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless Chromium; skips without one."""
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium: install Debian's chromium, or name a browser in SAPWOOD_BROWSER")
    with open_browser(program, tmp_path_factory.mktemp("profile")) as opened:
        yield opened
