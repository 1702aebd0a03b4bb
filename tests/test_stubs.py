"""The checked-in stub of the compiled module is the one that the compiled module gives."""

from __future__ import annotations

import difflib
import importlib.resources
import subprocess
import sys
from pathlib import Path


def test_stub_equals_runtime(repository: Path, tmp_path: Path) -> None:
    generated = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "--quiet", "-m", "sapwood._core", "-o", str(generated)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr

    runtime = generated.read_text(encoding="utf-8")
    checked_in = (repository / "src" / "sapwood" / "_core.pyi").read_text(encoding="utf-8")
    difference = difflib.unified_diff(
        checked_in.splitlines(), runtime.splitlines(), "checked in", "runtime", lineterm=""
    )
    assert checked_in == runtime, "run `make stubs`:\n" + "\n".join(difference)


def test_stub_names_python_types_only(repository: Path) -> None:
    stub = (repository / "src" / "sapwood" / "_core.pyi").read_text(encoding="utf-8")
    # A C++ name is a type that nanobind cannot convert: the call would raise TypeError.
    assert [line for line in stub.splitlines() if "::" in line] == []


def test_installed_package_is_typed() -> None:
    package = importlib.resources.files("sapwood")
    assert package.joinpath("py.typed").is_file()
    assert package.joinpath("_core.pyi").is_file()
