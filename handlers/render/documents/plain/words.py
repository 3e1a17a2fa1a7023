"""Words of spans for plain forms: references resolved, control characters removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from handlers.render.documents.markup.blocks import Blocks
from handlers.render.documents.markup.spans import (
    CodeSpan,
    Footnote,
    Formula,
    Hyperlink,
    InlineImage,
    LineBreak,
    PageMention,
    PlainText,
    Spans,
    Styled,
    Tinted,
    VariableMention,
)
from handlers.render.output_room import put_out
from handlers.words.document_parts import DocumentParts, VariablePart
from handlers.words.terminal_signs import safe_words
from handlers.words.variables import ansi, format_value

BOLD, ITALIC, UNDER, STRUCK, TEAL, QUIET, RED, END = (
    "\x1b[1m", "\x1b[3m", "\x1b[4m", "\x1b[9m", "\x1b[36m", "\x1b[2m", "\x1b[31m", "\x1b[0m",
)  # fmt: skip
STYLES = {"strong": BOLD, "em": ITALIC, "u": UNDER, "s": STRUCK}
RAISED = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
LOWERED = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")


@dataclass
class PlainWords:
    """Writes spans as words; footnotes are collected by number."""

    parts: DocumentParts
    colored: bool = False
    footnotes: list[tuple[str, Blocks]] = field(default_factory=list)
    call: str = "[{}]"
    """The reference to a footnote in the text, with its number."""
    line_end: str = "\n"

    def line(self, spans: Spans) -> str:
        """Return the words of a line."""
        return "".join(SPANS[type(span)](self, span) for span in spans)

    def paint(self, text: str, *styles: str) -> str:
        """Return words in a style, if the terminal has colours."""
        return f"{''.join(styles)}{text}{END}" if self.colored and text else text

    def text(self, text: str) -> str:
        """Return words without control characters of terminals."""
        return safe_words(text)

    def code(self, text: str) -> str:
        """Return words of code."""
        return self.paint(text, TEAL)

    def in_style(self, style: str, text: str) -> str:
        """Return words in a style of spans."""
        if style == "sup":
            return text.translate(RAISED)
        if style == "sub":
            return text.translate(LOWERED)
        return self.paint(text, STYLES.get(style, ""))

    def link(self, address: str, text: str) -> str:
        """Return words that link to an address."""
        if not address.startswith(("http", "mailto:")) or address in (text, f"mailto:{text}"):
            return text
        return f"{self.paint(text, UNDER)} <{safe_words(address)}>"

    def formula(self, source: str, display: bool) -> str:
        """Return a formula as written."""
        return source

    def value(self, part: VariablePart) -> str:
        """Return the value of a variable."""
        value = safe_words(part.value)
        if self.colored:
            return ansi(value, part.kind, part.format, part.threshold)
        return format_value(value, part.kind, part.format)

    def _variable(self, mention: VariableMention) -> str:
        part = self.parts.variables.get(mention.path)
        return self.text("#N/A") if part is None else put_out(self.value(part))

    def _footnote(self, note: Footnote) -> str:
        self.footnotes.append(("", ()))
        number = len(self.footnotes)
        self.footnotes[number - 1] = (self.line(note.spans), note.blocks)
        return self.call.format(number)


SPANS: Mapping[type[Any], Callable[[PlainWords, Any], str]] = {
    PlainText: lambda words, span: words.text(span.text).replace("\n", " "),
    CodeSpan: lambda words, span: words.code(safe_words(span.text)),
    Styled: lambda words, span: words.in_style(span.style, words.line(span.spans)),
    Hyperlink: lambda words, span: words.link(span.address, words.line(span.spans)),
    Tinted: lambda words, span: words.line(span.spans),
    Footnote: PlainWords._footnote,
    LineBreak: lambda words, span: words.line_end,
    Formula: lambda words, span: words.formula(safe_words(span.source), span.display),
    InlineImage: lambda words, span: words.text(f"[image: {span.alt}]"),
    PageMention: lambda words, span: words.text(span.label or span.heading),
    VariableMention: PlainWords._variable,
}
"""Functions that write each kind of span."""
