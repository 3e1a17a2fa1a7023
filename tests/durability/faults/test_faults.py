"""Faults of the chapter's table in real processes: what clients see, for how long, and what is lost."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.durability.faults.stage import JSON, PLOT, PNG, QUICK, SLOW, USER, Row, Stage, await_so, table
from tests.durability.faults.test_failing_disk import BROKEN_DISK
from tests.durability.faults.test_podman_faults import CONTAINERS
from tests.durability.writer import BROKEN
from tests.kit.disk.small import filled, mounted
from tests.kit.gunicorn import PASSWORD
from tests.kit.postgres import Postgres

SIZE = 96 << 20
LARGE = b"name,size\n" + b"terns,1\n" * 20_000
LEFT = 600_000  # less than what the reserve is given up at, which leaves room for small writes
LOCKED_SECONDS = 1.0
PATIENCE = 10.0
JUMPING = (sys.executable, "-P", str(Path(__file__).with_name("jumping_clock.py")))
DAY = 24 * 3600
STAND_BACK = 15.0

Play = Callable[[Stage, Row], None]


def disk_full(stage: Stage, row: Row) -> None:
    with filled(stage.folder.parent, LEFT):
        for answer in (
            stage.call("POST", f"{PLOT}/data", LARGE),
            stage.call("POST", f"/v1/code/jobs/{QUICK}/data", b"{}", JSON),
        ):
            row.tells(answer)
        assert stage.want("GET", f"{PLOT}/data") == stage.kept
        stage.write()
        status, health, says = stage.check("disk")
        assert (status, health) == (503, "fail")
        row.says(says)
    stage.measure(row)


def render_killed(stage: Stage, row: Row) -> None:
    stage.want("GET", PNG)
    stage.render.kill()
    stage.want("GET", PNG)
    stage.write()
    row.tells(stage.call("GET", PNG))
    status, health, says = stage.check("render")
    assert (status, health) == (200, "warn")
    row.says(says)
    stage.render.start()
    stage.measure(row)


def runner_killed(stage: Stage, row: Row) -> None:
    going = stage.trigger(SLOW)
    await_so(lambda: stage.want("GET", f"{going}/log") != b"")
    stage.runner.kill()
    waiting = stage.trigger(QUICK)
    await_so(lambda: stage.check("runner")[1] == "warn")
    row.says(stage.check("runner")[2])
    stage.runner.start()
    began = time.monotonic()
    await_so(lambda: stage.status(going) == "failed" and stage.status(waiting) == "success")
    assert time.monotonic() - began < row.seconds
    row.says(stage.want("GET", f"{going}/log").decode())
    stage.measure(row)


def runner_hangs(stage: Stage, row: Row) -> None:
    stage.runner.signal(signal.SIGSTOP)
    waiting = stage.trigger(QUICK)
    await_so(lambda: stage.check("runner")[1] == "warn")
    row.says(stage.check("runner")[2])
    assert stage.status(waiting) == "processing"
    stage.runner.signal(signal.SIGCONT)
    stage.measure(row)
    await_so(lambda: stage.status(waiting) == "success")


def worker_killed(stage: Stage, row: Row) -> None:
    with closing(stage.client()) as client:
        client.call("GET", f"{PLOT}/data")
        for worker in stage.web.workers():
            os.kill(worker, signal.SIGKILL)
        with suppress(*BROKEN):
            client.call("GET", f"{PLOT}/data")
    assert "breaks off" in row.clients
    stage.measure(row, whole=False)


def database_gone(stage: Stage, row: Row) -> None:
    aside = stage.folder.with_name("aside")
    aside.mkdir()
    moved = [file.rename(aside / file.name) for file in stage.folder.glob("curlew.db*")]
    row.tells(stage.try_write())
    row.tells(stage.call("GET", f"{PLOT}/data"))
    status, health, says = stage.check("database")
    assert (status, health) == (503, "fail")
    row.says(says)
    assert stage.call("GET", "/healthz").status == 200
    for worker in stage.web.workers():
        os.kill(worker, signal.SIGKILL)
    await_so(lambda: _refuses(stage, row))
    for file in moved:
        file.rename(stage.folder / file.name)
    stage.measure(row, whole=False)


def _refuses(stage: Stage, row: Row) -> bool:
    """Whether those that came in the place of killed workers answer, and refuse as the row says."""
    try:
        row.tells(stage.try_write())
    except BROKEN:
        return False
    return True


def database_locked_for_a_moment(stage: Stage, row: Row) -> None:
    with closing(sqlite3.connect(stage.folder / "curlew.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(4) as pool:
            writes = [pool.submit(stage.try_write) for _ in range(4)]
            stage.want("GET", f"{PLOT}/data")
            time.sleep(LOCKED_SECONDS)
            assert not any(write.done() for write in writes)
            other.execute("ROLLBACK")
            assert {write.result().status for write in writes} == {200}
    stage.measure(row, whole=False)


def database_locked_for_long(stage: Stage, row: Row) -> None:
    with closing(sqlite3.connect(stage.folder / "curlew.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            writes = [pool.submit(stage.try_write) for _ in range(8)]
            while not all(write.done() for write in writes):
                stage.want("GET", f"{PLOT}/data")
            for write in writes:
                row.tells(write.result())
        assert time.monotonic() - began < 2 * PATIENCE + STAND_BACK
        other.execute("ROLLBACK")
    stage.measure(row, whole=False)


def clock_jumps(stage: Stage, row: Row) -> None:
    wanted = {"username": USER, "password": PASSWORD, "token_name": "brief", "expires_in": 3600}
    made = json.loads(stage.want("POST", "/v1/token", json.dumps(wanted).encode(), JSON))
    with closing(stage.web.client(made["token"])) as brief:
        assert brief.call("GET", f"{PLOT}/data").status == 200
        stage.set_clock(DAY)
        stage.measure(row, whole=False)
        row.tells(brief.call("GET", f"{PLOT}/data"))
        stage.set_clock(0)
        stage.measure(row, whole=False)
        row.tells(brief.call("GET", f"{PLOT}/data"))
        stage.web.stop()
        assert "`seen`" in row.act
        (stage.folder / "seen").unlink()
        stage.web.start()
        assert brief.call("GET", f"{PLOT}/data").status == 200
    stage.measure(row, whole=False)


def postgres_stopped(stage: Stage, row: Row, server: Postgres) -> None:
    server.crash()
    for answer in (stage.try_write(), stage.call("GET", f"{PLOT}/data")):
        row.tells(answer)
    assert (stage.call("GET", "/healthz").status, stage.call("GET", "/readyz").status) == (200, 503)
    server.restart()
    stage.measure(row, whole=False)


def postgres_hangs(stage: Stage, row: Row, server: Postgres) -> None:
    with server.frozen():
        began = time.monotonic()
        row.tells(stage.try_write())
        assert time.monotonic() - began < 3 * PATIENCE + STAND_BACK
        assert stage.call("GET", "/healthz").status == 200
    stage.measure(row, whole=False)


LOCKED = "another program locks the SQLite file"
STOPPED, HANGS = "PostgreSQL is stopped", "PostgreSQL answers nothing"
WHOLE: dict[str, Play] = {
    "the disk of the data folder is full": disk_full,
    "the rendering service is gone": render_killed,
    "the runner is gone": runner_killed,
    "the runner hangs": runner_hangs,
}
WEB: dict[str, Play] = {
    "a web process is killed": worker_killed,
    "the SQLite file is moved away, replaced or removed": database_gone,
    LOCKED: database_locked_for_a_moment,
}
POSTGRES: dict[str, Callable[[Stage, Row, Postgres], None]] = {
    STOPPED: postgres_stopped,
    HANGS: postgres_hangs,
}
CLOCK = "the clock jumps"


def test_every_fault_of_the_chapter_is_brought_about() -> None:
    played = [*WHOLE, *WEB, *POSTGRES, CLOCK, BROKEN_DISK, *CONTAINERS]
    assert sorted(table()) == sorted(played)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """All processes, on a disk that can be filled."""
    with mounted(tmp_path_factory.mktemp("whole") / "disk", SIZE) as disk:
        stage = Stage(disk / "data")
        try:
            stage.start()
            yield stage
        finally:
            stage.close()


@pytest.mark.podman  # root's
@pytest.mark.parametrize("fault", WHOLE)
def test_a_fault_of_the_whole_service(whole: Stage, fault: str) -> None:
    WHOLE[fault](whole, table()[fault])


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The web server alone."""
    stage = Stage(tmp_path_factory.mktemp("web") / "data")
    try:
        stage.start(whole=False)
        yield stage
    finally:
        stage.close()


@pytest.mark.parametrize("fault", WEB)
def test_a_fault_of_the_web_server(web: Stage, fault: str) -> None:
    WEB[fault](web, table()[fault])


def test_a_clock_that_jumps(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "data", command=JUMPING)
    stage.set_clock(0)
    try:
        stage.start(whole=False)
        clock_jumps(stage, table()[CLOCK])
    finally:
        stage.close()


@pytest.mark.soak
def test_a_lock_that_stays(web: Stage) -> None:
    database_locked_for_long(web, table()[LOCKED])


@pytest.mark.postgres
@pytest.mark.parametrize("fault", [STOPPED, pytest.param(HANGS, marks=pytest.mark.soak)])
def test_a_fault_of_postgresql(tmp_path: Path, fault: str) -> None:
    server = Postgres(durable=True)
    stage = Stage(tmp_path / "data", server.fresh())
    try:
        stage.start(whole=False)
        POSTGRES[fault](stage, table()[fault], server)
    finally:
        stage.close()
        server.stop()
