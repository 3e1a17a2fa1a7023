"""Light or dark: that of the system, or the choice for a browser, without a script."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import WebUser
from tests.handlers.pages.wire import Wire

PAGE = "/settings/profile"
DARK, LIGHT = "rgb(21, 24, 27)", "rgb(251, 250, 247)"


def ground(web_user: WebUser) -> str:
    """The colour behind a page."""
    return str(web_user.page.evaluate("getComputedStyle(document.body).backgroundColor"))


@pytest.mark.parametrize("script", [True, False])
def test_a_look_is_chosen_for_a_browser(
    window: Callable[..., WebUser], painter: Painter, script: bool
) -> None:
    plot = painter.make("plots/sales", data="a,b\nx,1\n")
    web_user = window(java_script_enabled=script, color_scheme="light")
    web_user.sign_in(painter.name)
    web_user.open(PAGE)
    assert ground(web_user) == LIGHT
    web_user.page.check("[name=look][value=dark]")
    web_user.press("button[value=look]")
    assert "Saved for this browser." in web_user.text()
    assert ground(web_user) == DARK and web_user.page.is_checked("[name=look][value=dark]")
    web_user.open(plot)
    assert ground(web_user) == DARK
    sources = web_user.page.locator("figure picture > *").all()
    shown = [one.get_attribute("srcset") or one.get_attribute("src") or "" for one in sources]
    assert shown and all("mode=dark" in one for one in shown)
    assert not web_user.page.locator("source[media*=scheme]").count()
    web_user.page.emulate_media(color_scheme="dark")
    for look, colour in (("light", LIGHT), ("", DARK)):
        web_user.open(PAGE)
        web_user.page.check(f"[name=look][value='{look}']")
        web_user.press("button[value=look]")
        assert ground(web_user) == colour
    assert [one for one in web_user.context.cookies() if one["name"] == "curlew_look"] == []


def test_only_a_known_look_is_kept_and_read(wire: Wire) -> None:
    token = wire.token(PAGE)
    refused = wire.post(PAGE, token=token, do="look", look="pink")
    assert refused.status == 400 and "Set-Cookie" not in refused.headers
    kept = wire.post(PAGE, token=token, do="look", look="dark").headers["Set-Cookie"]
    assert kept == "curlew_look=dark; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"
    for said, attribute in (("dark", ' data-look="dark"'), ('"><b>', ""), ("", ""), ("DARK", "")):
        body = wire.ask("GET", "/docs", cookie=f"curlew_look={said}").body
        assert f'data-zone="UTC"{attribute}>' in body and "<b>" not in body


def test_documents_and_frames_are_requested_in_the_chosen_look(wire: Wire, painter: Painter) -> None:
    document = painter.make("docs/report", content="# Hello")
    plot = painter.make("plots/own", data="a,b\nx,1\n", config__type="custom")
    for look, mode, frames in (("", "both", ["light", "dark"]), ("dark", "dark", ["dark"])):
        cookie = f"{wire.cookie}; curlew_look={look}"
        assert f"mode={mode}" in wire.ask("GET", document, cookie=cookie).body
        shown = re.findall(r"<iframe [^>]* src=\"[^\"]*mode=(\w+)", wire.ask("GET", plot, cookie=cookie).body)
        assert shown == frames
    public = painter.make("plots/open", data="a,b\nx,1\n")
    painter.share("plots/open", "public~r")
    assert "prefers-color-scheme" in wire.ask("GET", f"{public}/embed", cookie="curlew_look=dark").body
