"""JSON lines: one object per line, whose features are its fields, or fields with values."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NoReturn

from sapwood import _core
from sapwood.stream._csv import LABEL_NAMES
from sapwood.stream._errors import BadLineError, LineError, shown
from sapwood.stream._lines import Lines
from sapwood.stream._parser import KeyedPoints

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_VALUES = "a number, a boolean, a string, null or a list of strings"


class JsonLinesParser(KeyedPoints):
    """Parses JSON lines with Python's json module. The interface is that of `Parser`.

    Parameters
    ----------
    label
        The field of the label; by default the first of label, class and target that the first object has.
    ignore
        Fields that are left out.
    """

    def __init__(self, binarize: float | None, label: str | None, ignore: Collection[str], *, labelled: bool) -> None:
        super().__init__()
        self._binarize = binarize
        self._label = label
        self._left_out = [*ignore] if label is None else [label, *ignore]
        self._labelled = labelled
        self._lines = Lines(iter(()))

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._lines.n

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        lines = self._lines = Lines(blocks)
        while True:
            try:
                line = next(lines, None)
                if line is None:
                    return
                if not line or line.isspace():
                    continue
                fields = self._object(line)
                label = self._label_of(fields, line)
                keys = self._keys_of(fields, line)
            except BadLineError as bad:
                yield bad.error
                continue
            if self.add(lines.n, label, keys):
                yield None

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
            name = next((known for known in LABEL_NAMES if known in fields), None)
            if name is None:
                self._fail(line, None, "an object without", f"one of the fields {', '.join(LABEL_NAMES)}")
            self._label = name
            self._left_out.append(name)
        if name not in fields:
            self._fail(line, None, "an object without", f"a field {name!r}")
        label = fields[name]
        if not isinstance(label, (str, int, float)) or (isinstance(label, float) and not math.isfinite(label)):
            self._fail(line, name, _kind(label), "a string, a finite number or a boolean as the label")
        return label

    def _keys_of(self, fields: dict[str, Any], line: str) -> list[str]:
        for name in self._left_out:
            fields.pop(name, None)
        try:
            keys: list[str] = _core.active_keys(fields, self._binarize)
        except (TypeError, ValueError):
            for name, value in fields.items():
                self._check(name, value, line)
            raise
        # Two fields, or two items of a list, may make one feature, which a point must not have twice.
        return keys if len(set(keys)) == len(keys) else list(dict.fromkeys(keys))

    def _check(self, name: str, value: Any, line: str) -> None:
        """Raise the error of a field whose value is refused."""
        try:
            _core.active_keys({name: value}, self._binarize)
        except TypeError:
            self._fail(line, name, _kind(value), f"{_VALUES} as {name!r}")
        except ValueError:
            wanted = "the value 0 or 1" if isinstance(value, int) or math.isfinite(value) else "a finite number"
            self._fail(line, name, str(value), f"{wanted} as {name!r}")


def _kind(value: Any) -> str:
    """Say what a value is that should not be there."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list" if all(isinstance(item, str) for item in value) else "a list with other items"
    return "null" if value is None else str(value)
