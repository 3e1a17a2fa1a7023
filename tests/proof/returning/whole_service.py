"""The whole application in this process, people with tokens, a clock that goes ahead, and sweeps."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from handlers.identity.credentials import digest, fresh
from handlers.processes.web import application
from handlers.processes.world import build
from handlers.settings.sources import load
from tests.kit.client import Answer, call
from tests.kit.clocks import AheadClock
from tests.kit.postgres import in_memory_folder
from tests.kit.service import with_fake_renderer
from tests.kit.world import make_tables
from tests.proof.returning.model import PUBLIC, TRASH_DAYS, VERSION_DAYS
from vfs.ports.clock import stamp
from vfs.ports.people import Account

PEOPLE = ("owner", "writer", "reader", "stranger")
QUICK = {"password_memory": "8", "password_time": "1", "synchronous": "normal"}
OLD = "SELECT id FROM leaf_version WHERE until < :before LIMIT 1"
FOLDERS = {"doc": "vis/docs", "space": "code/spaces"}


class WholeService:
    """A service for all examples of a machine. Each example has separate people."""

    def __init__(self, folder: Path, url: str | None, clock: AheadClock | None = None) -> None:
        self.folder, self.url = folder, url
        self.clock = clock or AheadClock()
        self.settings = load({}, data=str(folder), database_url=url or "", **QUICK)
        if not url:
            make_tables(self.settings.folder)
        self.live_world = with_fake_renderer(build(self.settings, self.clock))
        self.world = self.live_world.world
        self._app = application(self.settings, self.live_world)
        self.tokens: dict[str, str] = {}
        self.steps = 0
        self._numbers = itertools.count(1)
        self.suffix = ""

    def close(self) -> None:
        self.live_world.close()

    def begin(self) -> None:
        """Have new people."""
        self.suffix = str(next(self._numbers))
        for person in PEOPLE:
            self.tokens[person] = fresh()
            name = self.name(person)
            self.world.people.users.add(name, "digest", Account.REGULAR, None, public=True)
            self.world.people.tokens.mint(name, "first", digest(self.tokens[person]))

    def name(self, person: str) -> str:
        """The account of a person in this example."""
        return person + self.suffix

    def now(self) -> datetime:
        return self.clock.now()

    def place(self, kind: str, name: str) -> str:
        """The path of a thing of the owner's, for everybody."""
        return f"/v1/users/{self.name('owner')}/{FOLDERS[kind]}/{name}"

    def ask(
        self, person: str, method: str, path: str, body: object = None, media: str = "", **headers: str
    ) -> Answer:
        """The answer to a request of a person, or of nobody."""
        sent = [(name.replace("_", "-"), value) for name, value in headers.items()]
        if person != PUBLIC:
            sent.append(("Authorization", f"Bearer {self.tokens[person]}"))
        if body is not None:
            sent.append(
                ("Content-Type", media or ("text/plain" if isinstance(body, str) else "application/json"))
            )
        text = body if isinstance(body, str) else json.dumps(body)
        answer = call(self._app, method, path, sent, text.encode() if body is not None else b"")
        assert answer.status < 500, (person, method, path, answer)
        return answer

    def rows(self, person: str, path: str, **headers: str) -> Any:
        """What a person reads as JSON."""
        answer = self.ask(person, "GET", path, Accept="application/json", **headers)
        assert answer.status == 200, (person, path, answer)
        return json.loads(answer.body)

    def visit(self, key: str, password: str | None) -> Answer:
        """The answer to somebody who has a key."""
        given = {}
        if password is not None:
            given["Authorization"] = f"Basic {base64.b64encode(f'link:{password}'.encode()).decode()}"
        return self.ask(PUBLIC, "GET", f"/l/{key}", Accept="application/json", **given)

    def sweep(self) -> None:
        """Sweep as often as it takes, as each sweep ends what is of a few days."""
        now, database = self.now(), self.live_world.database
        with self.world.session():
            while self.world.trash.before(stamp(now - TRASH_DAYS), 1) or database.rows(
                OLD, before=stamp(now - VERSION_DAYS)
            ):
                self.live_world.sweep._retention(now)
            for _ in range(2):  # the first one finds that the clock was set
                self.live_world.sweep.run(timedelta(0))


@contextmanager
def opened(url: str | None) -> Iterator[WholeService]:
    """A service on a folder in memory; on SQLite without a URL."""
    with in_memory_folder() as folder:
        service = WholeService(Path(folder), url)
        try:
            yield service
        finally:
            service.close()
