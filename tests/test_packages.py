"""The shape of the package: what it shows, what is still there, and what does not come along."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import sapwood

SOURCES = Path(sapwood.__file__).parent
# The modules of 0.1.0 whose names have no underscore, and what each had.
FIRST_ADDRESSES = {
    "checkpoint": ["Checkpoint", "Encoding"],
    "datasets": ["HOMES", "load_svmlight", "make_sparse", "make_text"],
    "demo": ["main"],
    "evaluate": ["Evaluation", "PrequentialRun", "prequential"],
    "evaluate.evaluation": ["Evaluation"],
    "evaluate.metrics": ["Accuracy"],
    "evaluate.report": ["save_report"],
    "exceptions": ["ModelFormatError"],
    "explain": ["Evidence", "Explanation", "TestTaken", "explain_ids", "explain_one"],
    "paper": ["EXPERIMENTS", "Settings", "reproduce"],
    "race": ["RaceEntry", "RaceResult", "plot_race", "race"],
    "split_finder": ["CRITERIA", "SEARCHES", "Split", "SplitFinder", "Trace"],
    "stream": ["FORMATS", "ON_ERROR", "Batch", "Errors", "LineError", "ReadAhead", "Reader", "StreamError", "read"],
    "style": ["COUNTING", "LineStyle", "class_colour", "duration", "line_style", "picture_style", "spread"],
    "tree_export": ["to_dataframe", "to_dict"],
    "tree_graph": ["draw", "to_dot"],
    "tree_plot": ["plot"],
    "tree_text": ["export_text"],
    "tree_view": ["NodeView", "TreeView", "check_depth", "places_of"],
    "trees": ["ExtremelyFastDecisionTreeClassifier", "HoeffdingTreeClassifier", "TreeSummary", "load_model"],
}


@pytest.mark.parametrize("module", FIRST_ADDRESSES)
def test_first_addresses(module: str) -> None:
    found = import_module(f"sapwood.{module}")
    for name in FIRST_ADDRESSES[module]:
        assert getattr(found, name) is not None


def test_the_package_shows_public_names_only() -> None:
    assert set(sapwood.__all__) <= set(dir(sapwood))
    assert [name for name in dir(sapwood) if name.startswith("_") and name != "__version__"] == []
    for name in set(dir(sapwood)) - {"river"}:
        assert getattr(sapwood, name) is not None
    with pytest.raises(AttributeError, match="module 'sapwood' has no attribute 'nothing'"):
        _ = sapwood.nothing


def test_modules_are_public_or_in_the_package_that_they_serve() -> None:
    assert {path.name for path in SOURCES.glob("_*.py")} == {"__init__.py", "__main__.py"}


def test_there_is_one_type_for_some_points() -> None:
    classes = Counter(
        node.name
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert classes["Batch"] == 1
    assert (classes["Rows"], classes["Points"]) == (0, 0)


def test_no_module_takes_private_objects_of_another() -> None:
    """No attribute with an underscore is asked of anything but self, cls, or an object of the same class."""
    # Of named tuples, river and scikit-learn.
    allowed = {
        "_asdict",
        "_fields",
        "_check_feature_names",
        "_check_n_features",
        "_replace",
        "_get_params",
        "_get_param_names",
        "_validate_data",
    }
    for path in SOURCES.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
        } | {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                assert node.attr in own | allowed, f"{path.relative_to(SOURCES)}, line {node.lineno}: {node.attr}"
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("sapwood"):
                private = [part for part in node.module.split(".") if part.startswith("_") and part != "_core"]
                package = node.module.rpartition(".")[0].replace("sapwood", "", 1).strip(".").replace(".", "/")
                inside = path.parent == SOURCES / package
                assert not private or inside, f"{path.relative_to(SOURCES)}, line {node.lineno}: {node.module}"


@pytest.mark.parametrize("command", ["train", "predict", "inspect", "evaluate"])
def test_commands_run_without_scikit_learn(command: str, tmp_path: Path) -> None:
    (tmp_path / "points.svm").write_text("1 1:1 3:1\n0 2:1\n" * 20, encoding="utf-8")
    code = (
        "import sys\nsys.modules['sklearn'] = None\nfrom sapwood.cli.app import app\n"
        "try:\n    app(sys.argv[1:])\nexcept SystemExit as end:\n    sys.exit(end.code)"
    )

    def run(*arguments: str) -> None:
        result = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr

    run("train", "points.svm", "-m", "model")
    arguments = {
        "train": ["train", "points.svm", "-m", "model", "--resume"],
        "predict": ["predict", "points.svm", "-m", "model", "--proba"],
        "inspect": ["inspect", "model"],
        "evaluate": ["evaluate", "points.svm", "--report", "page.html"],
    }
    run(*arguments[command])


def test_names_of_inspect_are_loaded_whichever_module_came_first() -> None:
    """A module of the name of a function would take its place: all are loaded before the names are asked for."""
    code = (
        "import pkgutil, importlib, types\nimport sapwood.inspect as inspect\n"
        "for each in pkgutil.iter_modules(inspect.__path__):\n"
        "    importlib.import_module(f'sapwood.inspect.{each.name}')\n"
        "assert dir(inspect) == sorted(inspect.__all__)\n"
        "modules = [n for n in inspect.__all__ if isinstance(getattr(inspect, n), types.ModuleType)]\n"
        "assert modules == [], modules\nassert not hasattr(inspect, 'nothing')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_commands_import_only_what_they_need(tmp_path: Path) -> None:
    (tmp_path / "texts.tsv").write_text("spam\twin a prize now\nham\tsee you at noon\n" * 20, encoding="utf-8")
    (tmp_path / "table.csv").write_text("a,b,label\n1,red,x\n2,blue,y\n" * 20, encoding="utf-8")
    code = (
        "import sys\nfrom sapwood.cli import main\nsys.argv[0] = 'sapwood'\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "slow = {'scipy', 'sklearn', 'pandas', 'matplotlib', 'numpy.random', 'hashlib', 'logging'}\n"
        "slow |= {'sapwood.inspect.' + name for name in ('explain', 'html', 'picture', 'summary')}\n"
        "print(sorted(slow & set(sys.modules)), file=sys.stderr)"
    )
    for arguments in (
        ["train", "texts.tsv", "-m", "m", "--quiet", "--ngrams", "2"],
        ["predict", "texts.tsv", "-m", "m", "--quiet"],
        ["train", "table.csv", "-m", "t", "--quiet"],
        ["predict", "table.csv", "-m", "t", "--quiet"],
    ):
        command = [sys.executable, "-c", code, *arguments]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert result.stderr.splitlines()[-1] == "[]", result.stderr


def test_what_tests_share_is_in_no_test() -> None:
    imports = re.compile(r"^\s*(?:from|import) test_\w+", re.MULTILINE)
    takers = [path.name for path in Path(__file__).parent.glob("*.py") if imports.search(path.read_text("utf-8"))]
    assert takers == []
