"""JSON lines: one object per line, whose fields hold flags, numbers or categories."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from sapwood import _core
from sapwood.data.category import Category
from sapwood.stream._errors import BadLineError, LineError, StreamError, shown
from sapwood.stream._lines import Lines
from sapwood.stream._table import (
    LABEL_NAMES,
    MOST_EXAMPLES,
    SETTLING,
    ColumnRead,
    TableRead,
    nearest,
    retyped,
    table_batch,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Mapping

    from sapwood.data import Batch
    from sapwood.data.kinds import Kind

__all__ = ["JsonLinesParser"]

_VALUES = "a number, a boolean, a string, null, a list of strings or an object"
_LABELS = "a string, a finite number or a boolean as the label"
# That the core is told; each takes about a kilobyte. Lines with others are read by Python.
_MOST_FIELDS = 1 << 15


class _Values:
    """What the core asks about the values of a column, which is known by its number; that of the labels is 0."""

    def __init__(self, na_values: frozenset[str]) -> None:
        self.columns: list[tuple[str, Kind | Literal["items"] | None]] = []
        """The name of the field of each column from 1 on, and what it holds: items of lists, or what the user says."""
        self._na_values = na_values

    def __call__(self, number: int, written: str) -> Any:
        """Return what a value says, which is given as JSON; raise ValueError if it is refused."""
        value = json.loads(written)
        if number == 0:
            if not _is_label(value):
                raise ValueError(_LABELS)
            return value
        name, kind = self.columns[number - 1]
        if kind == "items":
            return f"{name}={value}"
        if kind is not None:
            value = retyped(value, kind, self._na_values)
        if isinstance(value, str):
            return None if not value or value in self._na_values else Category(name, value)
        if isinstance(value, bool):
            return name if value else None
        return value


class JsonLinesParser:
    """Parses JSON lines natively. The interface is that of `Parser`.

    A value is what it would be in a dict, field by field and object by object. Guarantee: lines are read as Python's
    json module reads them. That reads the first ones, those with a field that no line before had, and those that are
    bad.

    Parameters
    ----------
    label
        The field of the label; by default the first of label, class and target that the first object has and that is
        not left out.
    ignore
        Fields that are left out; one within an object is named ``user.age``.
    types
        What some fields hold, whatever their values are in JSON.
    na_values
        Strings that stand for a missing value, beside the empty one.
    is_known
        Whether the names were right for an earlier stream, so that fields may lack here.
    """

    def __init__(
        self,
        file: str,
        label: str | None,
        ignore: Collection[str],
        *,
        labelled: bool,
        types: Mapping[str, Kind],
        na_values: frozenset[str],
        is_known: bool,
    ) -> None:
        self.most = 1
        self.is_passed_over = False
        self._file = file
        self._label = label
        self._left_out = [*ignore] if label is None else [label, *ignore]
        self._ignore = ignore
        self._labelled = labelled
        self._types = types
        self._na_values = na_values
        self._lines = Lines(iter(()))
        # Names of the user's that no object has had so far.
        self._missed = set() if is_known else {*ignore, *types}
        self._n_seen = 0
        self._seen: dict[str, tuple[set[str], dict[str, None]]] = {}
        self._values = _Values(na_values)
        self._native = _core.JsonLines(labelled, self._values)
        self._label_examples: dict[str, None] = {}
        # The columns of the core, and its fields, by the object that they are in.
        self._columns: dict[tuple[str, bool], int] = {}
        self._fields: dict[tuple[int, str], int] = {}

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._lines.n

    @property
    def table(self) -> TableRead | None:
        """How the fields of the first objects were read."""
        columns = [
            ColumnRead(name, " or ".join(sorted(kinds)) or "empty", tuple(examples))
            for name, (kinds, examples) in self._seen.items()
        ]
        columns += [ColumnRead(name, "ignored") for name in self._ignore if name not in self._missed]
        if self._labelled and self._label is not None:
            columns.append(ColumnRead(self._label, "label", tuple(self._label_examples)))
        remarks = [f"no object so far has the field {name!r}" for name in sorted(self._missed)]
        return TableRead(self._label if self._labelled else None, columns, dict(self._types), remarks)

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        lines = self._lines = Lines(blocks)
        native = self._native
        while lines.more():
            is_left = True
            if self._n_seen >= SETTLING:
                lines.at, lines.n, is_left = native.parse(lines.block, lines.at, lines.n, self.most)
            if is_left and (error := self._read(lines)) is not None:
                yield error
            elif len(native) >= self.most:
                yield None
        self._check_names()

    def _read(self, lines: Lines) -> LineError | None:
        """Read the next line by Python; return what is wrong with it, if anything is."""
        try:
            line = next(lines)
            if not line or line.isspace():
                return None
            fields = self._object(line)
            if self._n_seen >= SETTLING:
                self._tell(fields, line)
            label = self._label_of(fields, line)
            keys, numbers = self._encoded(fields, line)
        except BadLineError as bad:
            return bad.error
        if self._n_seen < SETTLING:
            if len(self._label_examples) < MOST_EXAMPLES and self._labelled:
                self._label_examples[_written(label)] = None
            self._note(fields)
        columns = [self._column_of(str(name)) for name in numbers]
        self._native.add(lines.n, label, keys, columns, list(numbers.values()))
        return None

    def _column_of(self, name: str, *, items: bool = False, kind: Kind | None = None) -> int:
        """Return the number of the column of a field, or of the items of its lists."""
        number = self._columns.get((name, items))
        if number is None:
            number = self._columns[name, items] = self._native.add_column()
            self._values.columns.append((name, "items" if items else kind or self._types.get(name)))
        return number

    def _tell(self, fields: dict[str, Any], line: str, object_number: int = 0, before: str = "") -> None:
        """Tell the core of the fields of an object, so that it reads the next line like this one."""
        for key, value in fields.items():
            # Names with a point may be those of fields within others.
            if "." in key or len(self._fields) >= _MOST_FIELDS:
                continue
            name = before + key
            role: str = self._types.get(name, "plain")
            if self._labelled and name == self._label:
                role = "label"
            elif name in self._left_out:
                role = "ignored"
            number = self._fields.get((object_number, key))
            if number is None:
                # A key may be written with escapes; if it is written in two ways, one of them is left to Python.
                written = key if f'"{key}"' in line else json.dumps(key)[1:-1]
                columns = (0, 0) if role == "label" else (self._column_of(name), self._column_of(name, items=True))
                number = self._native.add_field(object_number, written, role, *columns)
                self._fields[object_number, key] = number
            if role == "plain" and isinstance(value, dict):
                self._tell(value, line, number, f"{name}.")

    def __len__(self) -> int:
        return len(self._native)

    def drop(self) -> None:
        """Forget the points that are gathered."""
        self._native.take()

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        return table_batch(self._native.take(), [name for name, _ in self._values.columns], labelled=self._labelled)

    def _fail(self, line: str, field: str | None, found: str, expected: str) -> NoReturn:
        """Raise the error of a line at a field, as far as that can be found again."""
        at = 0 if field is None else max(line.find(json.dumps(field, ensure_ascii=False)), 0)
        raise BadLineError(LineError(self._lines.n, at + 1, found, expected))

    def _object(self, line: str) -> dict[str, Any]:
        try:
            fields = json.loads(line)
        except json.JSONDecodeError as error:
            rest = line[error.pos :]
            found = shown(rest.split(maxsplit=1)[0]) if rest.strip() else "the end of the line"
            expected = error.msg.removeprefix("Expecting ")
            if expected == error.msg:
                expected = f"valid JSON ({error.msg})"
            raise BadLineError(LineError(self._lines.n, error.colno, found, expected)) from None
        except (RecursionError, ValueError) as error:
            # Lists a thousand deep, or a number of thousands of digits.
            self._fail(line, None, f"more than can be read ({error})", "a JSON object")
        if not isinstance(fields, dict):
            self._fail(line, None, shown(line), "a JSON object")
        return fields

    def _label_of(self, fields: dict[str, Any], line: str) -> Any:
        if not self._labelled:
            return None
        name = self._label
        if name is None:
            wanted = [known for known in LABEL_NAMES if known not in self._ignore]
            name = next((known for known in wanted if known in fields), None)
            if name is None:
                one_of = f"one of the fields {', '.join(wanted)}" if wanted else "a label that is not ignored"
                self._fail(line, None, "an object without", one_of)
            self._label = name
            self._left_out.append(name)
        if name not in fields:
            near = nearest(name, fields)
            hint = f" (did you mean {near!r}?)" if near else ""
            self._fail(line, None, "an object without", f"a field {name!r}{hint}")
        label = fields[name]
        if not _is_label(label):
            self._fail(line, name, _said(label), _LABELS)
        return label

    def _encoded(self, fields: dict[str, Any], line: str) -> tuple[list[Any], dict[Hashable, float]]:
        """Return the active features and the numbers of an object, without what is left out."""
        for name in self._left_out:
            key, held = _holder_of(fields, name)
            if held is not None:
                held.pop(key)
                self._missed.discard(name)
        for name, kind in self._types.items():
            key, held = _holder_of(fields, name)
            if held is not None:
                held[key] = self._retyped(name, held[key], kind, line)
                self._missed.discard(name)
        try:
            keys, numbers = _core.encoded(fields, self._na_values)
        except (TypeError, ValueError, OverflowError) as error:
            for name, value in _leaves(fields):
                self._check(name, value, line)
            # No field by itself: they are too deep, or two of them make one.
            if "deep" in str(error):
                self._fail(line, None, "deeper ones", "objects within objects at most 32 deep")
            self._fail(line, None, f"a fault: {error}", "an object whose fields are each there once")
        # Two fields, or two items of a list, may make one feature, which a point must not have twice.
        return (keys if len(set(keys)) == len(keys) else list(dict.fromkeys(keys))), numbers

    def _retyped(self, name: str, value: Any, kind: Kind, line: str) -> Any:
        """Return a value as what its field is said to hold."""
        try:
            return retyped(value, kind, self._na_values)
        except ValueError as error:
            found = _said(value) if isinstance(value, (list, dict)) else shown(text_of(value))
            self._fail(line, name.rpartition(".")[2], found, f"{error} as {name!r}")

    def _check(self, name: str, value: Any, line: str) -> None:
        """Raise the error of a field whose value is refused."""
        key = name.rpartition(".")[2] or name
        try:
            _core.encoded({name: value})
        except TypeError:
            self._fail(line, key, _said(value), f"{_VALUES} as {name!r}")
        except (ValueError, OverflowError):
            self._fail(line, key, str(value), f"a finite number as {name!r}")

    # ---- how the objects were read ----------------------------------------------------------------------------------

    def _note(self, fields: dict[str, Any]) -> None:
        """Note what the fields of an object hold."""
        self._n_seen += 1
        for name, value in _leaves(fields):
            kinds, examples = self._seen.setdefault(name, (set(), {}))
            kind = _kind(value)
            if kind is not None and not (kind == "category" and value.strip() in self._na_values):
                kinds.add(kind)
                if len(examples) < MOST_EXAMPLES:
                    examples[_written(value)] = None
        if self._n_seen == SETTLING:
            self._check_names()

    def _check_names(self) -> None:
        """Refuse a name of the user's that no object has and that is much like one that they have."""
        for name in sorted(self._missed):
            near = nearest(name, self._seen)
            if near is not None:
                option = "ignore" if name in self._ignore else "types"
                raise StreamError(
                    self._file,
                    f"a field {name!r}, which {option} names",
                    f"none; did you mean {near!r}?",
                    self.n_lines,
                    1,
                )


def _holder_of(fields: dict[str, Any], name: str) -> tuple[str, dict[str, Any] | None]:
    """Return the key of a field, and the object that has it, None if there is none: ``user.age`` is within ``user``."""
    if name in fields:
        return name, fields
    *outer, key = name.split(".")
    held: Any = fields
    for each in outer:
        held = held.get(each) if isinstance(held, dict) else None
    return key, held if isinstance(held, dict) and key in held else None


def _leaves(fields: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of an object and of those within it, by their full names."""
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{before}{name}.")
        else:
            yield before + name, value


def _written(value: Any) -> str:
    """Return a value as an example of what a field holds."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_label(value: Any) -> bool:
    """Whether a value can be a label."""
    return isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))


def _kind(value: Any) -> str | None:
    """Return the word for what a value is; None if it is missing."""
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, list):
        return "flags"
    return "category" if value else None


def _said(value: Any) -> str:
    """Say what a value is that should not be there."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list" if all(isinstance(item, str) for item in value) else "a list with other items"
    return "null" if value is None else str(value)
