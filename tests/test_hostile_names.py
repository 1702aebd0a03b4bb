"""Features, values and classes whose names are out to harm: they stay names wherever they are shown or exported."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from sapwood import HoeffdingTreeClassifier
from sapwood.evaluate import prequential
from sapwood.export import to_onnx, to_rules
from sapwood.inspect.names import one_line

NAMES = [
    '"; DROP TABLE points; --',
    "'; DROP TABLE points; --",
    "x') or __import__('os').abort() #",
    "a) == b",
    '"""',
    "\\",
    "\\'",
    "a\nb\rc",
    "\u2028",
    "\x1b[31mred",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a > b",
    "{x}%s$y",
    "*/--",
    "",
]
HALF = "half \ud800"
KINDS: dict[str, list[Any]] = {"flag": [True, False], "text": ["u", "v"], "number": [1.5, 2.5]}


def learned(values: list[dict[Any, Any]], labels: list[Any], n: int = 300) -> Any:
    """Return a tree that has learned points of two kinds, the first half as often as the second."""
    model = HoeffdingTreeClassifier(leaf_prediction="majority", tau=0.5)
    for i in range(n):
        model.learn_one(values[i % 3 > 0], labels[i % 3 > 0])
    assert model.summary().n_nodes == 3
    return model


def check_rules(model: Any, points: list[dict[Any, Any]]) -> None:
    """Run the rules on points: SQL in a table that must still be there afterwards."""
    scope: dict[str, Any] = {}
    exec(to_rules(model, "python"), scope)
    assert [scope["predict"](x) for x in points] == [model.predict_one(x) for x in points]
    sql = to_rules(model, "sql")
    columns = {one_line(str(key)): key for x in points for key in x}
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE points ({quoted})")
        for x in points:
            database.execute("DELETE FROM points")
            database.execute(
                f"INSERT INTO points VALUES ({', '.join('?' * len(columns))})", [x.get(k) for k in columns.values()]
            )
            assert database.execute(f"SELECT {sql} FROM points").fetchall() == [(model.predict_one(x),)]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("kind", KINDS)
def test_a_feature_is_a_name_in_rules(name: str, kind: str) -> None:
    points = [{name: value} for value in KINDS[kind]]
    check_rules(learned(points, ["no", "yes"]), points)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_category_is_a_name_on_either_side_of_its_test(name: str) -> None:
    """The side with fewer nodes comes first in rules: here that where the test fails."""
    kinds: list[tuple[dict[str, Any], str]] = [
        ({name: "u", "g": True}, "a"),
        ({name: "u", "g": False}, "b"),
        ({name: "v"}, "c"),
        ({name: "w"}, "c"),
    ]
    model = HoeffdingTreeClassifier(leaf_prediction="majority", tau=0.5)
    for i in range(2000):
        model.learn_one(*kinds[i % 4])
    assert model.summary().n_leaves > 2
    check_rules(model, [x for x, _ in kinds])


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_values_and_classes_are_texts_in_rules(name: str) -> None:
    points = [{"f": name}, {"f": f"{name}2"}]
    check_rules(learned(points, [name, f"not {name}"]), points)


@pytest.mark.parametrize("key", [math.inf, ("a", -math.inf), (1, ("b", 2.5)), (math.inf,), b"'x", 10**30, -5])
def test_keys_of_all_kinds_are_what_they_are_in_python(key: Any) -> None:
    model = HoeffdingTreeClassifier(leaf_prediction="majority", tau=0.5)
    for i in range(300):
        model.learn_one([key] if i % 2 else [], [math.inf, 1.5][i % 2])
    scope: dict[str, Any] = {}
    exec(to_rules(model, "python"), scope)
    assert [scope["predict"]({key: True}), scope["predict"]({})] == [1.5, math.inf]


@pytest.mark.parametrize("label", [math.inf, -math.inf, "a\0b", HALF], ids=ascii)
def test_what_sql_cannot_say_is_refused(label: Any) -> None:
    model = learned([{"a": True}, {"b": True}], [label, 1.5 if isinstance(label, float) else "other"])
    with pytest.raises(ValueError, match=r"^to_rules: classes and values must be finite numbers or plain text for SQL"):
        to_rules(model, "sql")


def test_what_onnx_cannot_say_is_refused() -> None:
    pytest.importorskip("onnx")
    model = learned([{"a": True}, {"b": True}], [HALF, "other"])
    with pytest.raises(ValueError, match=r"^to_onnx: classes and values must be text that UTF-8 can write, got"):
        to_onnx(model)


@pytest.mark.parametrize("name", [*NAMES, HALF], ids=ascii)
def test_pages_and_pictures_show_names_and_run_nothing(name: str, tmp_path: Any) -> None:
    points = [{name: "<b>u"}, {name: "v"}]
    labels = [f"no {name}", f"yes {name}"]
    model = learned(points, labels)
    told = model.explain_one(points[0])
    for page in (model._repr_html_(), told._repr_html_()):
        assert not any(bad in page for bad in ("<script", "<img", "<b>u", "\x1b"))
    for text in (model.export_text(), model.to_dot(), str(told)):
        assert all(sign.isprintable() or sign == "\n" for sign in text)
    stream = [(points[i % 2], labels[i % 2]) for i in range(200)]
    report = prequential(HoeffdingTreeClassifier(), stream).save_report(tmp_path / "report.html")
    page = report.read_text(encoding="utf-8")
    assert page.count("<script") == page.count("</script>") == 2
    assert not any(bad in page for bad in ("<img src", "alert(1)</", "<b>u"))
