"""Layers know only those below: computed from what every file includes or imports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NATIVE = ROOT / "native"
HEADERS = NATIVE / "include"

ARITHMETIC = frozenset({"arithmetic"})
STORAGE = ARITHMETIC | {"storage"}
SEARCH = STORAGE | {"search"}
SEARCHES = SEARCH | {"search/exhaustive", "search/approximate", "search/certified"}
# A tree holds a search, and knows none by name; so do all who hold trees.
TREE = SEARCH | {"drift", "tree"}
DYNAMIC = TREE | {"dynamic"}
FOREST = TREE | {"forest"}
IO = FOREST | {"dynamic", "io"}

# What each part of the native code may include, besides itself. The key is the folder, below native/include/sapwood or
# native itself; what lies in no folder of its own is arithmetic.
MAY_INCLUDE: dict[str, frozenset[str]] = {
    "arithmetic": frozenset(),
    "generate": ARITHMETIC,
    "storage": ARITHMETIC,
    "read": STORAGE,
    "drift": STORAGE,
    "search": STORAGE,
    "search/exhaustive": SEARCH,
    "search/approximate": SEARCH,
    "search/certified": SEARCH | {"search/exhaustive"},
    "src/search": SEARCHES,
    "tree": SEARCH | {"drift"},
    "src/tree": TREE,
    "dynamic": TREE,
    "forest": TREE,
    "io": FOREST | DYNAMIC,
    "src/io": IO,
    "bindings": IO | SEARCHES | {"generate", "read"},
    "timing": IO | SEARCHES | {"bindings"},
}
KNOWS_PYTHON = {"bindings", "timing"}
PYTHON_HEADER = re.compile(r"Python\.h|nanobind/|pybind11/|numpy/")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

SOURCES = sorted(path for suffix in ("hpp", "cpp") for path in NATIVE.rglob(f"*.{suffix}"))


def part_of(path: Path) -> str:
    """The part of the native code that a file belongs to: the longest folder with a rule."""
    inside = path.relative_to(HEADERS / "sapwood") if path.is_relative_to(HEADERS) else path.relative_to(NATIVE)
    folders = inside.parts[:-1]
    for size in range(len(folders), 0, -1):
        name = "/".join(folders[:size])
        if name in MAY_INCLUDE:
            return name
    if not path.is_relative_to(HEADERS) or folders:
        pytest.fail(f"{inside}: its folder must have a rule in MAY_INCLUDE")
    # The one header that gathers another part.
    return "io" if inside.name == "model_io.hpp" else "arithmetic"


def included_by(path: Path) -> list[Path]:
    """The files of the native code that a file includes."""
    found = []
    for quoted, _ in INCLUDE.findall(path.read_text(encoding="utf-8")):
        if quoted:
            places = [path.parent / quoted, HEADERS / quoted, NATIVE / "bindings" / quoted]
            there = [place.resolve() for place in places if place.is_file()]
            assert there, f"{path.relative_to(ROOT)} includes {quoted}, which must be a file of the native code"
            found.append(there[0])
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(NATIVE)))
def test_a_layer_knows_only_those_below(path: Path) -> None:
    part = part_of(path)
    for other in included_by(path):
        known = part_of(other)
        assert known == part or known in MAY_INCLUDE[part], (
            f"{path.relative_to(ROOT)} includes {other.relative_to(ROOT)}: "
            f"{part} may include {', '.join(sorted(MAY_INCLUDE[part])) or 'nothing'} only"
        )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(NATIVE)))
def test_only_bindings_know_python(path: Path) -> None:
    if part_of(path) not in KNOWS_PYTHON:
        names = [quoted or angled for quoted, angled in INCLUDE.findall(path.read_text(encoding="utf-8"))]
        assert [name for name in names if PYTHON_HEADER.search(name)] == []


def test_no_header_includes_itself() -> None:
    graph = {path: included_by(path) for path in SOURCES}
    done: set[Path] = set()

    def visit(path: Path, above: tuple[Path, ...]) -> None:
        assert path not in above, " includes ".join(str(p.relative_to(NATIVE)) for p in (*above, path))
        if path not in done:
            for other in graph[path]:
                visit(other, (*above, path))
            done.add(path)

    for path in SOURCES:
        visit(path, ())


def test_every_rule_is_for_a_folder_that_there_is() -> None:
    assert {part_of(path) for path in SOURCES} == set(MAY_INCLUDE)


def test_rules_are_for_layers_that_know_no_circle() -> None:
    for part, others in MAY_INCLUDE.items():
        for other in others:
            assert part not in MAY_INCLUDE[other], f"{part} and {other} may include each other"


# Who may hold the compiled modules: whoever makes points, searches or trees of what they offer. The faces above (the
# commands, river, the classes of scikit-learn) go through them. (import-linter sees modules of Python only.)
KNOWS_CORE = {
    "_core": {
        *("data", "datasets", "drift", "estimators", "inspect", "learner"),
        *("model_files", "paper", "race", "spark", "split_finder", "stream"),
    },
    "_timing": {"paper", "race"},
}


@pytest.mark.parametrize("module", KNOWS_CORE)
def test_only_some_packages_hold_a_compiled_module(module: str) -> None:
    package = ROOT / "src" / "sapwood"
    imports = re.compile(
        rf"^\s*(?:from sapwood import\b.*\b{module}\b|(?:from|import) sapwood\.{module}\b)", re.MULTILINE
    )
    holders = {
        path.relative_to(package).parts[0].removesuffix(".py")
        for path in package.rglob("*.py")
        if imports.search(path.read_text(encoding="utf-8"))
    }
    assert holders == KNOWS_CORE[module]


def test_native_code_takes_no_algorithm_that_some_standard_libraries_lack() -> None:
    # Those of std::ranges came to libc++ with version 15; Debian 12 has 14.
    users = [str(path.relative_to(ROOT)) for path in SOURCES if "std::ranges::" in path.read_text()]
    assert users == []
