"""The page of an account's e-mail addresses: one is added, verified, made primary, and removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.handlers.pages.account.letters import letters_to, link_in
from tests.handlers.pages.visitor import Owner, Visitor
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server

PAGE = "/addresses"


def test_an_address_takes_the_place_of_another(visitor: Visitor, owner: Owner) -> None:
    server, first = visitor.server, f"{owner.name}@birds.example"
    other = f"{owner.name}@side.example"
    visitor.open(PAGE)
    visitor.sign_in(owner.name)
    visitor.open(f"/u/{owner.name}")
    visitor.press(f'a[href="{PAGE}"]')
    visitor.page.fill("#add ~ form input[type=email]", other)
    visitor.press("text=Mail it a code")
    assert "A mail with a code is on its way" in visitor.text() and "not verified yet" in visitor.text()
    for address in (first, other):
        visitor.open(link_in(letters_to(server, address)[-1][1], server))
        visitor.press("text=Verify the address")
        assert "The address is verified." in visitor.text()
    visitor.press("text=Make it the primary one")
    assert "Mails to you go to that address" in visitor.text()
    assert "Your primary address was changed" in [subject for subject, _ in letters_to(server, first)]
    visitor.page.click("text=Remove")
    visitor.press("text=Yes, remove")
    assert first not in visitor.text() and other in visitor.text()


@pytest.mark.parametrize("page", [PAGE, "/forgotten", "/reset", "/verify"])
def test_it_and_the_pages_of_codes_are_accessible(
    window: Callable[..., Visitor], owner: Owner, page: str
) -> None:
    visitor = window()
    visitor.sign_in(owner.name)
    visitor.open(page)
    found = Axe().run(visitor.page, options={"resultTypes": ["violations"], "preload": False})
    assert [(one["id"], one["nodes"]) for one in found.response["violations"]] == []


def test_whoever_is_not_signed_in_is_asked_to(server: Server) -> None:
    shown = Wire(Owner(server, Path())).ask("GET", PAGE, cookie="")
    assert (shown.status, shown.headers["Location"]) == (303, "/login?next=/addresses")


@pytest.mark.parametrize(
    "fields", [{"do": "add", "name": "no address"}, {"do": "else", "name": "a@b.example"}, {"do": "add"}]
)
def test_a_form_that_says_nothing_is_refused(server: Server, fields: dict[str, str]) -> None:
    wire = Wire(Owner(server, Path()))
    refused = wire.post(PAGE, token=wire.token(PAGE), **fields)
    assert refused.status in (400, 404, 405)
