"""What each letter of a share opens at documents, plots, grids and mails (reliability matrix 2.4)."""

from __future__ import annotations

import pytest

from tests.wire.letters import SHARED, Row, Town
from tests.wire.service import Application

HERE = "/v1/users/alice/vis/$KIND/birds"
TEXT, DATA, SVG = "text/plain", "application/json", "image/svg+xml"
COPY = b'{"name": "copied", "copy": true}'
DRAWN = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
CONTENT = {"doc": "content", "plot": "data", "grid": "layout", "mail": "content"}

MATRIX: list[Row] = [
    ("GET", HERE, "", b"", "401 404 + + + + + + + 401 + +"),
    ("GET", f"{HERE}/shortname", "", b"", "401 404 + + + + + + + 401 + +"),
    ("GET", f"{HERE}/url", "", b"", "401 404 + + + + + + + 401 + +"),
    ("GET", f"{HERE}/name", "", b"", "401 404 + + + + + + + 401 + +"),
    ("GET", f"{HERE}/$CONTENT", "", b"", "401 404 + 403 403 403 + 403 + 401 + 401"),
    ("GET", f"{HERE}/description", "", b"", "401 404 + 403 403 403 + 403 + 401 + 401"),
    ("GET", f"{HERE}/config", "", b"", "401 404 + 403 403 403 + 403 + 401 + 401"),
    ("GET", f"{HERE}/config/type", "", b"", "401 404 + 403 403 403 + 403 + 401 + 401"),
    ("GET", f"{HERE}/log", "", b"", "401 404 + 403 403 403 + 403 + 401 + 401"),
    ("POST", f"{HERE}/$CONTENT", TEXT, b"", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("DELETE", f"{HERE}/$CONTENT", "", b"", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("POST", f"{HERE}/summary", TEXT, b"seen", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("POST", f"{HERE}/config/comments", TEXT, b"no", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("PUT", f"{HERE}/tags/fav", "", b"", "401 404 + + + + + + + 401 401 401"),
    ("DELETE", f"{HERE}/tags/fav", "", b"", "401 404 + + + + + + + 401 401 401"),
    ("PUT", f"{HERE}/tags/=wader", "", b"", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("POST", f"{HERE}/notifications", TEXT, b"info", "401 404 + + + + + + + 401 401 401"),
    ("GET", f"{HERE}/shared", "", b"", "401 404 + + + + + + + 401 + +"),
    ("PUT", f"{HERE}/shared/@carol~r", "", b"", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("DELETE", f"{HERE}/shared/@carol", "", b"", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("PATCH", HERE, TEXT, b"birds", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("PATCH", HERE, DATA, COPY, "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("PUT", HERE, "", b"", "401 404 409 409 409 409 409 409 409 401 409 409"),
    ("POST", f"{HERE}/url", TEXT, b"x", "401 404 405 405 405 405 405 405 405 401 405 405"),
]
ASSETS: list[Row] = [
    ("POST", f"{HERE}/assets/a.svg", SVG, DRAWN, "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("GET", f"{HERE}/assets", "", b"", "401 404 + + + + + + + 401 + +"),
    ("GET", f"{HERE}/assets/logo.svg", "", b"", "401 404 + + + + + + + 401 + +"),
]


@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("public, callers", SHARED)
def test_what_each_letter_opens(
    service: Application, public: list[str], callers: tuple[str, ...], kind: str
) -> None:
    town = Town(service)
    service.arrange("user", ["carol", "public"], [])

    def spelled(path: str) -> str:
        return path.replace("$KIND", f"{kind}s").replace("$CONTENT", CONTENT[kind])

    town.ask("owner", "PUT", spelled(HERE))
    town.ask("owner", "POST", spelled(f"{HERE}/assets/logo.svg"), SVG, DRAWN)
    town.share(kind, "alice/birds", public)
    matrix = MATRIX if kind == "grid" else [*MATRIX, *ASSETS]
    rows = [(method, spelled(path), *rest) for method, path, *rest in matrix]
    assert town.disagreements(rows, *callers) == ""
    if not public:
        last = [town.ask(who, "DELETE", spelled(f"{HERE}/assets/logo.svg")).status for who in "rxdw"]
        assert last == ([404] * 4 if kind == "grid" else [403, 403, 403, 200])
        assert [town.ask(who, "DELETE", spelled(HERE)).status for who in "rxwd"] == [403, 403, 403, 200]
