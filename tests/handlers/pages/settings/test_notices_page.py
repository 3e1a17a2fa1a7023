"""The page of notifications: a level for each event, stored as the API has it."""

from __future__ import annotations

from pathlib import Path

from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server

PAGE = "/settings/notices"
LEVELS = "admin/profile/notices"


def test_a_level_is_chosen_for_each_event_all_or_none(server: Server) -> None:
    wire = Wire(owner := Owner(server, Path()))
    token = wire.token(PAGE)
    sent = {"token": token, "do": "save"}
    assert (
        wire.post(PAGE, **sent, failed="important", commented="ignore").headers["Location"]
        == f"{PAGE}?done=kept"
    )
    shown = wire.ask("GET", PAGE).body
    assert shown.count('<option value="important" selected>') == 1
    assert shown.count('<option value="ignore" selected>') == 2  # and runs that end well
    refused = wire.post(PAGE, **sent, failed="info", entered="ignore")
    assert refused.status == 400
    assert 'id="w-entered"' in refused.body
    for event, level in (("failed", "important"), ("commented", "ignore"), ("entered", "info")):
        assert server.ask("GET", f"{LEVELS}/{event}", who=owner.name) == level
    assert wire.post(PAGE, token=token, do="else").status == 400
