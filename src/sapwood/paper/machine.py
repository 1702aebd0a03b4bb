"""What a run ran on."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

__all__ = ["machine", "processor"]

_PACKAGES = ("sapwood", "numpy", "scipy", "scikit-learn", "matplotlib")


def processor() -> str:
    """Return the name of the processor, as far as the system tells it."""
    try:
        for entry in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, model = entry.partition(":")
            if name.strip() == "model name":
                return model.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine() -> dict[str, str]:
    """Return the machine and the versions, each with its name."""
    about = {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "Python": f"{platform.python_implementation()} {sys.version.split()[0]}",
    }
    if hasattr(os, "getloadavg"):
        about["load average at the end of the run"] = f"{os.getloadavg()[1]:.2f}"
    return {**about, **{package: version(package) for package in _PACKAGES}}
