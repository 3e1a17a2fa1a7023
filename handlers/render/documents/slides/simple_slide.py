"""Simple slides: pages of heading, text, lists, a table or a chart as shapes that their reader can edit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pptx.dml.color import RGBColor
from pptx.enum.text import PP_ALIGN
from pptx.slide import Slide
from pptx.util import Emu, Pt

from handlers.render.documents.markup.blocks import (
    Block,
    Blocks,
    DataTable,
    DocumentHeading,
    DocumentSheet,
    Listing,
    Paragraph,
    VisBox,
)
from handlers.render.documents.markup.spans import (
    CodeSpan,
    Hyperlink,
    LineBreak,
    PlainText,
    Span,
    Spans,
    Styled,
    VariableMention,
    words_of,
)
from handlers.render.documents.pages.block_html import column_side
from handlers.render.documents.pages.part_models import DocumentParts, VariablePart
from handlers.render.documents.pages.parts import vis_request
from handlers.render.plots.data.table_text import TooManyCells, read_frame
from handlers.render.plots.forms.slide import NATIVE, place_chart
from handlers.render.plots.look.palette import LIGHT
from handlers.render.variables import format_value

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
FAMILY, MONO = "Source Sans Pro", "Source Code Pro"
LEFT, TOP, ACROSS, BOTTOM = Pt(64), Pt(50), Pt(832), Pt(478)
MOST_ROWS, MOST_COLUMNS, MOST_LINES, LONGEST_LINE = 11, 8, 9, 62
LINE, SMALL_LINE, GAP, ROW = Pt(34), Pt(28), Pt(12), Pt(38)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a text box: its spans, level, and mark: bullet, number, or none."""

    spans: Spans
    level: int = 0
    mark: str = ""
    bold: bool = False


