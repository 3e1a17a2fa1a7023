"""Blocks: the parts of a document's page, and the document itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.render.documents.markup.spans import (
    UNNUMBERED,
    FigureNumber,
    Footnote,
    Span,
    Spans,
    walk_spans,
    words_of,
)


@dataclass(frozen=True, slots=True)
class Border:
    """A border at a side (l r t b x y a), 0 to 5 thick; the default colour is that of rules."""

    side: str
    size: int
    color: str = ""


@dataclass(frozen=True, slots=True)
class BoxLook:
    """Spaces and colours around a section: sides (l r t b x y a) with sizes of 0 to 5."""

    padding: tuple[tuple[str, int], ...] = ()
    margin: tuple[tuple[str, int], ...] = ()
    borders: tuple[Border, ...] = ()
    color: str = ""
    ground: str = ""


PLAIN_BOX = BoxLook()


MOST_SOUGHT = 200


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A part of a page, from a line of the text."""

    line: int


Blocks = tuple[DocumentBlock, ...]


@dataclass(frozen=True, slots=True)
class DocumentHeading(DocumentBlock):
    """A heading of level 1 to 6; `anchor` is unique in the document."""

    level: int
    spans: Spans
    anchor: str
    wide: bool = False
    color: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph(DocumentBlock):
    """A paragraph of text."""

    spans: Spans


@dataclass(frozen=True, slots=True)
class ListEntry:
    """An entry of a list; `checked` is None unless it has a check box."""

    blocks: Blocks
    checked: bool | None = None


@dataclass(frozen=True, slots=True)
class Listing(DocumentBlock):
    """A list from `start` or with bullets; `tight`: no spacing; `index`: of all `figures` or `tables`."""

    start: int | None
    tight: bool
    entries: tuple[ListEntry, ...]
    index: str = ""


@dataclass(frozen=True, slots=True)
class DefinitionEntry:
    """A term and its explanation."""

    term: Spans
    blocks: Blocks


@dataclass(frozen=True, slots=True)
class Definitions(DocumentBlock):
    """A list of terms."""

    entries: tuple[DefinitionEntry, ...]


@dataclass(frozen=True, slots=True)
class Quotation(DocumentBlock):
    """A quotation."""

    blocks: Blocks


