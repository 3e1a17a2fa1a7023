"""Words of spans for plain forms: references resolved, signs of control left out."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    Span,
    Spans,
    Styled,
    Tinted,
    VariableMention,
)
from handlers.render.output_room import put_out
from handlers.words.document_parts import DocumentParts
from handlers.words.terminal_signs import safe_words
from handlers.words.variables import ansi, format_value

BOLD, ITALIC, UNDER, STRUCK, TEAL, QUIET, RED, END = (
    "\x1b[1m", "\x1b[3m", "\x1b[4m", "\x1b[9m", "\x1b[36m", "\x1b[2m", "\x1b[31m", "\x1b[0m",
)  # fmt: skip
STYLES = {"strong": BOLD, "em": ITALIC, "u": UNDER, "s": STRUCK}
RAISED = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
LOWERED = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")


@dataclass(slots=True)
class PlainWords:
    """Writes spans as words; footnotes are gathered by number."""

    parts: DocumentParts
    colored: bool = False
    footnotes: list[tuple[str, Blocks]] = field(default_factory=list)

    def line(self, spans: Spans) -> str:
        """The words of a line."""
        return "".join(self._span(span) for span in spans)

    def paint(self, text: str, *styles: str) -> str:
        """Words in a style, where there are colours."""
        return f"{''.join(styles)}{text}{END}" if self.colored and text else text

    def _span(self, span: Span) -> str:
        match span:
            case PlainText(text):
                return clean_words(text).replace("\n", " ")
            case CodeSpan(text):
                return self.paint(clean_words(text), TEAL)
            case Styled(style, inner):
                return self._in_style(style, self.line(inner))
            case Hyperlink(address, inner):
                return self._link(address, self.line(inner))
            case Tinted(_, _, inner):
                return self.line(inner)
            case Footnote():
                return self._footnote(span)
            case LineBreak():
                return "\n"
            case _:
                return self._reference(span)

    def _reference(self, span: Span) -> str:
        match span:
            case Formula(source):
                return clean_words(source)
            case InlineImage(_, alt):
                return f"[image: {clean_words(alt)}]"
            case PageMention(_, heading, _, label):
                return clean_words(label or heading)
            case VariableMention(path):
                return self._variable(path)
        return ""

    def _in_style(self, style: str, text: str) -> str:
        if style == "sup":
            return text.translate(RAISED)
        if style == "sub":
            return text.translate(LOWERED)
        return self.paint(text, STYLES.get(style, ""))

    def _link(self, address: str, text: str) -> str:
        if not address.startswith(("http", "mailto:")) or address in (text, f"mailto:{text}"):
            return text
        return f"{self.paint(text, UNDER)} <{clean_words(address)}>"

    def _footnote(self, note: Footnote) -> str:
        self.footnotes.append(("", ()))
        number = len(self.footnotes)
        self.footnotes[number - 1] = (self.line(note.spans), note.blocks)
        return f"[{number}]"

    def _variable(self, path: str) -> str:
        part = self.parts.variables.get(path)
        if part is None:
            return "#N/A"
        value = clean_words(part.value)
        if self.colored:
            return put_out(ansi(value, part.kind, part.format, part.threshold))
        return put_out(format_value(value, part.kind, part.format))


def clean_words(text: str) -> str:
    """Words without signs that would steer a terminal."""
    return safe_words(text)
