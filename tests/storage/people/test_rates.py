"""The keepers of limits keep the promises of the port, and all processes count as one."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from storage.database.database import Database
from storage.people.rates import StoredRates
from tests.kit.suites.kernel import StillClock
from tests.kit.suites.kernel.rates import RatesSuite
from tests.kit.world import StoredWorld
from vfs.ports.people import Limit

TAKING = """
import sys
from storage.database.database import Database
from storage.people.rates import StoredRates
from vfs.ports.people import Limit
from tests.kit.suites.kernel import StillClock
database = Database(sys.argv[1], synchronous="off")
rates = StoredRates(database, StillClock())
sys.stdin.readline()
print(sum(not rates.take([Limit("one", 20, 60), Limit("two", 1000, 60)]) for _ in range(20)))
database.close()
"""


class TestRates(RatesSuite):
    pass


def test_processes_count_as_one(database: Database, migrated_url: str) -> None:
    command = [sys.executable, "-c", TAKING, migrated_url]
    workers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    assert sum(int(worker.communicate()[0]) for worker in workers) == 20
    assert database.row("SELECT MIN(taken), MAX(taken) FROM rate") == (20, 20)


def test_threads_count_as_one(stored: StoredWorld) -> None:
    limits = [Limit("one", 20, 60), Limit("two", 1000, 60)]
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda turn: stored.rates.take(limits[:: (-1) ** turn]), range(60)))
    assert waits.count(0) == 20


def test_expired_rates_are_removed_automatically(database: Database) -> None:
    clock = StillClock()
    rates = StoredRates(database, clock)
    for number in range(50):
        rates.take([Limit(f"a try of {number}", 10, 60)])
    clock.forward(61)
    rates.take([Limit("another", 10, 60)])
    assert database.row("SELECT COUNT(*) FROM rate") == (1,)


def test_no_name_and_no_address_is_kept(database: Database) -> None:
    StoredRates(database, StillClock()).take([Limit("sign-in alice from 10.0.0.1", 10, 60)])
    (subject,) = database.row("SELECT subject FROM rate") or ("",)
    assert len(subject) == 64 and "alice" not in subject
