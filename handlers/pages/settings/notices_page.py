"""The page of notification levels for each event."""

from __future__ import annotations

from handlers.pages.acting.fields import at_field
from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.settings.concerns import NOTICES_PAGE, PROFILE, own_name, settings_page, unknown_action
from handlers.services.posting import (
    DEFAULT,
    EVENT_GROUPS,
    EVENTS,
    IGNORED,
    IN_ACCOUNTS,
    MAILED,
)
from vfs.access import Verb
from vfs.body import TextBody

LEVELS = PROFILE / IN_ACCOUNTS
WORDS = {IGNORED: "Not at all", DEFAULT: "In your notices", MAILED: "In your notices and by mail"}


def show(request: PageRequest) -> Page:
    """Return the page. Raises Unauthenticated if the caller is not signed in."""
    facts = {
        "groups": EVENT_GROUPS,
        "levels": _kept_levels(request),
        "words": WORDS,
        "mailed": any((row.extra or {})["status"] == "verified" for row in request.read(PROFILE / "emails")),
    }
    return settings_page("settings_notices.html", NOTICES_PAGE, facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Write the levels that were changed, all or none."""
    if form["do"] != "save":
        raise unknown_action()
    with request.world.atomic():
        for kind, level in _kept_levels(request).items():
            if form[kind] not in ("", level):
                with at_field(kind):
                    request.call(Verb.WRITE, LEVELS / kind, TextBody(form[kind]))
    return Redirect(str(NOTICES_PAGE.page), done="kept")


def _kept_levels(request: PageRequest) -> dict[str, str]:
    own_name(request)
    texts = request.texts(LEVELS)
    return {kind: texts.get(kind, event.usual) for kind, event in EVENTS.items()}
