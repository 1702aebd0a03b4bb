"""Pictures of trees: what stands in them, that nothing overlaps, and that they can be made without a display."""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import pytest
from grown_trees import LETTERS, MAIL, chain_tree, view_of_words, wide_tree

from sapwood import _core
from sapwood.inspect.graph import draw, to_dot
from sapwood.inspect.picture import plot
from sapwood.inspect.view import TreeView
from sapwood.style import N_CLASS_COLOURS, class_colour

NODE = re.compile(r'^    (\d+) \[label="(.*)", fillcolor="(#[0-9a-f]{6})"\];$', re.MULTILINE)
EDGE = re.compile(r'^    (\d+) -> (\d+) \[label=" (on|off) ", style=(solid|dashed), weight=\d\];$', re.MULTILINE)


def test_dot_holds_every_node_and_edge() -> None:
    view = view_of_words()
    dot = to_dot(view, max_depth=None)
    nodes = {int(number): label for number, label, _ in NODE.findall(dot)}
    edges = {(int(a), int(b), state, style) for a, b, state, style in EDGE.findall(dot)}
    assert nodes.keys() == {node.number for node in view.nodes}
    assert edges == {
        edge
        for node in view.nodes
        if not node.is_leaf
        for edge in ((node.number, node.off, "off", "dashed"), (node.number, node.on, "on", "solid"))
    }
    root = view.nodes[0]
    assert nodes[0] == f"{root.feature}\\nn {root.n:,}\\ngain {root.gain:.3f}\\nsplit after {root.split_after:,}"


def test_dot_down_to_a_depth() -> None:
    view = view_of_words()
    dot = to_dot(view, max_depth=1)
    assert len(NODE.findall(dot)) == 3
    assert len(EDGE.findall(dot)) == 2
    assert re.search(r"\\n\d+ nodes", dot)
    assert len(NODE.findall(to_dot(TreeView.of(chain_tree(60), MAIL)))) == 41


def test_dot_of_a_chain_deeper_than_the_stack() -> None:
    length = 2 * sys.getrecursionlimit()
    assert len(EDGE.findall(to_dot(TreeView.of(chain_tree(length), MAIL), max_depth=None))) == 2 * length


def odd_tree() -> TreeView:
    """A tree with names that mean something to graphviz and to matplotlib."""
    tree = _core.Tree(delta=0.4, tau=0.5)
    for _ in range(4):
        tree.learn_one({'"quoted" \\N $x^2$ {a|b} <i>\n': 1}, 1, 1, 0.0)
        tree.learn_one({}, 0, 1, 0.0)
    return TreeView.of(tree, ["$\\frac{1}{$", 'a"b'])


def test_odd_names_in_dot() -> None:
    labels = [label for _, label, _ in NODE.findall(to_dot(odd_tree()))]
    assert labels[0].startswith('\\"quoted\\" \\\\N $x^2$ {a|b')
    assert any(label.startswith('a\\"b 1.000') for label in labels)


def test_draw() -> None:
    graphviz = pytest.importorskip("graphviz", reason="graphviz, of the extra `draw`, is not installed")
    view = view_of_words()
    graph = draw(view, max_depth=2)
    assert isinstance(graph, graphviz.Source)
    assert graph.source == to_dot(view, max_depth=2)


@pytest.mark.skipif(shutil.which("dot") is None, reason="the program dot of graphviz is not installed")
def test_dot_is_understood_by_graphviz() -> None:
    pytest.importorskip("graphviz", reason="graphviz, of the extra `draw`, is not installed")
    for view in (view_of_words(), odd_tree(), TreeView.of(wide_tree(), LETTERS)):
        picture = draw(view).pipe(format="svg", encoding="utf-8")
        assert picture.count('class="node"') == len(view.nodes)


def test_draw_without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(
        ImportError,
        match=r"^draw: graphviz must be installed; install it with: pip install 'sapwood\[draw\]', or use to_dot",
    ):
        draw(view_of_words())


# ---- matplotlib -----------------------------------------------------------------------------------------------------


@pytest.fixture
def matplotlib() -> Any:
    return pytest.importorskip("matplotlib", reason="matplotlib, of the extra `plot`, is not installed")


