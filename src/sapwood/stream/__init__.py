"""Streams of labelled points from files and pipes: lines of many formats, plain or compressed, Parquet and Arrow."""

from sapwood.data import Batch
from sapwood.stream._ahead import ReadAhead
from sapwood.stream._errors import LineError, ShortStreamError, StreamError
from sapwood.stream._formats import COLUMNAR, FORMATS, TABLES, format_by_name
from sapwood.stream._reader import ON_ERROR, Errors, Reader, read
from sapwood.stream._svmlight_writer import write_all, write_svmlight
from sapwood.stream._table import NA_VALUES, ColumnRead, TableRead
from sapwood.stream.encoding import Encoding
from sapwood.stream.texts import are_texts, text_batch

__all__ = [
    "COLUMNAR",
    "FORMATS",
    "NA_VALUES",
    "ON_ERROR",
    "TABLES",
    "Batch",
    "ColumnRead",
    "Encoding",
    "Errors",
    "LineError",
    "ReadAhead",
    "Reader",
    "ShortStreamError",
    "StreamError",
    "TableRead",
    "are_texts",
    "format_by_name",
    "read",
    "text_batch",
    "write_all",
    "write_svmlight",
]
