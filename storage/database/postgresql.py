"""PostgreSQL: the pool of connections to a server, prepared statements, and detection of a frozen server."""

from __future__ import annotations

import os
import re
import socket
import threading
import time
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from typing import Any

import peewee
import psycopg2
from playhouse.pool import PooledPostgresqlDatabase
from psycopg2.extensions import connection
from psycopg2.extras import execute_batch

from storage.database.statement_log import SAVEPOINT, Params, log_statement

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


LOOK_SECONDS = 1.0
PROBE_SECONDS = 5


class ServerWatch:
    """A watch on the running statements. It disconnects those whose server is frozen.

    A slow statement does not prove that the server is frozen: if the server answers another connection
    meanwhile, the statement continues.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._is_looking = False

    def add(self, connection: Connection, url: str, patience: float) -> None:
        """Check the statements of a connection that take longer than `patience` seconds."""
        connection.watched = url, patience
        with self._lock:
            self._connections.add(connection)
            if not self._is_looking:
                self._is_looking = True
                threading.Thread(target=self._loop, name="server-watch", daemon=True).start()

    def _loop(self) -> None:
        while self._look():
            time.sleep(LOOK_SECONDS)

    def _look(self) -> bool:
        """Check once; return False when no connection is left to watch."""
        with self._lock:
            held = [one for one in self._connections if not one.closed]
            self._is_looking = bool(held)
        late: dict[str, list[tuple[Connection, float]]] = {}
        for one in held:
            url, patience, since = *one.watched, one.since
            if since is not None and time.monotonic() - since > patience:
                late.setdefault(url, []).append((one, since))
        for url, waiting in late.items():
            is_frozen = not answers(url)
            for one, since in waiting:
                if one.since == since:
                    cut(one) if is_frozen else one.begin()
        return bool(held)


def answers(url: str) -> bool:
    """Return whether a server answers a new connection in time, even with an error."""
    began = time.monotonic()
    try:
        psycopg2.connect(url, connect_timeout=PROBE_SECONDS, application_name="curlew watch").close()
    except psycopg2.Error:
        return time.monotonic() - began < PROBE_SECONDS - 1
    return True


def cut(connection: Connection) -> None:
    """Shut down the socket of a connection, so that its waiting thread gets an error."""
    with suppress(OSError, psycopg2.Error), socket.socket(fileno=os.dup(connection.fileno())) as link:
        link.shutdown(socket.SHUT_RDWR)


@lru_cache(maxsize=1)
def watch_of(process: int) -> ServerWatch:
    """Return the watch of a process. A forked process needs its own, as threads do not survive a fork.

    Two threads that call it at once may create two; each watches its own connections.
    """
    return ServerWatch()


# Options of libpq (34.1.2): a server that the network has cut off counts as lost within a minute. Waiting
# callers then get an error, and the next attempt reaches the server's replacement.
WATCHED_LINK = {
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
NOTIFY = (
    "SELECT pg_notify(sent.channel, sent.topic) "
    "FROM unnest(CAST(%s AS TEXT[]), CAST(%s AS TEXT[])) AS sent(channel, topic)"
)

# After a server did not answer a new connection, no other is tried for this many seconds.
AWAY_SECONDS = 2.0


class ServerPool(PooledPostgresqlDatabase):  # type: ignore[misc]  # playhouse has no types
    """A pool that returns a connection without first checking that the server is alive.

    A dead connection fails at its first statement: Database then drops it and repeats statements that only
    read. While one thread tries to connect to a server that does not answer, the threads that wait for a
    connection fail together with that attempt.
    """

    turns = None

    def __init__(self, url: str, patience: float, **options: Any) -> None:
        super().__init__(url, timeout=patience, **options)
        self._watched = url, patience
        self._away_until = 0.0

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Execute a statement and return its cursor."""
        return self._ask(self.connection(), sql, params)

    def commit(self) -> Any:
        """Commit and notify the listeners in one round trip."""
        if self.is_closed():
            raise peewee.InterfaceError("the connection of the transaction is gone")
        connection: Connection = self.connection()
        signals, connection.signals = connection.signals, ()
        if not signals:
            return self.execute_sql("COMMIT")
        return self.execute_sql(f"{NOTIFY}; COMMIT", tuple(map(list, zip(*signals, strict=True))))

    def rollback(self) -> Any:
        """Roll back."""
        with self._asking() as connection:
            connection.signals = ()
            return super().rollback()

    def signal_with_commit(self, signals: Collection[tuple[str, str]]) -> None:
        """Notify the listeners of channels and topics with the next commit."""
        self.connection().signals = signals

    def set_savepoint(self) -> None:
        """Set a savepoint."""
        self.execute_sql(f"SAVEPOINT {SAVEPOINT}")

    def release_savepoint(self) -> None:
        """Release the innermost savepoint."""
        self.execute_sql(f"RELEASE SAVEPOINT {SAVEPOINT}")

    def undo_savepoint(self) -> None:
        """Roll back to the innermost savepoint and release it."""
        self.execute_sql(f"ROLLBACK TO SAVEPOINT {SAVEPOINT}; RELEASE SAVEPOINT {SAVEPOINT}")

    def block(self) -> Any:
        """Return a transaction that has not begun yet."""
        return self.transaction()

    def begin(self) -> None:
        """Begin a transaction."""
        with self._asking() as connection:
            connection.signals = ()
            super().begin()

    def statement(self, sql: str, params: Params) -> Any:
        """Execute a constant statement, planned once, and return its cursor. Raises psycopg2.Error."""
        connection, in_transaction = self.connection(), self.in_transaction()
        planned = connection.words.get(sql) or words(connection, sql, in_transaction=in_transaction)
        return self._ask(connection, planned, params)

    def statements(self, sql: str, params: Sequence[Params]) -> None:
        """Execute a constant statement once for each of `params`. Raises psycopg2.Error."""
        planned = words(self.connection(), sql, in_transaction=self.in_transaction())
        with self._asking():
            execute_batch(self.cursor(), planned, params)

    def _ask(self, connection: Connection, sql: str, params: Any) -> Any:
        log_statement(sql, params)
        connection.begin()
        try:
            cursor = connection.cursor()
            cursor.execute(sql, params or ())
        finally:
            connection.since = None
        return cursor

    @contextmanager
    def _asking(self) -> Iterator[Connection]:
        connection: Connection = self.connection()
        connection.begin()
        try:
            yield connection
        finally:
            connection.since = None

    def _connect(self) -> Connection:
        with self._pool_lock:
            began = time.monotonic()
            if began < self._away_until and not self._connections:
                raise psycopg2.OperationalError("the server answered nothing a moment ago")
            try:
                connection: Connection = super()._connect()
            except psycopg2.OperationalError:
                if time.monotonic() - began > 1:
                    self._away_until = time.monotonic() + AWAY_SECONDS
                raise
        if connection.watched != self._watched:
            watch_of(os.getpid()).add(connection, *self._watched)
        return connection

    def _is_closed(self, conn: Connection) -> bool:
        return bool(conn.closed)


def postgresql(url: str, pool: int, patience: float) -> ServerPool:
    """Return the pool for a database URL, which libpq interprets."""
    return ServerPool(
        url, patience, max_connections=pool, register_unicode=False, connect_timeout=5,
        connection_factory=Connection, application_name="curlew",
        **WATCHED_LINK,
        # JIT compilation takes longer than any of these statements.
        options=f"-c lock_timeout={round(patience * 1000)} -c jit=off",
    )  # fmt: skip
