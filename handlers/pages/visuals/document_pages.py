"""The pages of documents, to read or to show slide by slide, and of mails; with notes for their writers."""

from __future__ import annotations

from typing import Any

from handlers.pages.framing.reader import look_of
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.visuals.document_reading import LARGEST, reading_of
from handlers.pages.visuals.visual_page import (
    LOOKS,
    READS,
    CurlLine,
    Offer,
    VisualPage,
    form_facts,
    visual_facts,
)
from handlers.rules.render_options import MAIL_OPTIONS, PAGE_OPTIONS
from handlers.trees.visuals.docs import KIND
from handlers.trees.visuals.mails import KIND as MAIL

FORM = "html"
MOST_NOTES = 100
TEXT = r"printf -- '---\ntitle: Spring\n---\n# Summary\nMore than *last* year.\n'"
FIRST_TEXT = (CurlLine("Write it", f"{TEXT} | {{sent}} --data-binary @- {{folder}}/content"),)
EDIT_TEXT = CurlLine("Edit it", "{sent} --data-binary @{name}.md {folder}/content")
LEFT_OUT = CurlLine("What was left out", "{curl} {folder}/log")


def show_document(page: VisualPage, at: ItemPath, request: PageRequest) -> Page:
    """Return the page of a document. Raises NotFound or Unauthenticated if the caller does not see it."""
    facts = _text_facts(page, at, request)
    mode = look_of(request.ask) or "both"
    html = request.kept_text(at.file_path(FORM), LARGEST, mode=mode) if facts["shown"] else None
    facts |= {
        "file": at.file(FORM, mode=mode),
        "reading": reading_of(html) if html is not None else None,
        "unset": html is None and facts["shown"],
        # The log is drawn with the document, and pages draw nothing: it is read after the cached form.
        "notes": notes_of(at, request) if facts["writes"] and facts["shown"] and html is not None else [],
    }
    return Page("document.html", facts, document=True)


def _text_facts(page: VisualPage, at: ItemPath, request: PageRequest) -> dict[str, Any]:
    """Return the template values of documents and of mails; `shown` is whether there is something to show."""
    facts = visual_facts(page, at, request)
    facts["empty"] = facts["reads"] and not request.peek(at.api / "content", "").strip()
    facts |= form_facts(page, at, request, facts, FORM)
    return {**facts, "shown": bool(facts["version"]) and not facts["empty"]}


def notes_of(at: ItemPath, request: PageRequest) -> list[str]:
    """Return the lines of the log, for writers of the document."""
    found = request.peek(at.api / "log", ())
    return [str(note["message"]) for note in found[:MOST_NOTES] if "message" in note]


def show_mail(page: VisualPage, at: ItemPath, request: PageRequest) -> Page:
    """Return the page of a mail. Raises NotFound or Unauthenticated if the caller sees no such mail."""
    facts = _text_facts(page, at, request)
    facts |= {
        "file": at.file(FORM, v=facts["version"]) if facts["shown"] else "",
        "status": request.peek(at.api / "status", "").strip() if facts["reads"] else "",
        "notes": notes_of(at, request) if facts["writes"] and facts["shown"] else [],
        "texts": {},
        "sends": False,
    }
    return Page("mail.html", facts, frames=True)


DOCUMENT_PAGE = VisualPage(
    kind=KIND,
    words=("type",),
    source="content",
    downloads=(
        Offer("pdf", "To print or send", {}),
        Offer("pptx", "Slides to edit", {}),
        Offer("html", "Web page in one file", {}),
        Offer("md", "Markdown", {}),
    ),
    commands=(
        CurlLine("Save the PDF", "{curl} -o {name}.pdf {files}.pdf", LOOKS),
        CurlLine("Save the slides", "{curl} -o {name}.pptx {files}.pptx", LOOKS),
        CurlLine("Source text", "{curl} -o {name}.md {folder}/content", READS),
        EDIT_TEXT,
        CurlLine("Show it as slides", "{sent} -d pres {folder}/config/type"),
        CurlLine("Show it as pages", "{sent} -d doc {folder}/config/type"),
        CurlLine("Set the recipients as a mail", "{sent} -d name@example.org {folder}/config/recipients"),
        CurlLine("Send it every Monday", "{sent} -d '0 6 * * Mon' {folder}/config/schedule"),
        LEFT_OUT,
    ),
    first=FIRST_TEXT,
    show=show_document,
    known=PAGE_OPTIONS,
)

MAIL_PAGE = VisualPage(
    kind=MAIL,
    words=("subject",),
    source="content",
    downloads=(
        Offer("html", "Only the mail", {}),
        Offer("txt", "The part without HTML", {}),
        Offer("ansi", "For a terminal", {}),
        Offer("pdf", "To print", {}),
        Offer("png", "A picture of the first page", {}),
        Offer("pptx", "Slides to edit", {}),
    ),
    commands=(
        CurlLine("In the terminal", "{curl} '{files}.ansi?cols=100'", LOOKS),
        CurlLine("Save the PDF", "{curl} -o {name}.pdf {files}.pdf", LOOKS),
        EDIT_TEXT,
        CurlLine("Set the recipients", "{sent} -d name@example.org {folder}/recipients/to"),
        LEFT_OUT,
    ),
    first=FIRST_TEXT,
    show=show_mail,
    known=MAIL_OPTIONS,
)