def is_simple(sheet: DocumentSheet, parts: DocumentParts) -> bool:
    """Whether a page can be shapes: one column of a heading, lines, at most one table or chart."""
    blocks = sheet.blocks
    if (
        not blocks
        or not isinstance(blocks[0], DocumentHeading)
        or sheet.columns > 1
        or sheet.type
        or len(blocks) < 2
    ):
        return False
    body = blocks[1:]
    shapes = [block for block in body if isinstance(block, DataTable | VisBox)]
    if (
        len(shapes) > 1
        or not all(_fits(block, sheet, parts) for block in body)
        or not _plain(blocks[0].spans, parts)
    ):
        return False
    lines = list(_lines(body))
    wrapped = sum(1 + len(words_of(line.spans)) // LONGEST_LINE for line in lines)
    return wrapped <= (MOST_LINES if not shapes else 3)


def fill_slide(slide: Slide, sheet: DocumentSheet, parts: DocumentParts) -> None:
    """Set a simple page into a slide with a title."""
    head, *body = sheet.blocks
    assert isinstance(head, DocumentHeading)
    title = slide.shapes.title
    words = clean(words_of(head.spans))
    long = len(words) > 52
    title.left, title.top, title.width, title.height = LEFT, TOP, ACROSS, Pt(86 if long else 44)
    set_text(title.text_frame, [TextLine(head.spans, bold=True)], parts, 34)
    top = Emu(TOP + title.height + Pt(20))
    for block in _runs(tuple(body)):
        top = _place(slide, block, sheet, parts, top)


def _place(slide: Slide, run: Blocks, sheet: DocumentSheet, parts: DocumentParts, top: Emu) -> Emu:
    """Set a table, a chart or a run of lines below what there is; where the next begins."""
    first = run[0]
    if isinstance(first, DataTable):
        return _set_table(slide, first, parts, top)
    if isinstance(first, VisBox):
        plot = parts.visuals[vis_request(first, "pres", sheet).key].plot
        assert plot is not None
        place_chart(slide, plot, read_frame(plot.data), (LEFT, top, ACROSS, Emu(max(Pt(120), BOTTOM - top))))
        return BOTTOM
    lines = list(_lines(run))
    height = Emu(sum(SMALL_LINE if line.level else LINE + GAP for line in lines))
    box = slide.shapes.add_textbox(LEFT, top, ACROSS, height)
    set_text(box.text_frame, lines, parts, 24)
    return Emu(top + height + GAP)


def set_text(frame: Any, lines: list[TextLine], parts: DocumentParts, size: int) -> None:
    """Put lines into a frame without air at its edges."""
    frame.word_wrap = True
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    for index, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if not index else frame.add_paragraph()
        paragraph.level = min(line.level, 8)
        paragraph.alignment = PP_ALIGN.LEFT
        paragraph.space_after = Pt(4 if line.level else 10)
        _mark(paragraph, line)
        points = size - 4 * min(line.level, 1)
        for span, styles in _words(line.spans, ("strong",) if line.bold else ()):
            _run(paragraph, span, styles, points, parts)


def clean(text: str) -> str:
    """Text without signs that XML cannot hold."""
    return CONTROL.sub("", text)


def _run(paragraph: Any, span: Span, styles: tuple[str, ...], points: int, parts: DocumentParts) -> None:
    if isinstance(span, LineBreak):
        paragraph.add_line_break()
        return
    run = paragraph.add_run()
    run.text = clean(_text(span, parts)).replace("\n", " ")
    font = run.font
    font.size, font.name = Pt(points), MONO if isinstance(span, CodeSpan) else FAMILY
    font.bold = "strong" in styles
    font.italic = "em" in styles
    font.underline = "u" in styles
    font.color.rgb = RGBColor.from_string(LIGHT.ink[1:].upper())
    if "s" in styles:
        run._r.get_or_add_rPr().set("strike", "sngStrike")
    if shift := {"sup": "30000", "sub": "-25000"}.get(next((s for s in styles if s in ("sup", "sub")), "")):
        run._r.get_or_add_rPr().set("baseline", shift)
    address = next((style for style in styles if style.startswith(("http", "mailto:"))), "")
    if address:
        run.hyperlink.address = address


def _text(span: Span, parts: DocumentParts) -> str:
    if isinstance(span, VariableMention):
        part = parts.variables.get(span.path, VariablePart("#N/A", "text"))
        return format_value(part.value, part.kind, part.format)
    return span.text if isinstance(span, PlainText | CodeSpan) else ""


def _words(spans: Spans, styles: tuple[str, ...]) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Leaves of spans with all styles that are over them."""
    for span in spans:
        if isinstance(span, Styled):
            yield from _words(span.spans, (*styles, span.style))
        elif isinstance(span, Hyperlink):
            yield from _words(span.spans, (*styles, span.address))
        else:
            yield span, styles


def _mark(paragraph: Any, line: TextLine) -> None:
    """A bullet or a number that hangs before the line."""
    if not line.mark:
        return
    properties = paragraph._p.get_or_add_pPr()
    indent = Pt(24)
    properties.set("marL", str(indent * (line.level + 1)))
    properties.set("indent", str(-indent))
    name, attribute, value = (
        ("buAutoNum", "type", "arabicPeriod") if line.mark == "1" else ("buChar", "char", line.mark)
    )
    mark = properties.makeelement(
        f"{{http://schemas.openxmlformats.org/drawingml/2006/main}}{name}", {attribute: value}
    )
    properties.append(mark)


def _set_table(slide: Slide, block: DataTable, parts: DocumentParts, top: Emu) -> Emu:
    rows = (block.head, *block.rows)
    height = Emu(ROW * len(rows))
    shape = slide.shapes.add_table(len(rows), len(block.head), LEFT, top, ACROSS, height)
    shape.name = "Table"
    table = shape.table
    widths = [
        max(4, *(len(words_of(row[column])) for row in rows if column < len(row)))
        for column in range(len(block.head))
    ]
    for column, width in enumerate(widths):
        table.columns[column].width = Emu(ACROSS * width // sum(widths))
    for number, row in enumerate(rows):
        for column, spans in enumerate(row[: len(block.head)]):
            _set_cell(
                table.cell(number, column), spans, parts, head=not number, side=column_side(block, column)
            )
    return Emu(top + height + GAP)


def _set_cell(cell: Any, spans: Spans, parts: DocumentParts, *, head: bool, side: str) -> None:
    set_text(cell.text_frame, [TextLine(spans, bold=head)], parts, 18)
    cell.margin_left = cell.margin_right = Pt(7)
    cell.margin_top = cell.margin_bottom = Pt(4)
    sides = {"number": PP_ALIGN.RIGHT, "at-right": PP_ALIGN.RIGHT, "at-center": PP_ALIGN.CENTER}
    cell.text_frame.paragraphs[0].alignment = sides.get(side, PP_ALIGN.LEFT)
    cell.fill.solid()
    cell.fill.fore_color.rgb = RGBColor.from_string((LIGHT.panel if head else LIGHT.paper)[1:].upper())


def _fits(block: Block, sheet: DocumentSheet, parts: DocumentParts) -> bool:
    match block:
        case Paragraph(_, spans):
            return _plain(spans, parts)
        case Listing():
            return all(
                entry.checked is None
                and all(
                    isinstance(inner, Paragraph | Listing) and _fits(inner, sheet, parts)
                    for inner in entry.blocks
                )
                for entry in block.entries
            )
        case DataTable():
            cells = [cell for row in (block.head, *block.rows) for cell in row]
            small = len(block.rows) <= MOST_ROWS and len(block.head) <= MOST_COLUMNS
            return small and all(_plain(cell, parts) and len(words_of(cell)) < 40 for cell in cells)
        case VisBox():
            return _is_native(block, sheet, parts)
    return False


def _is_native(box: VisBox, sheet: DocumentSheet, parts: DocumentParts) -> bool:
    """Whether a chart is one that slides can hold."""
    part = parts.visuals.get(vis_request(box, "pres", sheet).key)
    if part is None or part.plot is None or part.plot.type not in NATIVE:
        return False
    try:
        return bool(read_frame(part.plot.data).series)
    except TooManyCells:
        return False


def _plain(spans: Spans, parts: DocumentParts) -> bool:
    leaves = [span for span, _ in _words(spans, ())]
    return all(isinstance(span, PlainText | CodeSpan | LineBreak | VariableMention) for span in leaves)


def _lines(blocks: Blocks | list[Block], level: int = 0, mark: str = "") -> Iterator[TextLine]:
    for block in blocks:
        if isinstance(block, Paragraph):
            yield TextLine(block.spans, max(0, level - 1), mark)
            mark = ""
        elif isinstance(block, Listing):
            sign = "1" if block.start is not None else "•" if not level else "–"
            for entry in block.entries:
                yield from _lines(entry.blocks, level + 1, sign)


def _runs(blocks: Blocks) -> Iterator[Blocks]:
    """Tables and charts by themselves, lines that follow one another together."""
    run: list[Block] = []
    for block in blocks:
        if isinstance(block, DataTable | VisBox):
            if run:
                yield tuple(run)
                run = []
            yield (block,)
        else:
            run.append(block)
    if run:
        yield tuple(run)
