"""Authors in mails: who wrote it, with the words and the portrait that the box asks for."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from handlers.render.documents.markup.blocks import AuthorBox
from handlers.render.documents.pages.asset_check import fault_of_picture
from handlers.render.documents.pages.part_models import AuthorPart
from handlers.render.mails.mail_context import MailContext
from handlers.render.mails.mail_styles import Declaration

PORTRAIT = 56
"""Pixels of the side of a portrait."""


def author_html(
    context: MailContext, block: AuthorBox, part: AuthorPart, style: str, text: Sequence[Declaration | str]
) -> str:
    """The box of an author; `style` is the attribute of the box, `text` the styles of its words."""
    name = f"<strong>{escape(part.name, quote=False)}</strong>" if block.name else ""
    words = escape((block.words or part.bio) if block.bio else "", quote=False)
    cell = context.style("vertical-align:top", *text)
    said = f"<td{cell}>{'<br>'.join(filter(None, (name, words)))}</td>"
    return (
        f'<table role="presentation" cellpadding="0" cellspacing="0" border="0"{style}>'
        f"<tr>{_portrait(context, part) if block.picture else ''}{said}</tr></table>"
    )


def _portrait(context: MailContext, part: AuthorPart) -> str:
    if part.picture is None or fault_of_picture(part.picture):
        return ""
    picture = context.store.portrait(part.picture, PORTRAIT)
    if picture is None:
        return ""
    side = context.style("padding:0 16px 0 0", f"width:{PORTRAIT}px", "vertical-align:top")
    image = context.images([picture], f"Portrait of {part.name}", "border-radius:50%")
    return f"<td{side}>{image}</td>"
