"""Row w7: a presentation of a document against the library that writes the same shapes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pdf.paper import document_pdf
from handlers.render.documents.slides.deck import printed_pptx
from tests.bench.figures import Figure, in_turn
from tests.bench.renderings.documents import CHAPTERS, LOOK, PLOT, drawn, processor, sections

ROWS = ("w7",)
BLANK = 6
"""The number of the layout without places in the library's own deck."""


def measure(rows: set[str], rounds: int) -> Iterator[Figure]:
    """The row, when it is asked for."""
    if rows & set(ROWS):
        yield against_library(rounds)


def against_library(rounds: int) -> Figure:
    """Twenty pages with ten charts as slides, and the library's way to as many equal shapes."""
    document = read_document(sections(CHAPTERS, chart="/u/ann/p/birds"))
    parts = drawn(document)
    parts = replace(parts, visuals={key: replace(part, plot=PLOT) for key, part in parts.visuals.items()})
    printed = document_pdf(document, parts, LOOK)
    slides = list(_slides(printed_pptx(document, parts, LOOK, printed).body))
    ours, floor = in_turn(
        rounds,
        partial(processor, lambda: printed_pptx(document, parts, LOOK, printed)),
        partial(processor, lambda: _write(slides)),
    )
    what = f"a PPTX of {len(slides)} laid pages : python-pptx writing the same shapes, processor time"
    return Figure("w7", what, ours, floor, bound=1.75)


Draw = Callable[[Any], object]
Box = tuple[int, int, int, int]
Paragraph = list[tuple[str, Any, Any, Any, Any]]
INK = RGBColor(0x22, 0x25, 0x2A)


def _slides(body: bytes) -> Iterator[list[Draw]]:
    """For each slide, functions that draw its shapes again."""
    for slide in Presentation(io.BytesIO(body)).slides:
        yield [_drawing(shape) for shape in slide.shapes]


def _drawing(shape: Any) -> Draw:
    box = (shape.left, shape.top, shape.width, shape.height)
    if shape.has_chart:
        chart = shape.chart
        data = CategoryChartData()
        data.categories = list(chart.plots[0].categories)
        for series in chart.plots[0].series:
            data.add_series(series.name, list(series.values))
        return lambda shapes: shapes.add_chart(chart.chart_type, *box, data)
    if shape.has_table:
        rows = [[_paragraphs(cell.text_frame) for cell in row.cells] for row in shape.table.rows]
        return partial(_table, rows, box)
    if hasattr(shape, "image"):
        blob = shape.image.blob
        return lambda shapes: shapes.add_picture(io.BytesIO(blob), *box)
    return partial(_text, _paragraphs(shape.text_frame) if shape.has_text_frame else [], box)


def _paragraphs(frame: Any) -> list[Paragraph]:
    """The runs of each paragraph: their words, size, face and weight."""
    return [
        [(run.text, run.font.size, run.font.name, run.font.bold, run.font.italic) for run in paragraph.runs]
        for paragraph in frame.paragraphs
    ]


def _table(rows: list[list[list[Paragraph]]], box: Box, shapes: Any) -> None:
    table = shapes.add_table(len(rows), len(rows[0]), *box).table
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, paragraphs in zip(row.cells, cells, strict=True):
            _fill(cell.text_frame, paragraphs)


def _text(paragraphs: list[Paragraph], box: Box, shapes: Any) -> None:
    _fill(shapes.add_textbox(*box).text_frame, paragraphs)


def _fill(frame: Any, paragraphs: list[Paragraph]) -> None:
    for number, runs in enumerate(paragraphs):
        paragraph = frame.add_paragraph() if number else frame.paragraphs[0]
        for words, size, face, bold, italic in runs:
            run = paragraph.add_run()
            run.text = words
            run.font.size, run.font.name, run.font.bold, run.font.italic = size, face, bold, italic
            run.font.color.rgb = INK


def _write(slides: list[list[Draw]]) -> bytes:
    """A deck of all of them."""
    deck = Presentation()
    for drawings in slides:
        shapes = deck.slides.add_slide(deck.slide_layouts[BLANK]).shapes
        for draw in drawings:
            draw(shapes)
    made = io.BytesIO()
    deck.save(made)
    return made.getvalue()
