"""The page of notices and the time zone."""

from __future__ import annotations

from tests.handlers.pages.visitor import Owner, Visitor

PAGE = "/settings/notices"


def test_the_time_zone_is_set_by_its_name(visitor: Visitor, owner: Owner) -> None:
    visitor.open(PAGE)
    visitor.sign_in(owner.name)
    assert visitor.page.input_value("#f-zone") == "UTC"
    visitor.page.fill("#f-zone", "Oslo")
    visitor.press("button[value=zone]")
    assert "is not a time zone" in visitor.page.inner_text("#w-zone")
    visitor.page.fill("#f-zone", "Europe/Oslo")
    visitor.press("button[value=zone]")
    assert visitor.page.input_value("#f-zone") == "Europe/Oslo"
    assert visitor.server.ask("GET", "admin/profile/timezone", who=owner.name).strip() == "Europe/Oslo"
