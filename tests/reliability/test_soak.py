"""Training that is disturbed in every way, for a while; ``python -m tests.reliability.soak`` goes on for longer."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from reliability.soak import Soak

# What a run of all tests can spare. More by choice: every second is another few faults.
SECONDS = float(os.environ.get("SAPWOOD_SOAK_SECONDS", "20"))


@pytest.mark.slow
def test_a_disturbed_run_comes_to_the_same_model(tmp_path: Path) -> None:
    seed = time.time_ns() % 2**32
    print(f"seed {seed}")
    end = time.monotonic() + SECONDS
    with Soak(tmp_path, seed) as soak:
        while soak.models == 0 or time.monotonic() < end:
            soak.round()
    assert soak.faults.total() >= 2 * soak.models
