"""What the types of several columns of features must be, checked on the driver before a row is read."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.types import ArrayType, NumericType, StringType

from sapwood.data.category import Category

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

    from sapwood import _core
    from sapwood.spark.columns import Columns

__all__ = ["check_types", "number_names"]


def number_names(schema: StructType, columns: Columns) -> list[str]:
    """Return which of several columns of features hold numbers."""
    return [name for name, kind in _types(schema, columns).items() if isinstance(kind, NumericType)]


def check_types(schema: StructType, columns: Columns, tree: _core.Tree) -> None:
    """Refuse columns that hold something else than what a tree has learned, or whose features cannot be told apart.

    Raises
    ------
    ValueError
        With the column, what it must hold, and its type.
    """
    types = _types(schema, columns)
    numbers = set(tree.number_keys())
    categories = {key.attribute for key in tree.named_keys() if isinstance(key, Category)}
    for name, kind in types.items():
        for known, holds, what in (
            (numbers, isinstance(kind, NumericType), "numbers"),
            (categories, isinstance(kind, StringType), "texts"),
        ):
            if name in known and not holds:
                columns.refuse(name, f"hold {what}, as before", kind.simpleString())
    lists = {name: kind for name, kind in types.items() if not _is_single(kind)}
    texts = [name for name, kind in lists.items() if _is_texts(kind)]
    _refuse_second(columns, texts, "arrays of texts")
    _refuse_second(columns, [name for name in lists if name not in texts], "vectors or arrays of integers")


def _types(schema: StructType, columns: Columns) -> dict[str, DataType]:
    """Return the types of several columns of features, which come first; nothing of a single column."""
    if isinstance(columns.features, str):
        return {}
    return {name: field.dataType for name, field in zip(columns.features, schema.fields, strict=False)}


def _is_single(kind: DataType) -> bool:
    return not isinstance(kind, ArrayType) and kind.typeName() not in {"udt", "vectorudt", "struct"}


def _is_texts(kind: DataType) -> bool:
    return isinstance(kind, ArrayType) and isinstance(kind.elementType, StringType)


def _refuse_second(columns: Columns, names: Sequence[Hashable], what: str) -> None:
    if len(names) > 1:
        columns.refuse(str(names[1]), f"be the only one of {what}, whose features have no other name", repr(names[0]))
