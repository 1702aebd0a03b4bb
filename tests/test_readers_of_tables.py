"""The native readers of tables equal those in plain Python, on hostile input, in all that is seen."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from readers_compared import BROKEN, HOW, How, compare
from reference_readers import arff_reader, jsonl_reader
from reference_readers.csv_reader import CsvParser as PlainCsv

from sapwood.stream import NA_VALUES, _arff, _jsonl
from sapwood.stream._arff import ArffParser
from sapwood.stream._csv import CsvParser
from sapwood.stream._jsonl import JsonLinesParser
from sapwood.stream._parser import Parser

# ---- CSV -------------------------------------------------------------------------------------------------------------

CELL = st.one_of(
    st.sampled_from(
        ["", " ", "true", "False", "1", "0", "-2", "3.5", "1e-3", "+7", ".5", "5.", "1e400", "-0", "1e-400"]
    ),
    st.sampled_from(["red", "blue", " red ", "NA", "?", "nan", "inf", "1_0", "x=y", "-999", "12345678901234567890123"]),
    st.sampled_from(
        ['"', '""', '"a', 'a"', '"a,b"', '"a""b"', '"a\nb"', '"a\r\nb"', "a\rb", '"a"b', '"1.5"', '" 2"', "é"]
    ),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
)
ROW = st.tuples(
    st.one_of(st.lists(CELL, min_size=4, max_size=4), st.lists(CELL, max_size=5)),
    st.sampled_from(["\n", "\r\n", "\n", "\r", "\n\n"]),
)
HEADER = st.sampled_from(["size,colour,label,note", "a,a=b,label,a=b=c", '"size","the, colour",y,"n""o"', "1,2,3,4"])


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """A table most of whose rows are right, with some bytes that are none."""
    header = draw(HEADER)
    delimiter = draw(st.sampled_from(",,,;\t|"))
    rows = "".join(delimiter.join(cells) + end for cells, end in draw(st.lists(ROW, max_size=8)))
    data = (header.replace(",", delimiter) + draw(st.sampled_from(["\n", "\r\n"])) + rows).encode()
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.one_of(st.just(b""), BROKEN)) + data[at:]


@given(
    tables(),
    HOW,
    st.sampled_from(
        [
            {},
            {"labelled": False},
            {"header": False},
            {"types": {"size": "number", "colour": "category", "note": "flag"}, "only_typed": True},
            {"types": {"size": "number", "colour": "number", "note": "number"}, "only_typed": True},
            {"na_values": frozenset({"-999", "1", "red"})},
            {"label": "note", "ignore": ("size",)},
            {"delimiter": "é"},
        ]
    ),
)
def test_csv(data: bytes, how: How, options: dict[str, Any]) -> None:
    def make(kind: Any) -> Callable[[str], Parser]:
        def made(name: str) -> Any:
            return kind(
                name,
                options.get("label"),
                options.get("ignore", ()),
                options.get("delimiter"),
                labelled=options.get("labelled", True),
                header=options.get("header", True),
                types=options.get("types", {}),
                only_typed=options.get("only_typed", False),
                na_values=options.get("na_values", NA_VALUES),
            )

        return made

    compare(data, make(CsvParser), make(PlainCsv), how)


def test_long_tables() -> None:
    """Beyond the rows that settle the types, and beyond the cells that are remembered."""
    rows = [f"{i / 7!r},c{i % 5},{i},{'true' if i % 3 else 'FALSE'},u{i},{i % 2}" for i in range(3000)]
    rows[2500] = '1.5,"c1\nx",7,true,u,1'
    rows[2600] = "x,c1,7,true,u,1"
    data = ("a,b,n,f,unique,y\n" + "\n".join(rows)).encode()
    options = {"labelled": True, "header": True, "types": {}, "only_typed": False, "na_values": NA_VALUES}
    for size in (1, 700, 10_000):
        compare(
            data,
            lambda name: CsvParser(name, None, (), None, **options),  # type: ignore[arg-type]
            lambda name: PlainCsv(name, None, (), None, **options),  # type: ignore[arg-type]
            How([1 << 14], size, 5),
        )


def test_tables_of_few_values() -> None:
    """Every value meets every other, and every label."""
    draw = random.Random(3)
    rows = [[draw.choice(["a", "b", " a", "", "true", "NA"]) for _ in range(6)] for _ in range(1500)]
    labels = [draw.choice(["x", "y", " x ", "z"]) for _ in rows]
    header = ["c1", "c2", "c3", "c4", "c5", "c6"]
    table = "\n".join(",".join([*row, label]) for row, label in zip([header, *rows], ["y", *labels], strict=True))
    options = {"labelled": True, "header": True, "types": {}, "only_typed": False, "na_values": NA_VALUES}
    compare(
        table.encode(),
        lambda name: CsvParser(name, None, (), None, **options),  # type: ignore[arg-type]
        lambda name: PlainCsv(name, None, (), None, **options),  # type: ignore[arg-type]
        How([1 << 14], 400),
    )
    objects = "".join(
        json.dumps(
            {
                name: {"a": 1, "b": [cell, "q"], "true": True}.get(cell, cell)
                for name, cell in zip(header, row, strict=True)
            }
            | {"label": label}
        )
        + "\n"
        for row, label in zip(rows, labels, strict=True)
    )
    known = {"labelled": True, "types": {}, "na_values": NA_VALUES, "is_known": False}
    compare(
        objects.encode(),
        lambda name: JsonLinesParser(name, None, (), **known),  # type: ignore[arg-type]
        lambda name: jsonl_reader.JsonLinesParser(name, None, (), **known),  # type: ignore[arg-type]
        How([1 << 14], 400),
    )


@pytest.mark.parametrize("cell", ["x" * 131_072, "x" * 131_073, "é" * 70_000, '"' + "y" * 200_000 + '"'])
def test_huge_cells(cell: str) -> None:
    options = {"labelled": True, "header": True, "types": {}, "only_typed": False, "na_values": NA_VALUES}
    data = f"a,y\n1,x\n{cell},x\nlast,x\n".encode()
    compare(
        data,
        lambda name: CsvParser(name, None, (), None, **options),  # type: ignore[arg-type]
        lambda name: PlainCsv(name, None, (), None, **options),  # type: ignore[arg-type]
        How([1 << 14], 2),
    )


# ---- ARFF ------------------------------------------------------------------------------------------------------------

ARFF_HEADER = """@relation r
@attribute size numeric
@attribute colour {red, 'light blue', "it's", é}
@attribute note string
@attribute class {no, yes}
@attribute weight real % the last
@data
"""
ARFF_CELL = st.one_of(
    st.sampled_from(
        ["red", "'light blue'", '"it\'s"', "'it\\'s'", "no", "yes", "é", "0", "1", "-2.5", "1e400", "1e-400"]
    ),
    st.sampled_from(
        ["", " ", "?", "NA", " 7 ", "'7'", '"?"', "'a\\u0062'", "'\\ud800'", "'\\n'", "'open", "a'b", "x%y"]
    ),
    st.sampled_from(
        ["\u00a0'red'", "'red'\u00a0", "\u3000red", "\u3042red", "{", "}", "{1 2}", "'a,b'", "'a}'", "\x1cred"]
    ),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=6),
)
ARFF_GAP = st.sampled_from(["", "", " ", "\t", "\u00a0"])
ARFF_DENSE = st.one_of(
    st.lists(ARFF_CELL, min_size=5, max_size=5).map(",".join),
    st.tuples(
        st.sampled_from(["1", "0.5", "?", " 2"]),
        st.sampled_from(["red", "'light blue'", '"it\'s"', "?"]),
        ARFF_CELL,
        st.sampled_from(["no", "yes", " 'yes' "]),
        st.sampled_from(["1", "-3e2", "'4'", "5 % five", ""]),
    ).map(",".join),
    st.lists(ARFF_CELL, max_size=6).map(", ".join),
)
ARFF_INDEX = st.sampled_from(["0", "1", "2", "3", "4", "5", "01", "", "x", "99999999999999999999", "\u0661"])
ARFF_SPARSE = st.one_of(
    st.tuples(
        st.lists(
            st.tuples(ARFF_INDEX, st.sampled_from([" ", "  ", "\t", "\u00a0", ""]), ARFF_CELL).map("".join), max_size=4
        ),
        ARFF_GAP,
        st.sampled_from(["}", "}", " }", ",}", "} % x", "}x", "", "}\u00a0"]),
    ).map(lambda parts: "{" + parts[1] + f"{parts[1]},".join(parts[0]) + parts[2]),
    st.lists(st.sampled_from(["0 1.5", "1 'light blue'", "2 'a b'", "3 yes", "4 -2"]), unique=True, max_size=5).map(
        lambda pairs: "{" + ", ".join(sorted(pairs)) + "}"
    ),
)
ARFF_LINE = st.tuples(
    ARFF_GAP,
    st.one_of(ARFF_DENSE, ARFF_SPARSE, st.sampled_from(["% comment", "", " ", "\u2003"])),
    st.sampled_from(["\n", "\n", "\r\n", " \n", "\r\r\n"]),
).map(lambda parts: "".join(parts).encode())


@given(
    st.lists(st.one_of(ARFF_LINE, ARFF_LINE, ARFF_LINE, BROKEN), max_size=10).map(b"".join),
    HOW,
    st.sampled_from(
        [
            {},
            {"labelled": False},
            {"label": "weight"},
            {"label": "note", "ignore": ("size",)},
            {"types": {"size": "category", "weight": "flag"}},
            {"types": {"size": "number", "colour": "category"}, "only_typed": True},
            {"na_values": frozenset({"0", "1.5", "red", "é"})},
        ]
    ),
    st.sampled_from([1 << 22, 0, 9]),
)
@example(b"{1 'light blue', 3 yes}\n{}\n{ 0 2 , 4 1 }% x\n", How([7], 2), {}, 9)
@example(b"1,'it\\'s',a,no,2\n2,red,'b,c',yes,'4'%\n", How([100], 2), {}, 9)
def test_arff(data: bytes, how: How, options: dict[str, Any], most_cells: int) -> None:
    def make(kind: Any) -> Callable[[str], Parser]:
        def made(name: str) -> Any:
            return kind(
                name,
                options.get("label"),
                options.get("ignore", ()),
                labelled=options.get("labelled", True),
                types=options.get("types", {}),
                only_typed=options.get("only_typed", False),
                na_values=options.get("na_values", NA_VALUES),
            )

        return made

    with patch.object(_arff, "_MOST_CELLS", most_cells), patch.object(arff_reader, "_MOST_CELLS", most_cells):
        compare(ARFF_HEADER.encode() + data, make(ArffParser), make(arff_reader.ArffParser), how)


# ---- JSON lines ------------------------------------------------------------------------------------------------------

SCALAR = st.one_of(
    st.sampled_from(["true", "false", "null", "0", "-0", "-0.0", "1", "-2", "3.5", "1e-3", "1E+2", "1e400", "1e-400"]),
    st.sampled_from(["01", "+1", ".5", "5.", "1.e3", "-", "NaN", "-Infinity", "tru", "12345678901234567890123", "1_0"]),
    st.sampled_from(['""', '" "', '"NA"', '"red"', '" red "', '"1.5"', '"true"', '"a\\"b"', '"\\u00e9"', '"\\ud800"']),
    st.sampled_from(['"\\x"', '"\\u12"', '"a\tb"', '"open', "'a'", '"\\/\\b"', '"é"', '"a.b"']),
    st.floats(allow_nan=False, allow_infinity=False).map(json.dumps),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6).map(json.dumps),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6).map(
        lambda text: json.dumps(text, ensure_ascii=False)
    ),
)
GAP = st.sampled_from(["", "", "", " ", "\t", " \r"])
FIELD = st.sampled_from(["a", "b", "user", "age", "label", "a.b", "é", "\\u00e9", "a\\tb", "tags"])


def joined(parts: list[str], gap: str, ends: str) -> str:
    return ends[0] + gap + f"{gap},{gap}".join(parts) + gap + ends[1]


VALUE = st.recursive(
    SCALAR,
    lambda inner: st.one_of(
        st.tuples(st.lists(SCALAR, max_size=3), GAP).map(lambda both: joined(both[0], both[1], "[]")),
        st.tuples(st.lists(st.tuples(FIELD, inner).map(lambda item: f'"{item[0]}":{item[1]}'), max_size=3), GAP).map(
            lambda both: joined(both[0], both[1], "{}")
        ),
    ),
    max_leaves=4,
)
OBJECT = st.tuples(
    st.lists(st.tuples(FIELD, VALUE).map(lambda item: f'"{item[0]}": {item[1]}'), max_size=4),
    SCALAR.map(lambda value: f'"label":{value}'),
    GAP,
).map(lambda parts: joined([*parts[0], parts[1]], parts[2], "{}"))
LINE_OF_JSON = st.tuples(
    st.one_of(OBJECT, OBJECT, OBJECT, VALUE), st.sampled_from(["\n", "\n", "\r\n", "\n\n", " \n", "x\n", "\u2003\n"])
).map("".join)


@st.composite
def objects(draw: st.DrawFn) -> bytes:
    """Lines that are met again, so that the core reads them too, with some bytes that are none."""
    lines = draw(st.lists(LINE_OF_JSON, min_size=1, max_size=6))
    order = draw(st.lists(st.sampled_from(lines), max_size=12))
    data = "".join(lines + order).encode()
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.one_of(st.just(b""), BROKEN)) + data[at:]


@given(
    objects(),
    HOW,
    st.sampled_from(
        [
            {},
            {"labelled": False},
            {"labelled": False, "label": "label"},
            {"ignore": ("a", "user.age")},
            {"types": {"a": "number", "b": "category", "user.age": "flag"}},
            {"na_values": frozenset({"1.5", "red"}), "types": {"a": "category"}},
            {"label": "b", "is_known": True},
        ]
    ),
    st.sampled_from([0, 2, 1000]),
)
@example(b'{"label":1}\n' * 3, How([5]), {}, 1)
@example(b'{"label":1,"a":-0}\n{"label":true,"a":-0}\n{"label":1.0,"a":-0.0}\n' * 2, How([50]), {}, 1)
@example(b'{"label":1,"a":{"b":{"c":1}}}\n{"label":1,"a":{"b":{"c":1},"b":2}}\n' * 2, How([50]), {}, 1)
@example(b'{"label":1,"user":{"a":[1]}}\n' * 3, How([50]), {}, 1)
@example(b'{"label":1,"user":{"a":{"b":[[]]}},"age":1}\n{"label":1,"a":{"":[1]}}\n' * 2, How([50]), {}, 1000)
@example(b'{"a": {"a":[true]},"label":true}\n', How([1], 1), {}, 0)
def test_json_lines(data: bytes, how: How, options: dict[str, Any], settling: int) -> None:
    def make(kind: Any) -> Callable[[str], Parser]:
        def made(name: str) -> Any:
            return kind(
                name,
                options.get("label"),
                options.get("ignore", ()),
                labelled=options.get("labelled", True),
                types=options.get("types", {}),
                na_values=options.get("na_values", NA_VALUES),
                is_known=options.get("is_known", False),
            )

        return made

    # Otherwise the core would begin only after a thousand lines.
    with patch.object(_jsonl, "SETTLING", settling), patch.object(jsonl_reader, "SETTLING", settling):
        compare(data, make(JsonLinesParser), make(jsonl_reader.JsonLinesParser), how)
