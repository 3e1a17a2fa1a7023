"""Passages that fold, in mails: their summary above them, as mail programs fold nothing."""

from __future__ import annotations

from handlers.render.documents.markup.details import Details, Summary
from handlers.render.documents.pages.page_words import DETAILS
from handlers.render.mails.mail_context import MailContext
from handlers.render.mails.mail_styles import Declaration, color_rule
from handlers.render.mails.span_lines import mail_line


def details_html(
    context: MailContext, block: Details, inner: str, below: int, *text: Declaration | str
) -> str:
    """The passage under its summary, moved in: `inner` are its blocks, `text` are the styles around it."""
    words = mail_line(context, block.summary) or DETAILS
    head = context.style("margin:0 0 4px", "font-weight:700", *text)
    rule = color_rule("border-left", "rule", "1px solid ")
    moved = context.style(f"margin:0 0 {below}px", "padding:0 0 0 16px", rule)
    return f"<p{head}>{words}</p><div{moved}>{inner}</div>"


def summary_html(context: MailContext, block: Summary, below: int, *text: Declaration | str) -> str:
    """A summary that belongs to nothing."""
    style = context.style(f"margin:0 0 {below}px", "font-weight:700", *text)
    return f"<p{style}>{mail_line(context, block.spans)}</p>"
