"""The schema: `0065_label_refs` creates it, and later numbered modules change it, by `up(migrator, db)`.

Databases with migrations from 0019 on, the schema of 0.1.0, are copied into it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from playhouse.migrations import Migration, Runner

from vfs.errors import Conflict

HISTORY = "schema_migration"
WRITER = "schema_writer"
WRITTEN = f"SELECT version FROM {WRITER}"
WHOLE = "0065_label_refs"
"""The migration that makes the whole schema; earlier ones have no module any more."""
OLDEST = "0019_elevated_members"
"""The schema of 0.1.0, the oldest that can be migrated."""


class _Numbered(Migration):  # type: ignore[misc]  # playhouse has no types
    """A migration that is loaded as a module of this package."""

    __slots__ = ()

    def load(self) -> Any:
        return import_module(f"{__name__}.{self.name}")


class _Runner(Runner):  # type: ignore[misc]
    only: Collection[str] | None = None

    def migrations(self) -> list[Any]:
        found = [_Numbered(*one) for one in super().migrations()]
        return [one for one in found if self.only is None or one.name in self.only]


def apply(database: Any, only: Collection[str] | None = None) -> None:
    """Run the migrations that a peewee database in a transaction lacks, or `only` some of them.

    Raises Conflict when the schema is newer than this release, or older than 0.1.0.
    """
    runner = _Runner(database, str(Path(__file__).parent), table_name=HISTORY)
    runner.only = only
    if applied := [known.name for known in runner.status() if known.applied]:
        require_known(applied, _writer(database))
        if WHOLE not in applied and OLDEST not in applied:
            raise Conflict(
                f"This database was written by a program before Curlew 0.1.0 ({applied[-1]} is its last "
                "change). Start it once with Curlew 0.1.0, then with this one."
            )
    if runner.up():
        database.execute_sql(f"CREATE TABLE IF NOT EXISTS {WRITER} (version TEXT NOT NULL)")
        database.execute_sql(f"DELETE FROM {WRITER}")
        database.execute_sql(f"INSERT INTO {WRITER} (version) VALUES ({database.param})", (release(),))


def require_known(schema: Iterable[str], writer: str) -> None:
    """Raise Conflict for a schema with migrations that this release does not know."""
    known = known_names()
    unknown = sorted(name for name in schema if name > WHOLE and name not in known)
    if unknown:
        raise Conflict(
            f"This database was written by Curlew {writer} and holds changes that Curlew {release()} "
            f"does not know: {', '.join(unknown)}. Install Curlew {writer} or newer, or restore a backup."
        )


def require_whole(schema: Iterable[str], writer: str, advice: str) -> None:
    """Raise Conflict unless this release can create the schema of some rows."""
    names = list(schema)
    require_known(names, writer)
    if WHOLE not in names:
        raise Conflict(
            f"This schema is older than {WHOLE} ({max(names, default='no change')} is its last change), "
            f"and Curlew {release()} cannot convert it. {advice}"
        )


def known_names() -> frozenset[str]:
    """Return the names of the migrations of this release, with those that the first one contains."""
    return frozenset(path.stem for path in Path(__file__).parent.glob("[0-9]*.py"))


def writer_of(rows: Callable[[str], Iterable[tuple[Any, ...]]]) -> str:
    """Return the release that last changed a schema, given a function that executes SQL."""
    return next((str(version) for (version,) in rows(WRITTEN)), "0")


def _writer(database: Any) -> str:
    return writer_of(lambda sql: database.execute_sql(sql).fetchall())


def has_history(database: Any) -> bool:
    """Return whether a peewee database has the table of migrations."""
    return bool(database.table_exists(HISTORY))


def lacking(database: Any) -> list[str]:
    """Return the migrations that a peewee database with a schema lacks; none for one without a schema."""
    known = _Runner(database, str(Path(__file__).parent), table_name=HISTORY).status()
    lacks = [one.name for one in known if one.path is not None and one.applied is None]
    return lacks if any(one.applied for one in known) else []


def release() -> str:
    """Return the running version of Curlew."""
    try:
        return version("curlew")
    except PackageNotFoundError:  # a checkout that was never installed
        return "0"
