"""The page of the profile: its public fields, the picture, and the e-mail addresses."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image

from tests.handlers.pages.account.letters import letters_to, link_in
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server

PAGE = "/settings/profile"
_KEPT = BytesIO()
Image.new("RGB", (2, 2), "red").save(_KEPT, "PNG")
PNG = _KEPT.getvalue()


def test_an_address_takes_the_place_of_another(web_user: WebUser, owner: Owner) -> None:
    server, first = web_user.server, f"{owner.name}@birds.example"
    other = f"{owner.name}@side.example"
    web_user.open(PAGE)
    web_user.sign_in(owner.name)
    web_user.page.fill("#add input[type=email]", other)
    web_user.press("text=Mail a code to it")
    assert "No code was mailed" in web_user.text() and "not verified yet" in web_user.text()
    for address in (first, other):
        web_user.open(link_in(letters_to(server, address)[-1][1], server))
        web_user.press("text=Verify the address")
        assert "The address is verified." in web_user.text()
    web_user.press("text=Make primary")
    assert "Mails to you go to that address" in web_user.text()
    assert "Your primary address was changed" in [subject for subject, _ in letters_to(server, first)]
    web_user.confirm("Remove")
    assert first not in web_user.text() and other in web_user.text()


@pytest.mark.parametrize("page", [PAGE, "/forgotten", "/reset", "/verify"])
def test_it_and_the_pages_of_codes_are_accessible(
    window: Callable[..., WebUser], owner: Owner, page: str
) -> None:
    web_user = window()
    web_user.sign_in(owner.name)
    web_user.open(page)
    found = Axe().run(web_user.page, options={"resultTypes": ["violations"], "preload": False})
    assert [(one["id"], one["nodes"]) for one in found.response["violations"]] == []


def test_a_visitor_without_a_session_is_asked_to_sign_in(server: Server) -> None:
    shown = Wire(Owner(server, Path())).ask("GET", PAGE, cookie="")
    assert (shown.status, shown.headers["Location"]) == (303, "/login?next=/settings/profile")


@pytest.mark.parametrize(
    "fields", [{"do": "add", "name": "no address"}, {"do": "else", "name": "a@b.example"}, {"do": "add"}]
)
def test_an_empty_form_is_refused(server: Server, fields: dict[str, str]) -> None:
    wire = Wire(Owner(server, Path()))
    refused = wire.post(PAGE, token=wire.token(PAGE), **fields)
    assert refused.status in (400, 404, 405)


def test_former_addresses_redirect_permanently_to_the_page(server: Server) -> None:
    wire = Wire(Owner(server, Path()))
    for before, now in (("/addresses", PAGE), ("/settings", PAGE), ("/connections", "/settings/signin")):
        moved = wire.ask("GET", before)
        assert (moved.status, moved.headers["Location"]) == (308, now)


def test_profile_fields_are_saved_together_and_kept_when_refused(web_user: WebUser, owner: Owner) -> None:
    page, ask = web_user.page, web_user.server.ask
    web_user.open(PAGE)
    web_user.sign_in(owner.name)
    page.fill("#f-name", "Ada \u05e2\u05d3\u05d4")
    page.fill("#f-bio", "Counts")
    page.fill("#f-timezone", "Oslo")
    web_user.press("button[value=save]")
    assert "is not a time zone" in page.inner_text("#w-timezone")
    assert page.input_value("#f-bio") == "Counts"
    page.fill("#f-timezone", "Europe/Oslo")
    page.fill("#f-description", "One\n*two*")
    page.check("input[name='options/show_name']")
    page.check("input[name=public][value=no]")
    web_user.press("button[value=save]")
    assert page.inner_text("[role=status]").strip() == "Saved."
    assert page.input_value("#f-description") == "One\n*two*"
    assert ask("GET", "admin/profile/description", who=owner.name)["raw"].strip() == "One\n*two*"
    assert ask("GET", f"users/{owner.name}/profile", who=owner.name)["name"] == "Ada \u05e2\u05d3\u05d4"
    assert ask("GET", "admin/profile/public", who=owner.name).strip() == "no"


def test_a_picture_is_uploaded_and_removed(web_user: WebUser, owner: Owner) -> None:
    web_user.open(PAGE)
    web_user.sign_in(owner.name)
    web_user.page.set_input_files(
        "input[name=picture]", {"name": "me.png", "mimeType": "image/png", "buffer": PNG}
    )
    web_user.press("text=Upload")
    assert "Your picture is saved." in web_user.text()
    assert web_user.page.evaluate("document.querySelector('.avatar').naturalWidth") == 2
    web_user.page.set_input_files(
        "input[name=picture]", {"name": "me.png", "mimeType": "image/png", "buffer": b"<svg/>"}
    )
    web_user.press("text=Upload")
    assert web_user.page.locator("[role=alert]").count() == 1
    web_user.confirm("Remove your picture")
    assert web_user.page.locator(".avatar").count() == 0
