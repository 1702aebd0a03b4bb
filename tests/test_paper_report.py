"""The report stands on its own, and says what was measured."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from miniature import miniature, write_points

from sapwood.paper import Reproduction, reproduce


class Page(HTMLParser):
    """What a page refers to, and whether its elements nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.references += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    folder = tmp_path_factory.mktemp("report")
    # A name that a page must not take for an element.
    data = {"a<b>": write_points(folder / "points.svm")}
    settings = replace(miniature(data), repeats=1, benchmark_repeats=1)
    return reproduce(folder / "out", ["figure-1", "table-1", "table-2", "findings"], settings)


def test_html_needs_no_other_file(run: Reproduction) -> None:
    page = Page(run.html.read_text(encoding="utf-8"))
    assert page.open == []
    assert len(page.references) == 4
    assert all(reference.startswith("data:image/png;base64,iVBOR") for reference in page.references)
    assert any("a<b>" in words for words in page.words)


def test_markdown_refers_to_what_is_there(run: Reproduction) -> None:
    text = run.markdown.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) == 8
    assert all((run.markdown.parent / target).is_file() for target in targets)


def test_both_say_the_same(run: Reproduction) -> None:
    page = "".join(Page(run.html.read_text(encoding="utf-8")).words)
    text = run.markdown.read_text(encoding="utf-8")
    for result in run.results:
        assert result.experiment.title in page
        assert f"## {result.experiment.title}" in text
        assert result.experiment.says in page
        assert result.experiment.says in text
        for claim in result.claims:
            assert claim.text in page
            assert claim.text in text
            assert f"| {claim.here} | {claim.verdict} |" in text
    for about in ("processor", "numpy", "scikit-learn", "seed", "repeats of the synthetic experiments"):
        assert about in page
        assert f"| {about} |" in text


def test_tables_have_as_many_cells_in_every_row(run: Reproduction) -> None:
    for block in run.markdown.read_text(encoding="utf-8").split("\n\n"):
        if block.startswith("|"):
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in block.splitlines()}) == 1


def test_what_is_left_out_is_said(run: Reproduction) -> None:
    text = run.markdown.read_text(encoding="utf-8")
    for name in ("Author", "Farm", "SRAA", "20News"):
        assert f"- {name} is left out: it is in no folder given, and downloads are off" in text


def test_report_paths(run: Reproduction) -> None:
    assert (run.html.name, run.markdown.name) == ("report.html", "report.md")
    assert not list(Path(run.html.parent).glob("*.part"))
