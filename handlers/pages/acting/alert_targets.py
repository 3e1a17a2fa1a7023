"""Choices of the ways of alerts, for forms."""

from __future__ import annotations

from handlers.pages.request import PageRequest
from handlers.services.alerts.alert_rules import HOOK, MAIL, NOTICES
from vfs.path import Path

HOOKS = Path.parse("/v1/admin/hooks")


def target_choices(request: PageRequest) -> list[tuple[str, str]]:
    """Return texts of the file `to` of alerts, with words: notices, mail, and the caller's hooks."""
    found = [(NOTICES, "By notice"), (f"{NOTICES}, {MAIL}", "By notice and mail")]
    for row in request.peek(HOOKS, ()):
        found.append((f"{NOTICES}, {HOOK} {row.name}", f"By notice and the hook {row.name}"))
        found.append((f"{HOOK} {row.name}", f"By the hook {row.name}"))
    return found
