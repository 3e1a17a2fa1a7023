"""Tables of mails: cells with their own styles, in type small enough that the table stays in its mail."""

from __future__ import annotations

from handlers.render.documents.markup.blocks import DataTable
from handlers.render.documents.markup.spans import Spans, words_of
from handlers.render.documents.pages.table_html import column_side
from handlers.render.mails.mail_context import MailContext
from handlers.render.mails.mail_styles import Declaration, color_rule
from handlers.render.mails.span_lines import mail_line

SIGN, AIR = 8.0, 16
"""Pixels of a letter of a table, and of the air between two columns."""
SIDES = {"number": "right", "at-right": "right", "at-center": "center"}
WHOLE = 14
"""Letters of a number that stays on one line, also on a phone."""
SMALL = 0.45
"""The part of the line that a table leaves to white paper, where it is as narrow."""


def mail_table(context: MailContext, block: DataTable) -> str:
    """A table whose numbers stand at the right edge."""
    sides = [SIDES.get(column_side(block, index), "left") for index in range(len(block.head))]
    widths = [_longest(block, index) for index in range(len(block.head))]
    words = sum(_longest_word(block, index) for index in range(len(block.head))) * SIGN
    words += AIR * len(block.head)
    room = context.look.column
    is_small = sum(widths) * SIGN + AIR * len(widths) < room * SMALL
    size = max(11, min(15, int(15 * room / words))) if words else 15
    broken = "word-break:break-word" if words > room * 15 / 11 else ""
    style = context.style(
        "border-collapse:collapse", f"font-size:{size}px", "line-height:1.4",
        *(() if is_small else ("width:100%",)), *((broken,) if broken else ()),
    )  # fmt: skip
    head = "".join(
        _cell(context, "th", cell, side, last=False) for cell, side in zip(block.head, sides, strict=False)
    )
    rows = []
    for number, row in enumerate(block.rows, 1):
        last = number == len(block.rows)
        cells = (_cell(context, "td", cell, side, last=last) for cell, side in zip(row, sides, strict=False))
        rows.append(f"<tr>{''.join(cells)}</tr>")
    width = "" if is_small else ' width="100%"'
    return (
        f'<table cellpadding="0" cellspacing="0" border="0"{width}{style}>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _cell(context: MailContext, tag: str, spans: Spans, side: str, *, last: bool) -> str:
    edge: tuple[Declaration | str, ...] = (
        (color_rule("border-bottom", "edge" if tag == "th" else "rule", "1px solid "),) if not last else ()
    )
    weight = ("font-weight:600", color_rule("color", "quiet")) if tag == "th" else ()
    figures = ["font-variant-numeric:tabular-nums"] * (side == "right")
    figures += ["white-space:nowrap"] * (side == "right" and len(words_of(spans)) <= WHOLE)
    style = context.style(
        "padding:6px 8px", f"text-align:{side}", "vertical-align:top", *weight, *figures, *edge
    )
    scope = ' scope="col"' if tag == "th" else ""
    scope += context.page.side(words_of(spans))
    return f'<{tag}{scope} align="{side}"{style}>{mail_line(context, spans)}</{tag}>'


def _longest(block: DataTable, index: int) -> int:
    return max((len(text) for text in _texts(block, index)), default=0)


def _longest_word(block: DataTable, index: int) -> int:
    return max((len(word) for text in _texts(block, index) for word in text.split()), default=0)


def _texts(block: DataTable, index: int) -> list[str]:
    rows = (block.head, *block.rows)
    return [words_of(row[index]) for row in rows if index < len(row)]
