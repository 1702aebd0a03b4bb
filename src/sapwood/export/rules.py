"""A tree as rules in another language: a CASE expression of SQL, or a function of Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, Protocol

from sapwood.data import Category, Threshold
from sapwood.data.unicode import is_unicode
from sapwood.export.models import learner_of
from sapwood.inspect.names import one_line

if TYPE_CHECKING:
    from sapwood.inspect import NodeView, TreeView
    from sapwood.inspect.names import FeatureNames

__all__ = ["to_rules"]


def to_rules(
    model: Any,
    language: Literal["sql", "python"] = "sql",
    *,
    feature_names: FeatureNames = None,
    tree: int | None = None,
) -> str:
    """Return a tree as a CASE expression of SQL, or as the source of a Python function ``predict``.

    The rules give the most frequent class of the leaf that a point reaches, of several the first in order. That is
    what ``predict`` returns with ``leaf_prediction="majority"``. With other leaf predictions the models of the leaves
    may answer otherwise, and the text begins with a comment that says so.

    In SQL a feature is a column of its name: a flag is on where it is neither NULL nor 0, a number or a category is
    missing where it is NULL. The Python function takes a point as a dict: a flag that is absent or false is off, and a
    number or a category that is absent, None or NaN is missing. A column without a name is ``x[12]`` in SQL, and the
    key 12 in Python. Chains of tests, which text makes, are flat, so neither language nests deeply.

    Whatever features, values and classes are called, a name is a name and a text is a text: nothing of them is run. The
    SQL is that of the standard, in which a backslash in a text is a backslash. Infinite numbers, and texts that SQL
    cannot hold (with a zero character, or half of a surrogate pair), raise ValueError.

    Parameters
    ----------
    model : tree classifier
        A fitted tree, of scikit-learn's or river's interface; or a forest, of which one tree is meant.
    language : {"sql", "python"}, default="sql"
        The language.
    feature_names : sequence, mapping, function or None, default=None
        The names of the features.
    tree : int or None, default=None
        Of a forest, the number of the tree. The rules are those of this tree, and not of the forest, whose answer is
        that of all its trees together; the text begins with a comment that says so.

    Examples
    --------
    >>> from sapwood import HoeffdingTreeClassifier
    >>> model = HoeffdingTreeClassifier(leaf_prediction="majority")
    >>> for _ in range(40):
    ...     model.learn_one({"free": True, "age": 20}, "spam")
    ...     model.learn_one({"age": 20}, "ham")
    >>> print(to_rules(model))
    CASE
      WHEN COALESCE("free", 0) <> 0 THEN 'spam'
      ELSE 'ham'
    END
    >>> source = to_rules(model, "python")
    >>> scope = {}
    >>> exec(source, scope)
    >>> scope["predict"]({"free": True})
    'spam'
    """
    if language not in _LANGUAGES:
        raise ValueError(f"to_rules: language must be one of {', '.join(map(repr, _LANGUAGES))}, got {language!r}")
    learner = learner_of(model, "to_rules", tree)
    view = learner.view(feature_names, "to_rules")
    chosen = _LANGUAGES[language](feature_names is not None)
    answers = learner.parameters["leaf_prediction"]
    remarks = []
    if tree is not None:
        remarks.append(f"tree {tree} of a forest, which answers by all of its trees")
    if answers != "majority":
        remarks.append(f"the most frequent class of each leaf; the model itself answers by {answers} leaves")
    remark = "".join(f"{chosen.comment} {each}\n" for each in remarks)
    return remark + "\n".join(chosen.whole(view)) + "\n"


class _Language(Protocol):
    """Writes conditions and answers."""

    comment: str

    def whole(self, view: TreeView) -> Iterator[str]:
        """Yield the lines of the rules."""


def _told(
    view: TreeView,
    start: NodeView,
    *,
    depth: int,
    rule: Callable[[NodeView, bool], str],
    answer: Callable[[NodeView], str],
    write: Callable[[int, str, list[str] | str], Iterator[str]],
) -> Iterator[str]:
    """Yield the rules of a subtree: of each test the smaller side, then the other one, which goes on.

    So rules are nested at most log₂ of the number of leaves deep.
    """
    node = start
    while not node.is_leaf:
        first, rest = view.children(node)
        said = rule(node, first.number == node.on)
        if first.is_leaf:
            yield from write(depth, said, answer(first))
        else:
            inner = list(_told(view, first, depth=depth + 1, rule=rule, answer=answer, write=write))
            yield from write(depth, said, inner)
        node = rest
    yield from write(depth, "", answer(node))


class _Sql:
    comment = "--"

    def __init__(self, is_named: bool) -> None:
        del is_named  # a column is called by its name, given or not

    def whole(self, view: TreeView) -> Iterator[str]:
        if view.nodes[0].is_leaf:
            yield _literal_sql(view.classes[view.nodes[0].majority])
            return
        yield "CASE"
        yield from _told(
            view,
            view.nodes[0],
            depth=1,
            rule=_condition_sql,
            answer=lambda node: _literal_sql(view.classes[node.majority]),
            write=self._write,
        )
        yield "END"

    @staticmethod
    def _write(depth: int, said: str, answer: list[str] | str) -> Iterator[str]:
        indent = "  " * depth
        head = f"{indent}WHEN {said} THEN" if said else f"{indent}ELSE"
        if isinstance(answer, str):
            yield f"{head} {answer}"
            return
        yield f"{head} CASE"
        yield from answer
        yield f"{indent}END"


def _name_sql(name: str) -> str:
    return '"' + one_line(name).replace('"', '""') + '"'


def _literal_sql(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    text = str(value)
    if isinstance(value, float) or "\0" in text or not is_unicode(text):
        raise ValueError(f"to_rules: classes and values must be finite numbers or plain text for SQL, got {value!r}")
    return "'" + text.replace("'", "''") + "'"


def _condition_sql(node: NodeView, passes: bool) -> str:
    """Return when a point goes to one side of a test; a condition about NULL is never left to be NULL itself."""
    test, key = node.test, node.key
    assert test is not None
    if test.kind == "is_on" and isinstance(key, Category):
        name, value = _name_sql(str(key.attribute)), _literal_sql(key.value)
        return f"{name} = {value}" if passes else f"({name} <> {value} OR {name} IS NULL)"
    if test.kind == "is_on" and isinstance(key, Threshold):
        name = _name_sql(str(node.feature).rpartition(" > ")[0])
        return f"COALESCE({name}, 0) {'>' if passes else '<='} {key.threshold!r}"
    name = _name_sql(str(node.feature))
    if test.kind == "is_on":
        return f"COALESCE({name}, 0) {'<>' if passes else '='} 0"
    if test.kind == "is_present":
        return f"{name} IS {'NOT ' if passes else ''}NULL"
    if test.kind == "is_above":
        said = f"{name} {'>' if passes else '<='} {test.threshold!r}"
    else:
        said = f"{name} {'' if passes else 'NOT '}IN ({', '.join(map(_literal_sql, test.categories))})"
    return f"({said} OR {name} IS NULL)" if passes == test.missing_passes else said


class _Python:
    comment = "#"

    def __init__(self, is_named: bool) -> None:
        self._is_named = is_named

    def whole(self, view: TreeView) -> Iterator[str]:
        yield "def predict(x):"
        yield '    """Return the class of a point, a dict of its features."""'
        yield from _told(
            view,
            view.nodes[0],
            depth=1,
            rule=self._condition,
            answer=lambda node: _literal_python(view.classes[node.majority]),
            write=self._write,
        )
        yield ""
        yield ""
        yield "def _above(value, threshold, missing):"
        yield "    return missing if value is None or value != value else value > threshold"
        yield ""
        yield ""
        yield "def _among(value, categories):"
        yield "    return value is not None and value in categories"

    @staticmethod
    def _write(depth: int, said: str, answer: list[str] | str) -> Iterator[str]:
        indent = "    " * depth
        inner = f"{indent}    " if said else indent
        if said:
            yield f"{indent}if {said}:"
        if isinstance(answer, str):
            yield f"{inner}return {answer}"
        else:
            yield from answer

    def _condition(self, node: NodeView, passes: bool) -> str:
        test, key = node.test, node.key
        assert test is not None
        if test.kind == "is_on" and isinstance(key, Category):
            of, value = _literal_python(key.attribute), _literal_python(key.value)
            return f"x.get({of}) {'==' if passes else '!='} {value}"
        if test.kind == "is_on" and isinstance(key, Threshold):
            said = f"_above(x.get({_literal_python(key.attribute)}), {key.threshold!r}, False)"
        else:
            of = _literal_python(str(node.feature) if self._is_named else key)
            if test.kind == "is_on":
                said = f"x.get({of})"
            elif test.kind == "is_present":
                said = f"_above(x.get({of}), float('-inf'), False)"
            elif test.kind == "is_above":
                said = f"_above(x.get({of}), {test.threshold!r}, {test.missing_passes!r})"
            else:
                said = f"_among(x.get({of}), {_literal_python(tuple(test.categories))})"
        return said if passes else f"not {said}"


def _literal_python(value: Any) -> str:
    """Return what Python reads as a value: what repr makes of it, but for infinite numbers, also within tuples."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if type(value) is tuple:
        return f"({', '.join(map(_literal_python, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


_LANGUAGES: dict[str, Callable[[bool], _Language]] = {"sql": _Sql, "python": _Python}
