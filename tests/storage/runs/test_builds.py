"""The books of builds keep the promises of the port: on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.builds.book import Builds
from chains.testing.builds import BuildsSuite
from storage.database.database import Database
from storage.runs.builds import StoredBuilds
from storage.signals.bells import bell_of
from vfs.testing import StillClock


class TestBuildsInADatabase(BuildsSuite):
    @pytest.fixture(autouse=True)
    def keep(self, migrated_url: str, tmp_path: Path) -> Iterator[None]:
        self.database = Database(migrated_url)
        self.bell = bell_of(self.database, migrated_url, tmp_path / "bells")
        yield
        self.bell.close()
        self.database.close()

    def builds(self) -> Builds:
        return StoredBuilds(self.database, self.bell, StillClock())
