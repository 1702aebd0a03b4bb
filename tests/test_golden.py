"""Both learners, the split finder and the streams do what they did when the digests in ``tests/golden`` were recorded.

They are compared to the last bit, so that they hold on machines that round as the one that recorded them; see
``golden.py`` for the cases, and for how to record them anew.
"""

from __future__ import annotations

import golden
import pytest

CASES = [pytest.param(case, id=f"{case.group}-{case.name}") for case in golden.CASES.values()]


@pytest.mark.parametrize("case", CASES)
def test_as_recorded(case: golden.Case, request: pytest.FixtureRequest) -> None:
    if case.needs is not None:
        pytest.importorskip(case.needs, reason=f"the package {case.needs} is not installed")
    if case.file is not None and not (request.getfixturevalue("shared_data") / case.file).is_file():
        pytest.skip(f"no data set {case.file} in the folder of real data")
    recorded = golden.recorded(case.group)
    if recorded["rounding"] != golden.rounding():
        pytest.skip("this machine rounds logarithms or exponentials otherwise than the one that recorded the digests")
    found = case.compute()
    if case.group != "trees-bounded":
        assert found.get("kept", "all") == "all", "a model that was saved and loaded must be as it was"
    lines = golden.differences(recorded["cases"][case.name], found)
    if lines:
        pytest.fail("\n".join([f"{case.group}, {case.name}: not as recorded:", *lines]), pytrace=False)


@pytest.mark.parametrize("group", golden.GROUPS)
def test_every_case_is_recorded_and_no_other(group: str) -> None:
    names = [name for of, name in golden.CASES if of == group]
    assert sorted(golden.recorded(group)["cases"]) == sorted(names)


def test_files_are_those_of_the_groups() -> None:
    assert sorted(path.stem for path in golden.FOLDER.iterdir()) == sorted(golden.GROUPS)


def test_differences_are_told_by_field() -> None:
    recorded = {"tree": "a", "then": {"tree": "b", "text": "c"}}
    assert golden.differences(recorded, recorded) == []
    found = {"tree": "a", "then": {"tree": "x", "text": "c"}, "more": 1}
    assert golden.differences(recorded, found) == [
        "more: recorded None, found 1",
        "then.tree: recorded b, found x",
    ]
