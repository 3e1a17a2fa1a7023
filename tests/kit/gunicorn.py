"""A web server of the suite's own, `curlew web` under gunicorn, that can be killed and started again."""

from __future__ import annotations

import contextlib
import http.client
import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from handlers.commands.child_processes import READY
from handlers.identity.credentials import digest, fresh
from handlers.processes.world import open_world
from handlers.settings.sources import load
from tests.kit.client import Answer
from tests.kit.processes import free_port
from tests.kit.unmeasured import environment
from vfs.ports.people import Account

PATIENCE = 120.0
PASSWORD = "the password of every bird"
CHEAP = {"CURLEW_PASSWORD_TIME": "1", "CURLEW_PASSWORD_MEMORY": "64"}
WEB = (sys.executable, "-P", "-m", "handlers", "web")


def prepare(folder: Path, database: str, users: Sequence[str]) -> dict[str, str]:
    """A data folder with users, all of the same password; their tokens."""
    settings = load(CHEAP, data=str(folder), database_url=database)
    tokens = {name: fresh() for name in users}
    with open_world(settings) as world, world.atomic():
        secret = world.people.passwords.digest(PASSWORD)
        for name, token in tokens.items():
            world.people.users.add(name, secret, Account.REGULAR, None, public=True)
            world.people.tokens.mint(name, "first", digest(token))
    return tokens


class Service:
    """The web server over a data folder and a database, on a port that stays the same."""

    def __init__(self, folder: Path, database: str, workers: int = 2, command: Sequence[str] = WEB) -> None:
        """`folder` is the data folder; the server's log is beside it."""
        self.port = free_port()
        self._command = command
        self._log = folder.with_name("server.log")
        self._environment = {
            **{name: word for name, word in environment().items() if not name.startswith("CURLEW_")},
            "CURLEW_DATA": str(folder),
            "CURLEW_DATABASE_URL": database,
            "CURLEW_BIND": f"127.0.0.1:{self.port}",
            "CURLEW_WORKERS": str(workers),
            "CURLEW_REGISTRATIONS": "100000",
            "CURLEW_DISK_RESERVE": "1M",
            # A fault may fall into taking back the count of a try that was right.
            **{f"CURLEW_SIGNIN_ATTEMPTS{of}": "100000" for of in ("", "_ADDRESS", "_ACCOUNT")},
            "CURLEW_THREADS": "24",
            **CHEAP,
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *passed: int) -> None:
        """Start and wait until it listens; `passed` are file descriptors that it keeps."""
        heard, say = os.pipe()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, env={**self._environment, READY: str(say)}, pass_fds=(say, *passed),
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        os.close(say)
        with os.fdopen(heard) as pipe:
            assert pipe.readline() == "web\n", self.log()

    def kill(self) -> None:
        """kill -9 of the whole server."""
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Stop the server in order."""
        assert self._process is not None
        self._process.terminate()
        self._process.wait()

    def kill_worker(self, dice: random.Random) -> None:
        """kill -9 of one worker that is there."""
        while True:
            # One that was killed before may be reaped between the look and the kill.
            with contextlib.suppress(IndexError, ProcessLookupError):
                os.kill(dice.choice(self.workers()), signal.SIGKILL)
                return

    def workers(self) -> list[int]:
        """The process ids of the workers."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        return [int(word) for word in children.split()]

    def log(self) -> str:
        """What the server wrote."""
        return self._log.read_text(errors="replace")

    def client(self, token: str | None) -> Client:
        """A client with a separate connection."""
        return Client(self.port, token)


class Client:
    """Requests one after another over one connection. Raises OSError or HTTPException when it breaks."""

    def __init__(self, port: int, token: str | None) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._token = token

    def call(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        media: str | None = None,
        query: str = "",
        **more: str,
    ) -> Answer:
        """One request; `more` are other headers."""
        target = quote(path, safe="/@~+") + (f"?{query}" if query else "")
        headers = {"Accept": "*/*"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        if media is not None:
            headers["Content-Type"] = media
        try:
            # A server that refuses while the body is still on its way has answered nevertheless.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._connection.request(method, target, body, {**headers, **more})
            answer = self._connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            said = Answer(answer.status, found, answer.read())
            if said.status >= 400:  # gunicorn leaves a connection with a long body unread, kept alive or not
                self._connection.close()
            return said
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()
