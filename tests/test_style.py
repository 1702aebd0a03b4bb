"""Every search has a style of its own, told apart in grey print."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from sapwood import SEARCHES
from sapwood.style import COUNTING, line_style, picture_style


def lightness(colour: str) -> float:
    """How light a colour prints in grey, from 0 to 255."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_every_search_has_a_style() -> None:
    styles = [line_style(name) for name in (*SEARCHES, COUNTING)]
    assert len({style.colour for style in styles}) == len(styles)
    assert all(re.fullmatch("#[0-9a-f]{6}", style.colour) for style in styles)


def test_styles_differ_in_grey() -> None:
    for one, other in combinations((*SEARCHES, COUNTING), 2):
        a, b = line_style(one), line_style(other)
        assert abs(lightness(a.colour) - lightness(b.colour)) > 25 or a.dashes != b.dashes


def test_unknown_name() -> None:
    with pytest.raises(ValueError, match=r"^line_style: name must be one of .*, got 'fastest'$"):
        line_style("fastest")


def test_picture_style_ends_with_its_context() -> None:
    mpl = pytest.importorskip("matplotlib", reason="matplotlib, of the extra `plot`, is not installed")
    before = dict(mpl.rcParams)
    with picture_style():
        assert mpl.rcParams["axes.grid"]
    assert dict(mpl.rcParams) == before
