"""Every link between the documents leads to a page that exists, and to a heading on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def broken(page: Path, text: str) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    assert not broken(page, page.read_text(encoding="utf-8"))


def test_a_broken_link_is_found() -> None:
    text = "[a](docs/costs.md#memory) [b](docs/costs.md#no-such-heading) [c](docs/no-such-page.md) [d](https://a.b)"
    assert broken(ROOT / "README.md", text) == ["docs/costs.md#no-such-heading", "docs/no-such-page.md"]


def test_documents_that_the_code_names_exist() -> None:
    files = [path for folder in ("src", "native") for path in (ROOT / folder).rglob("*") if path.is_file()]
    named = {
        name
        for path in files
        if path.suffix in {".py", ".hpp", ".cpp"}
        for name in re.findall(r"docs/\w+\.md", path.read_text(encoding="utf-8"))
    }
    assert named
    assert not [name for name in named if not (ROOT / name).exists()]


def test_files_that_contributing_names_exist() -> None:
    """A cell of a table names the first file with its folder, and others of that folder by name alone."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    missing = []
    for cell in re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE):
        folder = ""
        for name in re.findall(r"`([\w./<>-]+\.(?:[ch]pp|py|md))`", cell):
            folder = name.rpartition("/")[0] or folder
            # Without a folder it is a module of the package.
            place = ROOT / (folder or "src/sapwood") / name.rpartition("/")[2]
            if "<" not in name and "<" not in folder and not place.exists():
                missing.append(f"{folder}: {name}")
    assert missing == []
