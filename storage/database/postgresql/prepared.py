"""Prepared statements: each constant statement is planned once per connection, at its second use."""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from itertools import count
from typing import Any

import psycopg2
from psycopg2.extensions import connection

PARAMETER = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)|\?")
PLANNED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")


class Connection(connection):  # type: ignore[misc]  # psycopg2 has no types
    """A connection that remembers the SQL that executes each statement ("" after the first use).

    `signals`: channels and topics to notify on commit. `since`: monotonic start time of the running request,
    or None. `watched`: the server's URL, and the seconds after which a request is late.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.words: dict[str, str] = {}
        self.numbers = count(1)
        self.signals: Collection[tuple[str, str]] = ()
        self.since: float | None = None
        self.watched: tuple[str, float] = ("", 0.0)

    def begin(self) -> None:
        """Note the start of a request to the server."""
        self.since = time.monotonic()


def words(on: Connection, sql: str, *, in_transaction: bool) -> str:
    """Return the psycopg2 form of a statement that has `:name` or `?` for its parameters.

    Raises psycopg2.OperationalError.
    """
    known = on.words.get(sql)
    if known:
        return known
    plain = PARAMETER.sub(_mark, sql.replace("%", "%%"))
    if known is None and sql.lstrip().upper().startswith(PLANNED):
        on.words[sql] = ""
        return plain
    on.words[sql] = plain if known is None else _prepare(on, sql, in_transaction) or plain
    return on.words[sql]


def _prepare(on: Connection, sql: str, in_transaction: bool) -> str:
    """Prepare a statement; return the SQL that executes it, "" when PostgreSQL cannot infer its types."""
    name = f"curlew_{next(on.numbers)}"
    marks: list[str] = []

    def number(parameter: re.Match[str]) -> str:
        """Return the number of a parameter; a repeated name keeps its number."""
        mark = _mark(parameter)
        if mark == "%s" or mark not in marks:
            marks.append(mark)
            return f"${len(marks)}"
        return f"${marks.index(mark) + 1}"

    text = f"PREPARE {name} AS {PARAMETER.sub(number, sql)}"
    with on.cursor() as cursor:
        on.begin()
        try:
            if in_transaction:  # a refusal must not abort the transaction
                text = f"SAVEPOINT curlew_prepare; {text}; RELEASE SAVEPOINT curlew_prepare"
            cursor.execute(text)
        except (psycopg2.ProgrammingError, psycopg2.NotSupportedError):
            if in_transaction:
                cursor.execute("ROLLBACK TO SAVEPOINT curlew_prepare; RELEASE SAVEPOINT curlew_prepare")
            return ""
        finally:
            on.since = None
    return f"EXECUTE {name} ({', '.join(marks)})" if marks else f"EXECUTE {name}"


def _mark(parameter: re.Match[str]) -> str:
    return f"%({parameter[1]})s" if parameter[1] else "%s"
