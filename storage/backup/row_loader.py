"""RowLoader: fills an empty database with the rows of a backup; all of them are there or none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from storage.backup.backup_scan import TablePart
from storage.backup.tar_format import DamagedBackup

AT_ONCE = 500


class RowLoader(ABC):
    """A new database that nobody sees before `commit`."""

    @abstractmethod
    def begin(self, schema: Sequence[str]) -> None:
        """Make the tables that these migrations make, without rows."""
        ...

    @abstractmethod
    def load(self, part: TablePart) -> None:
        """Store rows as they are. Raises DamagedBackup when they do not fit the tables."""
        ...

    @abstractmethod
    def finish(self) -> None:
        """Check what rows say of others, and bring the tables up to date. Raises DamagedBackup."""
        ...

    @abstractmethod
    def commit(self) -> None:
        """Let it be seen, for good."""
        ...

    @abstractmethod
    def close(self) -> None:
        """Leave nothing, unless it was committed."""
        ...


def require_columns(part: TablePart, columns: Sequence[str]) -> None:
    """Raise DamagedBackup unless rows have just the columns of their table (none: there is no such table)."""
    if sorted(part.columns) != sorted(columns):
        raise DamagedBackup(f"the table {part.table} has other columns in the schema that the backup names")
