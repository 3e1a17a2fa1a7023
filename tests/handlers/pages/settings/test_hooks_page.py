"""The page of hooks: made with its secret shown once, changed, paused, resumed and ended, without scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server

PAGE = "/settings/hooks"
URL = "https://chat.example.org/hooks/k3x"


@pytest.fixture
def somebody(server: Server) -> Owner:
    return Owner(server, Path())


@pytest.fixture
def wire(somebody: Owner) -> Wire:
    return Wire(somebody)


def make(wire: Wire, **fields: str) -> str:
    """Make a hook in the page; return the body of the response."""
    sent = {"name": "chat", "url": URL, "format": "slack", "which": "/u/{me}/e/run_failed", "events": ""}
    return wire.post(PAGE, token=wire.token(PAGE), do="make", **sent | fields).body


def test_a_hook_is_made_changed_paused_resumed_and_ended(server: Server, somebody: Owner, wire: Wire) -> None:
    name = somebody.name
    made = make(wire)
    assert "whsec_" in made
    page = wire.ask("GET", PAGE).body
    assert "whsec_" not in page and "chat.example.org" in page
    assert server.ask("GET", "admin/hooks/chat/events", who=name).strip() == f"/u/{name}/e/run_failed"
    token = wire.token(PAGE)
    changed = {"url": f"{URL}2", "format": "standard", "which": "", "events": f"/u/{name}/p\n"}
    assert wire.post(PAGE, token=token, do="save", name="chat", **changed).status == 303
    assert server.ask("GET", "admin/hooks/chat/url", who=name) == f"{URL}2"
    for do, state in (("pause", "paused"), ("resume", "active")):
        assert wire.post(PAGE, token=token, do=do, name="chat").status == 303
        assert server.ask("GET", "admin/hooks/chat/state", who=name) == state
    assert "whsec_" in wire.post(PAGE, token=token, do="secret", name="chat").body
    assert wire.post(PAGE, token=token, do="end", name="chat").status == 303
    assert server.ask("GET", "admin/hooks", who=name) == []


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"url": "http://10.0.0.1/"}, "url"),
        ({"name": "Not A Name"}, "name"),
        ({"which": "", "events": "all"}, "events"),
    ],
)
def test_a_refused_form_makes_nothing(
    server: Server, somebody: Owner, wire: Wire, fields: dict[str, str], at: str
) -> None:
    refused = make(wire, **fields)
    assert f'id="wrong-{at}"' in refused
    assert fields[at] in refused
    assert server.ask("GET", "admin/hooks", who=somebody.name) == []


@pytest.mark.parametrize("fields", [{"do": "else"}, {"do": "end"}, {"do": "pause", "name": "none"}])
def test_an_empty_form_is_refused(wire: Wire, fields: dict[str, str]) -> None:
    assert wire.post(PAGE, token=wire.token(PAGE), **fields).status in (400, 404)
