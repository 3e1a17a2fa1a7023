"""The page of notification levels for each event."""

from __future__ import annotations

from handlers.pages.acting.fields import write_changed
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.settings.profile_page import PROFILE, PURPOSE
from handlers.services.posting import (
    DEFAULT,
    EVENT_GROUPS,
    EVENTS,
    IGNORED,
    IN_ACCOUNTS,
    MAILED,
)

HERE = "/settings/notices"
LEVELS = PROFILE / IN_ACCOUNTS
WORDS = {IGNORED: "Not at all", DEFAULT: "In your notices", MAILED: "In your notices and by mail"}


def show(request: PageRequest) -> Page:
    """Return the page. Raises Unauthenticated if the caller is not signed in."""
    facts = {
        "groups": EVENT_GROUPS,
        "levels": _kept_levels(request),
        "words": WORDS,
        "mailed": any(row["status"] == "verified" for row in request.rows(PROFILE / "emails")),
    }
    return Page("settings_notices.html", facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Write the levels that were changed, all or none."""
    if form["do"] != "save":
        raise unknown_form()
    kept = _kept_levels(request)
    write_changed(request, LEVELS, {kind: form[kind] or level for kind, level in kept.items()}, kept)
    return Redirect(HERE, done="kept")


def _kept_levels(request: PageRequest) -> dict[str, str]:
    request.me(PURPOSE)
    texts = request.texts(LEVELS)
    return {kind: texts.get(kind, event.usual) for kind, event in EVENTS.items()}
