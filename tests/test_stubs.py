"""The checked-in stubs of the compiled modules are those that the compiled modules give."""

from __future__ import annotations

import difflib
import importlib.resources
import subprocess
import sys
from pathlib import Path

import pytest

MODULES = ["_core", "_timing"]


@pytest.mark.parametrize("module", MODULES)
def test_stub_equals_runtime(module: str, repository: Path, tmp_path: Path) -> None:
    generated = tmp_path / f"{module}.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "--quiet", "-m", f"sapwood.{module}", "-o", str(generated)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr

    runtime = generated.read_text(encoding="utf-8")
    checked_in = (repository / "src" / "sapwood" / f"{module}.pyi").read_text(encoding="utf-8")
    difference = difflib.unified_diff(
        checked_in.splitlines(), runtime.splitlines(), "checked in", "runtime", lineterm=""
    )
    assert checked_in == runtime, "run `make stubs`:\n" + "\n".join(difference)


@pytest.mark.parametrize("module", MODULES)
def test_stub_names_python_types_only(module: str, repository: Path) -> None:
    stub = (repository / "src" / "sapwood" / f"{module}.pyi").read_text(encoding="utf-8")
    # A C++ name is a type that nanobind cannot convert: the call would raise TypeError.
    assert [line for line in stub.splitlines() if "::" in line] == []


def test_installed_package_is_typed() -> None:
    package = importlib.resources.files("sapwood")
    assert package.joinpath("py.typed").is_file()
    for module in MODULES:
        assert package.joinpath(f"{module}.pyi").is_file()
