"""A user's session with the pages, without a browser: requests and responses, header by header."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tests.handlers.pages.web_user import Owner

FORM = "application/x-www-form-urlencoded"
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


class Answer(NamedTuple):
    """A response."""

    status: int
    headers: Mapping[str, str]
    body: str


class _Still(HTTPRedirectHandler):
    """A handler that follows no redirects."""

    def redirect_request(self, *_: object) -> None:
        return None


class Wire:
    """A user's session, without a browser."""

    def __init__(self, owner: Owner) -> None:
        self.origin = owner.server.origin
        sent = {"username": owner.name, "password": owner.server.password(owner.name)}
        answer = self.ask("POST", "/login", urlencode(sent), cookie="")
        assert answer.status == 303
        self.cookie = answer.headers["Set-Cookie"].partition(";")[0]

    def ask(
        self,
        method: str,
        path: str,
        body: str | bytes | None = None,
        *,
        cookie: str | None = None,
        **more: str,
    ) -> Answer:
        """Return the response to one request; names of headers are written with `_`."""
        raw = body.encode() if isinstance(body, str) else body
        request = Request(self.origin + path, raw, method=method)
        headers = {**HTML, "Cookie": self.cookie if cookie is None else cookie}
        if body is not None:
            headers["Content-Type"] = FORM
        for name, value in {**headers, **{key.replace("_", "-"): word for key, word in more.items()}}.items():
            request.add_header(name, value)
        try:
            with build_opener(_Still).open(request) as answer:
                return Answer(answer.status, answer.headers, answer.read().decode())
        except HTTPError as refused:
            with refused:
                return Answer(refused.code, refused.headers, refused.read().decode())

    def token(self, path: str) -> str:
        """The token that the forms of a page carry."""
        found = re.search(r'name="token" value="([0-9a-f]{64})"', self.ask("GET", path).body)
        assert found is not None
        return found[1]

    def post(self, path: str, **fields: str) -> Answer:
        """Send a form as a page of this service does."""
        return self.ask("POST", path, urlencode(fields), Origin=self.origin)

    def post_file(self, path: str, files: Mapping[str, bytes], field: str = "file", **fields: str) -> Answer:
        """Send a form with files, by their names."""
        edge = "edge0123456789"
        parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in fields.items()]
        parts += [f'name="{field}"; filename="{name}"\r\n\r\n'.encode() + raw for name, raw in files.items()]
        begin = f"--{edge}\r\nContent-Disposition: form-data; ".encode()
        body = b"".join(begin + part + b"\r\n" for part in parts) + f"--{edge}--\r\n".encode()
        kind = f"multipart/form-data; boundary={edge}"
        return self.ask("POST", path, body, Origin=self.origin, Content_Type=kind)
