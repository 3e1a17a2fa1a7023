"""A disk that is really full: a small separate file system with little or no room left."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import product
from pathlib import Path

import psycopg2
import pytest

from tests.durability.acts import KINDS, READER, write
from tests.durability.faulty_server import REFUSALS, USER
from tests.durability.test_disk_faults import populate
from tests.durability.test_kills import check_storage
from tests.durability.test_lost_database import refused
from tests.durability.writer import Away, Writer
from tests.kit.counting.amount import points, seed
from tests.kit.disk.small import filled, mounted
from tests.kit.gunicorn import Client, Service, prepare
from tests.kit.postgres import Postgres

SIZE = 32 << 20
ROOM = (0, 4096, 20_000, 80_000, 400_000)
CONNECTED = "SELECT FROM pg_stat_activity WHERE datname = 'small'"

pytestmark = pytest.mark.soak


def test_a_full_disk_takes_nothing_and_loses_nothing(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", SIZE) as disk:
        url = f"sqlite:///{disk}/data/curlew.db"
        work_on(disk, disk / "data", url)
        check_storage(disk / "data", url)


@pytest.fixture
def small(postgres: Postgres) -> Iterator[tuple[Path, str]]:
    """A disk that is small, and the URL of a database on it."""
    admin = psycopg2.connect(postgres.url("postgres"))
    admin.autocommit = True
    with mounted(postgres.folder / "small", SIZE) as disk, admin.cursor() as cursor:
        owner = postgres.folder.stat()
        os.chown(disk, owner.st_uid, owner.st_gid)
        cursor.execute("CREATE TABLESPACE small LOCATION %s", (str(disk),))
        cursor.execute("CREATE DATABASE small TABLESPACE small")
        try:
            yield disk, postgres.url("small")
        finally:
            cursor.execute("DROP DATABASE small WITH (FORCE)")
            cursor.execute("DROP TABLESPACE small")
    admin.close()


@pytest.mark.postgres
def test_a_database_on_a_full_disk_takes_nothing_and_loses_nothing(
    small: tuple[Path, str], tmp_path: Path
) -> None:
    disk, url = small
    work_on(disk, tmp_path / "data", url, Away)


@pytest.mark.postgres
def test_a_database_that_takes_no_connection_on_a_full_disk_is_away_until_there_is_room(
    postgres: Postgres, small: tuple[Path, str], tmp_path: Path
) -> None:
    disk, url = small
    with working(tmp_path / "data", url) as (writer, client):
        populate(client, writer, random.Random(seed()), write)
        with filled(disk, 0):
            let_nobody_in(postgres, disk, url)
            refused(client.call("GET", "/v1/vis/docs"))
            with pytest.raises(Away):
                writer.compare()
        writer.compare()


def let_nobody_in(postgres: Postgres, disk: Path, url: str) -> None:
    """End the connections, and spoil what PostgreSQL then writes again, as it does after some vacuums."""
    with suppress(psycopg2.OperationalError):
        psycopg2.connect(url).close()
    for path in disk.rglob("pg_internal.init"):
        with path.open("r+b") as file:
            file.write(bytes(8))
    connection = psycopg2.connect(postgres.url("postgres"))
    connection.autocommit = True
    with closing(connection), connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'small'")
        while cursor.execute(CONNECTED) or cursor.fetchall():
            time.sleep(0.01)


@contextmanager
def working(data: Path, url: str) -> Iterator[tuple[Writer, Client]]:
    """A service, and a writer at it with a separate connection."""
    tokens = prepare(data, url, [USER, READER])
    service = Service(data, url, workers=1)
    service.start()
    client = service.client(tokens[USER])
    try:
        yield Writer(service, USER, tokens, random.Random(seed())), client
    except AssertionError as failed:
        failed.add_note(service.log())
        raise
    finally:
        client.close()
        service.kill()


def work_on(disk: Path, data: Path, url: str, *away: type[Exception]) -> None:
    """Do everything with more and less room, and compare each time, with so much room and with enough.

    A database may be `away` while its disk is full: it writes something to it for each new connection after
    a vacuum.
    """
    dice = random.Random(seed())
    refusals = 0
    with working(data, url) as (writer, client):
        for _, room, (kind, _) in product(range(points(1)), ROOM, KINDS):
            populate(client, writer, dice, kind)
            with filled(disk, room):
                answer = writer.attempt(client, kind(dice, USER, writer.picture))
                with suppress(*away):
                    writer.compare()
            writer.compare()
            if answer.status >= 300:
                refusals += 1
                assert answer.status in REFUSALS, (room, kind, answer)
                assert json.loads(answer.body)["status"] == answer.status
    assert refusals > 0
