"""The table of parameters is what the constructors, the core, the command line, the files and the documents have."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from command_line import done

import sapwood
from sapwood import _core, parameters
from sapwood.cli.learners import LearnerOptions
from sapwood.estimators import TreeClassifier
from sapwood.learner import make_learner
from sapwood.learner.make_tree import make_tree
from sapwood.parameters import (
    PARAMETERS,
    TREES,
    Number,
    TreeKind,
    Whole,
    Word,
    arguments,
    described,
    tree_called,
)

DOCS = Path(__file__).parents[1] / "docs"
# What a tree that forgets cannot do: docs/dynamic.md says why.
NOT_EXACT = {"approximate", "logistic", "adaptive", "mixed"}
every_kind = pytest.mark.parametrize("kind", TREES, ids=[kind.name for kind in TREES])


def defaults(kind: TreeKind) -> dict[str, Any]:
    return {each.name: each.default for each in kind.parameters}


@every_kind
def test_constructors(kind: TreeKind) -> None:
    estimator = getattr(sapwood, kind.name)
    own = list(inspect.signature(estimator).parameters.values())
    assert [each.name for each in own] == [each.name for each in kind.parameters]
    assert [each.default for each in own] == [each.default for each in kind.parameters]
    assert [each.annotation for each in own] == [each.annotation for each in kind.parameters]
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in own)
    assert estimator().get_params() == defaults(kind)
    assert getattr(sapwood, kind.name) is estimator
    # What type checkers and editors read.
    named = re.fullmatch(r"Unpack\[(\w+)\]", estimator.__init__.__annotations__["parameters"])
    assert named is not None
    typed = getattr(arguments, named[1]).__annotations__
    assert {name: each.__forward_arg__ for name, each in typed.items()} == {
        each.name: each.annotation for each in kind.parameters
    }


def test_classes_of_the_users_own() -> None:
    class Same(sapwood.HoeffdingTreeClassifier):
        pass

    class Other(sapwood.HoeffdingTreeClassifier):
        def __init__(self, *, depth: int = 3) -> None:
            super().__init__(max_depth=depth)
            self.depth = depth

    assert inspect.signature(Same) == inspect.signature(sapwood.HoeffdingTreeClassifier)
    assert Same(max_depth=2).get_params()["max_depth"] == 2
    assert list(inspect.signature(Other).parameters) == ["depth"]
    assert Other(depth=4).get_params() == {"depth": 4}
    assert Other(depth=4).max_depth == 4
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_depth'"):
        Other(max_depth=4)  # type: ignore[call-arg]  # that is the test


@every_kind
def test_constructors_for_river(kind: TreeKind) -> None:
    river = pytest.importorskip("sapwood.river", reason="river, of the extra `river`, is not installed")
    face = getattr(river, kind.name)
    left_out = {"shuffle", "sparse_numbers", "batch_growth", "sub_batches"} | (
        {"binarize"} if kind.takes_numbers else set()
    )
    own = [each for each in kind.parameters if each.name not in left_out]
    assert list(inspect.signature(face).parameters) == [each.name for each in own]
    assert face()._get_params() == {each.name: each.default for each in own}


@every_kind
def test_documentation(kind: TreeKind) -> None:
    text = inspect.getdoc(getattr(sapwood, kind.name)) or ""
    section = text.partition("Parameters\n----------\n")[2].partition("\nAttributes\n")[0]
    assert section.strip() == described(kind.parameters)
    assert max(map(len, described(kind.parameters).splitlines())) <= 120
    attributes = text.partition("\nAttributes\n----------\n")[2].partition("\n\n")[0]
    names = [line.partition(" : ")[0] for line in attributes.splitlines() if not line.startswith(" ")]
    assert names == [
        "classes_",
        "n_features_in_",
        "feature_names_in_",
        "features_seen_",
        "feature_importances_",
        "n_points_",
    ]
    for each in kind.parameters:
        assert each.sentence.endswith(".")
        assert each.sentence.count(". ") == 0, "one sentence"


def test_the_page_about_trees_has_the_table() -> None:
    rows = [
        f"| `{each.name}` | {each.value.text} | `{each.default!r}` | {each.sentence} |".replace("'", '"')
        for each in PARAMETERS
    ]
    page = (DOCS / "trees.md").read_text(encoding="utf-8")
    missing = [row for row in rows if row not in page]
    assert not missing, "docs/trees.md must have these rows:\n" + "\n".join(missing)


def test_the_page_about_trees_has_the_defaults_of_each_class() -> None:
    usual = {each.name: each.default for each in PARAMETERS}
    rows = []
    for kind in TREES:
        own = [each for each in kind.parameters if each.default != usual[each.name]]
        said = ", ".join(f"`{each.name}={each.default!r}`" for each in own).replace("'", '"')
        rows += [f"| `{kind.name}` | {said} |"] * bool(own)
    page = (DOCS / "trees.md").read_text(encoding="utf-8")
    _, _, table = page.partition("### Other defaults\n\n")
    assert table.split("\n\n")[0].splitlines()[2:] == rows


def test_words_are_those_of_the_core() -> None:
    assert set(get_args(parameters.Criterion)) == set(_core.CRITERIA)
    assert set(get_args(parameters.Search)) == set(_core.SEARCHES)
    assert set(get_args(parameters.SplitTest)) == set(_core.SPLIT_TESTS)
    assert set(get_args(parameters.LeafPrediction)) == set(_core.LEAF_PREDICTIONS)
    assert set(get_args(parameters.Subspace)) == set(_core.SUBSPACES)


@every_kind
def test_the_core_has_every_learner(kind: TreeKind) -> None:
    assert make_tree(kind, defaults(kind)).growth() == kind.growth
    assert tree_called(kind.name) is tree_called(kind.command) is kind


@every_kind
@pytest.mark.parametrize("each", PARAMETERS, ids=[each.name for each in PARAMETERS])
def test_limits_are_those_of_the_core(kind: TreeKind, each: parameters.Parameter) -> None:
    """What the table allows at its limits the core takes, and what it refuses just beyond them too."""
    if each not in kind.parameters or each.name == "binarize":
        return
    value = each.value
    right: list[Any] = [each.default]
    wrong: list[Any] = [object()]
    if isinstance(value, Word):
        right += value.words
        wrong += ["", value.words[0].upper(), 1]
    elif isinstance(value, Whole):
        right += [value.least, np.int64(value.least)]
        wrong += [value.least - 1, value.largest + 1, 1.5, True, "1"]
        if kind.core == "Forest" and each.name == "max_bytes":
            # The least of a tree; how much more a forest needs depends on how many it has.
            right = [each.default, 100 * value.least]
    elif isinstance(value, Number):
        right += [value.least] if value.between is None else [value.between[1] / 2]
        wrong += [value.least - 1e-9] if value.between is None else [*value.between]
        wrong += [float("nan"), float("inf"), True, "1"]
    elif each.name == "class_weight":
        right += [{}, {0: 2, "other": 0.5}, {0: np.float32(2)}]
        wrong += ["even", [1, 2], {0: -1}, {0: float("nan")}, {0: "1"}, {0: 2**31}]
    elif each.name in {"shuffle", "lazy", "sparse_numbers"}:
        right += [False, np.True_]
        wrong += [1, "yes", None]
    for one in right:
        learner = make_learner(kind, {**defaults(kind), each.name: one})
        if kind.growth == "dynamic" and isinstance(value, Word) and one in NOT_EXACT:
            with pytest.raises(ValueError, match=rf"^{kind.name}: {each.name} must .* for a tree that forgets"):
                learner.learn_one([1], 0)
            continue
        # Evidence is for entropy alone.
        by_evidence = kind.growth in {"streaming", "dynamic"}
        if each.name != "criterion" or one == "entropy" or (one == "gini" and not by_evidence):
            learner.learn_one([1], 0)
    for one in wrong:
        learner = make_learner(kind, {**defaults(kind), each.name: one})
        with pytest.raises((TypeError, ValueError), match=rf"^{kind.name}: {each.name} must "):
            learner.learn_one([1], 0)
        assert learner.model is None


@every_kind
def test_a_parameter_that_there_is_none_of(kind: TreeKind) -> None:
    river = pytest.importorskip("sapwood.river", reason="river, of the extra `river`, is not installed")
    for module in (sapwood, river):
        with pytest.raises(TypeError) as caught:
            getattr(module, kind.name)(max_dept=3)
        assert str(caught.value) == f"{kind.name}: unexpected parameter 'max_dept'; did you mean 'max_depth'?"
        with pytest.raises(
            TypeError, match=rf"^{kind.name}: unexpected parameter 'foo'; the parameters are .*search, "
        ):
            getattr(module, kind.name)(foo=3)


def test_the_command_line_offers_them() -> None:
    options = {each.name: each for each in LearnerOptions.options()}
    offered = [each for each in PARAMETERS if each.option != ""]
    assert list(options) == ["learner", *(each.option or each.name for each in offered)]
    text = " ".join(done("train", "--help").split())
    for each in offered:
        assert f"--{(each.option or each.name).replace('_', '-')}" in text
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    for each in offered:
        assert re.sub(r"^.", "", each.sentence) in page


@every_kind
def test_files_have_them(kind: TreeKind) -> None:
    given = {"delta": 0.25, "max_depth": 7, "shuffle": False, "class_weight": {0: 2, (1, b"x"): 0.5}}
    model = getattr(sapwood, kind.name)(**{name: given[name] for name in given if name not in kind.lacks})
    model.learn_one([1], 0)
    assert TreeClassifier.from_bytes(model.to_bytes()).get_params() == model.get_params()
