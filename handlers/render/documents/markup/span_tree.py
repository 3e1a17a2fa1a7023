"""Spans of a line, made from the tokens of Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from handlers.render.documents.markup.inline_rules import STYLES, HtmlSpans, Stack, merge
from handlers.render.documents.markup.markdown_reader import LONGEST_LINE, read_line_tokens
from handlers.render.documents.markup.parameters import color_of
from handlers.render.documents.markup.spans import (
    DATA,
    CodeSpan,
    Footnote,
    Formula,
    Hyperlink,
    InlineImage,
    LabelMention,
    LineBreak,
    PageMention,
    PlainText,
    Span,
    Spans,
    Styled,
    Tinted,
    VariableMention,
    words_of,
)

DEEPEST = 16
LONGEST_ADDRESS, MOST_ADDRESSES = 2_000, 1_000_000
NO_LINK = "a link may lead only to the web, to mail or to this server: this one is left out"
NO_SECTION = "a section cannot be in a table or a heading: put it on a separate line"


def read_line(text: str) -> Spans:
    """Return the spans of a separate text, such as a caption."""
    return SpanTree().spans(read_line_tokens(text[:LONGEST_LINE])) if text else ()


def whole_line(spans: Spans) -> Spans:
    """Return the line without spaces at its ends."""
    if spans and isinstance(spans[0], PlainText):
        text = spans[0].text.lstrip(" \t\n")
        spans = (PlainText(text), *spans[1:]) if text else spans[1:]
    if spans and isinstance(spans[-1], PlainText):
        text = spans[-1].text.rstrip(" \t\n")
        spans = (*spans[:-1], PlainText(text)) if text else spans[:-1]
    return spans


@dataclass(slots=True)
class SpanTree:
    """Makes spans from tokens; `footnotes` are the footnotes of the text, by number.

    Unknown marks stay as written; they are added to `faults`, each with its reason.
    """

    footnotes: Mapping[int, Footnote] = field(default_factory=dict)
    faults: list[tuple[str, str]] = field(default_factory=list)
    room: int = MOST_ADDRESSES
    """Characters left for all addresses together, because a defined address may be used very often."""
    left_open: bool = False
    """Whether speaker notes in a table or a heading were not closed there."""
    html: HtmlSpans = field(init=False)

    def __post_init__(self) -> None:
        self.html = HtmlSpans(self.faults, self._address)

    def spans(self, tokens: Sequence[Token] | None) -> Spans:
        """Return the spans of a line."""
        stack: Stack = [(None, [])]
        for token in tokens or ():
            if token.type == "html_tag":
                self.html.take(stack, token)
            elif token.nesting > 0:
                stack.append((token, []))
            elif token.nesting < 0:
                self.html.close(stack)
                if len(stack) > 1:
                    opening, inner = stack.pop()
                    stack[-1][1].extend(self._in_style(opening, inner, len(stack)))
            else:
                stack[-1][1].extend(self._leaf(token))
        while len(stack) > 1:
            self.html.close(stack)
            if len(stack) > 1:
                _, inner = stack.pop()
                stack[-1][1].extend(inner)
        return merge(stack[0][1])

    def _in_style(self, opening: Token | None, inner: list[Span], depth: int) -> list[Span]:
        spans = merge(inner)
        if opening is None or not spans or depth > DEEPEST:
            return list(spans)
        if opening.tag == "a":
            address = self._address(opening, "href")
            if address.lower().startswith(DATA):
                self.faults.append((address, NO_LINK))
                return list(spans)
            return [Hyperlink(address, spans)] if address else list(spans)
        if opening.tag == "em":
            return [Styled("u" if opening.markup == "_" else "em", spans)]
        return [Styled(STYLES[opening.tag], spans)] if opening.tag in STYLES else list(spans)

    def _address(self, token: Token, name: str) -> str:
        """Return the address of a token, "" if it is too long."""
        address = str(token.attrs.get(name, ""))
        address = DATA if address.lower().startswith(DATA) else address
        self.room -= len(address)
        return address if len(address) <= LONGEST_ADDRESS and self.room >= 0 else ""

    def _leaf(self, token: Token) -> Spans:
        make = LEAVES.get(token.type)
        if make is not None:
            return make(self, token)
        return (PlainText(token.content),) if token.content else ()

    def _span_section(self, token: Token) -> Spans:
        inner = self.spans(token.children)
        if token.info == "ftn":
            return (Footnote(inner),) if inner else ()
        options = token.meta.get("options", [])
        color = next((found for option in options if (found := color_of(option))), "")
        if token.info == "clr" and color:
            return (Tinted(color, "bg" in options, inner),)
        known = (
            "write a colour, as [[clr,fg,red-500: words]]" if token.info == "clr" else "there are ftn and clr"
        )
        self.faults.append((token.content, f'"{token.content[:40]}" is not understood: {known}'))
        return (PlainText(token.content),)

    def _image(self, token: Token) -> Spans:
        name = self._address(token, "src")
        words = words_of(self.spans(token.children)) or token.content
        return (InlineImage(name, words or name),) if name else (PlainText(words),) if words else ()

    def _footnote(self, token: Token) -> Spans:
        note, mark = self.footnotes.get(int(token.meta.get("id", -1))), f"[^{token.meta.get('label', '')}]"
        if note is None:
            self.faults.append((mark, f"a footnote cannot contain another: {mark} is left out"))
            return (PlainText(mark),)
        if token.meta.get("subId"):
            self.faults.append((mark, f"the footnote {mark} is used twice: it is shown at its first use"))
            return ()
        return (note,) if note.spans or note.blocks else ()

    def _stray(self, token: Token) -> Spans:
        """Return the source of a section that is not allowed here; speaker notes are never shown."""
        self.faults.append((token.content, NO_SECTION))
        self.left_open = self.left_open or bool(token.meta["open"])
        return () if token.meta["notes"] else (PlainText(token.content),)

    def _page(self, token: Token) -> Spans:
        meta = token.meta
        return (PageMention(int(meta["level"]), token.content, bool(meta["linked"]), str(meta["label"])),)


LEAVES: Mapping[str, Callable[[SpanTree, Token], Spans]] = {
    "code_inline": lambda tree, token: (CodeSpan(token.content),),
    "hardbreak": lambda tree, token: (LineBreak(),),
    "softbreak": lambda tree, token: (PlainText("\n"),),
    "image": SpanTree._image,
    "math_inline": lambda tree, token: (Formula(token.content.strip()),),
    "math_inline_double": lambda tree, token: (Formula(token.content.strip(), True),),
    "footnote_ref": SpanTree._footnote,
    "stray_mark": SpanTree._stray,
    "span_section": SpanTree._span_section,
    "variable": lambda tree, token: (VariableMention(token.content),),
    "page_mention": SpanTree._page,
    "label_mention": lambda tree, token: (LabelMention(token.content, str(token.meta["source"])),),
}
