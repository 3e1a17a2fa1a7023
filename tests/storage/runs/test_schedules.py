"""The keepers of schedules keep the promises of the port, between processes too, and one process leads."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from chains.schedules.timetable import Lead, moment
from storage.database.database import Database
from storage.runs.schedules import StoredSchedules
from storage.signals.change_signal import ChangeSignal
from storage.signals.change_signals import change_signal_of
from storage.upkeep.leader import FileLead, PostgresLead
from tests.kit.counting.statements import Statements
from tests.kit.suites.chains import NEVER, SOON, while_waiting
from tests.kit.suites.chains.timetables import RebuildSuite, SchedulesSuite, TimetableWakeSuite, job, the_due
from tests.kit.world import StoredWorld
from vfs.errors import Unavailable

HOLDER = """
import sys
from pathlib import Path
from storage.upkeep.leader import FileLead, PostgresLead
url = sys.argv[1]
lead = PostgresLead(url) if url.startswith("postgresql") else FileLead(Path(url))
print(lead.mine(), flush=True)
sys.stdin.read()
"""


class TestSchedules(SchedulesSuite):
    pass


class TestRebuild(RebuildSuite):
    pass


class TestWaking(TimetableWakeSuite):
    pass


class TestInADatabase:
    def test_a_change_wakes_another_process(
        self, stored: StoredWorld, migrated_url: str, tmp_path: Path
    ) -> None:
        made, other = job(stored), Database(migrated_url)
        here, there = (
            change_signal_of(database, migrated_url, tmp_path / "signals")
            for database in (stored.database, other)
        )
        listening = StoredSchedules(other, there, stored.clock)
        seen = listening.wake(0, None)
        woken, late = while_waiting(
            lambda: listening.wake(seen, NEVER),
            lambda: StoredSchedules(stored.database, here, stored.clock).set(made, "* * * * *", True),
        )
        assert woken != seen
        assert late < SOON
        for change_signal in (here, there):
            change_signal.close()
        other.close()

    def test_a_rebuild_does_not_overtake_a_write(self, stored: StoredWorld) -> None:
        made, text = job(stored, schedule="* * * * *"), "30 4 * * *"
        other = StoredSchedules(stored.database, ChangeSignal(), stored.clock)
        with ThreadPoolExecutor(1) as pool:
            with stored.database.atomic():
                stored.leaves.put(made, "config/schedule", text, "alice")
                stored.schedules.set(made, text, True)
                rebuilt = pool.submit(other.rebuild)
            rebuilt.result()
        assert the_due(stored).schedule.expression == text

    def test_planning_looks_at_nothing_but_what_is_due(
        self, stored: StoredWorld, statements: Statements
    ) -> None:
        for number in range(20):
            stored.schedules.set(job(stored, f"j{number}"), f"{number} 4 * * *", True)
        found: list[int | str | None] = []
        for call in (
            lambda: found.append(len(stored.schedules.due(moment("2026-01-02T04:09:00.000Z"), 100))),
            lambda: found.append(stored.schedules.first()),
        ):
            assert statements(call) == 1
        assert found == [10, "2026-01-02T04:00:00.000Z"]


class TestLead:
    @pytest.fixture(autouse=True)
    def keep(self, migrated_url: str, tmp_path: Path) -> Iterator[None]:
        self.where = migrated_url if migrated_url.startswith("postgresql") else str(tmp_path / "lead")
        self.leads = [self.lead() for _ in range(2)]
        yield
        for lead in self.leads:
            lead.release()

    def lead(self) -> Lead:
        return PostgresLead(self.where) if "://" in self.where else FileLead(Path(self.where))

    def test_one_has_it_until_it_is_released(self) -> None:
        one, two = self.leads
        assert (one.mine(), one.mine(), two.mine(), one.mine()) == (True, True, False, True)
        one.release()
        assert (two.mine(), one.mine()) == (True, False)
        two.release()
        assert one.mine()

    def test_the_lead_of_a_killed_process_is_free(self) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, self.where],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
        )
        with process:
            assert process.stdout is not None
            assert process.stdout.readline() == "True\n"
            assert not self.leads[0].mine()
            process.kill()
        # The server notices that the connection is gone in its own time.
        for _ in range(100):
            if self.leads[0].mine():
                break
            select.select([], [], [], 0.02)
        assert self.leads[0].mine()


def test_without_a_server_nobody_leads() -> None:
    lead = PostgresLead(f"postgresql:///nothing?host=/nowhere/{os.getpid()}")
    with pytest.raises(Unavailable, match="database is away"):
        lead.mine()
    lead.release()


@pytest.mark.parametrize(
    "migrated_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
def test_a_lead_goes_with_its_connection(migrated_url: str, database: Database) -> None:
    lead = PostgresLead(migrated_url)
    assert lead.mine()
    database.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'curlew lead'"
    )
    with pytest.raises(Unavailable, match="database is away"):
        lead.mine()
    assert lead.mine()
    lead.release()