def boxes(axes: Any) -> list[Any]:
    from matplotlib.patches import FancyBboxPatch

    return [patch.get_window_extent() for patch in axes.patches if isinstance(patch, FancyBboxPatch)]


@pytest.mark.usefixtures("matplotlib")
@pytest.mark.parametrize("name", ["words", "wide", "chain", "odd"])
def test_plot_has_a_box_for_every_node_and_none_overlap(name: str) -> None:
    views: dict[str, Callable[[], TreeView]] = {
        "words": view_of_words,
        "wide": lambda: TreeView.of(wide_tree(), LETTERS),
        "chain": lambda: TreeView.of(chain_tree(60), MAIL),
        "odd": odd_tree,
    }
    view = views[name]()
    axes = plot(view, max_depth=None)
    axes.figure.canvas.draw()
    found = boxes(axes)
    assert len(found) == len(view.nodes)
    assert len(axes.lines) == len(view.nodes) - 1
    for one, other in combinations(found, 2):
        assert not one.overlaps(other)
    # The words of a box are within it, and all boxes within the figure.
    frame = axes.figure.bbox
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1 for box in found)
    bold = [text.get_window_extent() for text in axes.texts if text.get_fontweight() == "bold"]
    assert len(bold) == len(found)
    for text, box in zip(bold, found, strict=True):
        assert box.x0 <= text.x0
        assert text.x1 <= box.x1


@pytest.mark.usefixtures("matplotlib")
def test_plot_of_a_chain_is_a_column() -> None:
    view = TreeView.of(chain_tree(60), MAIL)
    axes: Any = plot(view, max_depth=None)
    assert len({round(box.x0) for box in boxes(axes)}) == 2
    width, height = axes.figure.get_size_inches()
    assert width < 5 < height


@pytest.mark.usefixtures("matplotlib")
def test_plot_into_axes_with_less_room() -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot(1, 2, 1)
    view = TreeView.of(wide_tree(), LETTERS)
    assert plot(view, axes) is axes
    roomy = plot(view)
    small, planned = (max(float(text.get_fontsize()) for text in drawn.texts) for drawn in (axes, roomy))
    assert small < planned
    figure.savefig(io.BytesIO(), format="png")


@pytest.mark.usefixtures("matplotlib")
def test_plot_tells_classes_tests_and_what_it_leaves_out() -> None:
    view = view_of_words()
    texts = [text.get_text() for text in plot(view, max_depth=1).texts]
    assert set(MAIL) <= set(texts)
    assert str(view.nodes[0].feature) in texts
    assert any(re.search(r"\d+ nodes$", text) for text in texts)
    assert {"on", "off"} <= set(texts)


def test_plot_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        ImportError, match=r"^plot: matplotlib must be installed; install it with: pip install 'sapwood\[plot\]'$"
    ):
        plot(view_of_words())


@pytest.mark.parametrize("show", [to_dot, draw, plot])
@pytest.mark.parametrize("wrong", [-1, 1.5, "3", True])
def test_wrong_depth(show: Any, wrong: object) -> None:
    message = rf"^{show.__name__}: max_depth must be None or an integer of at least 0, got "
    with pytest.raises(ValueError, match=message):
        show(view_of_words(), max_depth=wrong)


# ---- colours --------------------------------------------------------------------------------------------------------


def test_purer_is_fuller() -> None:
    colours = {number: colour for number, _, colour in NODE.findall(to_dot(view_of_words(), max_depth=None))}
    view = view_of_words()
    ranked = sorted((node for node in view.nodes if node.majority == 1), key=lambda node: node.shares[1])
    assert len(ranked) > 2
    for less, more in pairwise(ranked):
        assert int(colours[str(less.number)][1:3], 16) >= int(colours[str(more.number)][1:3], 16)


def test_class_colours() -> None:
    assert class_colour(0, 0) == class_colour(3, 0.0) == "#ffffff"
    assert len({class_colour(k) for k in range(N_CLASS_COLOURS)}) == N_CLASS_COLOURS >= 20
    assert class_colour(N_CLASS_COLOURS) == class_colour(0)
    with pytest.raises(ValueError, match=r"^class_colour: strength must be from 0 to 1, got 1\.5$"):
        class_colour(0, 1.5)
