"""Second factors in a browser: an app, recovery codes, and passkeys of an authenticator in Chromium."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyotp
import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.handlers.pages.web_user import Owner, WebUser
from tests.kit.server import Server

PAGE = "/settings/second-factor"
CODE = "input[name=second_code]"
INTERNAL = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def owner(server: Server) -> Owner:
    return Owner(server, Path())


def step(web_user: WebUser, code: str) -> None:
    """Type a code on the page that asks for it."""
    web_user.page.fill(CODE, code)
    web_user.press(f"form:has({CODE}) button.primary")


def turn_on(web_user: WebUser) -> tuple[pyotp.TOTP, list[str]]:
    """Set up an app; return it, and the recovery codes."""
    web_user.open(PAGE)
    web_user.press("button[value=setup]")
    assert web_user.page.locator(".qr svg").count() == 1
    app = pyotp.TOTP(web_user.page.inner_text(".secret code").replace(" ", ""))
    step(web_user, "12345")
    assert "does not fit the secret" in web_user.page.inner_text(".wrong")
    step(web_user, app.now())
    assert "The second factor is on" in web_user.page.inner_text("[role=status]")
    return app, web_user.page.inner_text(".secret code").split()


def test_each_sign_in_needs_a_code_once_an_app_is_set_up(web_user: WebUser, owner: Owner) -> None:
    web_user.sign_in(owner.name)
    app, codes = turn_on(web_user)
    assert len(codes) == 10 and codes[0] not in web_user.context.new_page().content()
    web_user.context.clear_cookies()
    web_user.open(f"/login?next={PAGE}")
    web_user.sign_in(owner.name)
    assert f"Signing in as @{owner.name}" in web_user.text()
    step(web_user, "000000")
    assert "The code is wrong" in web_user.page.inner_text("[role=alert]")
    step(web_user, app.at(int(time.time()) + 30))
    assert web_user.page.url.endswith(PAGE)
    web_user.context.clear_cookies()
    web_user.open(f"/login?next={PAGE}")
    web_user.sign_in(owner.name)
    step(web_user, codes[0])
    assert "9 left" in web_user.text()
    web_user.confirm("Remove")
    assert "Off: the password is enough" in web_user.text()
    web_user.context.clear_cookies()
    web_user.sign_in(owner.name)
    assert web_user.page.url.endswith(web_user.server.origin + "/")


def test_an_earlier_session_needs_a_code(window: Callable[..., WebUser], owner: Owner) -> None:
    first, second = window(), window()
    for one in (first, second):
        one.sign_in(owner.name)
    _, codes = turn_on(first)
    second.open("/settings/tokens")
    second.page.fill("input[name=password]", second.server.password(owner.name))
    step(second, "000000")
    assert "it is missing, wrong" in second.page.inner_text(".wrong").lower()
    second.page.fill("input[name=password]", second.server.password(owner.name))
    step(second, codes[0])
    assert "Copy it now" in second.text()
    second.open(PAGE)
    assert second.page.locator("button[value=remove], button[value=codes]").count() == 0
    second.press("text=Sign in again")
    second.sign_in(owner.name)
    step(second, codes[1])
    assert second.page.url.endswith(PAGE) and "8 left" in second.text()
    second.open("/settings/tokens")
    assert second.page.locator("input[name=password]").count() == 0
    second.press("button[value=make]")
    assert "Copy it now" in second.text()
    second.open("/settings/signin")
    second.page.fill("input[name=password]", second.server.password(owner.name))
    second.page.fill("input[name=new_password]", "another eleven birds")
    second.press("button[value=password]")
    assert "/login?next=" in second.page.url


class Passkeys:
    """A window at localhost with an authenticator."""

    def __init__(self, window: Callable[..., WebUser], owner: Owner) -> None:
        self.user, self.name = window(), owner.name
        self.origin = self.user.server.origin.replace("127.0.0.1", "localhost")
        self.session = self.user.context.new_cdp_session(self.user.page)
        self.session.send("WebAuthn.enable")
        made = self.session.send("WebAuthn.addVirtualAuthenticator", {"options": INTERNAL})
        self.authenticator = made["authenticatorId"]

    def open(self, path: str) -> None:
        self.user.context.clear_cookies()
        self.user.open(self.origin + path)

    def sign_in(self) -> None:
        self.open(f"/login?next={PAGE}")
        self.user.sign_in(self.name)

    def add(self) -> str:
        self.sign_in()
        self.user.page.fill("form[data-passkey] input[name=title]", "My laptop")
        self.user.press("form[data-passkey] button")
        return self.user.page.inner_text("[role=status]")

    def verify(self, verified: bool) -> None:
        parameters = {"authenticatorId": self.authenticator, "isUserVerified": verified}
        self.session.send("WebAuthn.setUserVerified", parameters)

    def credentials(self) -> list[Any]:
        found = self.session.send("WebAuthn.getCredentials", {"authenticatorId": self.authenticator})
        return list(found["credentials"])


def test_a_passkey_signs_in_alone_and_after_the_password(
    window: Callable[..., WebUser], owner: Owner
) -> None:
    passkeys = Passkeys(window, owner)
    assert "recovery codes" in passkeys.add()
    (made,) = passkeys.credentials()
    assert (made["rpId"], made["isResidentCredential"]) == ("localhost", True)
    passkeys.open(f"/login?next={PAGE}")
    passkeys.user.press("text=Sign in with a passkey")
    assert "my_laptop" in passkeys.user.text() and passkeys.user.page.url.endswith(PAGE)
    passkeys.sign_in()
    assert "Recovery code" in passkeys.user.text()
    passkeys.user.press("text=Use your passkey")
    assert passkeys.user.page.url.endswith(PAGE)
    passkeys.verify(False)
    passkeys.open("/login")
    passkeys.user.page.click("text=Sign in with a passkey")
    passkeys.user.page.wait_for_selector(".wrong:visible")
    assert "No passkey was used" in passkeys.user.text()


def test_where_browsers_allow_no_passkeys_the_page_says_so(
    window: Callable[..., WebUser], owner: Owner
) -> None:
    web_user = window()
    web_user.sign_in(owner.name)
    web_user.open(PAGE)
    assert "passkeys need an address with https and a name" in web_user.text()
    web_user.context.clear_cookies()
    web_user.open("/login")
    assert "passkey" not in web_user.text()


def test_the_pages_are_accessible(window: Callable[..., WebUser], owner: Owner) -> None:
    passkeys = Passkeys(window, owner)
    passkeys.add()
    pages = [passkeys.user.page.url]
    web_user = passkeys.user
    for press in ("", "button[value=setup]"):
        if press:
            web_user.press(press)
        found = Axe().run(web_user.page, options={"resultTypes": ["violations"], "preload": False})
        assert [(one["id"], one["nodes"]) for one in found.response["violations"]] == [], pages
    passkeys.sign_in()
    found = Axe().run(web_user.page, options={"resultTypes": ["violations"], "preload": False})
    assert [(one["id"], one["nodes"]) for one in found.response["violations"]] == []
