"""The documentation site has every page and every public name; `make site` builds it with warnings as errors."""

from __future__ import annotations

import importlib.util
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import sapwood

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pages", ROOT / "docs" / "site" / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_has_every_public_name(pages: ModuleType) -> None:
    pytest.importorskip("river", reason="river, of the extra `river`, is not installed")
    reference = pages.reference()
    for name in ["sapwood", *(f"sapwood.{each}" for each in dir(sapwood) if each not in sapwood.__all__)]:
        text = reference[f"{name}.md"]
        module = import_module(name)
        for public in getattr(module, "__all__", ()):
            if not public.startswith("_"):
                assert re.search(rf"(:::.*\.|\[`){public}\b", text), (name, public)
    told = re.findall(r"^::: (.+)$", "\n".join(reference.values()), re.MULTILINE)
    assert len(told) == len(set(told)), "each is told once"


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "docs" / "site" / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r": ([a-z/-]+\.md)$", menu, re.MULTILINE))
    here = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert listed == here | {"index.md", "changelog.md", "security.md", "contributing.md"}


def test_a_link_is_called_by_the_title_of_its_page(pages: ModuleType) -> None:
    for source in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        assert re.search(r"\[[\w-]+\.md\]\(", pages._with_links(source)) is None, source
    assert "[Why the promises hold](proofs.md) shows why" in pages._with_links(ROOT / "docs" / "guarantees.md")
