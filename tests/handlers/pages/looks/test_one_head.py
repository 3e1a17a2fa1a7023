"""The head and frame of pages, measured in a browser, and the small pictures of lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder
from handlers.rendering.render_kinds import PLOT
from tests.handlers.pages.painter import ROWS, Painter
from tests.handlers.pages.web_user import Owner, WebUser

LARGEST_SMALL = 15_000
FIRST_FIELD = 200
SET = """(name) => {
  const all = document.querySelectorAll("body, button, input, textarea, select");
  for (const one of all) one.style.fontFamily = name;
}"""
MEASURE = """() => {
  const high = (one) => one.getBoundingClientRect().height > 4;
  const shown = (one) => one.offsetParent && high(one) && !one.closest(".for-phone");
  const top = (one) => one && one.getBoundingClientRect().top;
  const fields = ".editor :is(input, textarea, select)";
  // Notices that stand above the first field are there while they apply.
  for (const one of document.querySelectorAll(".editor .notice")) one.style.display = "none";
  const box = (name) => document.querySelector(name)?.getBoundingClientRect();
  return {
    field: top([...document.querySelectorAll(fields)].find(shown)),
    head: [box(".head").left, box(".head").top, box(".title").left, box(".tabs").left, box(".tabs").top],
    left: document.querySelector(".head").parentElement.getBoundingClientRect().left,
    primary: [...document.querySelectorAll(".primary")].filter(shown).length,
  };
}"""


@pytest.fixture
def desk(window: Callable[..., WebUser], owner: Owner) -> WebUser:
    web_user = window(viewport={"width": 1280, "height": 900})
    web_user.sign_in(owner.name)
    return web_user


def measured(web_user: WebUser, path: str, typeface: str = "") -> dict[str, Any]:
    """Return the places of the parts of a page."""
    assert web_user.open(path) == 200
    if typeface:
        web_user.page.evaluate(SET, typeface)
    found: dict[str, Any] = web_user.page.evaluate(MEASURE)
    return found


def test_the_head_stays_where_it_is_and_leaves_room_for_the_first_field(
    desk: WebUser, painter: Painter, owner: Owner
) -> None:
    pages = [
        painter.make("plots/sales", data=ROWS, name="Sales", config__subtitle="In thousands"),
        painter.make("grids/board", name="Board", summary="Side by side"),
        painter.make("docs/report", name="Report", content="# Report\n"),
        painter.make("mails/monday", name="Monday", content="Hello.\n"),
        owner.job("nightly"),
    ]
    for page in pages:
        view, edit = measured(desk, page), measured(desk, f"{page}/edit")
        settings = measured(desk, f"{page}/settings")
        assert view["head"] == edit["head"] == settings["head"], page
        assert edit["field"] <= FIRST_FIELD, (page, edit["field"])
        # The widest of the usual typefaces: which one "system-ui" is depends on the machine.
        wide = measured(desk, f"{page}/edit", "DejaVu Sans")
        assert wide["field"] <= FIRST_FIELD, (page, wide["field"])
        assert [one["primary"] for one in (edit, settings)] == [1, 1], page
        assert view["primary"] <= 1, page


def test_a_missing_page_has_the_frame_of_all_pages(web_user: WebUser, owner: Owner) -> None:
    web_user.sign_in(owner.name)
    for path in ("/nothing/here", "/operator", f"/u/{owner.name}/p/none", "/u/a/%2F/x", "/new/nothing"):
        assert web_user.open(path) in (400, 404), path
        assert web_user.page.locator(".kinds a").count() == 8, path
        assert f"You are signed in as @{owner.name}" in web_user.text(), path
    web_user.open("/nothing/here")
    web_user.press("main a:has-text('Search')")
    assert web_user.page.url.endswith("/search?q=here")


def test_a_card_says_that_its_picture_is_being_drawn_or_why_it_is_missing(
    desk: WebUser, painter: Painter
) -> None:
    painter.make("plots/sales", data=ROWS, name="Sales")
    said = '{"detail": "the renderer is away"}'
    desk.page.route("**/files/plot.png?*", lambda route: route.fulfill(status=503, body=said))
    desk.open("/plots?whose=mine")
    desk.page.wait_for_selector(".thumb:has-text('cannot be drawn just now: the renderer is away')")
    desk.page.unroute("**/files/plot.png?*")
    desk.page.wait_for_selector(".thumb .undrawn", state="hidden")
    assert desk.page.evaluate("document.querySelector('.thumb img').naturalWidth") == 320


@pytest.mark.parametrize("type", ["bar", "line", "hbar", "area", "pie", "table", "calendar"])
def test_a_small_picture_of_a_type_is_small(type: str) -> None:
    options = {"width": 320, "height": 192, "include_header": False, "include_caption": False, "mode": "dark"}
    rows = "\n".join(
        f"2026-{day // 28 + 1:02}-{day % 28 + 1:02},{day * 37 % 90},{day * 23 % 40}" for day in range(60)
    )
    order = RenderOrder(
        PLOT.name, "png", {"data": f"day,north,south\n{rows}\n", "config/type": type}, options
    )
    assert 0 < len(render_order(order).body) < LARGEST_SMALL
