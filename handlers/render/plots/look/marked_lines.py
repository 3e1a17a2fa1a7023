"""Marked words broken into lines: each line as the runs of its looks, measured in their faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from handlers.render.plots.look.type_metrics import text_width, wrap
from handlers.words.marked_words import MarkedSpan

BOLD = 700
CODE_STACK = "'Source Code Pro', 'Noto Sans Mono', monospace"
CODE_SIZE = 0.94
CODE_EM = 0.6 * CODE_SIZE
"""Width of a letter of code, in em: those of its face are of one width, and a little smaller."""
MOST_TRIES = 4


def marked_lines(
    spans: Sequence[MarkedSpan], size: float, width: float, weight: int = 400, most: int = 3
) -> list[list[MarkedSpan]]:
    """The words in at most so many lines of at most that width, as `wrap` breaks them."""
    text, room = "".join(span.text for span in spans), width
    signs = [replace(span, text=sign) for span in spans for sign in span.text]
    for _ in range(MOST_TRIES):
        lines = _in_looks(wrap(text, size, room, weight, most), signs)
        beyond = max(_width(line, size, weight) for line in lines) - width
        if beyond <= 0 or not _is_marked(spans):
            break
        room -= beyond
    return lines


def span_svg(span: MarkedSpan, size: float) -> str:
    """A span as SVG: a link is one where the drawing is a part of a page, or opened by itself."""
    look = ' font-weight="700"' if span.strong else ""
    look += ' font-style="italic"' if span.emphasis else ""
    look += f' font-family="{CODE_STACK}" font-size="{size * CODE_SIZE:.4g}"' if span.code else ""
    look += ' text-decoration="underline"' if span.href else ""
    drawn = f"<tspan{look}>{escape(span.text)}</tspan>" if look else escape(span.text)
    if not span.href:
        return drawn
    return f'<a href={quoteattr(span.href)} rel="noopener noreferrer">{drawn}</a>'


def _is_marked(spans: Sequence[MarkedSpan]) -> bool:
    return any(span.strong or span.code for span in spans)


def _width(line: Sequence[MarkedSpan], size: float, weight: int) -> float:
    return sum(
        len(span.text) * CODE_EM * size
        if span.code
        else text_width(span.text, size, BOLD if span.strong else weight)
        for span in line
    )


def _in_looks(lines: Sequence[str], signs: Sequence[MarkedSpan]) -> list[list[MarkedSpan]]:
    """Lines with the looks of their letters; what breaking put in (`-`, `…`) looks like the letter before."""
    at, made = 0, []
    for line in lines:
        drawn = list[MarkedSpan]()
        while at < len(signs) and signs[at].text.isspace():
            at += 1
        for sign in line:
            if at < len(signs) and signs[at].text == sign:
                drawn.append(signs[at])
                at += 1
            else:
                drawn.append(replace(drawn[-1] if drawn else MarkedSpan(""), text=sign))
        made.append(drawn)
    return [_join_looks(line) for line in made]


def _join_looks(line: Sequence[MarkedSpan]) -> list[MarkedSpan]:
    """Neighbours of one look as one."""
    return [
        replace(look, text="".join(sign.text for sign in run))
        for look, run in groupby(line, key=lambda sign: replace(sign, text=""))
    ]
