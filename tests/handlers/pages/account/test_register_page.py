"""Registering with a browser, where registration is open."""

from __future__ import annotations

from pathlib import Path

from tests.handlers.pages.web_user import WebUser
from tests.kit.server import web

PASSWORD = "mud and reeds at dawn"


def test_a_stranger_registers_and_is_signed_in(web_user: WebUser) -> None:
    page, name = web_user.page, f"reg-{id(web_user)}"
    web_user.open("/login")
    web_user.press("main a:has-text('Register')")
    page.fill("[name=username]", "Bob L")
    page.fill("[name=name]", "Bob Lindqvist")
    page.fill("[name=email]", f"{name}@birds.example")
    page.fill("[name=password]", PASSWORD)
    web_user.press("main button")
    assert page.get_attribute("[name=username]", "aria-invalid") == "true"
    assert page.input_value("[name=name]") == "Bob Lindqvist"
    page.fill("[name=username]", name)
    page.fill("[name=password]", PASSWORD)
    web_user.press("main button")
    assert "this server sends no mail yet" in web_user.text()
    assert web_user.open("/register") == 200
    assert page.url == f"{web_user.server.origin}/"


def test_a_name_that_is_taken_is_an_error_at_its_field(web_user: WebUser) -> None:
    page, name = web_user.page, f"taken-{id(web_user)}"
    web_user.server.add(name)
    web_user.open("/register")
    page.fill("[name=username]", name)
    page.fill("[name=email]", f"{name}2@birds.example")
    page.fill("[name=password]", PASSWORD)
    web_user.press("main button")
    assert page.inner_text("#w-username") == "It is taken: choose another."


def test_a_closed_registration_names_who_makes_accounts(web_user: WebUser, tmp_path: Path) -> None:
    with web(tmp_path, CURLEW_REGISTRATION="closed") as closed:
        assert web_user.open(f"{closed.origin}/register") == 403
        assert "curlew user add" in web_user.text()
        web_user.open(f"{closed.origin}/login")
        assert "Register" not in web_user.text()
