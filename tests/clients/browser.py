"""A person's session in a browser that approves applications."""

from __future__ import annotations

import re
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener

from tests.clients.conftest import Person

TOKEN = re.compile(r'name="token" value="([0-9a-f]{64})"')


class Still(HTTPRedirectHandler):
    """A handler that follows no redirects."""

    def redirect_request(self, *_: object) -> None:
        return None


class Browser:
    """A person's session, which approves what it is shown."""

    def __init__(self, alice: Person) -> None:
        self._origin = alice.server.origin
        self._opener = build_opener(Still, HTTPCookieProcessor())
        self._send("/login", username=alice.name, password=alice.server.password(alice.name))

    def approve(self, address: str) -> tuple[str, str]:
        """Where the browser is sent to, and what it shows."""
        path = "/oauth/authorize" + address.partition("/oauth/authorize")[2]
        token = TOKEN.search(self._send(path)[1])
        assert token is not None
        return self._send(path, token=token[1], answer="approve")

    def _send(self, path: str, **form: str) -> tuple[str, str]:
        request = Request(self._origin + path, urlencode(form).encode() if form else None)
        request.add_header("Accept", "text/html")
        try:
            with self._opener.open(request) as answer:
                return "", answer.read().decode()
        except HTTPError as moved:
            with moved:
                return moved.headers["Location"] or "", moved.read().decode()
