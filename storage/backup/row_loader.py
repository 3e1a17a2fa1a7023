"""RowLoader: fills an empty database with the rows of a backup, all or none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from storage.backup.backup_scan import TablePart
from storage.backup.tar_format import DamagedBackup

AT_ONCE = 500


class RowLoader(ABC):
    """A new database that is invisible before `commit`."""

    @abstractmethod
    def begin(self, schema: Sequence[str]) -> None:
        """Make the tables of these migrations, without rows."""

    @abstractmethod
    def load(self, part: TablePart) -> None:
        """Store rows as they are. Raises DamagedBackup when they do not fit the tables."""

    @abstractmethod
    def finish(self) -> None:
        """Check foreign keys, and migrate the tables to the present schema. Raises DamagedBackup."""

    @abstractmethod
    def commit(self) -> None:
        """Make the database visible, permanently."""

    @abstractmethod
    def close(self) -> None:
        """Remove everything, unless it was committed."""


def require_columns(part: TablePart, columns: Sequence[str]) -> None:
    """Raise DamagedBackup unless rows have exactly the columns of their table (none: no such table)."""
    if sorted(part.columns) != sorted(columns):
        raise DamagedBackup(f"the table {part.table} has other columns in the schema that the backup names")
