"""Passages that fold as HTML: on screens behind their summary, elsewhere below it."""

from __future__ import annotations

from handlers.render.documents.markup.blocks import Details, Summary
from handlers.render.documents.markup.spans import Footnote, Spans, walk_spans, words_of
from handlers.render.documents.pages.page_context import PageContext
from handlers.render.documents.pages.page_words import DETAILS
from handlers.render.documents.pages.span_html import line_html


def details_html(context: PageContext, block: Details, inner: str) -> str:
    """The passage with its summary; `inner` are its blocks."""
    words, side = line_html(context, block.summary), context.side(words_of(block.summary))
    if not context.medium.interactive:
        head = f'<p class="summary"{side}>{words}</p>\n' if words else ""
        return f'<div class="details">{head}{inner}</div>'
    head = f"<summary{side}>{words or DETAILS}</summary>"
    return f"<details{' open' if block.shown else ''}>{head}\n{inner}\n</details>"


def summary_html(context: PageContext, block: Summary) -> str:
    """A summary that belongs to nothing."""
    return f'<p class="summary"{context.side(words_of(block.spans))}>{line_html(context, block.spans)}</p>'


def has_blocks(spans: Spans) -> bool:
    """Whether a note in a line holds more than a line."""
    return any(isinstance(span, Footnote) and span.blocks for span in walk_spans(spans))
