"""The pages of mails: the mail in a frame of its own, its downloads, and notes for its writers."""

from __future__ import annotations

from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.visuals.downloads import downloads
from handlers.pages.visuals.kept_forms import KeptForms
from handlers.pages.visuals.visual_commands import first_text, mail_commands
from handlers.pages.visuals.visual_facts import version_of, visual_facts
from handlers.pages.visuals.visual_path import VisualPath

FORM = "html"
MOST_NOTES = 100


def show_mail(at: VisualPath, request: PageRequest) -> Page:
    """The page of a mail. Raises NotFound or Unauthenticated for whoever sees no such mail."""
    facts = visual_facts(at, request)
    empty = facts["reads"] and not request.peek(at.api / "content", "").strip()
    version = version_of(at, request, FORM) if facts["looks"] else ""
    shown = bool(version) and not empty
    kept = KeptForms(request.world.visuals.kept, at.kind, version)
    found = request.peek(at.api / "log", ()) if facts["writes"] and shown else ()
    signed = request.caller.name is not None
    facts |= {
        "empty": empty,
        "version": version,
        "file": at.file(FORM, v=version) if shown else "",
        "status": request.peek(at.api / "status", "").strip() if facts["reads"] else "",
        "notes": [str(note["message"]) for note in found[:MOST_NOTES] if "message" in note],
        "downloads": downloads(at, kept, reads=facts["reads"]) if shown else [],
        "commands": [first_text(request.origin, at)]
        if empty and facts["writes"]
        else mail_commands(request.origin, at, signed=signed, looks=facts["looks"], writes=facts["writes"]),
    }
    return Page("mail.html", facts, frames=True)
