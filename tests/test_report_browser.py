"""The page of an evaluation in a browser: it runs without a complaint, and does what is clicked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser

from sapwood import HoeffdingTreeClassifier
from sapwood.evaluate import prequential
from sapwood.inspect.node_test import IS_ON

N_CHAIN = 3000


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a tree in which a feature with a nasty name occurs twice."""
    generator = np.random.default_rng(3)
    points = []
    for _ in range(6000):
        x = generator.random(6) < 0.5
        names = ["<script>alert(1)</script>", "free", "call", "now", "txt", "win"]
        y = "spam" if (x[0] or x[2] if x[1] else x[0] and x[2] and x[3]) else "ham"
        points.append(([name for name, on in zip(names, x, strict=True) if on], y))
    result = prequential(HoeffdingTreeClassifier(delta=0.01), points)
    return result.save_report(tmp_path_factory.mktemp("report") / "run.html")


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a chain of 3000 tests, each of which sets a leaf aside."""
    result = prequential(HoeffdingTreeClassifier(), [(["word"], "spam"), (["other"], "ham")])
    assert result.tree is not None
    (leaf,) = result.tree.nodes
    nodes = []
    for i in range(N_CHAIN):
        test: dict[str, Any] = {
            "key": f"word {i}",
            "feature": f"word {i}",
            "gain": 0.1,
            "margin": 0.1,
            "test": IS_ON,
            "split_after": 1,
            "split_at": i + 1,
        }
        below = 2 * (N_CHAIN - i) + 1
        parent = 2 * i - 2 if i else None
        nodes.append(
            replace(leaf, number=2 * i, parent=parent, depth=i, off=2 * i + 2, on=2 * i + 1, n_below=below, **test)
        )
        nodes.append(replace(leaf, number=2 * i + 1, parent=2 * i, depth=i + 1))
    nodes.append(replace(leaf, number=2 * N_CHAIN, parent=2 * N_CHAIN - 2, depth=N_CHAIN))
    result = replace(result, tree=replace(result.tree, nodes=tuple(nodes)))
    return result.save_report(tmp_path_factory.mktemp("chain") / "run.html")


def middle_of(browser: Browser, selector: str) -> tuple[float, float]:
    left, top, width, height = browser.run(
        f"[document.querySelector('{selector}').getBoundingClientRect()]"
        ".map((b) => [b.left, b.top, b.width, b.height])[0]"
    )
    return left + width / 2, top + height / 2


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("dark", [False, True])
def test_everything_is_drawn_without_a_complaint(browser: Browser, page: Path, width: int, dark: bool) -> None:
    browser.complaints.clear()
    browser.open(page, width=width, dark=dark)
    assert browser.run("document.querySelectorAll('#curves figure svg.chart').length") == 10
    assert browser.run("[...document.querySelectorAll('.line')].every((l) => l.getAttribute('d').length > 3)")
    assert browser.run("document.querySelectorAll('#tree li').length") >= 5
    assert browser.run("document.querySelectorAll('#splits tbody tr').length") >= 2
    # Nothing sticks out to the side.
    assert browser.run("document.documentElement.scrollWidth") <= width
    paper = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") != dark
    assert browser.screenshot().startswith(b"\x89PNG")
    assert browser.complaints == []


def test_the_tree_folds_and_unfolds(browser: Browser, page: Path) -> None:
    browser.open(page)
    lines = "document.querySelectorAll('#tree li').length"
    before = browser.run(lines)
    browser.run("document.querySelector('#tree .fold').click()")
    assert browser.run(lines) == 1
    assert browser.run("document.querySelector('#tree .fold').getAttribute('aria-expanded')") == "false"
    browser.run("document.querySelector('#tree .fold').click()")
    assert browser.run(lines) == before
    browser.run(
        "[...document.querySelectorAll('#tree-toolbar button')].find((b) => b.textContent === 'fold all').click()"
    )
    assert browser.run(lines) == 1


def test_a_feature_shows_where_else_it_is(browser: Browser, page: Path) -> None:
    browser.complaints.clear()
    browser.open(page)
    name = "<script>alert(1)</script>"
    places = browser.run(
        f"[...document.querySelectorAll('#tree .feature')].filter((b) => b.textContent === '{name}').length"
    )
    assert places >= 2
    browser.run(f"[...document.querySelectorAll('#tree .feature')].find((b) => b.textContent === '{name}').click()")
    assert browser.run("document.querySelectorAll('#tree li.hit').length") == places
    assert browser.run("document.querySelectorAll('#detail li button').length") == places
    assert browser.run("document.querySelectorAll('#splits tr.hit').length") == places
    assert name in browser.run("document.getElementById('detail').textContent")
    # From the list to a node that is folded away, and back.
    browser.run("document.querySelector('#tree .fold').click()")
    browser.run("[...document.querySelectorAll('#detail li button')].at(-1).click()")
    assert browser.run("document.querySelectorAll('#tree li.hit').length") >= 1
    browser.run("[...document.querySelectorAll('#detail button')].at(-1).click()")
    assert browser.run("document.querySelectorAll('#tree li.hit').length") == 0
    assert browser.complaints == []


def test_the_curves_are_read_by_mouse_and_keys(browser: Browser, page: Path) -> None:
    browser.open(page)
    at_the_end = browser.run("document.getElementById('moment').textContent")
    assert at_the_end.startswith("At the end")
    browser.point_at(*middle_of(browser, ".chart"))
    in_the_middle = browser.run("document.getElementById('moment').textContent")
    assert in_the_middle.startswith("After ")
    assert browser.run("document.querySelector('.cursor').getAttribute('visibility')") == "visible"
    browser.run("document.querySelector('.chart').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}))")
    assert browser.run("document.getElementById('moment').textContent") != in_the_middle


def test_a_node_tells_its_counts_under_the_mouse(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("document.querySelector('#tree li:last-child').scrollIntoView({block: 'center'})")
    browser.point_at(*middle_of(browser, "#tree li:last-child"))
    text = browser.run("document.getElementById('detail').textContent")
    assert text.startswith("Leaf")
    assert "spam" in text
    assert "answers by" in text


def test_a_chain_of_thousands_of_nodes_does_not_hold_the_page_up(browser: Browser, chain: Path) -> None:
    browser.complaints.clear()
    browser.open(chain)
    n_nodes = browser.run("JSON.parse(document.getElementById('data').textContent).tree.n.length")
    assert n_nodes == 2 * N_CHAIN + 1
    assert browser.run("document.querySelectorAll('#tree li').length") < 60
    click = "[...document.querySelectorAll('#tree-toolbar button')].find((b) => b.textContent === 'unfold all').click()"
    browser.run(click)
    assert browser.run("document.querySelectorAll('#tree li').length") == 400
    browser.run("document.querySelector('#tree-more button').click()")
    assert browser.run("document.querySelectorAll('#tree li').length") == 800
    # Set aside by one at the most.
    assert browser.run("Math.max(...[...document.querySelectorAll('.gutter')].map((g) => g.width.baseVal.value))") <= 40
    assert browser.complaints == []
