"""Mails as text: the part for programs that show no HTML, and for terminals."""

from __future__ import annotations

from handlers.render.documents.plain.terminal_text import document_text
from handlers.render.documents.plain.words import clean_words
from handlers.render.mails.mail_content import MailContent
from handlers.render.mails.mail_css import MailLook
from handlers.render.mails.mail_medium import document_parts
from handlers.words.document_parts import DocumentParts

COLUMNS = 72
"""Columns of the text part of a message, as mail programs show it."""


def mail_text(
    content: MailContent,
    parts: DocumentParts,
    look: MailLook,
    columns: int = COLUMNS,
    *,
    colored: bool = False,
    whole_code: bool = False,
) -> str:
    """Return the mail as lines of at most `columns`, with its footer; `whole_code` does not wrap code lines.

    An address is on one line whatever its length, as programs make it a link only then.
    """
    known = document_parts(content.document, parts, look.column, "web")
    text = document_text(
        content.document, known, "web", columns,
        colored=colored, whole_code=whole_code, whole_addresses=True, spoken=False,
    )  # fmt: skip
    lines = [f"Sent by {clean_words(look.sender)}"] if look.sender else []
    lines += [f"Read it in a browser: {look.page}"] if look.page else []
    lines += [f"Unsubscribe: {look.unsubscribe}"] if look.unsubscribe else []
    # Two dashes and a space on a line mark the start of a signature.
    return text + ("\n-- \n" + "\n".join(lines) + "\n" if lines else "")
