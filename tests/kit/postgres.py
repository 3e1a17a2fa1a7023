"""A throw-away PostgreSQL server for the suite: its own cluster on a unix socket, gone when the tests end."""

from __future__ import annotations

import itertools
import os
import pwd
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from psycopg2 import sql

from tests.kit.processes import free_port

MISSING = "PostgreSQL is missing: apt-get install postgresql (or leave them out: -m 'not postgres')"
START_SECONDS = 120
USUAL_PORT = 5432

SMALL = (
    "max_connections=60",
    "shared_buffers=64MB",
    "min_wal_size=32MB",
    "max_wal_size=64MB",
)
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
SHARED_MEMORY = Path("/dev/shm")
ROOM = 1 << 30


def programs() -> Path:
    """The folder of initdb and postgres, or a failed test that says what to install."""
    on_path = shutil.which("initdb")
    found = [Path(on_path).parent] if on_path else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not found:
        pytest.fail(MISSING, pytrace=False)
    return found[-1]


def in_memory() -> Path | None:
    """Where copying a database costs no disk, when there is room."""
    roomy = SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free > ROOM
    return SHARED_MEMORY if roomy and os.access(SHARED_MEMORY, os.W_OK) else None


class Postgres:
    """A running server, in memory and without syncs unless it is to be `durable`.

    With an `address`, everybody who reaches it there may connect. Databases are copied from templates, which
    takes about 25 ms each.
    """

    def __init__(self, *, durable: bool = False, address: str = "") -> None:
        self._bin = programs()
        self.port = free_port() if address else USUAL_PORT
        listens = (f"listen_addresses={address}", f"port={self.port}")
        self._settings = (*SMALL, *listens) if durable else (*SMALL, *listens, *FAST)
        self.folder = Path(tempfile.mkdtemp(prefix="curlew-pg-", dir=None if durable else in_memory()))
        self._log = self.folder / "server.log"
        self._numbers = itertools.count(1)
        self._templates: dict[str, str] = {}
        self._as_user = self._unprivileged()
        self._run("initdb", "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        if address:
            with (self.folder / "data" / "pg_hba.conf").open("a") as rules:
                rules.write("host all all 0.0.0.0/0 trust\n")
        self._server = self._start()
        self._await()

    def url(self, name: str) -> str:
        """The URL of a database, as CURLEW_DATABASE_URL takes it."""
        port = "" if self.port == USUAL_PORT else f"&port={self.port}"
        return f"postgresql://test@/{name}?host={self.folder}{port}"

    def fresh(self, template: str = "template1") -> str:
        """The URL of a new database, a copy of `template`."""
        name = f"db{next(self._numbers)}"
        copy = sql.SQL("create database {} template {} strategy file_copy")
        self._execute(copy.format(sql.Identifier(name), sql.Identifier(template)))
        return self.url(name)

    def copy_of(self, key: str, prepare: Callable[[str], None]) -> str:
        """The URL of a copy of what `prepare(url)` filled once for `key`; it must close its connections."""
        if key not in self._templates:
            url = self.fresh()
            prepare(url)
            self._templates[key] = url.partition("@/")[2].partition("?")[0]
        return self.fresh(self._templates[key])

    def drop(self, url: str) -> None:
        """Remove a database, even while others are connected to it."""
        name = url.partition("@/")[2].partition("?")[0]
        self._execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))

    def stop(self) -> None:
        """Stop at once; the data are not worth a checkpoint."""
        self._server.send_signal(signal.SIGQUIT)
        self._server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        """The process that all others of the server belong to."""
        return self._server.pid

    def crash(self) -> None:
        """kill -9 of the server and of all that it started; none of them is there any more afterwards."""
        self._server.send_signal(signal.SIGSTOP)
        ends = [os.pidfd_open(child) for child in self._children()]
        for end in ends:
            signal.pidfd_send_signal(end, signal.SIGKILL)
        self._server.kill()
        self._server.wait()
        for end in ends:
            select.select([end], [], [])
            os.close(end)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the server and all that it started where they are, and let them go on at the end."""
        self._server.send_signal(signal.SIGSTOP)
        children = self._children()
        for child in children:
            os.kill(child, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in (*children, self._server.pid):
                os.kill(process, signal.SIGCONT)

    def _children(self) -> list[int]:
        """The processes that the server started, which starts none while it is stopped."""
        server = self._server.pid
        return [int(child) for child in Path(f"/proc/{server}/task/{server}/children").read_text().split()]

    def restart(self) -> None:
        """Start again after a crash, and recover."""
        self._server = self._start()
        self._await()

    def _unprivileged(self) -> dict[str, Any]:
        """PostgreSQL refuses root: then it runs as the user its Debian package made."""
        if os.getuid() != 0:
            return {}
        user = pwd.getpwnam("postgres")
        os.chown(self.folder, user.pw_uid, user.pw_gid)
        self.folder.chmod(0o755)
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), "-D", str(self.folder / "data"), *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd="/", **self._as_user)

    def _start(self) -> subprocess.Popen[bytes]:
        settings = (*self._settings, f"unix_socket_directories={self.folder}")
        options = [word for setting in settings for word in ("-c", setting)]
        command = [str(self._bin / "postgres"), "-D", str(self.folder / "data"), *options]
        with self._log.open("wb") as log:
            return subprocess.Popen(
                command, stdout=log, stderr=log, cwd="/", start_new_session=True, **self._as_user
            )

    def _await(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg2.connect(self.url("postgres")).close()
                return
            except psycopg2.OperationalError:
                if self._server.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"PostgreSQL did not start:\n{self._log.read_text()}", pytrace=False)
                time.sleep(0.02)

    def _execute(self, statement: sql.Composable) -> None:
        connection = psycopg2.connect(self.url("postgres"))
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement)
        finally:
            connection.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The session's PostgreSQL server, started when first asked for."""
    server = Postgres()
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database of the test's own, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/curlew.db"
        return
    server: Postgres = request.getfixturevalue("postgres")
    url = server.fresh()
    yield url
    server.drop(url)


def in_memory_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that costs no disk, where there is room."""
    return tempfile.TemporaryDirectory(prefix="curlew-proof-", dir=in_memory())
