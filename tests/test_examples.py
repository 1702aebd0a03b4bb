"""Every Python example that a reader meets runs, and prints what it says it prints.

Those of modules and of the folder `examples` that need an extra are left out where it is not installed.

The standard library's doctest does it all: a Markdown file needs only its fenced ``python`` blocks cut out, so a plugin
would add a dependency and a collector outside this folder, and take away nothing but the few lines below.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import sapwood

ROOT = Path(__file__).resolve().parents[1]
# That of Spark starts processes, and is run by test_spark_stream.py.
SCRIPTS = sorted(set((ROOT / "examples").glob("*.py")) - {ROOT / "examples" / "spark_stream.py"})
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def page_examples(page: Path) -> doctest.DocTest:
    """The fenced ``python`` blocks of a page as one test, in which a later block sees the names of an earlier one."""
    text = page.read_text(encoding="utf-8")
    examples = []
    for block in FENCE.finditer(text):
        found = doctest.DocTestParser().get_examples(block.group(1), name=page.name)
        assert found, f"{page.name}: a python block must hold examples with a >>> prompt, got\n{block.group(1)}"
        first_line = text.count("\n", 0, block.start(1))
        for example in found:
            example.lineno += first_line
        examples += found
    return doctest.DocTest(examples, {"__name__": "__main__"}, page.name, str(page), 0, text)


# What an extra installs, by the module and by the example that cannot be imported without.
NEEDS = {"sapwood.river": "river", "river_pipeline.py": "river", "sapwood.spark": "pyspark"}


def can_run(name: str) -> bool:
    """Return whether what a module or an example needs is installed."""
    return name not in NEEDS or importlib.util.find_spec(NEEDS[name]) is not None


def public_modules() -> list[ModuleType]:
    """Sapwood and its modules, but for the private ones."""
    names = [module.name for module in pkgutil.walk_packages(sapwood.__path__, "sapwood.")]
    public = [name for name in names if not any(part.startswith("_") for part in name.split("."))]
    return [sapwood, *(importlib.import_module(name) for name in public if can_run(name))]


def docstring_examples() -> list[doctest.DocTest]:
    """The docstrings of the public modules that hold an example, each once."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [test for module in public_modules() for test in finder.find(module, module.__name__) if test.examples]


def run(test: doctest.DocTest) -> None:
    """Run the examples, and fail with doctest's own account of what was expected and what came."""
    account: list[str] = []
    results = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=account.append)
    assert results.failed == 0, "".join(account)


def test_readme_has_an_example() -> None:
    assert page_examples(ROOT / "README.md").examples


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path) -> None:
    run(page_examples(page))


@pytest.mark.parametrize("test", docstring_examples(), ids=lambda test: test.name)
def test_docstring(test: doctest.DocTest) -> None:
    run(test)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_script(script: Path, tmp_path: Path) -> None:
    """A script of the examples ends without an error or a warning, and has something to say."""
    if not can_run(script.name):
        pytest.skip(f"{NEEDS[script.name]}, of the extra `{NEEDS[script.name]}`, is not installed")
    command = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert not done.stderr
