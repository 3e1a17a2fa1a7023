"""Pictures on pages: chosen by the size of the window, updated after writes, in their reserved space."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.handlers.pages.painter import LAYOUT, ROWS, Painter
from tests.handlers.pages.web_user import WebUser

SOON = 2.0
PICTURE = "figure picture img"


def shown(web_user: WebUser) -> dict[str, Any]:
    """The picture of the page, once it is there."""
    expect(web_user.page.locator(PICTURE)).to_have_js_property("complete", value=True)
    found: dict[str, Any] = web_user.page.locator(PICTURE).evaluate(
        """one => ({
            source: one.currentSrc, alt: one.alt, width: one.naturalWidth, height: one.naturalHeight,
            room: one.getBoundingClientRect().height / one.getBoundingClientRect().width,
        })"""
    )
    assert found["width"] > 0, found
    return found


@pytest.mark.parametrize(
    "width, scheme, drawn", [(390, "dark", 390), (800, "light", 800), (1280, "dark", 1152)]
)
def test_a_picture_is_chosen_by_the_window(
    window: Callable[..., WebUser], painter: Painter, width: int, scheme: str, drawn: int
) -> None:
    page = painter.make("plots/sales", data=ROWS, config__title="Sales")
    web_user = window(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=scheme == "light"
    )
    web_user.sign_in(painter.name)
    web_user.open(page)
    picture = shown(web_user)
    assert f"mode={scheme}&width={drawn}" in picture["source"]
    assert picture["width"] == drawn
    # The next caller finds as much memory free as the picture takes.
    bare = web_user.page.context.request.get(web_user.page.url, headers={"Accept": "text/html"}).text()
    assert f'width="{drawn}" height="{picture["height"]}"' in bare


def test_a_write_shows_on_the_open_page(window: Callable[..., WebUser], painter: Painter) -> None:
    page = painter.make("plots/sales", data=ROWS)
    painter.share("plots/sales", "public~r")
    web_user = window()
    web_user.open(page)
    web_user.page.evaluate("window.same = true")
    web_user.page.click("details.data > summary")
    before = shown(web_user)
    painter.vis("POST", "plots/sales/config/title", "The south catches up")
    written = time.monotonic()
    expect(web_user.page.locator("h1")).to_have_text("The south catches up")
    assert time.monotonic() - written < SOON
    after = shown(web_user)
    assert after["source"] != before["source"]
    assert after["alt"].startswith("The south catches up: ")
    painter.vis("POST", "plots/sales/data", ROWS + "Apr,1,2\n")
    expect(web_user.page.locator("details.data")).to_contain_text("4 rows")
    expect(web_user.page.locator("details.data td >> text=Apr")).to_be_visible()
    assert web_user.page.evaluate("window.same") is True
    assert web_user.page.title().startswith("The south catches up")


def test_a_grid_is_drawn_again_when_a_plot_in_it_changes(
    window: Callable[..., WebUser], painter: Painter
) -> None:
    painter.make("plots/one", data=ROWS, config__title="First")
    page = painter.make("grids/board", layout=LAYOUT, mapping="A => /p/one, h=t\nB => /p/none\n")
    web_user = window()
    web_user.sign_in(painter.name)
    web_user.open(page)
    before = shown(web_user)
    assert before["alt"] == "board: grid of First"
    painter.vis("POST", "plots/one/config/title", "Second")
    written = time.monotonic()
    expect(web_user.page.locator(PICTURE)).to_have_attribute("alt", "board: grid of Second")
    assert time.monotonic() - written < SOON
    assert shown(web_user)["source"] != before["source"]
    web_user.press(".cells-in >> text=Second")
    assert web_user.page.url.endswith(f"/u/{painter.name}/p/one")


def test_the_first_data_are_shown_on_an_open_empty_page(
    window: Callable[..., WebUser], painter: Painter
) -> None:
    page = painter.make("plots/new")
    web_user = window()
    web_user.sign_in(painter.name)
    web_user.open(page)
    assert "no data yet" in web_user.text()
    painter.vis("POST", "plots/new/data", ROWS)
    assert shown(web_user)["width"] == 1152
