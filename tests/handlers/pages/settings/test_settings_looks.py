"""The pages of settings, of groups and of registration: accessible, and never wider than a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.handlers.pages.visitor import Owner, Visitor

LONG = "https://example.org/" + "x" * 90
SIZES = ((390, 844), (1280, 900))


@pytest.fixture
def pages(owner: Owner) -> list[str]:
    """The pages of somebody with long words in everything."""
    ask, name = owner.server.ask, owner.name
    ask("PUT", "admin/groups/crew", who=name)
    ask("PUT", f"users/{name}/groups/crew/threads/hello", LONG.encode(), name)
    for place in ("admin/profile", "admin/groups/crew/profile"):
        ask("POST", f"{place}/name", "\u05e2\u05d3\u05d4 ".encode() + b"w" * 80, name)
        ask("POST", f"{place}/description", LONG.encode(), name)
    wish = {"username": name, "password": owner.server.password(name), "token_name": "t" + "o" * 100}
    ask("POST", "token", {**wish, "token_description": LONG})
    ask("PUT", f"admin/profile/emails/{'a' * 60}@{'b' * 60}.example", who=name)
    settings = [f"/settings/{page}" for page in ("profile", "signin", "tokens", "notices")]
    return [*settings, f"/u/{name}", f"/u/{name}/grp/crew", f"/u/{name}/grp/crew/comments", "/new/group"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_they_are_accessible_and_none_is_wider_than_a_phone(
    window: Callable[..., Visitor], owner: Owner, pages: list[str], scheme: str
) -> None:
    visitor = window(color_scheme=scheme)
    visitor.open("/register")
    assert faults(visitor) == []
    visitor.open("/login")
    visitor.sign_in(owner.name)
    for page in pages:
        for width, height in SIZES:
            visitor.page.set_viewport_size({"width": width, "height": height})
            assert visitor.open(page) == 200
            assert faults(visitor) == [], (page, width)
        visitor.page.set_viewport_size({"width": 320, "height": 700})
        assert visitor.page.evaluate("document.documentElement.scrollWidth") == 320, page


def faults(visitor: Visitor) -> list[tuple[str, list[str]]]:
    """What axe finds on the present page."""
    found = Axe().run(visitor.page, options={"resultTypes": ["violations"], "preload": False})
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found.response["violations"]]
