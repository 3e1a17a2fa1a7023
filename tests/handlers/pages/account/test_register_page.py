"""Registering with a browser, where registration is open."""

from __future__ import annotations

from pathlib import Path

from tests.handlers.pages.visitor import Visitor
from tests.kit.server import web

PASSWORD = "mud and reeds at dawn"


def test_a_stranger_registers_and_is_signed_in(visitor: Visitor) -> None:
    page, name = visitor.page, f"reg-{id(visitor)}"
    visitor.open("/login")
    visitor.press("main a:has-text('Register')")
    page.fill("[name=username]", "Bob L")
    page.fill("[name=name]", "Bob Lindqvist")
    page.fill("[name=email]", f"{name}@birds.example")
    page.fill("[name=password]", PASSWORD)
    visitor.press("main button")
    assert page.get_attribute("[name=username]", "aria-invalid") == "true"
    assert page.input_value("[name=name]") == "Bob Lindqvist"
    page.fill("[name=username]", name)
    page.fill("[name=password]", PASSWORD)
    visitor.press("main button")
    assert "A mail with a code is on its way" in visitor.text()
    assert visitor.open("/register") == 200
    assert page.url == f"{visitor.server.origin}/"


def test_a_name_that_is_taken_is_told_at_its_field(visitor: Visitor) -> None:
    page, name = visitor.page, f"taken-{id(visitor)}"
    visitor.server.add(name)
    visitor.open("/register")
    page.fill("[name=username]", name)
    page.fill("[name=email]", f"{name}2@birds.example")
    page.fill("[name=password]", PASSWORD)
    visitor.press("main button")
    assert page.inner_text("#w-username") == "It is taken: choose another."


def test_a_closed_registration_tells_who_makes_accounts(visitor: Visitor, tmp_path: Path) -> None:
    with web(tmp_path, CURLEW_REGISTRATION="closed") as closed:
        assert visitor.open(f"{closed.origin}/register") == 403
        assert "curlew user add" in visitor.text()
        visitor.open(f"{closed.origin}/login")
        assert "Register" not in visitor.text()
