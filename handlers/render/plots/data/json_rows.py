"""Data in JSON, as programs write tables: read as delimited text."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from handlers.render.plots.data.delimited_rows import MOST_CELLS, TooManyCells

THREE_PLACES = re.compile(r"-?[0-9]{1,3}\.[0-9]{3}")


def delimited_text(text: str) -> str:
    """Return a table in JSON as delimited text, and any other text as it is. Raises TooManyCells.

    A table is a list of objects or of lists, an object on each line, an object of lists (its columns), of
    objects (columns of named cells, as pandas writes them) or of single values (names and values), or an
    object in which one value is a list of objects. A cell that is a list or an object becomes an ellipsis.
    """
    rows = _rows(_parsed(text))
    if rows is None:
        return text
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return f"sep=,\n{out.getvalue()}"


def is_like_json(text: str) -> bool:
    """Return whether a text begins as a list or an object of JSON does."""
    return text[:1000].lstrip("\ufeff \t\r\n").startswith(("[", "{"))


def _parsed(text: str) -> Any:
    if not is_like_json(text):
        return None
    for lines in ([text], text.split("\n")):
        try:
            values = [_DECODER.decode(line) for line in lines if line.strip()]
        except (ValueError, RecursionError):
            continue
        return values[0] if len(values) == 1 else values
    return None


def _number(written: str) -> str:
    """Return a number as it is written; an added zero shows that its point does not separate thousands."""
    return f"{written}0" if THREE_PLACES.fullmatch(written) else written


_DECODER = json.JSONDecoder(parse_int=str, parse_float=_number, parse_constant=lambda _: "")


def _rows(value: Any) -> Sequence[Sequence[Any]] | None:
    """Return the rows of a table with its header, or None if the value is not a table."""
    if _all(dict, value):
        names = dict.fromkeys(name for row in value for name in row)
        _require_room(len(names), len(value))
        return [[*names], *([row.get(name) for name in names] for row in value)]
    if _all(list, value):
        return [*value]
    if not isinstance(value, dict):
        return None
    columns, inner = [*value.values()], [one for one in value.values() if _all(dict, one)]
    if len(inner) == 1:
        return _rows(inner[0])
    if _all(dict, columns):
        names = dict.fromkeys(name for column in columns for name in column)
        _require_room(len(columns), len(names))
        return [["", *value], *([name, *(column.get(name) for column in columns)] for name in names)]
    if _all(list, columns):
        _require_room(len(columns), max(map(len, columns)))
        return [[*value], *zip_longest(*columns)]
    if not value or any(isinstance(one, list | dict) for one in columns):
        return None
    return [["name", "value"], *value.items()]


def _all(kind: type, value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, kind) for one in value)


def _require_room(columns: int, rows: int) -> None:
    if columns * rows > MOST_CELLS:
        raise TooManyCells(columns * rows)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else "…"
