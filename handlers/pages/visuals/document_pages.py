"""The pages of documents: the document to read or to show slide by slide, its outline, and its downloads."""

from __future__ import annotations

from handlers.pages.framing.look import look_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.visuals.asset_page import asset_names
from handlers.pages.visuals.document_commands import document_commands, first_text
from handlers.pages.visuals.document_reading import LARGEST, reading_of
from handlers.pages.visuals.downloads import KeptForms, downloads
from handlers.pages.visuals.visual_facts import commands_of, version_of, visual_facts
from handlers.pages.visuals.visual_page import Offer, VisualPage
from handlers.pages.visuals.visual_path import VisualPath
from handlers.rules.render_options import PAGE_OPTIONS
from handlers.trees.visuals.docs import KIND

FORM = "html"
MOST_NOTES = 100


def show_document(page: VisualPage, at: VisualPath, request: PageRequest) -> Page:
    """The page of a document. Raises NotFound or Unauthenticated if the caller sees no such document."""
    facts = visual_facts(page, at, request)
    empty = facts["reads"] and not request.peek(at.api / "content", "").strip()
    version = version_of(at, request, FORM) if facts["looks"] else ""
    mode = look_of(request.ask) or "both"
    html = request.kept_text(at.file_path(FORM), LARGEST, mode=mode) if version and not empty else None
    kept = KeptForms(request.world.visuals.kept, page, version)
    facts |= {
        "assets": asset_names(request, at) if facts["writes"] else (),
        "empty": empty,
        "version": version,
        "file": at.file(FORM, mode=mode),
        "reading": reading_of(html) if html is not None else None,
        "unset": html is None and bool(version) and not empty,
        "notes": _notes(at, request) if facts["writes"] and not empty and html is not None else [],
        "downloads": downloads(page, at, kept, reads=facts["reads"]) if facts["looks"] and not empty else [],
    }
    return Page("document.html", {**facts, "commands": commands_of(page, at, request, facts)}, document=True)


def _notes(at: VisualPath, request: PageRequest) -> list[str]:
    """The sentences of the log, for those who write the document."""
    found = request.peek(at.api / "log", ())
    return [str(note["message"]) for note in found[:MOST_NOTES] if "message" in note]


DOCUMENT_PAGE = VisualPage(
    kind=KIND,
    words=("type",),
    source="content",
    downloads=(
        Offer("pdf", "To print and to send", {}),
        Offer("pptx", "Slides to go on with", {}),
        Offer("html", "One file for a browser", {}),
        Offer("md", "Markdown", {}),
    ),
    commands=document_commands,
    first=first_text,
    show=show_document,
    known=PAGE_OPTIONS,
)
