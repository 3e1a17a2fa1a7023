"""The frame of pages in a browser: menus, the search key, dialogs, times of the reader, folded curl."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from handlers.pages.framing.frame import places
from handlers.trees import KINDS
from tests.handlers.pages.painter import Painter
from tests.handlers.pages.visitor import Owner, Visitor
from vfs.path import Path


@pytest.fixture
def page(painter: Painter) -> str:
    return painter.make("plots/sales", data="a,b\nx,1\n", name="Sales")


@pytest.mark.parametrize(
    "path, title, current",
    [
        ((), "Home", "page"),
        (("documents",), "Documents", "page"),
        (("new", "document"), "Documents", "true"),
        (("u", "alice", "d", "report"), "Documents", "true"),
        (("u", "alice", "j", "nightly", "20261126-063000-1"), "Jobs", "true"),
        (("docs", "plots"), "", ""),
        (("u", "alice"), "", ""),
    ],
)
def test_the_place_that_one_is_at_is_marked(path: tuple[str, ...], title: str, current: str) -> None:
    marked = [(one.title, one.current) for one in places(KINDS, Path(path)) if one.current]
    assert marked == ([(title, current)] if title else [])


def test_the_lists_of_all_kinds_are_in_the_frame(visitor: Visitor, owner: Owner) -> None:
    visitor.sign_in(owner.name)
    shown = visitor.page.locator(".kinds a").all_inner_texts()
    assert shown == ["Home", "Jobs", "Plots", "Grids", "Documents", "Mails", "Repos", "Spaces"]


def test_menus_open_and_lead_on_without_scripts(visitor: Visitor, owner: Owner) -> None:
    visitor.sign_in(owner.name)
    assert not visitor.page.is_visible("#new a")
    visitor.page.click("[popovertarget=new]")
    visitor.press("#new a[href='/new/plot']")
    assert "New plot" in visitor.text()
    visitor.open("/menu")
    assert "Sign out" in visitor.text() and "runs programs" in visitor.text()


def test_something_is_made_starred_and_shared(visitor: Visitor, owner: Owner) -> None:
    other = Owner(owner.server, owner.scratch).name
    visitor.sign_in(owner.name)
    visitor.open("/new/document")
    visitor.page.fill("[name=title]", "Weekly news")
    visitor.press("main button.primary")
    assert "It is made." in visitor.text()
    assert visitor.page.url.partition("?")[0].endswith("/d/weekly_news/edit")
    visitor.press(".tabs a >> nth=0")
    visitor.press("button[value=star]")
    assert visitor.page.get_attribute("button[value=unstar]", "aria-pressed") == "true"
    visitor.open(f"/u/{owner.name}/d/weekly_news/share")
    visitor.page.fill("[name=to][list]", other)
    visitor.press("form:has([list]) button.primary")
    assert f"@{other} may read now." in visitor.text()
    beside = visitor.page.context.new_page()
    beside.goto(f"{owner.server.origin}/u/{owner.name}/d/weekly_news")
    assert f"You and @{other}; not public" in beside.inner_text(".meta")
    beside.close()
    visitor.press("text=Undo")
    assert f"The share with @{other} is taken back." in visitor.text()


def test_times_are_those_of_the_reader(visitor: Visitor, owner: Owner, page: str) -> None:
    owner.server.ask("POST", "admin/profile/timezone", b"Asia/Tokyo", owner.name)
    visitor.sign_in(owner.name)
    visitor.open(page)
    assert (visitor.page.get_attribute(".meta time", "title") or "").endswith(" Asia/Tokyo")
    assert visitor.page.inner_text(".meta time") == "now"
    assert "Times are those of Asia/Tokyo" in visitor.page.inner_text("footer")


def test_keys_dialogs_and_what_is_remembered(window: Callable[..., Visitor], owner: Owner, page: str) -> None:
    visitor = window()
    visitor.sign_in(owner.name)
    visitor.open(page)
    visitor.page.keyboard.press("/")
    assert visitor.page.evaluate("document.activeElement.id") == "q"
    visitor.page.click("details.curl > summary")
    visitor.page.click(".title a[data-dialog]")
    visitor.page.wait_for_selector("dialog[open] h1")
    visitor.page.keyboard.press("Escape")
    visitor.page.wait_for_selector("dialog", state="detached")
    visitor.open(f"{page}/settings")
    visitor.page.wait_for_selector("details.curl[open]")


def test_what_was_done_leaves_the_address(window: Callable[..., Visitor], owner: Owner, page: str) -> None:
    visitor = window()
    visitor.sign_in(owner.name)
    visitor.open(f"{page}/settings")
    visitor.page.fill("[name=tag]", "board")
    visitor.press("form:has([name=tag]) button")
    visitor.page.wait_for_url(f"**{page}/settings")
    assert "The tag board is set." in visitor.text()
