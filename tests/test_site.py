"""The documentation site has every page and every public name; `make site` builds it with warnings as errors."""

from __future__ import annotations

import importlib.util
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from browser import Browser

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


def test_a_link_to_what_is_no_page_is_its_words_alone(pages: ModuleType) -> None:
    start = " ".join(pages._with_links(ROOT / "README.md").split())
    assert "cite the paper, and sapwood by CITATION.cff. " in start
    assert "under the BSD-3-Clause licence." in start
    assert "![A tree of texts: each box a test of a word or a class, coloured by class](images/tree.png)" in start
    assert "[others](../forests.md)" in pages._with_links(ROOT / "docs" / "guides" / "which-class.md")


def test_a_link_is_called_by_the_title_of_its_page(pages: ModuleType) -> None:
    for source in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        assert re.search(r"\[[\w-]+\.md\]\(", pages._with_links(source)) is None, source
    assert "[Why the promises hold](proofs.md) shows why" in pages._with_links(ROOT / "docs" / "guarantees.md")


@pytest.mark.parametrize(
    ("page", "address"),
    [
        ('<script src="https://elsewhere.example/a.js"></script>', "https://elsewhere.example/a.js"),
        ("<link rel=stylesheet href=//elsewhere.example/a.css>", "//elsewhere.example/a.css"),
    ],
)
def test_a_page_that_loads_something_from_elsewhere_is_found(
    pages: ModuleType, tmp_path: Path, page: str, address: str
) -> None:
    (tmp_path / "inner").mkdir()
    own = '<script src="a.js"></script><a href="https://elsewhere.example/">read</a>'
    (tmp_path / "inner" / "page.html").write_text(own, encoding="utf-8")
    pages.check(tmp_path)
    (tmp_path / "inner" / "page.html").write_text(own + page, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"^inner/page.html must load nothing from elsewhere, got {address}$"):
        pages.check(tmp_path)


def test_the_search_needs_nothing_from_elsewhere() -> None:
    settings = (ROOT / "docs" / "site" / "mkdocs.yml").read_text(encoding="utf-8")
    assert "- offline" in settings
    # Else that plugin has every page fetch a script of this name.
    assert "polyfills: [iframe-worker.js]" in settings
    assert (ROOT / "docs" / "site" / "iframe-worker.js").is_file()


_WORKER = """
addEventListener("message", async ({ data }) => {
  if (data.load) await importScripts(data.load);
  const loaded = typeof added === "undefined" ? null : added;
  postMessage({ answer: data.number + 1, loaded, framed: "IFrameWorker" in parent });
});
"""


@pytest.mark.slow
def test_a_page_that_is_a_file_has_workers(browser: Browser, tmp_path: Path) -> None:
    for name, text in (("worker.js", _WORKER), ("more.js", "var added = 7;")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    shim = (ROOT / "docs" / "site" / "iframe-worker.js").read_text(encoding="utf-8")
    (tmp_path / "page.html").write_text(f"<script>{shim}</script>", encoding="utf-8")
    browser.open(tmp_path / "page.html")
    ask = """(() => {
        window.worker ??= new Worker("worker.js");
        const answer = new Promise((done) => (worker.onanswer = done));
        worker.addEventListener("message", ({ data }) => worker.onanswer(data));
        worker.postMessage(%s);
        return answer;
    })()"""
    assert browser.run(ask % "{ number: 1 }") == {"answer": 2, "loaded": None, "framed": True}
    assert browser.run(ask % "{ number: 2, load: 'more.js' }") == {"answer": 3, "loaded": 7, "framed": True}
    assert browser.run("(worker.terminate(), document.querySelectorAll('iframe').length)") == 0
    assert browser.complaints == []
