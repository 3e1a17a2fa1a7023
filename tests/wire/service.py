"""The application as transcripts see it: calls without sockets, accounts made by its own endpoints."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from tests.wire.call import call
from tests.wire.player import Answer

PASSWORD = "a password of {name}"


class Application:
    """A WSGI application with the accounts that were made in it."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._tokens: dict[str, str] = {}

    def call(self, method: str, path: str, headers: Sequence[tuple[str, str]], body: bytes) -> Answer:
        """The answer to one request."""
        return call(self._application, method, path, headers, body)

    def user(self, name: str, *traits: str) -> str:
        """The token of an account; traits are `organisation` and `public`."""
        if name not in self._tokens:
            account = "organisation" if "organisation" in traits else "regular"
            wanted = {
                "username": name,
                "password": self.password(name),
                "email": f"{name}@birds.example",
                "account_type": account,
                "public": "public" in traits,
            }
            self._post("/v1/register", wanted, [])
            pair = base64.b64encode(f"{name}:{self.password(name)}".encode()).decode()
            made = self._post("/v1/token", {"token_name": "transcript"}, [("Authorization", f"Basic {pair}")])
            self._tokens[name] = made["token"]
        return self._tokens[name]

    def password(self, name: str) -> str:
        """The password of an account made by `user`."""
        return PASSWORD.format(name=name)

    def _post(self, path: str, value: dict[str, Any], headers: list[tuple[str, str]]) -> dict[str, Any]:
        sent = [("Content-Type", "application/json"), ("Accept", "application/json"), *headers]
        answer = self.call("POST", path, sent, json.dumps(value).encode())
        assert answer.status == 201, f"POST {path}: {answer.status} {answer.body!r}"
        made: dict[str, Any] = json.loads(answer.body)
        return made
