"""Several rows in one statement, of so few sizes that each stays a constant that is planned once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from storage.database.database import Database

SIZES = (64, 16, 4, 1)
AT_ONCE = 500
"""Values of a list that go into one statement; of more, the rest into further ones."""


def several(database: Database, sql: str, rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """All rows that a statement answers in which `VALUES ?` stands for these rows, all of one length.

    They go in parts: a caller that wants all or none opens a transaction.
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
    """The statement for so many rows of so many parameters."""
    row = f"({', '.join('?' * width)})"
    return sql.replace("VALUES ?", f"VALUES {', '.join([row] * size)}")


def spread(sql: str, **lists: Sequence[object]) -> tuple[str, dict[str, object]]:
    """A statement in which `(:name)` stands for a list, and the parameters for its values."""
    wide, names = _wide(sql, tuple((name, len(values)) for name, values in lists.items()))
    return wide, dict(zip(names, chain.from_iterable(lists.values()), strict=True))


@lru_cache(256)
def _wide(sql: str, sizes: tuple[tuple[str, int], ...]) -> tuple[str, tuple[str, ...]]:
    """The statement for lists of these sizes, and the names of all their values."""
    names: list[str] = []
    for name, size in sizes:
        own = [f"{name}{number}" for number in range(size)]
        sql = sql.replace(f"(:{name})", f"({', '.join(f':{one}' for one in own)})")
        names += own
    return sql, tuple(names)
