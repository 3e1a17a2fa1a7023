"""Other items and files that a document shows, their positions in its text, and the sizes of its charts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import ceil
from typing import TypeVar

from handlers.render.documents.markup.blocks import (
    AuthorBox,
    Blocks,
    CodeBlock,
    ColumnBreak,
    DataTable,
    Document,
    DocumentBlock,
    DocumentHeading,
    DocumentSheet,
    ImageBox,
    Paragraph,
    VisBox,
    spans_of,
    walk_blocks,
)
from handlers.render.documents.markup.spans import (
    DATA,
    InlineImage,
    Span,
    VariableMention,
    words_of,
)
from handlers.render.documents.pages.line_lengths import foot_height, slide_head
from handlers.render.plots.look.style import style_of, typical_width
from handlers.words.document_parts import PartRequests, VisRequest
from handlers.words.language import LONGEST_TAG
from handlers.words.references import REFERENCE, ReferencePlace, ReferencePlaces, replace_pieces

KINDS = {"doc": "doc", "docs": "doc", "pres": "pres", "blog": "web", "web": "web"}
"""`config/type` as users write it, and the kind that it means."""

COLUMN = {
    ("doc", False): {1: 612, 2: 291, 3: 189},
    ("doc", True): {1: 918, 2: 444, 3: 291},
    ("pres", False): {1: 1108, 2: 530, 3: 342},
    ("web", False): {1: 760, 2: 360, 3: 240},
}
"""Width of a column in pixels by kind, landscape and number of columns."""

CLOSER = {"doc": 1.2, "pres": 1 / 1.6, "web": 1.0}
"""Drawn size of a chart relative to its shown size, so that its font size matches the text."""

SLIDE_GRID = 1 / 1.45
"""The same for grids on slides, whose smallest font size is then 12 points."""

PHONE = 358
"""Width of the text on a phone in pixels."""

SLIDE_HEIGHT, BELOW_HEAD, POINT = 434, 22, 4 / 3
"""Height in points of a slide's body, space in points below its heading, and pixels of a point."""
SLIDE_SIGN, SLIDE_LINE, SLIDE_GAP, LOWEST = 15, 46, 20, 160
"""Pixels on a slide: a letter's width, a line, the space between blocks, and the least chart height."""
SLIDE_ROW, SLIDE_CODE = 52, 31
"""Height in pixels of a table row and of a line of code on a slide."""

T = TypeVar("T")


def part_requests(document: Document, kind: str) -> PartRequests:
    """Return the parts to show in a document of a kind."""
    visuals = [vis_request(block, room) for block, room in charts_of(document, kind)]
    visuals += [narrow_request(one) for one in visuals]
    blocks = list(document.blocks())
    assets = [block.ref for block in blocks if isinstance(block, ImageBox)]
    authors = (block.username for block in blocks if isinstance(block, AuthorBox))
    spans = _spans_of(blocks)
    assets += [span.name for span in spans if isinstance(span, InlineImage) and span.name != DATA]
    spans += _spans_of(block for sheet in document.sheets for block in walk_blocks(sheet.speaker_notes))
    variables = (span.path for span in spans if isinstance(span, VariableMention))
    said = (document.about("lang") or document.about("language"))[:LONGEST_TAG]
    return PartRequests(_once(visuals), _once(assets), _once(authors), _once(variables), said)


def _spans_of(blocks: Iterable[DocumentBlock]) -> list[Span]:
    return [span for block in blocks for span in spans_of(block)]


def charts_of(document: Document, kind: str) -> Iterator[tuple[VisBox, ChartRoom]]:
    """Yield each plot and grid with the room on its page."""
    for sheet in document.sheets:
        room = ChartRoom(kind, sheet)
        yield from ((block, room) for block in walk_blocks(sheet.blocks) if isinstance(block, VisBox))


