"""Concerns of the settings: their pages in the order of their menu, and their audience."""

from __future__ import annotations

from typing import Any, NamedTuple

from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.rules.addresses import API
from vfs.errors import Unauthenticated
from vfs.path import Path

SETTINGS_PAGE = Path(("settings",))
PROFILE = API / ("admin", "profile")


class SettingsConcern(NamedTuple):
    """A page of the settings: its address and its label."""

    page: Path
    words: str


PROFILE_PAGE = SettingsConcern(SETTINGS_PAGE / "profile", "Profile")
SIGNIN_PAGE = SettingsConcern(SETTINGS_PAGE / "signin", "Sign-in and password")
FACTORS_PAGE = SettingsConcern(SETTINGS_PAGE / "second-factor", "Second factor")
TOKENS_PAGE = SettingsConcern(SETTINGS_PAGE / "tokens", "Tokens and keys")
NOTICES_PAGE = SettingsConcern(SETTINGS_PAGE / "notices", "Notices")
HOOKS_PAGE = SettingsConcern(SETTINGS_PAGE / "hooks", "Hooks")
CONCERNS = (PROFILE_PAGE, SIGNIN_PAGE, FACTORS_PAGE, TOKENS_PAGE, NOTICES_PAGE, HOOKS_PAGE)


def own_name(request: PageRequest) -> str:
    """Return the name of the caller. Raises Unauthenticated if the caller is not signed in."""
    if request.caller.name is None:
        raise Unauthenticated("sign in to see the settings of your account")
    return request.caller.name


def settings_page(template: str, concern: SettingsConcern, facts: dict[str, Any]) -> Page:
    """Return a page of the settings."""
    return Page(template, {"concerns": CONCERNS, "concern": concern, **facts})
