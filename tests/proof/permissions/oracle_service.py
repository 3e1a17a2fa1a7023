"""Where worlds are put to be asked: in this process, which forgets them, or under gunicorn."""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from handlers.processes.web import application
from handlers.processes.world import build
from handlers.settings.settings import Settings
from handlers.settings.sources import load
from tests.kit.client import Answer, call
from tests.kit.gunicorn import Client, Service
from tests.kit.postgres import in_memory
from tests.kit.service import fake_renders, with_fake_renderer
from tests.kit.world import make_tables
from tests.proof.permissions.compare import Comparison, Send
from tests.proof.permissions.install import install
from tests.proof.permissions.matrix import Matrix
from tests.proof.permissions.worlds import World

MATRIX = Matrix(Path(__file__).with_name("matrix.txt"))
QUICK = {"password_memory": "8", "password_time": "1", "synchronous": "normal"}
READS = ("GET", "HEAD", "OPTIONS")


class Forgotten(Exception):
    """Ends a transaction whose writes are to be undone."""


class OracleService:
    """A service in this process. A world is settled in a transaction that is never committed, and asked what
    might change it in savepoints that are undone.
    """

    def __init__(self, folder: Path, url: str | None) -> None:
        settings = load({}, data=str(folder), database_url=url or "", **QUICK)
        if url is None:
            make_tables(folder)
        live_world = with_fake_renderer(build(settings))
        # Nothing waits outside of a transaction here, as all is asked inside of one.
        self.live_world = replace(live_world, world=replace(live_world.world, idle=nullcontext))
        self.app = application(settings, self.live_world)
        self.made: Counter[str] = Counter()

    @contextmanager
    def world(self, said: World) -> Iterator[Comparison]:
        """The service with that world alone."""
        with contextlib.suppress(Forgotten), self.live_world.world.atomic():
            comparison = Comparison(said, MATRIX, self._sender(install(said, self.live_world.world)))
            yield comparison
            self.made += comparison.made
            raise Forgotten

    @contextmanager
    def settled(self, said: World) -> Iterator[dict[str | None, str]]:
        """The service with that world alone; the tokens of its credentials."""
        with contextlib.suppress(Forgotten), self.live_world.world.atomic():
            yield install(said, self.live_world.world)
            raise Forgotten

    def ask(self, token: str, method: str, path: str, text: str) -> Answer:
        """The answer to a request that is done, with plain text if any."""
        headers = [("Authorization", f"Bearer {token}"), ("Content-Type", "text/plain")]
        return call(self.app, method, path, headers[: 2 if text else 1], text.encode())

    def _sender(self, tokens: dict[str | None, str]) -> Send:
        def send(who: str | None, method: str, path: str, headers: list[tuple[str, str]]) -> Answer:
            sent = [*headers, *([("Authorization", f"Bearer {tokens[who]}")] if who else [])]
            if method in READS:
                return call(self.app, method, path, sent)
            answers = []
            with contextlib.suppress(Forgotten), self.live_world.world.atomic():
                answers.append(call(self.app, method, path, sent))
                raise Forgotten
            return answers[0]

        return send


@contextmanager
def opened(url: str | None) -> Iterator[OracleService]:
    """A stand on a folder in memory; on SQLite without a URL."""
    with tempfile.TemporaryDirectory(prefix="curlew-proof-", dir=in_memory()) as folder:
        oracle_service = OracleService(Path(folder), url)
        try:
            yield oracle_service
        finally:
            oracle_service.live_world.close()


@contextmanager
def over_http(said: World, folder: Path, url: str) -> Iterator[Comparison]:
    """A world that is kept, asked under gunicorn; nothing is sent that would change it."""
    folder.mkdir()
    tokens = keep(said, load({}, data=str(folder), database_url=url, **QUICK))
    service = Service(folder, url)
    service.start()
    try:
        with fake_renders(folder), client_comparison(said, tokens, service.client) as comparison:
            yield comparison
    finally:
        service.kill()


def keep(said: World, settings: Settings) -> dict[str | None, str]:
    """Store a world; the tokens of its credentials."""
    live_world = build(settings)
    try:
        with live_world.world.atomic():
            return install(said, live_world.world)
    finally:
        live_world.close()


@contextmanager
def client_comparison(
    said: World, tokens: Mapping[str | None, str], client: Callable[[str | None], Client]
) -> Iterator[Comparison]:
    """A world that was kept, asked by a client with each token."""
    clients: dict[str | None, Client] = {who: client(tokens.get(who)) for who in (None, *tokens)}

    def send(who: str | None, method: str, path: str, headers: list[tuple[str, str]]) -> Answer:
        given = dict(headers)
        media = given.pop("Content-Type", None)
        return clients[who].call(method, path, b"" if media else None, media, **given)

    try:
        yield Comparison(said, MATRIX, send, safe=True)
    finally:
        for each in clients.values():
            each.close()