@dataclass(frozen=True)
class ChartRoom:
    """The room for charts on a page of a document of a kind."""

    kind: str
    sheet: DocumentSheet

    @cached_property
    def body(self) -> int:
        """The height in pixels for blocks: on a slide between its heading and its footnotes."""
        if self.kind != "pres":
            return 900
        room: float = SLIDE_HEIGHT - foot_height(self.sheet.blocks)
        if self.sheet.head:
            room -= slide_head(words_of(self.sheet.head.spans))[1] + BELOW_HEAD
        return max(LOWEST, int(room * POINT))

    @cached_property
    def is_headed(self) -> bool:
        """Whether a slide's heading is above a single chart, so that the chart needs no title."""
        charts = sum(isinstance(block, VisBox) for block in walk_blocks(self.sheet.blocks))
        return self.kind == "pres" and charts == 1 and self.sheet.head is not None

    @cached_property
    def shares(self) -> Mapping[int, int]:
        """The height in pixels for each chart that has none set, by the identity of its box."""
        if self.kind != "pres":
            return {}
        words = self.sheet.blocks[1:] if self.sheet.head else self.sheet.blocks
        columns, shares = _columns(words), dict[int, int]()
        for column in columns:
            blocks = list(walk_blocks(column))
            boxes = [block for block in blocks if isinstance(block, VisBox)]
            signs = column_width("pres", self.sheet) / SLIDE_SIGN
            text = sum(_height(block, signs) for block in blocks)
            share = self._share(len(boxes), text, several=len(columns) > 1)
            shares.update((id(box), share) for box in boxes)
        return shares

    def _share(self, charts: int, text: int, *, several: bool) -> int:
        """Return the height of each chart in a column with this height of text."""
        body, count = self.body, self.sheet.columns
        if several or count == 1:
            return max(LOWEST, round((body - text - SLIDE_GAP * (charts - 1)) / max(1, charts)))
        free = count - charts
        body -= SLIDE_GAP  # which a column always has at its top
        if free > 0 and text <= free * body:
            return body  # the text is in separate columns
        rows = ceil(charts / count)
        return max(LOWEST, round((body - text / count - SLIDE_GAP * (rows - 1)) / rows))


def vis_request(box: VisBox, room: ChartRoom) -> VisRequest:
    """Return the request for a drawing that fits a box on a page."""
    kind, across = room.kind, column_width(room.kind, room.sheet)
    width = pixels_of(box.width, across) or across
    height = min(pixels_of(box.height, room.body), room.body) or room.shares.get(id(box), 0)
    scale = SLIDE_GRID if kind == "pres" and not _is_plot(box) else CLOSER[kind]
    drawn = max(120, round(min(width, across) * scale))
    drawn += 2 * _padding(drawn, round(height * scale)) * is_flush(box)
    return VisRequest(box.ref, drawn, round(height * scale), box.title, box.caption, headed=room.is_headed)


def narrow_request(request: VisRequest) -> VisRequest:
    """Return the request for the same chart on a phone, where the plot chooses its height."""
    return replace(request, width=PHONE, height=0, narrow=True)


def is_flush(box: VisBox) -> bool:
    """Return whether a chart without its margin is aligned with the edge of the text."""
    return _is_plot(box) and not (box.box.ground or box.box.borders)


def _is_plot(box: VisBox) -> bool:
    return "/p/" in box.ref


def _padding(width: int, height: int) -> int:
    """Return the margin in pixels of a chart of that size."""
    return style_of(width, "light", type_width=typical_width(width, height)).padding


def overhang(box: VisBox, request: VisRequest, kind: str) -> float:
    """Return by how many pixels a chart's margin extends at each side."""
    return _padding(request.width, request.height) / CLOSER[kind] if is_flush(box) else 0


def column_width(kind: str, sheet: DocumentSheet) -> int:
    """Return the width of a column of a page in pixels."""
    return COLUMN[kind, sheet.landscape and kind == "doc"][sheet.columns]


