"""The checked-in stubs of the compiled modules say what the compiled modules have."""

from __future__ import annotations

import ast
import difflib
import importlib.resources
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sapwood import SplitFinder, _timing

MODULES = ["_core", "_timing"]


def test_stub_of_the_core_equals_runtime(repository: Path, tmp_path: Path) -> None:
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


def test_stub_of_the_clocks_has_their_names_and_parameters(repository: Path) -> None:
    stub = ast.parse((repository / "src" / "sapwood" / "_timing.pyi").read_text(encoding="utf-8"))
    told = {node.name: [each.arg for each in node.args.args] for node in stub.body if isinstance(node, ast.FunctionDef)}
    found = {
        name: list(inspect.signature(function).parameters)
        for name, function in vars(_timing).items()
        if callable(function)
    }
    assert told == found


def test_clocks_refuse_what_is_no_search_and_no_array_of_theirs() -> None:
    search = SplitFinder().native
    indptr, indices = np.array([0, 1]), np.array([3], dtype=np.int32)
    labels, marks = np.array([1], dtype=np.uint16), np.array([1])
    assert len(_timing.run_timed(search, indptr, indices, labels, every=1, checkpoints=marks)) == 1
    with pytest.raises(AttributeError, match="capsule"):
        _timing.run_timed(object(), indptr, indices, labels, 1, marks)  # type: ignore[arg-type]
    for wrong in (indices.astype(np.int64), indices.astype(np.uint32), indices.reshape(1, 1), indices.astype(float)):
        with pytest.raises(TypeError, match=r"^indices must be an array of int32 in one dimension, got array"):
            _timing.run_timed(search, indptr, wrong, labels, 1, marks)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="contiguous"):
        _timing.run_timed(search, indptr, np.zeros(4, dtype=np.int32)[::2], labels, 1, marks)
    with pytest.raises(TypeError, match="run_timed"):
        _timing.run_timed(search, indptr, indices, labels, 1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="checkpoints must ascend within the rows, got 2"):
        _timing.run_timed(search, indptr, indices, labels, 1, marks + 1)
    assert search.n() == 1


def test_stub_names_python_types_only(repository: Path) -> None:
    stub = (repository / "src" / "sapwood" / "_core.pyi").read_text(encoding="utf-8")
    # A C++ name is a type that nanobind cannot convert: the call would raise TypeError.
    assert [line for line in stub.splitlines() if "::" in line] == []


def test_installed_package_is_typed() -> None:
    package = importlib.resources.files("sapwood")
    assert package.joinpath("py.typed").is_file()
    for module in MODULES:
        assert package.joinpath(f"{module}.pyi").is_file()
