"""A service in this process, asked by GraphQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handlers.identity.credentials import digest, fresh
from handlers.processes.web import application
from handlers.processes.world import LiveWorld, build
from handlers.settings.sources import load
from tests.kit.client import Answer, call
from vfs.ports.people import Account


class Graph:
    """A service with users, and what the view tells each of them."""

    def __init__(self, app: Any, live_world: LiveWorld) -> None:
        self.app = app
        self.world = live_world.world
        self.database = live_world.database
        self.tokens: dict[str, str] = {}

    def user(self, name: str, *, public: bool = False, account: Account = Account.REGULAR) -> None:
        """A user with a token."""
        self.world.people.users.add(name, "-", account, None, public=public)
        self.tokens[name] = fresh()
        self.world.people.tokens.mint(name, "t", digest(self.tokens[name]))

    def send(self, body: object, who: str | None = "alice", method: str = "POST", **headers: str) -> Answer:
        """The answer to a body: bytes, or what is sent as JSON."""
        sent = [("Content-Type", "application/json"), *((n.replace("_", "-"), v) for n, v in headers.items())]
        if who is not None:
            sent.append(("Authorization", f"Bearer {self.tokens.get(who, who)}"))
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return call(self.app, method, "/gql", sent, raw)

    def answer(self, query: str, who: str | None = "alice", **variables: object) -> Any:
        """The whole answer to a query."""
        answer = self.send({"query": query, "variables": variables}, who)
        assert answer.status == 200, answer
        return json.loads(answer.body)

    def data(self, query: str, who: str | None = "alice", **variables: object) -> Any:
        """What a query finds, which has no errors."""
        body = self.answer(query, who, **variables)
        assert "errors" not in body, body["errors"]
        return body["data"]

    def refused(self, query: str, who: str | None = "alice", **variables: object) -> Any:
        """The first error of a query."""
        return self.answer(query, who, **variables)["errors"][0]


@pytest.fixture
def graph(database_url: str, tmp_path: Path) -> Iterator[Graph]:
    """The service with alice and bob."""
    environ = {"CURLEW_MAIL_DOMAIN": "mail.example"}
    settings = load(environ, data=str(tmp_path / "data"), database_url=database_url, synchronous="normal")
    live_world = build(settings)
    found = Graph(application(settings, live_world), live_world)
    found.user("alice")
    found.user("bob", public=True)
    try:
        yield found
    finally:
        live_world.close()
