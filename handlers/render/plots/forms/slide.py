"""A plot as a slide: a native chart that can be edited if possible, else the picture."""

from __future__ import annotations

import io
import math
import re
import zipfile
from dataclasses import replace
from datetime import datetime
from typing import Any

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.text import PP_ALIGN
from pptx.oxml.ns import qn
from pptx.slide import Slide
from pptx.util import Emu, Pt

from handlers.render.plots.data.frame import Frame
from handlers.render.plots.forms.deck_theme import DeckTheme, blank_deck
from handlers.render.plots.forms.drawing import Look, describe, draw, png
from handlers.render.plots.forms.embedded_fonts import add_face
from handlers.render.plots.forms.slide_chart import add_chart
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.type_metrics import FAMILY
from handlers.render.plots.shown.native_panels import NativePanel, NativePanels, native_panels
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.words.language import language, say
from handlers.words.plot import Plot
from handlers.words.terminal_signs import xml_text

LEAST_POINTS, SMALLER = 12.0, 0.85
"""Smallest font size of panels, and its share of that of a single chart."""
GAP = Pt(14)
LONGEST_NAME = 120

Box = tuple[Emu, Emu, Emu, Emu]


def add_panels(slide: Slide, charts: NativePanels, box: Box, points: float) -> Any:
    """Return the group of all panels in a box of a slide, with letters of about that many points."""
    group = slide.shapes.add_group_shape()
    small = min(points, max(LEAST_POINTS, points * SMALLER))
    rows = math.ceil(len(charts.panels) / charts.columns)
    left, top, width, height = box
    wide = (width - (charts.columns - 1) * GAP) // charts.columns
    tall = (height - (rows - 1) * GAP) // rows
    for at, panel in enumerate(charts.panels):
        row, column = divmod(at, charts.columns)
        place = Emu(left + column * (wide + GAP)), Emu(top + row * (tall + GAP)), Emu(wide), Emu(tall)
        _add_panel(group, panel, place, small)
    return group


