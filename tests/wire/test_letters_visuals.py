"""What each letter of a share writes at documents, plots, grids and mails."""

from __future__ import annotations

import pytest

from tests.kit.service import Application
from tests.wire.letters import PRIVATE, Row, Town

HERE = "/v1/users/alice/vis/$KIND/birds"
BRIEF = "/v1/u/alice/$LETTER/birds"
TEXT, DATA, SVG = "text/plain", "application/json", "image/svg+xml"
COPY = b'{"name": "copied", "copy": true}'
DRAWN = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
CONTENT = {"doc": "content", "plot": "data", "grid": "layout", "mail": "content"}

MATRIX: list[Row] = [
    ("POST", f"{HERE}/$CONTENT", TEXT, b"", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("DELETE", f"{HERE}/$CONTENT", "", b"", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("POST", f"{HERE}/summary", TEXT, b"seen", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("PUT", f"{HERE}/vars/total", "", b"", "401 404 409 403 409 403 409 403 409 401 409 401"),
    ("POST", f"{HERE}/vars/total/value", TEXT, b"7", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("PUT", f"{HERE}/threads/mine", TEXT, b"hello", "401 404 + + 403 403 + + + 401 401 401"),
    ("POST", f"{HERE}/config/comments", TEXT, b"no", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("PUT", f"{HERE}/tags/fav", "", b"", "401 404 + + + + + + + 401 401 401"),
    ("DELETE", f"{HERE}/tags/fav", "", b"", "401 404 + + + + + + + 401 401 401"),
    ("PUT", f"{HERE}/tags/=wader", "", b"", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("POST", f"{HERE}/notifications", TEXT, b"info", "401 404 + + + + + + + 401 401 401"),
    ("PUT", f"{HERE}/shared/@carol~r", "", b"", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("DELETE", f"{HERE}/shared/@carol", "", b"", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("PATCH", HERE, TEXT, b"birds", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("PATCH", HERE, DATA, COPY, "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("PUT", HERE, "", b"", "401 404 409 409 409 409 409 409 409 401 409 409"),
    ("POST", f"{HERE}/url", TEXT, b"x", "401 404 405 405 405 405 405 405 405 401 405 405"),
]
ASSETS: list[Row] = [
    ("POST", f"{HERE}/assets/a.svg", SVG, DRAWN, "401 404 403 403 + 403 403 403 + 401 401 401"),
]


def drawn(service: Application, kind: str) -> tuple[Town, list[Row]]:
    """alice's item of a kind, with an asset where it may have some, and the rows of its matrix."""
    town = Town(service)
    service.arrange("user", ["carol", "public"], [])

    def spelled(path: str) -> str:
        return (
            path.replace("$KIND", f"{kind}s").replace("$CONTENT", CONTENT[kind]).replace("$LETTER", kind[0])
        )

    town.ask("owner", "PUT", spelled(HERE))
    town.ask("owner", "PUT", spelled(f"{HERE}/vars/total"))
    town.ask("owner", "PUT", spelled(f"{HERE}/threads/first"), TEXT, b"hello")
    town.ask("owner", "POST", spelled(f"{HERE}/assets/logo.svg"), SVG, DRAWN)
    matrix = MATRIX if kind == "grid" else [*MATRIX, *ASSETS]
    return town, [(method, spelled(path), *rest) for method, path, *rest in matrix]


@pytest.mark.parametrize("kind", CONTENT)
def test_what_each_letter_writes(service: Application, kind: str) -> None:
    town, rows = drawn(service, kind)
    town.share(kind, "alice/birds")
    assert town.disagreements(rows, *PRIVATE) == ""
    here = HERE.replace("$KIND", f"{kind}s")
    last = [town.ask(who, "DELETE", f"{here}/assets/logo.svg").status for who in "rxdw"]
    assert last == ([404] * 4 if kind == "grid" else [403, 403, 403, 200])
    assert [town.ask(who, "DELETE", here).status for who in "rxwd"] == [403, 403, 403, 200]
