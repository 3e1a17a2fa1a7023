"""A start prints the address of the first account, and another one each time."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from tests.handlers.pages.account.first_start import start
from tests.handlers.pages.web_user import WebUser

PASSWORD = "mud and reeds at dawn"


def test_a_restart_prints_another_address_and_the_first_is_over(tmp_path: Path, browser: Browser) -> None:
    with start(tmp_path) as first:
        pass
    with start(tmp_path) as second:
        assert first.address.partition("key=")[2] != second.address.partition("key=")[2]
        web_user = WebUser(browser, second.server)
        web_user.open(f"/setup?key={first.address.partition('key=')[2]}")
        web_user.page.fill("[name=username]", "ada")
        web_user.page.fill("[name=password]", PASSWORD)
        web_user.press("main button")
        assert "This address has expired" in web_user.text()
        web_user.open(second.address)
        web_user.page.fill("[name=username]", "ada")
        web_user.page.fill("[name=password]", PASSWORD)
        web_user.press("main button")
        assert "you are signed in" in web_user.text()
        web_user.close()
    with start(tmp_path) as third:
        assert third.address == ""
