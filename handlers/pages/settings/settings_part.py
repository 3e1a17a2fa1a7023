"""The pages of the settings: their addresses, those of before among them, and what their forms tell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from handlers.pages.acting.view import PagePart, View
from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from handlers.pages.settings import notices_page, profile_page, signin_page, token_page
from handlers.pages.settings.concerns import (
    NOTICES_PAGE,
    PROFILE_PAGE,
    SETTINGS_PAGE,
    SIGNIN_PAGE,
    TOKENS_PAGE,
)
from handlers.rules.kinds import Kinds
from vfs.path import Path

PAGES: Mapping[Path, View] = {
    PROFILE_PAGE.page: View(profile_page.show, profile_page.act),
    SIGNIN_PAGE.page: View(signin_page.show, signin_page.act),
    TOKENS_PAGE.page: View(token_page.show, token_page.act),
    NOTICES_PAGE.page: View(notices_page.show, notices_page.act),
}
MOVED: Mapping[Path, Path] = {
    SETTINGS_PAGE: PROFILE_PAGE.page,
    Path(("addresses",)): PROFILE_PAGE.page,
    Path(("connections",)): SIGNIN_PAGE.page,
}
"""Addresses of before, each with the page that took its place."""
DONE = {
    "kept": "Saved.",
    "looks": "Pages look so in this browser from now on.",
    "pictured": "Your picture is there.",
    "unpictured": "Your picture is gone.",
    "password": "The password is changed. All other sessions have ended.",
    "ended": "The session has ended: whoever used it has to sign in.",
    "others": "All your other sessions have ended.",
    "revoked": "The token is revoked: programs that use it are refused from this moment.",
    "keyed": "The key is there: git may come over SSH with it.",
    "unkeyed": "The key is removed: it opens nothing from this moment.",
    "disconnected": "The application is disconnected: its token is refused from this moment.",
}


def find(path: Path, kinds: Kinds) -> View | None:
    """The page at a path."""
    if path in MOVED:
        return View(partial(_move, MOVED[path]), partial(_move, MOVED[path]))
    return PAGES.get(path)


def _move(to: Path, request: PageRequest, form: SentForm | None = None) -> Redirect:
    """The way to the present address of a page."""
    return Redirect(str(to), moved=True)


SETTINGS = PagePart(find, DONE)
