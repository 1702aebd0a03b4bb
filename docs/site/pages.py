"""Gathers the pages of the documentation site in build/site-pages: those of docs/, and one for each public module.

The pages of the repository are as GitHub shows them. Here their links lead within the site, and their formulas become
MathML, which browsers show without a script. With --check, the site that was built of them is looked through.
"""

from __future__ import annotations

import inspect
import re
import shutil
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from sapwood.parameters import TreeKind

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "build" / "site-pages"
_AT_ROOT = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
}
# What a page loads by itself: not its links, which a reader may follow.
_LOADED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)")
_FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
# A link that is called by its file, which is right where the files are seen.
_CALLED_BY_FILE = re.compile(r"\[([\w-]+\.md)\](?=\(([^)#]+))")
_LINK = re.compile(r"\[([^\[\]]*)\]\((?!https?:|#|mailto:)([^)#]+)(#[^)]*)?\)")


def gather(target: Path = TARGET) -> None:
    """Write all pages into a folder, which is made anew."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    shutil.copytree(ROOT / "docs" / "images", target / "images")
    shutil.copy(Path(__file__).with_name("iframe-worker.js"), target)
    for source in [*(ROOT / name for name in _AT_ROOT), *(ROOT / "docs").rglob("*.md")]:
        place = target / _place(source)
        place.parent.mkdir(exist_ok=True)
        place.write_text(_with_formulas(_with_links(source)), encoding="utf-8")
    (target / "api").mkdir()
    for name, text in reference().items():
        (target / "api" / name).write_text(text, encoding="utf-8")
    settings = Path(__file__).with_name("mkdocs.yml").read_text(encoding="utf-8")
    listed = "".join(f"\n      - {name.removesuffix('.md')}: api/{name}" for name in reference())
    target.with_name("mkdocs.yml").write_text(settings.replace(" API\n", f"{listed}\n"), encoding="utf-8")


def check(site: Path) -> None:
    """Raise ValueError if a page of the site loads something from elsewhere: it must work without a network."""
    for page in sorted(site.rglob("*.html")):
        if found := _LOADED.search(page.read_text(encoding="utf-8")):
            raise ValueError(f"{page.relative_to(site)} must load nothing from elsewhere, got {found[1]}")


def reference() -> dict[str, str]:
    """Return the pages of the public modules, by file: each with every public name of the module."""
    import sapwood

    modules = [*(import_module(f"sapwood.{name}") for name in public_modules()), sapwood]
    pages: dict[str, str] = {}
    told: set[str] = set()
    for module in modules:
        lines = [f"# {module.__name__}\n", (module.__doc__ or "").strip() + "\n"]
        for name in _public(module):
            home = _home(module, name)
            # Told once, where it is at home; elsewhere a link leads there.
            lines.append(f"- [`{name}`][{home}]\n" if home in told else f"::: {home}\n{_completed(module, name)}")
            told.add(home)
        pages[f"{module.__name__}.md"] = "\n".join(lines)
    return {name: pages[name] for name in sorted(pages)}


def _completed(module: ModuleType, name: str) -> str:
    """Return what a class of trees has beside the docstring in its source, which is all that the site reads."""
    estimator = getattr(module, name)
    kind = getattr(estimator, "kind", None)
    if not isinstance(kind, TreeKind) or module.__name__ not in {"sapwood.trees", "sapwood.forests"}:
        return ""
    doc, source = inspect.getdoc(estimator) or "", inspect.getsource(estimator)
    guarantee = "" if "Guarantee:" in source else doc[doc.index("Guarantee:") : doc.index("\n\nParameters take effect")]
    rows = [f"| `{each.name}` | `{each.default!r}` | {each.sentence} {each.more} |" for each in kind.parameters]
    references = re.findall(r"^\.\. \[(\w+)\] (.*(?:\n   .*)*)", doc, re.MULTILINE)
    return "\n".join(
        [
            f"\n{guarantee}",
            f"\n**The parameters of {name}**\n",
            "| parameter | default | meaning |",
            "|---|---|---|",
            *rows,
            "",
            *(f"- {key}: {' '.join(text.split())}" for key, text in references),
            "",
        ]
    )


def _public(module: ModuleType) -> list[str]:
    """Return the public names of a module: those it says, or those that are its own."""
    own = [name for name, found in vars(module).items() if getattr(found, "__module__", None) == module.__name__]
    return [name for name in getattr(module, "__all__", own) if not name.startswith("_")]


def public_modules() -> list[str]:
    """Return the names of the public modules below sapwood."""
    import sapwood

    return sorted(name for name in dir(sapwood) if name not in sapwood.__all__)


def _home(module: ModuleType, name: str) -> str:
    """Return the full name of something under which it is defined, where its documentation is."""
    found = getattr(module, name)
    home = getattr(found, "__module__", None)
    is_ours = isinstance(home, str) and home.startswith("sapwood.") and getattr(found, "__name__", "") == name
    return f"{home if is_ours else module.__name__}.{name}"


def _place(source: Path) -> str:
    """Return where a page of the repository is in the site."""
    relative = source.relative_to(ROOT)
    return _AT_ROOT.get(str(relative)) or str(relative.relative_to("docs"))


def _with_links(source: Path) -> str:
    """Return the text of a page with links to pages of the site; those to other files lose their link."""
    here = Path(_place(source)).parent

    def replaced(link: re.Match[str]) -> str:
        wanted = (source.parent / link[2]).resolve()
        known = wanted.suffix == ".md" and (wanted.parent == ROOT or (ROOT / "docs") in wanted.parents)
        if known:
            path = Path(_place(wanted))
        elif (ROOT / "docs" / "images") in wanted.parents:
            path = wanted.relative_to(ROOT / "docs")
        else:
            return link[1]
        return f"[{link[1]}]({'../' * len(here.parts)}{path.as_posix()}{link[3] or ''})"

    def called(link: re.Match[str]) -> str:
        return f"[{_title((source.parent / link[2]).resolve())}]"

    return _LINK.sub(replaced, _CALLED_BY_FILE.sub(called, source.read_text(encoding="utf-8")))


def _title(page: Path) -> str:
    """Return the first heading of a page."""
    return page.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")


def _with_formulas(text: str) -> str:
    if not _FORMULA.search(text):
        return text
    from latex2mathml.converter import convert

    return _FORMULA.sub(lambda formula: "\n" + convert(formula[1].strip(), display="block") + "\n", text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        check(TARGET.with_name("site"))
    else:
        gather()
