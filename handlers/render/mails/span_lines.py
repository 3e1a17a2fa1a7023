"""Lines of mails: spans as HTML with their styles on them."""

from __future__ import annotations

from html import escape

from handlers.render.documents.markup.spans import (
    CodeSpan,
    Footnote,
    Formula,
    Hyperlink,
    InlineImage,
    LineBreak,
    PageMention,
    PlainText,
    Span,
    Spans,
    Styled,
    Tinted,
    VariableMention,
)
from handlers.render.documents.pages.formulas import draw_formula
from handlers.render.documents.pages.page_context import MOST_FORMULAS
from handlers.render.documents.pages.span_html import ARROWS, direction
from handlers.render.mails.mail_context import MailContext
from handlers.render.mails.mail_pictures import EM
from handlers.render.mails.mail_styles import MONO, color_rule, named_tint
from handlers.render.output_room import put_out
from handlers.render.variables import format_value

TAGS = {"em": "em", "strong": "strong", "u": "u", "s": "s", "sup": "sup", "sub": "sub"}

KEYS = {
    "kbd": (f"font-family:{MONO}", "font-size:0.85em", color_rule("border", "edge", "1px solid "),
            "border-radius:3px", "padding:1px 4px"),
    "mark": (color_rule("background-color", "warning-tint"), color_rule("color", "ink")),
}  # fmt: skip
"""Styles of keys and of what is marked."""


def mail_line(context: MailContext, spans: Spans) -> str:
    """A line as HTML."""
    return "".join(_span(context, span) for span in spans)


def formula_image(context: MailContext, source: str, *, display: bool) -> str:
    """A formula as a picture; one not understood as it was written."""
    context.formulas += 1
    drawn = draw_formula(source, display=display) if context.formulas <= MOST_FORMULAS else None
    if drawn is None:
        line = f"line {context.page.line}: " if context.page.line else ""
        context.notes.append(f"{line}formula not understood: {source[:80]}")
        return _code(context, source)
    pictures = [context.store.formula(drawn, mode) for mode in context.modes]
    shown = [picture for picture in pictures if picture is not None]
    if not shown:
        return _code(context, source)
    place = "vertical-align:middle" if display else f"vertical-align:{-drawn.depth * EM:.1f}px"
    return context.images(shown, source, place)


def link_html(context: MailContext, target: str, inner: str) -> str:
    """Something that leads to an address; by itself where the address leads nowhere outside the service."""
    address = context.address(target)
    if not address:
        return inner
    style = context.style(color_rule("color", "accent"), "text-decoration:underline")
    return f'<a href="{escape(address)}"{style}>{inner}</a>'


def _span(context: MailContext, span: Span) -> str:
    match span:
        case PlainText(text):
            return escape(text, quote=False)
        case CodeSpan(text):
            return _code(context, text)
        case Styled("kbd" | "mark" as style, inner):
            return f"<{style}{context.style(*KEYS[style])}>{mail_line(context, inner)}</{style}>"
        case Styled(style, inner):
            return f"<{TAGS[style]}>{mail_line(context, inner)}</{TAGS[style]}>"
        case LineBreak():
            return "<br>"
        case Hyperlink(address, inner):
            return link_html(context, address, mail_line(context, inner))
        case Tinted(color, ground, inner):
            tint = color_rule("background-color" if ground else "color", named_tint(color))
            return f"<span{context.style(tint)}>{mail_line(context, inner)}</span>"
        case _:
            return _reference(context, span)


def _reference(context: MailContext, span: Span) -> str:
    match span:
        case Formula(source, display):
            return formula_image(context, source, display=display)
        case Footnote(inner, blocks):
            context.endnotes.append("")
            number = len(context.endnotes)
            context.endnotes[number - 1] = mail_line(context, inner) + context.write_blocks(blocks)
            style = context.style("line-height:0", color_rule("color", "accent"))
            return f"<sup{style}>{number}</sup>"
        case InlineImage(name, alt):
            return _image(context, name, alt)
        case VariableMention(path):
            return _variable(context, path)
        case PageMention(_, heading, _, label):
            return escape(label or heading, quote=False)
    return ""


def _code(context: MailContext, text: str) -> str:
    style = context.style(
        f"font-family:{MONO}", "font-size:0.9em", color_rule("background-color", "panel"), "padding:1px 4px",
        "border-radius:3px",
    )  # fmt: skip
    return f"<code{style}>{escape(text, quote=False)}</code>"


def _image(context: MailContext, name: str, alt: str) -> str:
    part = context.asset(name)
    picture = part if isinstance(part, str) else context.store.asset(part, 0, context.look.column)
    if picture is None or isinstance(picture, str):
        reason = picture or "the mail would be too large"
        context.notes.append(f'picture "{name[:80]}" is not shown: {reason}')
        return escape(f"[image: {alt}]", quote=False)
    return context.images([picture], alt, "vertical-align:middle")


def _variable(context: MailContext, path: str) -> str:
    part = context.parts.variables.get(path)
    if part is None:
        context.notes.append(f"variable {path} is not shown: {context.missing(path, 'there is none')}")
        return "#N/A"
    side = direction(part)
    text = put_out(ARROWS[side] + escape(format_value(part.value, part.kind, part.format), quote=False))
    if not side:
        return text
    style = context.style(color_rule("color", "good" if side > 0 else "bad"), "white-space:nowrap")
    return f"<span{style}>{text}</span>"
