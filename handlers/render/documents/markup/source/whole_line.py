"""Lines of a block: no air at their edges, and no sign that turns the direction of what follows them."""

from __future__ import annotations

import re

from handlers.render.documents.markup.spans import PlainText, Spans, words_of

TURNS = {
    **dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c"),
    **dict.fromkeys("\u2066\u2067\u2068", "\u2069"),
}
"""Signs that turn the direction of text, and those that end it."""
SIGNS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def whole_line(spans: Spans) -> Spans:
    """The line, at whose end every turn of direction ends that began in it."""
    if spans and isinstance(spans[0], PlainText):
        text = spans[0].text.lstrip(" \t\n")
        spans = (PlainText(text), *spans[1:]) if text else spans[1:]
    if spans and isinstance(spans[-1], PlainText):
        text = spans[-1].text.rstrip(" \t\n")
        spans = (*spans[:-1], PlainText(text)) if text else spans[:-1]
    ends = open_turns(words_of(spans))
    if ends and isinstance(spans[-1], PlainText):
        return (*spans[:-1], PlainText(spans[-1].text + ends))
    return (*spans, PlainText(ends)) if ends else spans


def open_turns(text: str) -> str:
    """The signs that end what turns the direction at the end of a text."""
    opened: list[str] = []
    for sign in SIGNS.findall(text):
        if sign in TURNS:
            opened.append(TURNS[sign])
        elif sign in opened:
            # The end of an isolate ends what is open in it; an embedding ends within its isolate alone.
            if sign == "\u2069":
                del opened[len(opened) - 1 - opened[::-1].index(sign) :]
            elif opened[-1] == sign:
                opened.pop()
    return "".join(reversed(opened))
