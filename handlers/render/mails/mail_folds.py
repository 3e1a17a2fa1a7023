"""Passages that fold, in mails: their summary above them, as mail programs fold nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.render.documents.markup.details import Details, Summary
from handlers.render.documents.pages.page_words import DETAILS
from handlers.render.mails.mail_styles import color_rule
from handlers.render.mails.span_lines import mail_line

if TYPE_CHECKING:
    from handlers.render.mails.mail_blocks import MailWriter


def details_html(writer: MailWriter, block: Details) -> str:
    """The passage under its summary, moved in."""
    context = writer.context
    words = mail_line(context, block.summary) or DETAILS
    head = context.style("margin:0 0 4px", "font-weight:700", *writer.text)
    rule = color_rule("border-left", "rule", "1px solid ")
    inner = context.style(f"margin:0 0 {writer.below}px", "padding:0 0 0 16px", rule)
    return f"<p{head}>{words}</p><div{inner}>{writer.inner(block.blocks)}</div>"


def summary_html(writer: MailWriter, block: Summary) -> str:
    """A summary that belongs to nothing."""
    style = writer.context.style(f"margin:0 0 {writer.below}px", "font-weight:700", *writer.text)
    return f"<p{style}>{mail_line(writer.context, block.spans)}</p>"
