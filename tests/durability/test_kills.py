"""kill -9 of a web worker and of the whole web server under writes: what was acknowledged is there, whole."""

from __future__ import annotations

import hashlib
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.database.database import Database
from tests.durability.acts import READER
from tests.durability.writer import Writer
from tests.kit.counting.amount import Counted, points, seed
from tests.kit.gunicorn import PATIENCE, Service, prepare

KILLS = 7
WRITERS = 4
MOST_ACKNOWLEDGED = 24
LONGEST_DELAY = 0.02
BUSY = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"""

pytestmark = pytest.mark.soak


class Round:
    """Counts what was acknowledged since the round began, and ends the writers' work."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = -WRITERS
        self._over = False

    def acknowledged(self) -> bool:
        """Called before each act; whether there is to be another."""
        with self._changed:
            self._count += 1
            self._changed.notify()
            return not self._over

    def until(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self._count >= count, PATIENCE)

    def end(self) -> None:
        with self._changed:
            self._over = True


def test_every_acknowledged_write_outlives_a_kill(
    database_url: str, tmp_path: Path, record_property: Counted
) -> None:
    dice = random.Random(seed())
    names = [f"writer{number}" for number in range(WRITERS)]
    folder = tmp_path / "data"
    tokens = prepare(folder, database_url, [*names, READER])
    service = Service(folder, database_url)
    writers = [Writer(service, name, tokens, random.Random(dice.random())) for name in names]
    service.start()
    database = Database(database_url)
    try:
        with ThreadPoolExecutor(WRITERS) as pool:
            for _ in range(points(KILLS)):
                one_kill(service, writers, pool, dice, database)
    finally:
        service.kill()
        database.close()
    check_storage(folder, database_url)
    record_property("kills of the web server or a worker", points(KILLS))


def one_kill(
    service: Service, writers: list[Writer], pool: ThreadPoolExecutor, dice: random.Random, database: Database
) -> None:
    """Let all write, kill at a random moment, and compare."""
    here = Round()
    works = [pool.submit(writer.work, here.acknowledged) for writer in writers]
    here.until(dice.randrange(MOST_ACKNOWLEDGED))
    time.sleep(dice.random() * LONGEST_DELAY)
    if dice.random() < 0.5:
        service.kill_worker(dice)
        here.end()
    else:
        service.kill()
        here.end()
        service.start()
    for work in works:
        work.result()
    until_heard(database)
    for done in [pool.submit(writer.compare) for writer in writers]:
        done.result()


def until_heard(database: Database) -> None:
    """Wait until PostgreSQL has executed the statements of processes that are dead by now."""
    while database.dialect == "postgresql" and database.rows(BUSY):
        time.sleep(0.002)


def check_storage(folder: Path, url: str) -> None:
    """Every row's bytes are there, no file is torn, and the database finds nothing wrong with itself."""
    database = Database(url)
    named = dict(database.rows("SELECT digest, size FROM leaf WHERE digest <> ''"))
    for digest, size in named.items():
        assert (folder / "blobs" / digest[:2] / digest[2:4] / digest).stat().st_size == size
    for path in (folder / "blobs").glob("??/??/*"):
        assert hashlib.sha256(path.read_bytes()).hexdigest() == path.name
    if database.dialect == "sqlite":
        assert database.rows("PRAGMA integrity_check") == [("ok",)]
        assert database.rows("PRAGMA foreign_key_check") == []
    database.close()
