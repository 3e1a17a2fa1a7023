"""Spans: pieces of a line of text: plain, styled, links or references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Union

Spans = tuple["Span", ...]
ADDRESS = re.compile(r"(?:https?://|mailto:|tel:|#|/(?!/)|\.{1,2}/)|[^:/?#\\]+(?:[/?#]|$)", re.IGNORECASE)
DATA = "data:"
"""The start of an address that contains the picture; notes show it like this."""


@dataclass(frozen=True, slots=True)
class PlainText:
    """Words without a style."""

    text: str


@dataclass(frozen=True, slots=True)
class Styled:
    """Spans in one style: `em`, `strong`, `u`, `s`, `sup`, `sub`, `kbd` or `mark`."""

    style: str
    spans: Spans


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Inline code."""

    text: str


@dataclass(frozen=True, slots=True)
class Hyperlink:
    """Spans that link to an address."""

    address: str
    spans: Spans


@dataclass(frozen=True, slots=True)
class InlineImage:
    """An inline picture, by the name of an asset."""

    name: str
    alt: str


@dataclass(frozen=True, slots=True)
class Footnote:
    """A footnote: its first paragraph, and the blocks below it."""

    spans: Spans
    blocks: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Tinted:
    """Spans in a colour, or on it if `ground`; the colour is `#rrggbb` or a name with a shade."""

    color: str
    ground: bool
    spans: Spans


@dataclass(frozen=True, slots=True)
class Formula:
    """A TeX formula; `display` puts it on separate lines."""

    source: str
    display: bool = False


@dataclass(frozen=True, slots=True)
class VariableMention:
    """The value of a variable, by its path `/u/<user>/<kind>/<name>/v/<variable>`."""

    path: str


@dataclass(frozen=True, slots=True)
class PageMention:
    """The page number of a heading.

    `level` is the heading's, `heading` its words; `label` replaces the number, `linked` makes it a link.
    """

    level: int
    heading: str
    linked: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class LabelMention:
    """A reference to a figure or table by its label; replaced by a link when the document is parsed."""

    label: str
    source: str


@dataclass(frozen=True, slots=True)
class FigureNumber:
    """The number of a figure or table: `shown` as `Figure 2`; `anchor` is the target of references, or ""."""

    label: str = ""
    shown: str = ""
    anchor: str = ""


UNNUMBERED = FigureNumber()


@dataclass(frozen=True, slots=True)
class LineBreak:
    """A line break that the author asked for."""


Span = Union[  # noqa: UP007
    PlainText, Styled, CodeSpan, Hyperlink, InlineImage, Footnote, Tinted, Formula, VariableMention,
    PageMention, LabelMention, LineBreak,
]  # fmt: skip


def words_of(spans: Spans) -> str:
    """Return the words of spans, without footnotes."""
    return "".join(_words(spans))


def _words(spans: Spans) -> Iterator[str]:
    for span in spans:
        match span:
            case PlainText(text) | CodeSpan(text):
                yield text
            case Styled(_, inner) | Hyperlink(_, inner) | Tinted(_, _, inner):
                yield from _words(inner)
            case InlineImage(_, alt):
                yield alt
            case Formula(source):
                yield source
            case PageMention(_, heading, _, label):
                yield label or heading
            case LineBreak():
                yield " "
            case _:
                yield ""


def walk_spans(spans: Spans) -> Iterator[Span]:
    """Yield every span, outer before inner, in the order of the text."""
    for span in spans:
        yield span
        if isinstance(span, Styled | Hyperlink | Footnote | Tinted):
            yield from walk_spans(span.spans)


def is_harmless(address: str) -> bool:
    """Return whether an address leads to the web, to mail, or to this server."""
    return bool(ADDRESS.match(address.strip())) and not any(ord(sign) < 32 for sign in address)
