"""The page of what one is told, and of the time zone in which times are shown."""

from __future__ import annotations

from handlers.pages.account.refused_fields import at_field
from handlers.pages.forms import SentForm
from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.settings.concerns import NOTICES_PAGE, PROFILE, own_name, settings_page, unknown_deed
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import VfsError

ZONE = PROFILE / "timezone"


def show(request: PageRequest) -> Page:
    """The page. Raises Unauthenticated for whoever is not signed in."""
    own_name(request)
    return _page(request, str(request.read(ZONE)), None)


def act(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Take the form of the page: set the time zone."""
    own_name(request)
    if form["do"] != "zone":
        raise unknown_deed()
    zone = form["zone"].strip()
    try:
        request.call(Verb.WRITE, ZONE, TextBody(zone))
    except VfsError as wrong:
        return _page(request, zone, at_field(wrong, "zone"))
    return Redirect(str(NOTICES_PAGE.page), done="zone")


def _page(request: PageRequest, zone: str, error: VfsError | None) -> Page:
    lines = [
        Command(
            "Set the time zone",
            f"{SIGNED} -H 'Content-Type: text/plain' -d Europe/Oslo {request.origin}{ZONE}",
        ),
        Command("Your notices", f"{SIGNED} {request.origin}/v1/admin/notifications"),
    ]
    facts = {"zone": zone.strip(), "commands": lines}
    return settings_page("settings_notices.html", NOTICES_PAGE, facts, error)
