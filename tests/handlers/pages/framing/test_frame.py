"""The frame of pages in a browser: menus, the search key, dialogs, times of the reader, folded curl."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from handlers.pages.framing.frame import places
from handlers.trees import KINDS
from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import Owner, WebUser
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


def test_the_lists_of_all_kinds_are_in_the_frame(web_user: WebUser, owner: Owner) -> None:
    web_user.sign_in(owner.name)
    shown = web_user.page.locator(".kinds a").all_inner_texts()
    assert shown == ["Home", "Jobs", "Plots", "Grids", "Documents", "Mails", "Repos", "Spaces"]


def test_menus_open_and_lead_on_without_scripts(web_user: WebUser, owner: Owner) -> None:
    web_user.sign_in(owner.name)
    assert not web_user.page.is_visible("#new a")
    web_user.page.click("[popovertarget=new]")
    web_user.press("#new a[href='/new/plot']")
    assert "New plot" in web_user.text()
    web_user.open("/menu")
    assert "Sign out" in web_user.text() and "runs programs" in web_user.text()


def test_times_are_those_of_the_reader(web_user: WebUser, owner: Owner, page: str) -> None:
    owner.server.ask("POST", "admin/profile/timezone", b"Asia/Tokyo", owner.name)
    web_user.sign_in(owner.name)
    web_user.open(page)
    assert (web_user.page.get_attribute(".meta time", "title") or "").endswith(" Asia/Tokyo")
    assert web_user.page.inner_text(".meta time") == "now"
    assert "Time zone: Asia/Tokyo" in web_user.page.inner_text("footer")


def test_search_key_dialogs_and_remembered_folds(
    window: Callable[..., WebUser], owner: Owner, page: str
) -> None:
    web_user = window()
    web_user.sign_in(owner.name)
    web_user.open(page)
    web_user.page.keyboard.press("/")
    assert web_user.page.evaluate("document.activeElement.id") == "q"
    web_user.page.click("details.curl > summary")
    web_user.page.click(".title a[data-dialog]")
    web_user.page.wait_for_selector("dialog[open] h1")
    web_user.page.keyboard.press("Escape")
    web_user.page.wait_for_selector("dialog", state="detached")
    web_user.open(f"{page}/settings")
    web_user.page.wait_for_selector("details.curl[open]")


def test_the_sentence_of_an_action_is_removed_from_the_address(
    window: Callable[..., WebUser], owner: Owner, page: str
) -> None:
    web_user = window()
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/settings")
    web_user.page.click(".tags > summary")
    web_user.page.fill("[name=tag]", "board")
    web_user.press(".tags form:has([name=tag]) button")
    web_user.page.wait_for_url(f"**{page}")
    assert "The tag board is added." in web_user.text()
    web_user.press("text=Undo")
    assert "The tag board is removed." in web_user.text()
