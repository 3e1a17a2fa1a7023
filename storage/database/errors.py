"""Translation of the errors of the two database drivers."""

from __future__ import annotations

import sqlite3

import peewee
import psycopg2
from playhouse.pool import MaxConnectionsExceeded

from vfs.errors import NoSpace, Unavailable

FOREIGN = (peewee.PeeweeException, MaxConnectionsExceeded, sqlite3.Error, psycopg2.Error)

_SQLITE_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_SQLITE_AWAY = {
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PROTOCOL,
}  # fmt: skip
_POSTGRES_BUSY = {"40001", "40P01", "55P03"}  # serialization failure, deadlock, lock not available
_POSTGRES_FULL = "53100"


def _cause(error: Exception) -> Exception:
    """Return the driver's error inside peewee's, which may be wrapped twice."""
    while isinstance(inner := getattr(error, "orig", None), Exception):
        error = inner
    return error


def is_lost(error: Exception) -> bool:
    """Return whether the error means that the connection is lost."""
    cause = _cause(error)
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _SQLITE_AWAY
    if isinstance(cause, psycopg2.OperationalError | psycopg2.InterfaceError):
        return cause.pgcode is None or cause.pgcode[:2] in ("08", "57")
    # A server that ends while it answers causes a plain DatabaseError without a code.
    return type(cause) is psycopg2.DatabaseError and getattr(cause, "pgcode", None) is None


def busy() -> Unavailable:
    """Return the error for a wait for a lock or a connection that took too long."""
    return Unavailable("The database is busy with other requests; try again in a moment.", retry_after=1)


def meaning(error: Exception) -> Exception:
    """Return the matching error of vfs.errors, or peewee's IntegrityError or programming error unchanged."""
    cause = _cause(error)
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    state = getattr(cause, "pgcode", None)
    if code == sqlite3.SQLITE_FULL or state == _POSTGRES_FULL:
        return NoSpace("The database's disk is full, so nothing was stored; free some space on the server.")
    if code in _SQLITE_BUSY or state in _POSTGRES_BUSY or isinstance(cause, MaxConnectionsExceeded):
        return busy()
    if is_lost(error) or isinstance(cause, psycopg2.OperationalError | psycopg2.InterfaceError):
        return Unavailable("The database cannot be reached just now; try again in a moment.", retry_after=2)
    if isinstance(error, sqlite3.IntegrityError | psycopg2.IntegrityError):
        return peewee.IntegrityError(error, *error.args)
    return error
