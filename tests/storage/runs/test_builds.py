"""The books of builds keep the promises of the port: on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.database.database import Database
from storage.runs.builds import KEPT_LOGS, StoredBuilds
from storage.signals.change_signals import change_signal_of
from tests.kit.suites.chains.builds import BuildsSuite
from tests.kit.suites.kernel import StillClock


class TestBuildsInADatabase(BuildsSuite):
    @pytest.fixture(autouse=True)
    def keep(self, migrated_url: str, tmp_path: Path) -> Iterator[None]:
        self.database = Database(migrated_url)
        self.change_signal = change_signal_of(self.database, migrated_url, tmp_path / "signals")
        yield
        self.change_signal.close()
        self.database.close()

    def builds(self) -> StoredBuilds:
        return StoredBuilds(self.database, self.change_signal, StillClock())

    def test_of_many_builds_of_a_repo_the_newest_keep_their_logs(self) -> None:
        builds, made = self.builds(), []
        other = builds.queue(2, ["main"], "refs/heads/main", "c", "bob")
        builds.take("runner")
        for number in range(KEPT_LOGS + 5):
            made.append(builds.queue(1, ["main"], "refs/heads/main", f"c{number}", "bob"))
            builds.take("runner")
            builds.line(made[-1], "hello")
            if number != 1:
                builds.finish(made[-1], None, "broken")
        builds.line(other, "hello")
        lines = [len(builds.lines(build)) for build in made]
        assert lines[0] == lines[2] == lines[3] == 0
        assert min(lines[1], *lines[5:], len(builds.lines(other))) > 0
        assert builds.pusher(1, "c0") == "bob"
