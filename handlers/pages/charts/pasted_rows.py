"""Rows that are pasted as JSON, written as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from handlers.rendering.interface import MOST_CELLS, TooManyCells
from vfs.errors import Invalid

LARGEST_JSON = 8 * 1024 * 1024
OPENINGS = ("[", "{")
SHAPES = "a list of objects, a list of lists, or an object of lists"


def as_rows(text: str) -> str:
    """Return rows as CSV if a text is JSON, else the text. Raises Invalid for JSON without rows."""
    if not text.lstrip("\ufeff \t\n").startswith(OPENINGS) or len(text) > LARGEST_JSON:
        return text
    try:
        return _written(json.loads(text.lstrip("\ufeff")))
    except UnicodeEncodeError:
        raise Invalid("these data contain half of a character (a lone surrogate): remove it") from None
    except (ValueError, RecursionError):
        return text


def _written(value: Any) -> str:
    """Return the rows of a JSON value as CSV. Raises Invalid, UnicodeEncodeError and RecursionError."""
    rows = _rows_of(value)
    if rows is None:
        raise Invalid(f"these data are JSON without rows: send {SHAPES}")
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([_cell(one) for one in row] for row in rows)
    written.getvalue().encode()
    return written.getvalue()


def _rows_of(value: Any) -> Iterable[Sequence[Any]] | None:
    """Return the rows of a JSON value, the first with the names of columns; None if it has none.

    Rows are made when they are read, since only one of many lists in an object is read.

    Raises Invalid for more cells than fit into a plot.
    """
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        heads = list(dict.fromkeys(key for one in value for key in one))
        if len(heads) * len(value) > MOST_CELLS:
            raise Invalid(str(TooManyCells(len(heads) * len(value))))
        return chain([heads], ([one.get(head) for head in heads] for one in value))
    if isinstance(value, list):
        return value if value and all(isinstance(one, list) for one in value) else None
    lists = (
        {key: one for key, one in value.items() if isinstance(one, list)} if isinstance(value, dict) else {}
    )
    within = [rows for one in lists.values() if (rows := _rows_of(one))]
    if len(within) == 1:
        return within[0]
    columns = len(lists) == len(value) and len({len(one) for one in lists.values()}) == 1
    return [list(lists), *zip(*lists.values(), strict=True)] if columns else None


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
