"""Constant statements as PostgreSQL takes them: planned once per connection, from their second use on."""

from __future__ import annotations

from itertools import count
from typing import Any

import psycopg2
from psycopg2.extensions import connection

PLANNED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")


class Connection(connection):  # type: ignore[misc]  # psycopg2 has no types
    """A connection that knows the words by which it executes each statement ("" after the first use)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.words: dict[str, str] = {}
        self.numbers = count(1)


def words(on: Connection, sql: str, *, in_transaction: bool) -> str:
    """A statement with `?` for each parameter in the words of psycopg2. Raises psycopg2.OperationalError."""
    known = on.words.get(sql)
    if known:
        return known
    plain = sql.replace("%", "%%").replace("?", "%s")
    if known is None and sql.lstrip().upper().startswith(PLANNED):
        on.words[sql] = ""
        return plain
    on.words[sql] = plain if known is None else _prepare(on, sql, in_transaction) or plain
    return on.words[sql]


def _prepare(on: Connection, sql: str, in_transaction: bool) -> str:
    """Words that execute the prepared statement; "" when PostgreSQL cannot tell its parameters' types."""
    name = f"curlew_{next(on.numbers)}"
    numbers = count(1)
    body = "".join(f"${next(numbers)}" if letter == "?" else letter for letter in sql)
    text = f"PREPARE {name} AS {body}"
    with on.cursor() as cursor:
        try:
            if in_transaction:  # a refusal must not take the transaction with it
                text = f"SAVEPOINT curlew_prepare; {text}; RELEASE SAVEPOINT curlew_prepare"
            cursor.execute(text)
        except (psycopg2.ProgrammingError, psycopg2.NotSupportedError):
            if in_transaction:
                cursor.execute("ROLLBACK TO SAVEPOINT curlew_prepare; RELEASE SAVEPOINT curlew_prepare")
            return ""
    marks = ", ".join(["%s"] * (next(numbers) - 1))
    return f"EXECUTE {name} ({marks})" if marks else f"EXECUTE {name}"
