"""The pages of mails: the mail in a frame of its own, its downloads, and notes for its writers."""

from __future__ import annotations

from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.visuals.asset_page import asset_names
from handlers.pages.visuals.document_commands import first_text, mail_commands
from handlers.pages.visuals.downloads import KeptForms, downloads
from handlers.pages.visuals.visual_facts import commands_of, version_of, visual_facts
from handlers.pages.visuals.visual_page import Offer, VisualPage
from handlers.pages.visuals.visual_path import VisualPath
from handlers.rules.render_options import MAIL_OPTIONS
from handlers.trees.visuals.mails import KIND

FORM = "html"
MOST_NOTES = 100


def show_mail(page: VisualPage, at: VisualPath, request: PageRequest) -> Page:
    """The page of a mail. Raises NotFound or Unauthenticated if the caller sees no such mail."""
    facts = visual_facts(page, at, request)
    empty = facts["reads"] and not request.peek(at.api / "content", "").strip()
    version = version_of(at, request, FORM) if facts["looks"] else ""
    shown = bool(version) and not empty
    kept = KeptForms(request.world.visuals.kept, page, version)
    found = request.peek(at.api / "log", ()) if facts["writes"] and shown else ()
    facts |= {
        "assets": asset_names(request, at) if facts["writes"] else (),
        "empty": empty,
        "version": version,
        "file": at.file(FORM, v=version) if shown else "",
        "status": request.peek(at.api / "status", "").strip() if facts["reads"] else "",
        "notes": [str(note["message"]) for note in found[:MOST_NOTES] if "message" in note],
        "downloads": downloads(page, at, kept, reads=facts["reads"]) if shown else [],
    }
    whole = {**facts, "commands": commands_of(page, at, request, facts)}
    return Page("mail.html", whole, frames=True)


MAIL_PAGE = VisualPage(
    kind=KIND,
    words=("subject",),
    source="content",
    downloads=(
        Offer("html", "The mail by itself", {}),
        Offer("txt", "The part without HTML", {}),
        Offer("ansi", "For a terminal", {}),
        Offer("pdf", "To print", {}),
        Offer("png", "A picture of the first page", {}),
        Offer("pptx", "Slides to go on with", {}),
    ),
    commands=mail_commands,
    first=first_text,
    show=show_mail,
    known=MAIL_OPTIONS,
)
