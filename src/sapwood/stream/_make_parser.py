"""Which parser reads a format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sapwood.stream._formats import COLUMNAR
from sapwood.stream._table import NA_VALUES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sapwood.data.kinds import Kind
    from sapwood.stream._parser import Parser
    from sapwood.stream._source import Source

__all__ = ["parser_of"]


def parser_of(  # noqa: PLR0911 - one for each format
    kind: str,
    source: Source,
    *,
    binarize: float | None,
    n_features: int | None,
    vectorizer: Any,
    label: str | None,
    labelled: bool,
    ignore: Collection[str],
    delimiter: str | None,
    header: bool,
    types: Mapping[str, Kind],
    only_typed: bool,
    na_values: Collection[str] | None,
    sparse_numbers: bool,
) -> Parser:
    """Return the parser of a format; the options are those of `sapwood.stream.read`, which has checked them.

    Parsers of other formats are not loaded: a command would start later for them.
    """
    missing = NA_VALUES if na_values is None else frozenset(na_values)
    columns: dict[str, Any] = {"label": label, "ignore": ignore, "labelled": labelled, "types": types}
    if kind == "svmlight":
        from sapwood.stream._svmlight import SvmlightParser

        return SvmlightParser(binarize, n_features, sparse_numbers=sparse_numbers)
    if kind == "vw":
        from sapwood.stream._vowpal_wabbit import VowpalWabbitParser

        return VowpalWabbitParser(binarize, sparse_numbers=sparse_numbers, labelled=labelled)
    if kind == "csv":
        from sapwood.stream._csv import CsvParser

        return CsvParser(
            source.name, delimiter=delimiter, header=header, only_typed=only_typed, na_values=missing, **columns
        )
    if kind == "jsonl":
        from sapwood.stream._jsonl import JsonLinesParser

        return JsonLinesParser(source.name, na_values=missing, is_known=only_typed, **columns)
    if kind == "arff":
        from sapwood.stream._arff import ArffParser

        # A value that the header names is one, whatever it is called.
        given = frozenset("?") if na_values is None else missing
        return ArffParser(source.name, only_typed=only_typed, na_values=given, **columns)
    if kind in COLUMNAR:
        from sapwood.stream._columnar import ColumnarParser
        from sapwood.stream._columnar_source import tables_of

        tables = tables_of(source, kind)
        return ColumnarParser(source.name, tables, only_typed=only_typed, na_values=missing, **columns)
    if kind == "fasttext":
        from sapwood.stream._fasttext import FastTextParser

        return FastTextParser(labelled=labelled)
    from sapwood.stream._text import text_parser

    return text_parser(vectorizer, n_features, labelled=labelled)