def _add_panel(group: Any, panel: NativePanel, box: Box, points: float) -> None:
    left, top, width, height = box
    head = Emu(min(height // 3, Pt(points * 1.6)))
    text = group.shapes.add_textbox(left, top, width, head).text_frame
    text.word_wrap = True
    text.margin_left = text.margin_right = text.margin_top = text.margin_bottom = 0
    text.text = xml_text(panel.name)[:LONGEST_NAME]
    text.paragraphs[0].alignment = PP_ALIGN.LEFT
    font = text.paragraphs[0].font
    font.size, font.bold, font.name = Pt(round(points, 1)), True, FAMILY
    font.color.rgb = RGBColor.from_string(LIGHT.ink[1:].upper())
    for latin in text.paragraphs[0]._p.iter(qn("a:latin")):
        add_face(latin, FAMILY)
    shape = add_chart(group, panel.chart, (left, Emu(top + head), width, Emu(height - head)), points)
    shape._element.nvGraphicFramePr.cNvPr.set("descr", xml_text(f"{panel.name}: {panel.words}"))


WIDTH, HEIGHT = Emu(12_192_000), Emu(6_858_000)
THEME = DeckTheme(WIDTH, HEIGHT, LIGHT.paper[1:].upper(), LIGHT.ink[1:].upper(), FAMILY, FAMILY)
"""The theme of presentations."""
MARGIN = Emu(609_600)
INNER = Emu(WIDTH - 2 * MARGIN)
UNITS, CLOSER = 9_525, 1.5
"""Units of a pixel, and by how much a picture is enlarged, so that its text is readable."""
MADE = datetime(2000, 1, 1)  # noqa: DTZ001
STAMPS = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
MOST_POINTS = 5_000
LONGEST_TITLE, LONGEST_LINE = 300, 600


def pptx(plot: Plot, frame: Frame) -> bytes:
    """Return a presentation of one slide: title, subtitle, chart, caption; always the same bytes."""
    deck = Presentation(io.BytesIO(blank_deck(THEME)))
    slide = deck.slides.add_slide(deck.slide_layouts.get_by_name("Title Only"))
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = MARGIN, Emu(300_000), INNER, Emu(900_000)
    title.text_frame.text = xml_text(plot.words("title") or plot.name or "Plot")[:LONGEST_TITLE]
    title.text_frame.margin_left = title.text_frame.margin_right = 0
    head = title.text_frame.paragraphs[0]
    head.alignment, head.font.size, head.font.bold = PP_ALIGN.LEFT, Pt(28), True
    words = [" ".join(xml_text(plot.words(key)).split())[:LONGEST_LINE] for key in ("subtitle", "caption")]
    charts = slide_charts(plot, frame)
    top, bottom = Emu(1_300_000), Emu(HEIGHT - 400_000)
    if words[0]:
        _write(slide, words[0], Emu(1_120_000), 18)
        top = Emu(1_560_000)
    below = " · ".join(word for word in (words[1], *map(say, charts.notes)) if word) if charts else ""
    if below:  # a picture contains its own
        bottom = Emu(bottom - 360_000)
        _write(slide, below, bottom, 12)
    place_chart(slide, plot, frame, (MARGIN, top, INNER, Emu(bottom - top)), charts=charts)
    slide.notes_slide.notes_text_frame.text = "\n".join(
        word for word in [xml_text(describe(plot, frame)), *words] if word
    )
    deck.core_properties.created = deck.core_properties.modified = MADE
    deck.core_properties.title = xml_text(plot.words("title") or plot.name)[:200]
    deck.core_properties.author = ""
    deck.core_properties.language = language().tag
    made = io.BytesIO()
    deck.save(made)
    return steady_zip(made.getvalue())


def slide_charts(plot: Plot, frame: Frame) -> NativePanels | None:
    """Return the native charts of a plot; None if the slide contains the picture."""
    return native_panels(shown_chart(plot, frame), MOST_POINTS)


def place_chart(
    slide: Slide,
    plot: Plot,
    frame: Frame,
    box: tuple[Emu, Emu, Emu, Emu],
    points: float = 14,
    charts: NativePanels | None = None,
) -> bool:
    """Place the plot into a box of a slide, with letters of that many points; return whether it is native."""
    charts = charts or slide_charts(plot, frame)
    if charts is not None:
        alone = len(charts.panels) == 1 and not charts.panels[0].name
        made = add_chart(slide, charts.panels[0].chart, box, points) if alone else None
        shape = made or add_panels(slide, charts, box, points)
        next(shape._element.iter(qn("p:cNvPr"))).set("descr", xml_text(describe(plot, frame)))
        return True
    # The margin of a drawing is outside of the box, so that its text is aligned with the slide's.
    width, height = (round(size / UNITS / CLOSER) for size in box[2:])
    look = Look(width=width, height=height, header=False)
    air = look.style().padding
    look = replace(look, width=width + 2 * air)
    drawn = draw(plot, look)
    left, wide = Emu(int(box[0] - air * UNITS * CLOSER)), Emu(int(look.width * UNITS * CLOSER))
    shape = slide.shapes.add_picture(io.BytesIO(png(drawn.svg, 4)), left, box[1], width=wide)
    if shape.height > box[3]:
        shape.width, shape.height = Emu(int(shape.width * box[3] / shape.height)), box[3]
        shape.left = Emu(box[0] + (box[2] - shape.width) // 2)
    shape._element.nvPicPr.cNvPr.set("descr", xml_text(drawn.description))
    return False


def _write(slide: Slide, words: str, top: Emu, size: float) -> None:
    """Write a line of text across the slide."""
    frame = slide.shapes.add_textbox(MARGIN, top, INNER, Emu(360_000)).text_frame
    frame.word_wrap, frame.margin_left, frame.margin_right = True, 0, 0
    frame.text = words
    font = frame.paragraphs[0].font
    font.size, font.color.theme_color = Pt(size), MSO_THEME_COLOR.TEXT_2


def steady_zip(archive: bytes) -> bytes:
    """Return the same archive with one time for all members, so that equal content makes equal bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            body = old.read(name)
            if name.endswith(".xlsx"):
                body = steady_zip(body)
            elif name == "docProps/core.xml":
                body = STAMPS.sub(b"2000-01-01T00:00:00Z", body)
            new.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), body, zipfile.ZIP_DEFLATED)
    return made.getvalue()