@dataclass(frozen=True, slots=True)
class CodeBlock(DocumentBlock):
    """Program code and the name of its language."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class DataTable(DocumentBlock):
    """A table: `sides` are `left`, `center`, `right` or "" for each column."""

    sides: tuple[str, ...]
    head: tuple[Spans, ...]
    rows: tuple[tuple[Spans, ...], ...]
    caption: Spans = ()
    number: FigureNumber = UNNUMBERED


@dataclass(frozen=True, slots=True)
class Divider(DocumentBlock):
    """A horizontal rule."""


@dataclass(frozen=True, slots=True)
class FormulaBlock(DocumentBlock):
    """A formula on separate lines."""

    source: str


@dataclass(frozen=True, slots=True)
class VisBox(DocumentBlock):
    """A plot or grid; `width` and `height` are CSS lengths or "".

    `heading` and `words` replace its own `title` and `caption`; with `link` it links to its page.
    """

    ref: str
    width: str = ""
    height: str = ""
    align: str = ""
    title: bool = True
    caption: bool = True
    box: BoxLook = PLAIN_BOX
    heading: str = ""
    words: str = ""
    link: bool = False
    number: FigureNumber = UNNUMBERED


@dataclass(frozen=True, slots=True)
class ImageBox(DocumentBlock):
    """A picture by the name of an asset, or by the path of an asset of a plot."""

    ref: str
    alt: str = ""
    width: str = ""
    align: str = ""
    caption: Spans = ()
    link: str = ""
    box: BoxLook = PLAIN_BOX
    number: FigureNumber = UNNUMBERED


@dataclass(frozen=True, slots=True)
class Passage(DocumentBlock):
    """Blocks with their own size, style and alignment.

    `size` is xs s m l xl xxl xxxl or ""; `styles` of strong, italic and regular; `align` of the text; `place`
    of the passage itself: a side (left, center, right) and a height (top, middle, bottom).
    """

    blocks: Blocks
    size: str = ""
    styles: tuple[str, ...] = ()
    align: str = ""
    place: tuple[str, ...] = ()
    width: str = ""
    height: str = ""
    box: BoxLook = PLAIN_BOX


@dataclass(frozen=True, slots=True)
class Callout(DocumentBlock):
    """Highlighted blocks: `tone` is info, success, warning or error, `edge` dashed, solid or ""."""

    tone: str
    title: str
    blocks: Blocks
    box: BoxLook = PLAIN_BOX
    edge: str = ""


@dataclass(frozen=True, slots=True)
class AuthorBox(DocumentBlock):
    """A user who wrote the document."""

    username: str
    name: bool = True
    bio: bool = False
    picture: bool = False
    words: str = ""
    box: BoxLook = PLAIN_BOX


@dataclass(frozen=True, slots=True)
class HtmlIsland(DocumentBlock):
    """HTML as written: it has to be sanitised before it is shown."""

    source: str


@dataclass(frozen=True, slots=True)
class ColumnBreak(DocumentBlock):
    """The end of a column."""


@dataclass(frozen=True, slots=True)
class Details(DocumentBlock):
    """Blocks that fold under a summary on a screen; `shown` ones are open at first."""

    summary: Spans
    blocks: Blocks
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Summary(Paragraph):
    """The summary of a fold, while the fold is parsed."""


@dataclass(frozen=True, slots=True)
class FaultBox(DocumentBlock):
    """A section that cannot be shown, and the reason."""

    column: int
    reason: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class DocumentSheet:
    """A page or slide; with `fill` its columns are filled one by one, and `speaker_notes` are not shown."""

    line: int
    landscape: bool = False
    columns: int = 1
    fill: bool = False
    type: str = ""
    blocks: Blocks = ()
    speaker_notes: Blocks = ()

    @property
    def head(self) -> DocumentHeading | None:
        """The heading that it begins with."""
        first = self.blocks[0] if self.blocks else None
        return first if isinstance(first, DocumentHeading) else None


@dataclass(frozen=True, slots=True)
class MarkupNote:
    """A sentence for the author about a place in the text; lines and columns count from 1."""

    line: int
    column: int
    reason: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its front matter, its pages, and notes about errors.

    `preview` is what inboxes show of a mail; pages do not show it.
    """

    meta: tuple[tuple[str, str], ...] = ()
    sheets: tuple[DocumentSheet, ...] = ()
    notes: tuple[MarkupNote, ...] = ()
    preview: Blocks = ()

    def about(self, key: str) -> str:
        """Return the value of a key of the front matter, or ""."""
        return dict(self.meta).get(key, "")

    def blocks(self) -> Iterator[DocumentBlock]:
        """Yield every visible block, outer before inner, in the order of the text."""
        for sheet in self.sheets:
            yield from walk_blocks(sheet.blocks)

    def headings(self) -> Iterator[DocumentHeading]:
        """Return the headings in the order of the text."""
        return (block for block in self.blocks() if isinstance(block, DocumentHeading))


def walk_blocks(blocks: Blocks) -> Iterator[DocumentBlock]:
    """Yield every block, outer before inner, in the order of the text."""
    for block in blocks:
        yield block
        match block:
            case Quotation() | Passage() | Callout() | Details():
                yield from walk_blocks(block.blocks)
            case Listing() | Definitions():
                for entry in block.entries:
                    yield from walk_blocks(entry.blocks)
        for span in spans_of(block):
            if isinstance(span, Footnote):
                yield from walk_blocks(span.blocks)


def words_in(blocks: Blocks) -> str:
    """Return the words of the first line of blocks, which decide their direction."""
    first = blocks[0] if blocks else None
    return words_of(first.spans) if isinstance(first, Paragraph | DocumentHeading) else ""


def spans_in(block: DocumentBlock) -> Iterator[Spans]:
    """Yield the lines of text of a block itself, without those of inner blocks."""
    match block:
        case DocumentHeading() | Paragraph():
            yield block.spans
        case DataTable():
            yield from (block.caption, *block.head)
            for row in block.rows:
                yield from row
        case Definitions():
            yield from (entry.term for entry in block.entries)
        case ImageBox():
            yield block.caption
        case Details():
            yield block.summary


def spans_of(block: DocumentBlock) -> Iterator[Span]:
    """Yield all spans of a block itself, outer before inner."""
    return (span for line in spans_in(block) for span in walk_spans(line))


def place_of(lines: Sequence[str], line: int, sought: str) -> tuple[int, int]:
    """Return the line and column of a text in a block that begins on a line."""
    for at, text in enumerate(lines[line - 1 : line - 1 + MOST_SOUGHT], line):
        if (column := text.find(sought)) >= 0:
            return at, column + 1
    return line, 1
