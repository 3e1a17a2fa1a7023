"""Codes that come by mail: an address is verified, and a forgotten password set, without signing in."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.handlers.pages.account.letters import letters_to, link_in
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server

NEW = "seven curlews over the marsh"
PATIENCE = 30.0


@pytest.fixture
def verified(server: Server, web_user: WebUser) -> Owner:
    """A user with an address that was verified by its mailed link."""
    owner = Owner(server, Path())
    ((_, text),) = letters_to(server, f"{owner.name}@birds.example")
    web_user.open(link_in(text, server))
    web_user.press("text=Verify the address")
    assert "The address is verified." in web_user.text()
    return owner


def forgotten_letter(server: Server, address: str) -> str:
    """Return the letter about a forgotten password, which is sent after the response."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = [text for subject, text in letters_to(server, address) if "new password" in subject]
        if found:
            return found[-1]
        time.sleep(0.02)
    raise AssertionError("no letter came")


def test_a_forgotten_password_is_set_by_the_link_of_a_mail(web_user: WebUser, verified: Owner) -> None:
    server, address = web_user.server, f"{verified.name}@birds.example"
    web_user.open("/login")
    web_user.press("text=Forgotten your password?")
    web_user.page.fill("input[name=email]", address)
    web_user.press("text=Mail me a code")
    assert f"verified {address}" in web_user.text()
    link = link_in(forgotten_letter(server, address), server)
    web_user.open(link)
    web_user.page.fill("input[name=new_password]", "short")
    web_user.press("button.primary")
    assert "the password was not changed" in web_user.page.inner_text("[role=alert]")
    assert web_user.page.input_value("input[name=code]") in link
    web_user.page.fill("input[name=new_password]", NEW)
    web_user.press("button.primary")
    assert "The password is set" in web_user.text()
    web_user.sign_in(verified.name, NEW)
    assert f"@{verified.name}" in web_user.page.inner_text("header")


def test_nobody_learns_who_has_an_account(server: Server) -> None:
    owner, answers = Owner(server, Path()), []
    wire = Wire(owner)
    link = urlsplit(link_in(letters_to(server, f"{owner.name}@birds.example")[0][1], server))
    assert wire.post("/verify", token=wire.token("/verify"), **dict(parse_qsl(link.query))).status == 303
    for name in (owner.name, "x" * len(owner.name)):
        sent = {"token": wire.token("/forgotten"), "email": f"{name}@birds.example"}
        answer = wire.post("/forgotten", **sent)
        answers.append((answer.status, answer.body.replace(name, "*").partition("<main")[2]))
    assert answers[0] == answers[1] and answers[0][0] == 200


def test_a_wrong_field_is_named_on_the_page(server: Server) -> None:
    wire = Wire(Owner(server, Path()))
    for page, fields, said in (
        ("/forgotten", {"email": "no address"}, "email:"),
        ("/verify", {"uid": "x", "code": "1"}, "no such challenge"),
        ("/reset", {"code": "x", "new_password": NEW}, "the code is unknown"),
    ):
        answer = wire.post(page, token=wire.token(page), **fields)
        assert answer.status in (400, 404) and said in answer.body, page
        assert fields.get("email", fields.get("code", "")) in answer.body and NEW not in answer.body
        assert wire.post(page, token="", **fields).status == 403
