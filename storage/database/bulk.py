"""Statements for several rows or a list of values, in a few fixed sizes so that each is planned only once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from storage.database.database import Database

SIZES = (64, 16, 4, 1)
AT_ONCE = 500
"""Maximum number of values of a list in one statement; longer lists take several statements."""


def several(database: Database, sql: str, rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Execute a statement with `rows`, all of one length, in place of `VALUES ?`. Return all result rows.

    The rows are split over several statements. A caller that needs all or none opens a transaction.
    """
    answers: list[tuple[Any, ...]] = []
    left = list(rows)
    for size in SIZES:
        while len(left) >= size:
            some, left = left[:size], left[size:]
            answers += database.rows(_of(sql, len(some[0]), size), *chain.from_iterable(some))
    return answers


@cache
def _of(sql: str, width: int, size: int) -> str:
    """Return the statement for `size` rows of `width` parameters."""
    row = f"({', '.join('?' * width)})"
    return sql.replace("VALUES ?", f"VALUES {', '.join([row] * size)}")


def spread(sql: str, **lists: Sequence[object]) -> tuple[str, dict[str, object]]:
    """Return a statement whose `(:name)` are expanded to the lists, and the parameters for their values."""
    wide, names = _wide(sql, tuple((name, len(values)) for name, values in lists.items()))
    return wide, dict(zip(names, chain.from_iterable(lists.values()), strict=True))


def batches(sql: str, /, **lists: Sequence[object]) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the result of `spread` for each part of the first list: a statement accepts no long lists."""
    (name, values), *others = lists.items()
    for start in range(0, len(values), AT_ONCE):
        yield spread(sql, **{name: values[start : start + AT_ONCE]}, **dict(others))


@lru_cache(256)
def _wide(sql: str, sizes: tuple[tuple[str, int], ...]) -> tuple[str, tuple[str, ...]]:
    """Return the statement for lists of these sizes, and the names of the parameters of all values."""
    names: list[str] = []
    for name, size in sizes:
        own = [f"{name}{number}" for number in range(size)]
        sql = sql.replace(f"(:{name})", f"({', '.join(f':{one}' for one in own)})")
        names += own
    return sql, tuple(names)
