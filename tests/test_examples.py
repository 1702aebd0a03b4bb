"""Every Python example that a reader meets runs, and prints what it says it prints.

The standard library's doctest does it all: a Markdown file needs only its fenced ``python`` blocks cut out, so a plugin
would add a dependency and a collector outside this folder, and take away nothing but the few lines below.
"""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import sapwood

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
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


def public_modules() -> list[ModuleType]:
    """Sapwood and its modules, but for the private ones."""
    names = [module.name for module in pkgutil.walk_packages(sapwood.__path__, "sapwood.")]
    public = [name for name in names if not any(part.startswith("_") for part in name.split("."))]
    return [sapwood, *(importlib.import_module(name) for name in public)]


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
