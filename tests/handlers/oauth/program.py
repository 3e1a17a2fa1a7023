"""An application on the wire, with a person who is asked by it."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import FORM, Answer, Wire
from tests.kit.server import Server

VERIFIER = "v" * 64
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
BACK = "http://localhost:50123/callback"
OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob"
QUERY = {
    "client_id": "novem-cli",
    "redirect_uri": BACK,
    "response_type": "code",
    "state": "a state & more",
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
}


@dataclass
class Program:
    """An application, and a person's session."""

    owner: Owner
    wire: Wire
    server: Server = field(init=False)

    def __post_init__(self) -> None:
        self.server = self.owner.server

    def page(self, **fields: str) -> str:
        return f"/oauth/authorize?{urlencode({**QUERY, **fields})}"

    def answer(self, word: str = "approve", **fields: str) -> Answer:
        path = self.page(**fields)
        return self.wire.post(path, token=self.wire.token(path), answer=word)

    def code(self, **fields: str) -> str:
        return back(self.answer(**fields))["code"]

    def post(self, path: str, fields: Mapping[str, str] | str, **headers: str) -> tuple[int, Any, Any]:
        body = fields if isinstance(fields, str) else urlencode(fields)
        request = Request(self.server.origin + path, body.encode(), method="POST")
        for name, value in {"Content-Type": FORM, **headers}.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urlopen(request) as answer:
                return answer.status, json.loads(answer.read()), answer.headers
        except HTTPError as refused:
            with refused:
                return refused.code, json.loads(refused.read()), refused.headers

    def exchange(self, code: str, **more: str) -> tuple[int, Any, Any]:
        sent = {"grant_type": "authorization_code", "code": code, "client_id": "novem-cli"}
        return self.post("/oauth/token", {**sent, "code_verifier": VERIFIER, "redirect_uri": BACK, **more})

    def ask(self, token: str, path: str, method: str = "GET", body: bytes | None = None) -> tuple[int, str]:
        request = Request(self.server.root + path, body, method=method)
        request.add_header("Authorization", f"Bearer {token}")
        request.add_header("Content-Type", "text/plain")
        try:
            with urlopen(request) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()


def back(answer: Answer) -> dict[str, str]:
    """Return the query that an answer sends to the application."""
    assert answer.status == 303, answer.body
    return {name: value[0] for name, value in parse_qs(urlsplit(answer.headers["Location"]).query).items()}
