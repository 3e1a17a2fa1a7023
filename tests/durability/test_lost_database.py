"""PostgreSQL lost at any message, and its whole server: old or new, said clearly, with automatic recovery."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Literal

import psycopg2
import pytest

from tests.durability.acts import KINDS, READER, Kind
from tests.durability.faulty_server import USER
from tests.durability.test_disk_faults import populate
from tests.durability.test_kills import Round
from tests.durability.wire import Cut, Wire
from tests.durability.writer import Writer
from tests.kit.client import Answer
from tests.kit.counting.amount import Counted, points, seed
from tests.kit.gunicorn import Service, prepare
from tests.kit.postgres import Postgres

KILLS = 3
WRITERS = 4
MOST_ACKNOWLEDGED = 12

pytestmark = [pytest.mark.soak, pytest.mark.postgres]


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    """The URL of a fresh database."""
    url = postgres.fresh()
    yield url
    postgres.drop(url)


def refused(answer: Answer) -> None:
    """Fail unless an answer is the one refusal for a database that is away."""
    assert (answer.status, answer.headers["content-type"]) == (503, "application/problem+json"), answer
    assert json.loads(answer.body)["type"].endswith("#unavailable")
    assert int(answer.headers["retry-after"]) > 0


def test_a_connection_lost_at_any_message_loses_nothing(
    postgres: Postgres, url: str, tmp_path: Path, record_property: Counted
) -> None:
    dice = random.Random(seed())
    tokens = prepare(tmp_path / "data", url, [USER, READER])
    wire = Wire(tmp_path / "wire", postgres.folder)
    service = Service(tmp_path / "data", url.replace(str(postgres.folder), str(tmp_path / "wire")), workers=1)
    service.start()
    writer = Writer(service, USER, tokens, dice)
    try:
        for kind, _ in KINDS:
            for when in ("before", "after"):
                cuts = cut_everywhere(wire, service, writer, dice, kind, when)
                assert cuts > 2
                record_property("lost connections to PostgreSQL", cuts)
    finally:
        service.kill()
        wire.close()


def cut_everywhere(
    wire: Wire,
    service: Service,
    writer: Writer,
    dice: random.Random,
    kind: Kind,
    when: Literal["before", "after"],
) -> int:
    """The number of messages at which the connection was lost in acts of a kind."""
    client = service.client(writer.token)
    try:
        for nth in count(1):
            populate(client, writer, dice, kind)
            wire.arm(Cut(nth, when))
            answer = writer.attempt(client, kind(dice, USER, writer.picture))
            hit = wire.disarm()
            if answer.status >= 300:
                refused(answer)
            writer.compare()
            if not hit:
                return nth - 1
    finally:
        client.close()
    raise AssertionError


def test_a_database_that_restarts_is_found_again(tmp_path: Path, record_property: Counted) -> None:
    """Acknowledged writes outlive kill -9 of PostgreSQL, too, and the web server needs no care."""
    server = Postgres()
    dice = random.Random(seed())
    try:
        url = server.fresh()
        commit_for_good(url)
        names = [f"writer{number}" for number in range(WRITERS)]
        tokens = prepare(tmp_path / "data", url, [*names, READER])
        service = Service(tmp_path / "data", url)
        writers = [Writer(service, name, tokens, random.Random(dice.random())) for name in names]
        service.start()
        try:
            with ThreadPoolExecutor(WRITERS) as pool:
                for _ in range(points(KILLS)):
                    one_crash(server, service, writers, pool, dice)
        finally:
            service.kill()
    finally:
        server.stop()
    record_property("kills of PostgreSQL", points(KILLS))


def commit_for_good(url: str) -> None:
    """The suite's servers acknowledge before they have written: not here."""
    connection = psycopg2.connect(url)
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database());"
            " END $$"
        )
    connection.close()


def one_crash(
    server: Postgres, service: Service, writers: list[Writer], pool: ThreadPoolExecutor, dice: random.Random
) -> None:
    """Let all write, kill the database at a random moment, and compare once it is back."""
    here = Round()
    works = [pool.submit(writer.work, here.acknowledged, 503) for writer in writers]
    here.until(dice.randrange(MOST_ACKNOWLEDGED))
    server.crash()
    for work in works:
        work.result()
    client = service.client(writers[0].token)
    for path in ("/v1/whoami", "/readyz"):
        assert client.call("GET", path).status == 503
    refused(client.call("PUT", "/v1/vis/docs/away"))
    assert client.call("GET", "/healthz").status == 200
    server.restart()
    client.close()
    for done in [pool.submit(writer.compare) for writer in writers]:
        done.result()
