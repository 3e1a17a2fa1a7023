"""Statements that only read: other connections may execute them, and once more after a failure."""

from __future__ import annotations

from functools import lru_cache

STATEMENTS = 4096


@lru_cache(STATEMENTS)
def only_reads(sql: str) -> bool:
    """Whether a statement is a SELECT."""
    return sql.lstrip()[:6].upper() == "SELECT"
