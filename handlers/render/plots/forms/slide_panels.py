"""Panels on a slide: native charts side by side in one group, each below its name."""

from __future__ import annotations

import math
from typing import Any

from pptx.dml.color import RGBColor
from pptx.enum.text import PP_ALIGN
from pptx.oxml.ns import qn
from pptx.slide import Slide
from pptx.util import Emu, Pt

from handlers.render.plots.forms.embedded_fonts import add_face
from handlers.render.plots.forms.slide_chart import add_chart, plain
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.type_metrics import FAMILY
from handlers.render.plots.shown.native_panels import NativePanel, NativePanels

LEAST_POINTS, SMALLER = 12.0, 0.85
"""The smallest letters of panels, and what part they are of those of one chart."""
GAP = Pt(14)
LONGEST_NAME = 120

Box = tuple[Emu, Emu, Emu, Emu]


def add_panels(slide: Slide, charts: NativePanels, box: Box, points: float) -> Any:
    """The group of all panels in a box of a slide, with letters of about so many points."""
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
    text.text = plain(panel.name)[:LONGEST_NAME]
    text.paragraphs[0].alignment = PP_ALIGN.LEFT
    font = text.paragraphs[0].font
    font.size, font.bold, font.name = Pt(round(points, 1)), True, FAMILY
    font.color.rgb = RGBColor.from_string(LIGHT.ink[1:].upper())
    for latin in text.paragraphs[0]._p.iter(qn("a:latin")):
        add_face(latin, FAMILY)
    shape = add_chart(group, panel.chart, (left, Emu(top + head), width, Emu(height - head)), points)
    shape._element.nvGraphicFramePr.cNvPr.set("descr", plain(f"{panel.name}: {panel.words}"))
