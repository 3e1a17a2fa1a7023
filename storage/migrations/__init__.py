"""The schema step by step: numbered files with `up(migrator, db)` over frozen peewee models."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from playhouse.migrations import Migration, Runner

from vfs.errors import Conflict

HISTORY = "schema_migration"
WRITER = "schema_writer"


class _Numbered(Migration):  # type: ignore[misc]  # playhouse has no types
    """A migration that is loaded as the module of this package that it is."""

    __slots__ = ()

    def load(self) -> Any:
        return import_module(f"{__name__}.{self.name}")


class _Runner(Runner):  # type: ignore[misc]
    def migrations(self) -> list[Any]:
        return [_Numbered(*one) for one in super().migrations()]


def apply(database: Any) -> None:
    """Run what a peewee database inside a transaction lacks. Raises Conflict when it is ahead of us."""
    runner = _Runner(database, str(Path(__file__).parent), table_name=HISTORY)
    unknown = [known.name for known in runner.status() if known.path is None]
    if unknown:
        (writer,) = database.execute_sql(f"SELECT version FROM {WRITER}").fetchone()
        raise Conflict(
            f"This database was written by Curlew {writer} and holds changes that Curlew {release()} "
            f"does not know: {', '.join(unknown)}. Install Curlew {writer} or newer, or restore a backup."
        )
    if runner.up():
        database.execute_sql(f"CREATE TABLE IF NOT EXISTS {WRITER} (version TEXT NOT NULL)")
        database.execute_sql(f"DELETE FROM {WRITER}")
        database.execute_sql(f"INSERT INTO {WRITER} (version) VALUES ({database.param})", (release(),))


def lacking(database: Any) -> list[str]:
    """The changes that a peewee database with a schema lacks; none of one that has no schema yet."""
    known = _Runner(database, str(Path(__file__).parent), table_name=HISTORY).status()
    lacks = [one.name for one in known if one.path is not None and one.applied is None]
    return lacks if any(one.applied for one in known) else []


def release() -> str:
    """The version of Curlew that is running."""
    try:
        return version("curlew")
    except PackageNotFoundError:  # a checkout that was never installed
        return "0"
