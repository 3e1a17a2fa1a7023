"""The page of notification levels for each event."""

from __future__ import annotations

from handlers.pages.acting.fields import write_changed
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.settings.concerns import NOTICES_PAGE, PROFILE, own_name, settings_page
from handlers.services.posting import (
    DEFAULT,
    EVENT_GROUPS,
    EVENTS,
    IGNORED,
    IN_ACCOUNTS,
    MAILED,
)

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
    return settings_page("settings_notices.html", NOTICES_PAGE, facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Write the levels that were changed, all or none."""
    if form["do"] != "save":
        raise unknown_form()
    kept = _kept_levels(request)
    write_changed(request, LEVELS, {kind: form[kind] or level for kind, level in kept.items()}, kept)
    return Redirect(str(NOTICES_PAGE.page), done="kept")


def _kept_levels(request: PageRequest) -> dict[str, str]:
    own_name(request)
    texts = request.texts(LEVELS)
    return {kind: texts.get(kind, event.usual) for kind, event in EVENTS.items()}