def _height(block: DocumentBlock, signs: float) -> int:
    """Return the height in pixels of a text, table or code on a slide, else 0; lines have `signs` letters."""
    match block:
        case Paragraph() | DocumentHeading():
            return ceil(len(words_of(block.spans)) / signs) * SLIDE_LINE + SLIDE_GAP
        case DataTable():
            return (1 + len(block.rows)) * SLIDE_ROW + SLIDE_GAP
        case CodeBlock():
            return (2 + block.text.count("\n")) * SLIDE_CODE + SLIDE_GAP
    return 0


def _columns(blocks: Blocks) -> list[Blocks]:
    """Return the blocks of each column."""
    columns: list[list[DocumentBlock]] = [[]]
    for block in blocks:
        if isinstance(block, ColumnBreak):
            columns.append([])
        else:
            columns[-1].append(block)
    return [tuple(column) for column in columns]


def pixels_of(length: str, whole: int) -> int:
    """Return a CSS length in pixels, 0 for none."""
    digits = length.rstrip("%abcdefghijklmnopqrstuvwxyz")
    if not digits:
        return 0
    scale = {"%": whole / 100, "px": 1, "pt": 4 / 3, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96,
             "em": 13.3, "rem": 13.3}.get(length[len(digits) :], whole / 100)  # fmt: skip
    return round(float(digits) * scale)


def _once(found: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(found))


DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_PLACES = 10_000
"""Most positions to check: more than the sections that a document can have."""

Read = Callable[[str], Document]


def reference_places(text: str, read: Read) -> ReferencePlaces:
    """Return the positions in a text that `read` parses to a document.

    Only the parser knows them. Each possible position gets a unique name, the text is parsed again, and the
    names that the parser then returns are at references; code and plain text stay unchanged.
    """
    references = _references(read(text))
    if not references:
        return ReferencePlaces((), ())
    trial = dict(zip(_names(text), _candidates(text, references), strict=False))
    renamed = replace_pieces(text, ((*found.span("name"), name) for name, found in trial.items()))
    owners: dict[str, str] = {}
    left = []
    for ref, found in _references(read(renamed)).items():
        if found["name"] in trial:
            owners[found["name"]] = found["owner"] or ""
        else:
            left.append(ref)
    places = (
        ReferencePlace(found.start(), owners[name], found["kind"], found["name"])
        for name, found in trial.items()
        if name in owners
    )
    return ReferencePlaces(tuple(places), tuple(left))


def _references(document: Document) -> Mapping[str, re.Match[str]]:
    """Return all items and leaves that a document refers to, which do not depend on its kind and look."""
    requests = part_requests(document, "doc")
    refs = (*(request.ref for request in requests.visuals), *requests.assets, *requests.variables)
    return {ref: found for ref in refs if (found := REFERENCE.fullmatch(ref))}


def _candidates(text: str, references: Mapping[str, re.Match[str]]) -> Iterator[re.Match[str]]:
    """Return the positions at which kind, name and leaf of possible references begin, in order."""
    found = sorted(references.values(), key=lambda one: len(one["name"]), reverse=True)
    parts = [(one["kind"], one["name"], one["leaf"] or "") for one in found]
    # Python does not allow one group name in several branches: both parts have separate branches.
    before = "|".join(dict.fromkeys(re.escape(kind) for kind, _, _ in parts))
    words = "|".join(dict.fromkeys(f"{re.escape(name)}(?={re.escape(leaf)})" for _, name, leaf in parts))
    return islice(re.finditer(f"(?P<kind>{before})/(?P<name>{words})", text), MOST_PLACES)


def _names(text: str) -> Iterator[str]:
    """Yield short names that the text does not contain."""
    pairs = (first + second for first in DIGITS for second in DIGITS)
    start = next((pair for pair in pairs if f"/{pair}" not in text), "zzz")
    return (start + _digits(number) for number in range(36**4))


def _digits(number: int) -> str:
    return DIGITS[number] if number < 36 else _digits(number // 36) + DIGITS[number % 36]
