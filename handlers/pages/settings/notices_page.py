"""The page of what one is told."""

from __future__ import annotations

from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.settings.concerns import NOTICES_PAGE, own_name, settings_page


def show(request: PageRequest) -> Page:
    """The page. Raises Unauthenticated for whoever is not signed in."""
    own_name(request)
    lines = [Command("Your notices", f"{SIGNED} {request.origin}/v1/admin/notifications")]
    return settings_page("settings_notices.html", NOTICES_PAGE, {"commands": lines}, None)
